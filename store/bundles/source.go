package bundles

import (
	"context"
	"errors"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
)

// nothing is what everybody is told for whom there is nothing, whatever the
// reason is: no tenant, an unknown one, one without bundles, an unknown view.
func nothing() error {
	return &graph.Error{Code: graph.NoScope, Message: "there is no graph for this caller", Hint: "the host sets Scope.Tenant and Scope.View"}
}

// tenantOf is the name of a scope's tenant.
func (l *Library) tenantOf(scope *graph.Scope) string {
	if scope == nil || scope.Tenant == "" {
		return l.opts.Tenant
	}
	return scope.Tenant
}

// Snapshot implements engine.Source: what the scope's tenant has, or the
// scope's view of it. The first call of a tenant that is not loaded waits for
// it, see Options.Wait, or until the context is done, and the load goes on. A caller for whom there is nothing gets NO_SCOPE, which
// does not tell why.
func (l *Library) Snapshot(ctx context.Context, scope *graph.Scope) (engine.Snapshot, error) {
	name := l.tenantOf(scope)
	if name == "" {
		return engine.Snapshot{}, nothing()
	}
	t := l.tenant(name)
	t.used.Store(l.clock.Add(1))
	b := t.current.Load()
	if b == nil {
		patient, cancel := context.WithTimeout(ctx, l.opts.Wait)
		defer cancel()
		var err error
		if b, err = l.load(patient, t); err != nil && ctx.Err() != nil {
			return engine.Snapshot{}, gaveUp(ctx, "the graph was not loaded in time")
		}
		if err != nil {
			return engine.Snapshot{}, unavailable(err)
		}
	}
	view := ""
	if scope != nil {
		view = scope.View
	}
	s, ok := b.snapshots[view]
	if !ok {
		return engine.Snapshot{}, nothing()
	}
	return s, nil
}

// unavailable is what a caller is told of a tenant that cannot be loaded; why,
// only the log tells. A panic is nothing to call again about: it is INTERNAL.
func unavailable(err error) error {
	var p *panicked
	if errors.As(err, &p) {
		return p
	}
	var known *graph.Error
	if errors.As(err, &known) && known.Code == graph.Unavailable && known.Cause == nil {
		return known
	}
	return &graph.Error{Code: graph.Unavailable, Message: "the graph cannot be loaded", Retryable: true}
}

// Changed implements engine.Source.
func (l *Library) Changed(scope *graph.Scope) <-chan struct{} {
	name := l.tenantOf(scope)
	if name == "" {
		return nil
	}
	t := l.tenant(name)
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.watch()
}
