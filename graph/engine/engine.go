package engine

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine/audit"
	"github.com/trellisgraph/trellis/schema"
)

// An Engine answers queries: it checks each against the schema that its source
// has for the caller, as far as the caller may see it, runs its plan on the store
// that belongs to the schema, and puts the answer together. It is immutable but for what it counts, and safe for
// concurrent use.
type Engine struct {
	source     Source
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
}

// NewFrom returns an engine that works, in each call, on what a source has for
// the caller's scope. All else is shared by all callers: the limits, the queue,
// the circuit.
func NewFrom(source Source, opts Options) *Engine {
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	e := &Engine{
		source: source, statements: opts.Statements, log: opts.Log, prompt: opts.Prompt,
		compiler: compile.New(compile.Options{
			Limits: opts.Limits, Cursors: opts.Cursors, Cost: opts.Cost, Guard: opts.Guard, MaskKey: opts.MaskKey,
			MinGroup: opts.MinGroup, Redacted: opts.Redact.Labels,
			HideStatements: opts.Statements == HideStatements && opts.Audit == nil && opts.Observer == nil,
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

// Schema is the schema that a call made now in the context's scope is checked
// against, with all that is in it, whoever may see it. Errors are graph.Errors.
func (e *Engine) Schema(ctx context.Context) (*schema.Schema, error) {
	snapshot, errs := e.snapshot(ctx, graph.ScopeFrom(ctx))
	if errs != nil {
		return nil, errs
	}
	return snapshot.Schema, nil
}

// View is the schema as the context's scope may see it: what tools are offered,
// described and suggested from. Callers with the same rights get the same
// pointer until the schema is swapped. Errors are graph.Errors.
func (e *Engine) View(ctx context.Context) (*schema.Schema, error) {
	scope := graph.ScopeFrom(ctx)
	snapshot, errs := e.snapshot(ctx, scope)
	if errs != nil {
		return nil, errs
	}
	s, errs := view(snapshot.Schema, scope)
	if errs != nil {
		return nil, errs
	}
	return s, nil
}

// view is the part of a schema that a scope may see.
func view(s *schema.Schema, scope *graph.Scope) (*schema.Schema, graph.Errors) {
	if !s.HasPolicies() {
		return s.Base(), nil
	}
	v, err := s.View(scope)
	if err != nil {
		return nil, errorsOf(err)
	}
	return v.Schema(), nil
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
	scope := graph.ScopeFrom(ctx)
	snapshot, errs := e.snapshot(ctx, scope)
	if errs != nil {
		return nil, errs
	}
	return e.compiler.CheckWith(nil, snapshot.Statistics, snapshot.Schema, scope, q)
}
