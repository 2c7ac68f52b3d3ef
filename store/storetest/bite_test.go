package storetest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/embedded"
)

// A liar is a store that spoils good answers.
type liar struct {
	store.Store
	lie func(*graph.Result, *store.Outcome)
}

func (l liar) Run(ctx context.Context, p *compile.Plan, w graph.Writer) (store.Outcome, error) {
	var r graph.Result
	out, err := l.Store.Run(ctx, p, graph.Collector{Result: &r})
	if err != nil {
		return out, err
	}
	l.lie(&r, &out)
	for i := range r.Nodes {
		if err := w.Node(&r.Nodes[i]); err != nil {
			return out, err
		}
	}
	for i := range r.Relationships {
		if err := w.Relationship(&r.Relationships[i]); err != nil {
			return out, err
		}
	}
	if r.Columns != nil {
		if err := w.Columns(r.Columns); err != nil {
			return out, err
		}
	}
	for _, row := range r.Rows {
		if err := w.Row(row); err != nil {
			return out, err
		}
	}
	return out, nil
}

// failing counts the failures of a run that is expected to fail.
type failing struct {
	testing.TB
	failures int
}

func (f *failing) Errorf(string, ...any) { f.failures++ }

// TestScriptsBite spoils the answers of a good store in small ways: each must
// be noticed.
func TestScriptsBite(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out of short runs: one call after another")
	}
	lies := map[string]func(*graph.Result, *store.Outcome){
		"a node is missing": func(r *graph.Result, out *store.Outcome) {
			if out.Returned > 1 {
				r.Nodes, out.Returned = r.Nodes[1:], out.Returned-1
			}
		},
		"two nodes are swapped": func(r *graph.Result, out *store.Outcome) {
			if out.Returned > 1 && r.Nodes != nil {
				r.Nodes[0], r.Nodes[1] = r.Nodes[1], r.Nodes[0]
			}
		},
		"a context node is missing": func(r *graph.Result, out *store.Outcome) {
			if r.Nodes != nil && len(r.Nodes) > out.Returned {
				r.Nodes = r.Nodes[:len(r.Nodes)-1]
			}
		},
		"a context node is an answer": func(r *graph.Result, out *store.Outcome) {
			if r.Nodes != nil && len(r.Nodes) > out.Returned {
				out.Returned++
			}
		},
		"a distance is wrong": func(r *graph.Result, _ *store.Outcome) {
			for i := range r.Nodes {
				if r.Nodes[i].Distance > 1 {
					r.Nodes[i].Distance--
				}
			}
		},
		"a relationship is missing": func(r *graph.Result, _ *store.Outcome) {
			if len(r.Relationships) > 1 {
				r.Relationships = r.Relationships[1:]
			}
		},
		"a relationship is turned": func(r *graph.Result, _ *store.Outcome) {
			for i := range r.Relationships {
				rel := &r.Relationships[i]
				rel.From, rel.To = rel.To, rel.From
			}
		},
		"null is an empty text": func(r *graph.Result, _ *store.Outcome) {
			for i := range r.Nodes {
				for j := range r.Nodes[i].Properties {
					if p := &r.Nodes[i].Properties[j]; p.Value.IsNull() {
						p.Value = graph.String("")
					}
				}
			}
		},
		"a truncation is hidden": func(_ *graph.Result, out *store.Outcome) {
			out.TruncatedBy, out.Next = graph.Complete, nil
		},
		"a row is missing": func(r *graph.Result, out *store.Outcome) {
			if len(r.Rows) > 1 {
				r.Rows, out.Returned = r.Rows[1:], out.Returned-1
			}
		},
		"a count is one too many": func(r *graph.Result, _ *store.Outcome) {
			for _, row := range r.Rows {
				last := &row[len(row)-1]
				if last.Kind() == graph.KindInt {
					*last = graph.Int(last.Int() + 1)
				}
			}
		},
		"warnings are lost": func(_ *graph.Result, out *store.Outcome) { out.Warnings = nil },
	}
	for what, lie := range lies {
		caught := &failing{TB: t}
		r := newRunner(Options{})
		for _, name := range []string{"find_ids.txt", "find_pages.txt", "find_values.txt", "traverse_answers.txt", "aggregate_groups.txt"} {
			for _, c := range readScript(t, name) {
				r.answer(caught, r.spoilt(t, c, lie), c)
			}
		}
		require.NotZero(t, caught.failures, "no script notices that %s", what)
	}
}

// spoilt is the caller of a case on a store that lies.
func (r *runner) spoilt(t testing.TB, c *testCase, lie func(*graph.Result, *store.Outcome)) *Caller {
	f := r.stores[c.fixture]
	if f == nil {
		g := Fixture(t, c.fixture)
		st, err := embedded.New(g, embedded.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, st.Close()) })
		f = newFixture(g.Schema(), liar{st, lie})
		r.stores[c.fixture] = f
	}
	return r.caller(t, c)
}
