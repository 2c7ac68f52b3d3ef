package engine

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// An Engine answers queries: it checks each against the catalog's current
// schema, runs its plan on a store and puts the answer together. It is
// immutable and safe for concurrent use.
type Engine struct {
	catalog    *schema.Catalog
	store      store.Store
	compiler   *compile.Compiler
	statements Statements
	log        *slog.Logger
}

// Statements says what answers tell of the statements that ran.
type Statements uint8

// The ways to show statements.
const (
	ShowStatements Statements = iota // text and parameters
	HideValues                       // text, and parameters without their values
	HideStatements                   // nothing
)

// Options configure an Engine. The zero value is a sound default for a program
// of its own; a server sets Cursors and Statements.
type Options struct {
	Limits graph.Limits
	// Cursors sign the cursors of answers. Nil means random keys: the cursors
	// work with this Engine only.
	Cursors    *compile.CursorKeys
	Statements Statements
	// Log gets the details of failures that callers must not see. Nil means
	// slog.Default().
	Log *slog.Logger
}

// New returns an engine over the schemas of a catalog and the store that holds
// their graph. The store stays the caller's to close.
func New(catalog *schema.Catalog, st store.Store, opts Options) *Engine {
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	return &Engine{
		catalog: catalog, store: st, statements: opts.Statements, log: opts.Log,
		compiler: compile.New(compile.Options{Limits: opts.Limits, Cursors: opts.Cursors}),
	}
}

// Schema is the schema that a call made now is checked against.
func (e *Engine) Schema() *schema.Schema { return e.catalog.Current() }

// Limits are the bounds of every call.
func (e *Engine) Limits() graph.Limits { return e.compiler.Limits() }

// Check returns a query's plan without running it. All mistakes come together,
// as graph.Errors.
func (e *Engine) Check(ctx context.Context, q graph.Query) (*compile.Plan, error) {
	return e.compiler.Check(e.catalog.Current(), graph.ScopeFrom(ctx), q)
}

// Run answers a query. The context's deadline, and Limits.Timeout, bound it.
// Errors are graph.Errors or *graph.Error; what a store has to say about a
// failure goes to the log only, under the error's id.
func (e *Engine) Run(ctx context.Context, q graph.Query) (*graph.Result, error) {
	plan, err := e.Check(ctx, q)
	if err != nil {
		return nil, err
	}
	res := &graph.Result{Tool: plan.Tool()}
	if d, ok := plan.Root.(*compile.Describe); ok {
		res.Schema = d.Description
		return res, nil
	}
	ctx, cancel := context.WithTimeout(ctx, e.Limits().Timeout)
	defer cancel()
	var out store.Outcome
	err = e.guarded(func() (err error) {
		out, err = e.store.Run(ctx, plan, graph.Collector{Result: res})
		return err
	})
	if err != nil {
		return nil, e.reported(ctx, plan, err)
	}
	e.finish(res, plan, out)
	return res, nil
}

// finish adds to an answer what it says beside its rows.
func (e *Engine) finish(res *graph.Result, plan *compile.Plan, out store.Outcome) {
	res.Summary = graph.Summary{
		Returned: out.Returned, TruncatedBy: out.TruncatedBy, Executed: out.Executed,
		Warnings: append(plan.Warnings, out.Warnings...),
	}
	if out.Next != nil {
		res.NextCursor = e.compiler.Cursor(plan, out.Next)
	}
	if out.Returned == 0 {
		res.Warnings = append(res.Warnings, plan.IfEmpty()...)
	}
	res.Statements = e.shown(out.Statements)
}

// shown hides of the statements what the host wants hidden. The list stays as
// it is: a store may keep it.
func (e *Engine) shown(list []graph.Statement) []graph.Statement {
	switch e.statements {
	case HideStatements:
		return nil
	case HideValues:
		list = slices.Clone(list)
		for i := range list {
			list[i].Parameters = slices.Clone(list[i].Parameters)
			for j := range list[i].Parameters {
				list[i].Parameters[j].Value = graph.Null()
			}
		}
	}
	return list
}

// An Explanation tells how a query is answered.
type Explanation struct {
	Plan string `json:"plan"`
	store.Explanation
}

// Explain tells how a query would be answered: the plan, its statements as far
// as Options.Statements shows them, and, where it hides nothing, the database's
// own plan of them.
func (e *Engine) Explain(ctx context.Context, q graph.Query) (*Explanation, error) {
	plan, err := e.Check(ctx, q)
	if err != nil {
		return nil, err
	}
	ex := &Explanation{Plan: plan.String()}
	if _, ok := plan.Root.(*compile.Describe); ok {
		return ex, nil
	}
	ctx, cancel := context.WithTimeout(ctx, e.Limits().Timeout)
	defer cancel()
	err = e.guarded(func() (err error) {
		ex.Explanation, err = e.store.Explain(ctx, plan)
		return err
	})
	if err != nil {
		return nil, e.reported(ctx, plan, err)
	}
	ex.Statements = e.shown(ex.Statements)
	if e.statements != ShowStatements { // the database's plan repeats texts and values
		ex.Database = nil
	}
	return ex, nil
}

// guarded turns a panic of a store into an error: one call must not take the
// host's process with it.
func (e *Engine) guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &graph.Error{Code: graph.Internal, Message: "the store could not answer",
				Cause: fmt.Errorf("panic: %v\n%s", p, debug.Stack())}
		}
	}()
	return f()
}

// reported logs a failure under an id that the caller sees, and returns it
// without its cause's text. Refusals pass as they are.
func (e *Engine) reported(ctx context.Context, plan *compile.Plan, err error) error {
	known := store.Failure(ctx, err)
	if known.Code.Refusal() {
		return graph.Errors{known}
	}
	failed := *known
	failed.ErrorID = errorID()
	e.log.ErrorContext(ctx, "call failed", "error_id", failed.ErrorID, "code", failed.Code, "tool", plan.Tool(), "cause", failed.Cause)
	return graph.Errors{&failed}
}

func errorID() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
