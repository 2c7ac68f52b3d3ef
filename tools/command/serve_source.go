package command

import (
	"context"
	"errors"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/schema/bundle"
	"github.com/trellisgraph/trellis/store/bundles"
	"github.com/trellisgraph/trellis/tools"
)

// checkSource refuses several sources, and what they do not go with.
func (s *server) checkSource() error {
	other := s.source
	other.store, other.readOnly, other.bundleBytes = "", false, 0
	switch {
	case s.bundle == "" && s.repository == "":
		return nil // see source.check
	case s.bundle != "" && s.repository != "" || other != (source{}):
		return usagef("serve takes one of --graph, --bundle, --repository, and --schema with --dsn")
	case s.source.store != "memory" || s.readOnly:
		return usagef("--store and --require-read-only are not for bundles, which are served from memory")
	case s.repository != "" && s.tokens == "" && s.scope == "":
		return usagef("a --repository has what tenants have: give --tokens FILE, or --scope '{\"tenant\": …}'")
	}
	return nil
}

// openSource opens what is to be served.
func (s *server) openSource(ctx context.Context, std streams) (*session, error) {
	switch {
	case s.bundle != "":
		return s.openBundle(ctx)
	case s.repository != "":
		return s.openRepository(ctx, std)
	}
	return s.open(ctx, std, &s.host)
}

func (s *server) openBundle(ctx context.Context) (*session, error) {
	opts, closeAudit, err := s.options()
	if err != nil {
		return nil, err
	}
	// A bundle by which a named query would be lost, or its name be taken, is not
	// taken over: as at the start, so later.
	var named *tools.Queries
	var check func(*schema.Schema) error
	if s.queries != "" {
		check = func(of *schema.Schema) error {
			list, err := tools.ReadQueries(s.queries, of, opts.Limits)
			if named == nil {
				named = list
			}
			return err
		}
	}
	w, err := openWatched(ctx, s.bundle, s.bundleBytes, s.log, check)
	if err != nil {
		return nil, errors.Join(err, closeAudit())
	}
	out := sourceSession(w, named, opts)
	out.close = closeAudit
	return out, nil
}

func (s *server) openRepository(ctx context.Context, std streams) (*session, error) {
	opts, closeAudit, err := s.options()
	if err != nil {
		return nil, err
	}
	named, err := tenantQueries(s.queries, opts.Limits)
	if err != nil {
		return nil, errors.Join(err, closeAudit())
	}
	shelf, err := openShelf(ctx, std, s.repository, false, bundles.Options{Limits: bundle.Limits{BundleBytes: s.bundleBytes}, Queries: named})
	if err != nil {
		return nil, errors.Join(err, closeAudit())
	}
	out := sourceSession(shelf.library, named, opts)
	out.hide = shelf.hide
	out.close = func() error { return errors.Join(shelf.close(), closeAudit()) }
	out.ping = func(ctx context.Context) error {
		_, err := shelf.repo.Tenants(ctx)
		return err
	}
	return out, nil
}

// tenantQueries reads named queries for the tenants of a repository, of which each
// has those that its bundles can answer; nil without a file.
func tenantQueries(file string, l graph.Limits) (*tools.Queries, error) {
	if file == "" {
		return nil, nil
	}
	return tools.ReadQueries(file, nil, l)
}

// sourceSession is a session whose calls choose their graph, of which each is in
// a native store.
func sourceSession(from engine.Source, named *tools.Queries, opts engine.Options) *session {
	opts.Prompt = true
	eng := engine.NewFrom(from, opts)
	return &session{
		engine: eng, tools: tools.New(eng, tools.Options{Queries: named}),
		hide: func(err error) error { return err },
	}
}
