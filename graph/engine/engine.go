package engine

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine/audit"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// An Engine answers queries: it checks each against the catalog's current
// schema, as far as the caller may see it, runs its plan on a store and puts
// the answer together. It is immutable but for what it counts, and safe for
// concurrent use.
type Engine struct {
	catalog    *schema.Catalog
	store      store.Store
	compiler   *compile.Compiler
	statements Statements
	log        *slog.Logger
	limiter    *limiter
	queue      *queue
	prompt     bool
	watchdog   watchdog
	guards     *bounded // nil without Options.Guard
	recorder   recorder
	repeats    *repeats
	redact     Redact
	timeout    time.Duration
	// began is a moment from which others are counted: so the clock is read
	// faster than as a time of day.
	began time.Time
	// reuses says that nothing holds on to a call that is over, so that the next
	// can have its memory.
	reuses bool
	calls  sync.Pool // of *call
	open   atomic.Pointer[openView]
}

// New returns an engine over the schemas of a catalog and the store that holds
// their graph. The store stays the caller's to close.
func New(catalog *schema.Catalog, st store.Store, opts Options) *Engine {
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	e := &Engine{
		catalog: catalog, store: st, statements: opts.Statements, log: opts.Log, prompt: opts.Prompt,
		compiler: compile.New(compile.Options{
			Limits: opts.Limits, Cursors: opts.Cursors, Cost: opts.Cost, Guard: opts.Guard, MaskKey: opts.MaskKey,
			MinGroup: opts.MinGroup, Redacted: opts.Redact.Labels,
		}),
		redact:  opts.Redact.own(),
		limiter: newLimiter(opts.Rates),
		queue:   newQueue(opts.Concurrency, opts.MaxQueue, opts.MaxPerTenant, opts.QueueTimeout),
		repeats: newRepeats(),
		began:   time.Now(),
		reuses:  opts.Prompt && opts.Guard == nil && len(opts.Redact.Labels) == 0,
	}
	e.timeout = e.compiler.Limits().Timeout
	e.recorder.sink, e.recorder.observer, e.recorder.failClosed = opts.Audit, opts.Observer, opts.AuditFailClosed
	if opts.Guard != nil {
		e.guards = newBounded()
	}
	if opts.Audit != nil {
		e.recorder.writes, e.recorder.timeout = newBounded(), opts.AuditTimeout
		if e.recorder.timeout <= 0 {
			e.recorder.timeout = time.Second
		}
		e.recorder.arguments = audit.NewArguments(opts.AuditValues)
	}
	return e
}

// Schema is the schema that a call made now is checked against, with all that
// is in it, whoever may see it.
func (e *Engine) Schema() *schema.Schema { return e.catalog.Current() }

// View is the schema as the context's scope may see it: what tools are offered,
// described and suggested from. Callers with the same rights get the same
// pointer until the schema is swapped. Errors are graph.Errors.
func (e *Engine) View(ctx context.Context) (*schema.Schema, error) {
	s, errs := e.view(e.catalog.Current(), graph.ScopeFrom(ctx))
	if errs != nil {
		return nil, errs
	}
	return s, nil
}

// An openView is a schema without policies, which everybody sees so.
type openView struct{ of *schema.Schema }

// view is the part of a schema that a scope may see.
func (e *Engine) view(s *schema.Schema, scope *graph.Scope) (*schema.Schema, graph.Errors) {
	if open := e.open.Load(); open != nil && open.of == s {
		return s, nil
	}
	v, err := s.View(scope)
	if err != nil {
		return nil, errorsOf(err)
	}
	if shown := v.Schema(); shown != s || s.HasPolicies() {
		return shown, nil
	}
	e.open.Store(&openView{s})
	return s, nil
}

// Limits are the bounds of every call.
func (e *Engine) Limits() graph.Limits { return e.compiler.Limits() }

// Vet reports what would be wrong with a query for those who see the whole of a
// schema, one that View returned; see compile.Compiler.Vet. It is no call.
func (e *Engine) Vet(s *schema.Schema, q graph.Query) error { return e.compiler.Vet(s, q) }

// Check returns a query's plan without running it. All mistakes come together,
// as graph.Errors. It is for hosts that compile only: it is no call, so no rate
// bounds it, no time, and no record tells of it.
func (e *Engine) Check(ctx context.Context, q graph.Query) (*compile.Plan, error) {
	return e.compiler.Check(e.catalog.Current(), graph.ScopeFrom(ctx), q)
}
