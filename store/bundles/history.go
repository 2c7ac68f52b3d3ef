package bundles

import (
	"context"
	"fmt"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema/bundle"
	"github.com/trellisgraph/trellis/store/repository"
)

// Tenants are the names of the tenants that ever had something.
func (l *Library) Tenants(ctx context.Context) ([]string, error) { return l.repo.Tenants(ctx) }

// Bundles are the current revisions of the tenant's bundles, by name.
func (l *Library) Bundles(ctx context.Context, tenant string) ([]repository.Revision, error) {
	state, err := l.repo.State(ctx, tenant)
	if err != nil {
		return nil, err
	}
	list := []repository.Revision{}
	for _, r := range state.Items {
		if !strings.HasPrefix(r.Item, "@") {
			list = append(list, r)
		}
	}
	return list, nil
}

// History is the revisions of a bundle that are kept, the newest first.
func (l *Library) History(ctx context.Context, tenant, name string) ([]repository.Revision, error) {
	return l.repo.History(ctx, tenant, name)
}

// ViewsHistory is the revisions of the tenant's views that are kept, the newest
// first.
func (l *Library) ViewsHistory(ctx context.Context, tenant string) ([]repository.Revision, error) {
	return l.repo.History(ctx, tenant, repository.Views)
}

// Export returns a bundle as it was applied: the current one where version is 0,
// or an older one that is kept. Its WriteDir and WriteArchive give the files back.
func (l *Library) Export(ctx context.Context, tenant, name string, version int64) (*bundle.Bundle, error) {
	files, err := l.content(ctx, tenant, name, version)
	if err != nil {
		return nil, err
	}
	return bundle.ReadFiles(filesOf(files), bundle.Options{Limits: l.opts.Limits})
}

// ExportViews returns the document with the tenant's views, as it was applied:
// the current one where version is 0, or an older one that is kept.
func (l *Library) ExportViews(ctx context.Context, tenant string, version int64) ([]byte, error) {
	files, err := l.content(ctx, tenant, repository.Views, version)
	return viewsOf(files), err
}

func (l *Library) content(ctx context.Context, tenant, item string, version int64) ([]repository.File, error) {
	what := change{item: item}.what()
	if version == 0 {
		state, err := l.repo.State(ctx, tenant)
		if err != nil {
			return nil, err
		}
		r, ok := state.Item(item)
		if !ok {
			return nil, &graph.Error{Code: graph.NotFound, Message: "there is no " + what}
		}
		version = r.Version
	}
	files, err := l.repo.Content(ctx, tenant, item, version)
	if err == nil && len(files) == 0 {
		err = &graph.Error{Code: graph.NotFound, Message: fmt.Sprintf("version %d deleted the %s", version, what)}
	}
	return files, err
}

// Views are the views that the tenant has, as they are written.
func (l *Library) Views(ctx context.Context, tenant string) ([]View, error) {
	state, err := l.repo.State(ctx, tenant)
	if err != nil {
		return nil, err
	}
	r, ok := state.Item(repository.Views)
	if !ok {
		return []View{}, nil
	}
	data, err := l.ExportViews(ctx, tenant, r.Version)
	if err != nil {
		return nil, err
	}
	v, problems := readViews(data, l.opts.Views)
	if problems != nil {
		return nil, problems
	}
	list := []View{}
	for _, n := range v.list {
		list = append(list, n.view)
	}
	return list, nil
}
