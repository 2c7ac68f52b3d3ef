package native_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
)

// touch gives a batch so many operations that change a property of random nodes
// of some labels that no question asks about.
func touch(b *memory.Batch, g *memory.Graph, d *rand.Rand, operations int, labels ...string) {
	for i := range operations {
		l, _ := g.Schema().Label(labels[i%len(labels)])
		out := memory.Values{}
		row := uint32(d.IntN(int(g.RowCount(l))))
		for _, p := range l.Properties {
			out[p.Name] = g.Value(l, row, p)
		}
		out["locationIP"] = fmt.Sprint("10.0.", d.IntN(256), ".", d.IntN(256))
		b.Node(l.Name, out)
	}
}

// BenchmarkPatched asks the ten questions of a graph after batches that touched
// a tenth of the persons and 2,000 posts, in its state before it is made dense.
func BenchmarkPatched(b *testing.B) {
	g := socialGraph(b)
	live := memory.NewLive(g)
	d := rand.New(rand.NewPCG(1, 3))
	person, _ := g.Schema().Label("person")
	for range 20 {
		batch := memory.NewBatch(g.Schema())
		touch(batch, g, d, g.NodeCount(person)/200, "person")
		touch(batch, g, d, 100, "post")
		_, err := live.Apply(batch)
		require.NoError(b, err)
	}
	require.NotSame(b, live.Graph(), live.Graph().Dense())
	st := native.New(live, native.Options{HideStatements: true})
	askStore(b, g, st)
}

// BenchmarkAfterBatch is the first call after a batch of ten operations, whose
// program has to be made for the new snapshot.
func BenchmarkAfterBatch(b *testing.B) {
	g := socialGraph(b)
	for _, q := range questions(b, g) {
		b.Run(q.name, func(b *testing.B) {
			live := memory.NewLive(g)
			st := native.New(live, native.Options{HideStatements: true})
			plan := metBefore(b, g, q.query)
			d := rand.New(rand.NewPCG(1, 3))
			var w graph.JSONWriter
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				batch := memory.NewBatch(g.Schema())
				touch(batch, g, d, 10, "person", "post")
				_, err := live.Apply(batch)
				require.NoError(b, err)
				w.Reset(nil, plan.Tool())
				b.StartTimer()
				if _, err := st.Run(context.Background(), plan, &w); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
