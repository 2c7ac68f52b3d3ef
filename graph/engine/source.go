package engine

import (
	"context"
	"errors"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// A Snapshot is what one call works on, from the reading of its arguments to its
// answer: a schema, and the store that holds the graph of that schema. It is
// immutable, but for what a live store has in it.
type Snapshot struct {
	// Schema is never nil. Calls with equal rights share what is made of a schema
	// (plans, views, tools) as long as this is the same pointer, so a source
	// keeps it until there is another schema.
	Schema *schema.Schema
	// Store answers plans of Schema. It must be open as long as a call may have
	// it, which is at least Limits.Timeout after another snapshot has come in its
	// place: a graph in memory needs no closing.
	Store store.Store
	// Statistics are what calls are weighed by. Nil means what
	// Options.Cost.Statistics returns, and where that is nil too, nothing is
	// weighed.
	Statistics *compile.Statistics
}

// A Source chooses the snapshot of each call, by the Tenant and the View of the
// scope in which it is made and by nothing else of it. An Engine asks once for a
// call, before anything else, and keeps what it gets to the call's end, so that no
// reload tears a call. It is safe for concurrent use, and must not keep callers
// waiting: what takes long to make is made before it is asked for.
type Source interface {
	// Snapshot returns what a call in that scope works on; the scope is nil where
	// there is none, and nothing but the scope is taken from the caller. The context
	// is done when the caller has given up waiting. An error is the caller's answer if it is a
	// *graph.Error or graph.Errors without a Cause (NO_SCOPE where there is
	// nothing for this caller: that another tenant's things exist, it does not
	// say), and otherwise an INTERNAL whose text only the log has.
	Snapshot(ctx context.Context, scope *graph.Scope) (Snapshot, error)
	// Changed returns a channel that is closed when Snapshot returns another
	// schema for that scope, or an error in its place, or none any more; nil if
	// that never happens. Who asks for it before the snapshot misses nothing. It
	// may be closed when nothing has changed for the scope.
	Changed(scope *graph.Scope) <-chan struct{}
}

// New returns an engine over the schemas of a catalog and the store that holds
// their graph, the same for all callers. The store stays the caller's to close.
func New(catalog *schema.Catalog, st store.Store, opts Options) *Engine {
	return NewFrom(fixed{catalog, st}, opts)
}

// fixed is a source of one graph.
type fixed struct {
	catalog *schema.Catalog
	store   store.Store
}

func (f fixed) Snapshot(context.Context, *graph.Scope) (Snapshot, error) {
	return Snapshot{Schema: f.catalog.Current(), Store: f.store}, nil
}

func (f fixed) Changed(*graph.Scope) <-chan struct{} { return f.catalog.Changed() }

// Changed returns a channel that is closed when what is there for the context's
// scope has changed, or may have; nil if it never does: see Source. Who asks for
// it before View misses nothing.
func (e *Engine) Changed(ctx context.Context) <-chan struct{} {
	return e.source.Changed(graph.ScopeFrom(ctx))
}

// A pinned context has the snapshot that calls work on.
type pinned struct {
	engine   *Engine
	scope    *graph.Scope
	snapshot Snapshot
}

type pinKey struct{}

// Pin returns a context of which all calls of this engine work on the snapshot
// that is in force now, for who makes one answer of several calls. It holds for
// the context's scope only: in a context that graph.WithScope made of it, calls
// work on what that scope has. Errors are graph.Errors.
func (e *Engine) Pin(ctx context.Context) (context.Context, error) {
	scope := graph.ScopeFrom(ctx)
	snapshot, errs := e.snapshot(ctx, scope)
	if errs != nil {
		return nil, errs
	}
	return context.WithValue(ctx, pinKey{}, &pinned{e, scope, snapshot}), nil
}

// snapshot returns what a call in the context works on.
func (e *Engine) snapshot(ctx context.Context, scope *graph.Scope) (Snapshot, graph.Errors) {
	if p, ok := ctx.Value(pinKey{}).(*pinned); ok && p.engine == e && p.scope == scope {
		return p.snapshot, nil
	}
	s, err := e.source.Snapshot(ctx, scope)
	if err == nil && s.Schema == nil {
		err = errors.New("the source has no schema")
	}
	if err != nil {
		return Snapshot{}, errorsOf(err)
	}
	return s, nil
}
