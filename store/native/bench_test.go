package native_test

import (
	"context"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/store/social"
	"github.com/trellisgraph/trellis/tools"
)

// The benchmarks ask the ten questions of package social, of a network of 2,000
// persons or of the graph directory that TRELLIS_SNB names, such as the LDBC
// social network benchmark's:
//
//	TRELLIS_SNB=… go test ./store/native -run '^$' -bench . -count 10 | benchstat -

var snb struct {
	once  sync.Once
	graph *memory.Graph
	err   error
}

func socialGraph(b testing.TB) *memory.Graph {
	snb.once.Do(func() {
		if dir := os.Getenv("TRELLIS_SNB"); dir != "" {
			snb.graph, snb.err = memory.Open(context.Background(), dir, memory.Options{})
		} else {
			snb.graph, snb.err = social.New(social.Options{})
		}
	})
	require.NoError(b, snb.err)
	return snb.graph
}

// questions are the ten of package social, as queries.
func questions(b testing.TB, g *memory.Graph) []question {
	p, err := social.Pick(g)
	require.NoError(b, err)
	r := tools.Graph(g.Schema(), graph.Limits{Rows: social.Rows})
	var out []question
	for _, q := range p.Questions(g.Schema()) {
		query, mistakes := r.Decode(q.Tool, q.Arguments)
		require.Empty(b, mistakes, q.Name)
		out = append(out, question{q.Name, query})
	}
	return out
}

type question struct {
	name  string
	query graph.Query
}

// BenchmarkRun is a whole call: check, plan, run, and the answer as JSON.
func BenchmarkRun(b *testing.B) {
	g := socialGraph(b)
	e := engine.New(schema.NewCatalog(g.Schema()), native.New(g, native.Options{HideStatements: true}), engine.Options{
		Statements: engine.HideStatements, Limits: graph.Limits{Rows: social.Rows}, Prompt: true,
	})
	for _, q := range questions(b, g) {
		b.Run(q.name, func(b *testing.B) {
			var buf []byte
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if buf, err = e.RunJSON(context.Background(), buf[:0], q.query); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(buf)), "bytes")
		})
	}
}

// BenchmarkStore is the store's part of a call of a shape that was met before:
// from the plan to the answer's JSON.
func BenchmarkStore(b *testing.B) {
	g := socialGraph(b)
	st := native.New(g, native.Options{HideStatements: true})
	askStore(b, g, st)
}

// askStore asks a store the ten questions of a graph.
func askStore(b *testing.B, g *memory.Graph, st store.Store) {
	for _, q := range questions(b, g) {
		b.Run(q.name, func(b *testing.B) {
			plan := metBefore(b, g, q.query)
			var w graph.JSONWriter
			var buf []byte
			var err error
			b.ReportAllocs()
			for b.Loop() {
				w.Reset(buf[:0], plan.Tool())
				if _, err = st.Run(context.Background(), plan, &w); err != nil {
					b.Fatal(err)
				}
				if buf, err = w.Finish(&graph.Summary{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// metBefore returns the plan of a query that a compiler has met before.
func metBefore(t testing.TB, g *memory.Graph, q graph.Query) *compile.Plan {
	c := compile.New(compile.Options{Limits: graph.Limits{Rows: social.Rows}})
	var plan *compile.Plan
	for range 3 {
		var err error
		plan, err = c.Check(g.Schema(), nil, q)
		require.NoError(t, err)
	}
	require.True(t, plan.Kept())
	return plan
}
