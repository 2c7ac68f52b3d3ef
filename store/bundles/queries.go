package bundles

import (
	"context"
	"slices"

	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/schema/bundle"
	"github.com/trellisgraph/trellis/store/repository"
)

// unfit are the host's named queries that a tenant's bundles cannot answer.
type unfit struct {
	names []string
	why   schema.Problems // none where there are no bundles
}

// tellUnfit logs which queries a tenant does not have, and the first reason, where
// that is news.
func (l *Library) tellUnfit(t *tenant, before, now *built) {
	if before != nil && slices.Equal(before.unfit.names, now.unfit.names) || len(now.unfit.names) == 0 || before == nil && len(now.unfit.why) == 0 {
		return
	}
	why := "there are no bundles"
	if len(now.unfit.why) > 0 {
		why = now.unfit.why[0].String()
	}
	l.opts.Log.Warn("bundles: named queries that do not fit what the tenant has are left out", "tenant", t.name, "queries", now.unfit.names, "problem", why)
}

// fitting are the host's named queries that a stored state can answer.
func (l *Library) fitting(ctx context.Context, tenant string, state repository.State) ([]string, error) {
	if l.opts.Queries == nil {
		return nil, nil
	}
	p, err := l.read(ctx, tenant, state, l.tenant(tenant).current.Load(), repository.Views)
	if err != nil || len(p.bundles) == 0 {
		return nil, err
	}
	s, err := bundle.Schema(p.revised(nil), p.list()...)
	if err != nil {
		return nil, err
	}
	names, _ := l.opts.Queries.Unfit(s)
	return without(l.opts.Queries.Names(), names), nil
}

// compareQueries notes the named queries that would appear and disappear. Of a
// state that can no longer be read, none was there.
func (l *Library) compareQueries(ctx context.Context, tenant string, now repository.State, next *built, p *Plan) error {
	had, err := l.fitting(ctx, tenant, now)
	if err != nil && !isProblems(err) {
		return err
	}
	has := without(l.opts.Queries.Names(), next.unfit.names)
	p.ToolsAdded, p.ToolsRemoved = append(p.ToolsAdded, without(has, had)...), append(p.ToolsRemoved, without(had, has)...)
	return nil
}
