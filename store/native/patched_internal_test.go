package native

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store/memory"
)

// Large graphs that batches made are answered as dense ones, by one processor
// and by several.
func TestPatchedAgreesWithDense(t *testing.T) {
	const seed = 4
	d := rand.New(rand.NewPCG(seed, 0))
	live := memory.NewLive(many(t))
	s := live.Graph().Schema()
	for range 20 {
		b := memory.NewBatch(s)
		for range 400 {
			// Some are new, and some of these stand before the first.
			id := d.IntN(parallelRows+7000) - 1000
			switch item := graph.ID("item", id); d.IntN(5) {
			case 0:
				b.DeleteNode(item)
			case 1:
				b.Node("item", memory.Values{"id": id, "name": fmt.Sprint("new", d.IntN(1000)), "made": fmt.Sprintf("20%02d-01-02", d.IntN(30))})
				b.Relationship("NEAR", item, graph.ID("box", d.IntN(50)), nil)
			case 2:
				b.Node("item", memory.Values{"id": id, "name": fmt.Sprint("n", d.IntN(1000)), "price": fmt.Sprintf("%d.50", d.IntN(500)), "length": float64(d.IntN(64)) / 4})
				b.DeleteRelationship("NEAR", item, graph.ID("box", d.IntN(50)), nil)
			case 3:
				b.Node("item", memory.Values{"id": id, "weight": id, "made": "1999-12-31"})
			case 4:
				b.Node("box", memory.Values{"id": d.IntN(50), "kind": string(rune('a' + d.IntN(5)))})
			}
		}
		_, err := live.Apply(b)
		require.NoError(t, err)
	}
	patched := live.Graph()
	dense := patched.Dense()
	item, _ := s.Label("item")
	require.NotEmpty(t, patched.Late(item))
	require.NotEmpty(t, patched.Dead(item))
	long := 0 // lists that have memory of their own
	in, _ := s.Relationship("IN")
	for in, row := patched.Incoming(in.Pairs[0]), uint32(0); row < 50; row++ {
		if a, _, _ := in.Span(row); a != &in {
			long++
		}
	}
	require.Greater(t, long, 25)

	queries := looksAtMany()
	nodes := graph.NodePattern{Label: "item"}
	boxes := []graph.Step{{Types: []string{"NEAR"}, To: &graph.NodePattern{Label: "box"}}}
	maps.Copy(queries, map[string]graph.Query{
		"keys":             &graph.FindNodes{NodePattern: nodes},
		"keys from one on": &graph.FindNodes{NodePattern: graph.NodePattern{Label: "item", Filter: graph.Cmp("id", graph.Gt, 30_000)}},
		"range":            &graph.FindNodes{NodePattern: graph.NodePattern{Label: "item", Filter: graph.Cmp("made", graph.Lt, "2000-01-01")}},
		"degrees":          &graph.Aggregate{NodePattern: nodes, Aggregations: []graph.Aggregation{{Function: graph.Count}}, GroupBy: []graph.GroupKey{{Relationships: boxes}}},
		"neighbors":        &graph.Neighbors{Start: graph.NodeID{Label: "box", ID: graph.Int(7)}, MaxHops: 2},
		"paths":            &graph.Paths{From: graph.ID("box", 7), To: graph.ID("box", 41), Mode: graph.AllPaths, MaxHops: 2, Direction: graph.Both},
		"shortest path":    &graph.Paths{From: graph.ID("box", 7), To: graph.ID("box", 9), MaxHops: 6, Direction: graph.Both},
		"steps":            &graph.Traverse{From: graph.NodePattern{Label: "box", IDs: graph.IDs(7)}, Relationships: []graph.Step{{Types: []string{"NEAR"}, Direction: graph.Incoming}, {Types: []string{"IN"}}}, To: graph.NodePattern{Label: "box", IDs: graph.IDs(39)}},
		"traverse":         &graph.Traverse{From: graph.NodePattern{Label: "box", Filter: graph.Where("kind", "e")}, Relationships: []graph.Step{{Types: []string{"NEAR"}, Direction: graph.Incoming}}, To: nodes},
		"all steps":        &graph.Traverse{From: graph.NodePattern{Label: "box", Filter: graph.Where("kind", "e")}, Relationships: []graph.Step{{Types: []string{"IN"}, Direction: graph.Incoming}}, To: nodes},
	})
	c := compile.New(compile.Options{Limits: graph.Limits{Aggregations: 20}})
	a, b := New(live, Options{HideStatements: true}), New(dense, Options{HideStatements: true})
	for name, q := range queries {
		t.Run(name, func(t *testing.T) {
			p, err := c.Check(s, nil, q)
			require.NoError(t, err)
			before := runtime.GOMAXPROCS(1)
			defer runtime.GOMAXPROCS(before)
			for _, processors := range []int{1, 4} {
				runtime.GOMAXPROCS(processors)
				want := document(b, p)
				require.Contains(t, want, `"returned"`, "seed %d", seed)
				require.Equal(t, want, document(a, p), "seed %d, %d processors", seed, processors)
			}
		})
	}
}
