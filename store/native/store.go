package native

import (
	"context"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/memory"
)

// Executed is what answers name as what ran them.
const Executed = "native"

// Options configure a store. The zero value is a sound default.
type Options struct {
	// HideStatements leaves out of outcomes the statements that a SQL store
	// would have run, also of plans that do not say that nobody sees them.
	HideStatements bool
}

// New returns a store that answers from a graph in memory: a memory.Graph, or a
// memory.Live, of which every call is answered from the snapshot that is the
// newest when it begins.
//
// A call whose schema is no more that of the graph when it gets here, as may be
// where schemas are swapped, is answered from the last graph of its schema if
// the source still has that. Otherwise it fails with UNAVAILABLE, and may be
// made again.
func New(src memory.Source, opts Options) store.Store {
	return &nativeStore{opts: opts, snapshots: snapshots{source: src}}
}

type nativeStore struct {
	opts      Options
	snapshots snapshots
	twins     twins
}

// Close implements store.Store. There is nothing to free but memory.
func (s *nativeStore) Close() error { return nil }

// Run implements store.Store.
func (s *nativeStore) Run(ctx context.Context, p *compile.Plan, w graph.Writer) (store.Outcome, error) {
	out, err := s.run(ctx, p, w)
	if err != nil {
		return store.Outcome{}, store.Failure(ctx, err)
	}
	out.Executed = Executed
	if !s.opts.HideStatements && !p.HideStatements {
		out.Statements = s.twins.statements(p)
	}
	return out, nil
}

func (s *nativeStore) run(ctx context.Context, p *compile.Plan, w graph.Writer) (store.Outcome, error) {
	programs := s.snapshots.of(p)
	prog, err := programs.of(p)
	if err != nil {
		return store.Outcome{}, err
	}
	if err := ctx.Err(); err != nil {
		return store.Outcome{}, err
	}
	r := begin(ctx, p, programs.tables, prog)
	out, err := prog.run(r, w)
	r.end() // not where the run panics: what it holds then is not known
	return out, err
}

// Explain implements store.Store.
func (s *nativeStore) Explain(_ context.Context, p *compile.Plan) (store.Explanation, error) {
	if _, err := s.snapshots.of(p).of(p); err != nil {
		return store.Explanation{}, err
	}
	return store.Explanation{Executed: Executed, Statements: s.twins.statements(p)}, nil
}
