package native_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
)

// Where the parts of the hard graph lie, which no road connects.
const (
	cliqueSize = 200 // spots from 1 on, roads from each to each
	hub        = 1000
	leaves     = 100_000 // spots after the hub, roads to them
	lattice    = 200_000 // roads to the first of 5 layers of 16 spots
	latticeEnd = 200_099
)

func hardGraph(t testing.TB) *memory.Graph {
	s, err := schema.Parse("hard.yaml", []byte(`
format: trellis.schema.v1
nodes:
  spot: {key: id, properties: {id: int64, part: string}}
relationships:
  ROAD: {from: spot, to: spot, properties: {length: int64}}
`))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	spots := func(part string, first, n int) {
		for i := range n {
			b.Node("spot", memory.Values{"id": first + i, "part": part})
		}
	}
	road := func(from, to int) {
		b.Relationship("ROAD", graph.ID("spot", from), graph.ID("spot", to), memory.Values{"length": 1 + (from*7+to)%3})
	}
	spots("clique", 1, cliqueSize)
	for i := range cliqueSize {
		for j := range cliqueSize {
			if i != j {
				road(1+i, 1+j)
			}
		}
	}
	spots("star", hub, 1+leaves)
	for i := range leaves {
		road(hub, hub+1+i)
	}
	const layers, size = 5, 16
	spots("lattice", lattice, 1+layers*size)
	spots("lattice", latticeEnd, 1)
	at := func(layer, i int) int { return lattice + 1 + layer*size + i }
	for i := range size {
		road(lattice, at(0, i))
		road(at(layers-1, i), latticeEnd)
		for layer := range layers - 1 {
			for j := range size {
				road(at(layer, i), at(layer+1, j))
			}
		}
	}
	g, err := b.Build()
	require.NoError(t, err)
	return g
}

// T22: where walks are very many, every kind of call answers, rightly or saying
// that it is a part, long before the time is over and in little memory.
func TestEveryCallOfHardGraphs(t *testing.T) {
	g := hardGraph(t)
	e := engine.New(schema.NewCatalog(g.Schema()), native.New(g, native.Options{}), engine.Options{Limits: graph.Limits{Timeout: 20 * time.Second}})
	roads := func(least, most int) []graph.Step {
		return []graph.Step{{Types: []string{"ROAD"}, MinHops: least, MaxHops: most}}
	}
	paths := func(from, to int, mode graph.PathMode, weight string) *graph.Paths {
		q := &graph.Paths{From: graph.ID("spot", from), To: graph.ID("spot", to), Mode: mode, MaxHops: 6, Direction: graph.Outgoing, Weight: weight}
		if mode == graph.KShortest {
			q.K = 10
		}
		return q
	}
	hops := func(n int) (steps []graph.Step) { // of a group key
		for range n {
			steps = append(steps, graph.Step{Types: []string{"ROAD"}, To: &graph.NodePattern{Label: "spot"}})
		}
		return steps
	}
	around := func(id, hops int) *graph.Neighbors {
		return &graph.Neighbors{Start: graph.NodeID{Label: "spot", ID: graph.Int(int64(id))}, MaxHops: hops}
	}
	from := func(id int, steps []graph.Step) *graph.Traverse {
		return &graph.Traverse{From: graph.NodePattern{Label: "spot", IDs: graph.IDs(id)}, Relationships: steps, To: graph.NodePattern{Label: "spot"}}
	}
	leading := func(to *graph.NodePattern, hops int) graph.NodePattern {
		steps := roads(1, hops)
		steps[0].To = to
		return graph.NodePattern{Label: "spot", Related: []graph.Related{{Relationships: steps}}}
	}
	part := func(name string) *graph.NodePattern {
		return &graph.NodePattern{Label: "spot", Filter: graph.Where("part", name)}
	}
	counts := func(n graph.NodePattern, by ...graph.GroupKey) *graph.Aggregate {
		return &graph.Aggregate{NodePattern: n, GroupBy: by, Aggregations: []graph.Aggregation{{Function: graph.Count}}}
	}
	only := func(id int) *graph.NodePattern { return &graph.NodePattern{Label: "spot", IDs: graph.IDs(id)} }
	for _, c := range []struct {
		name     string
		ask      graph.Query
		returned int // -1 for what the budget leaves
		part     bool
		count    int64 // of the first row, -1 where there is none
	}{
		{"clique shortest", paths(1, 200, graph.Shortest, ""), 1, false, -1},
		{"clique all shortest", paths(1, 200, graph.AllShortest, ""), 1, false, -1},
		{"clique all", paths(1, 200, graph.AllPaths, ""), 30, true, -1},
		{"clique k shortest", paths(1, 200, graph.KShortest, ""), 10, false, -1},
		{"clique weights", paths(1, 200, graph.KShortest, "length"), 10, false, -1},
		{"clique weight", paths(1, 200, graph.Shortest, "length"), 1, false, -1},
		{"clique explore", around(1, 3), 30, true, -1},
		{"clique traverse", from(1, roads(1, 3)), 30, true, -1},
		{"clique traverse far", from(1, roads(3, 3)), 30, true, -1},
		{"clique steps", from(1, append(append(roads(1, 3), roads(1, 3)...), roads(2, 2)...)), -1, true, -1},
		{"clique to one", counts(leading(only(7), 3)), 1, false, cliqueSize - 1},
		{"clique to all", counts(leading(part("clique"), 3)), 1, false, cliqueSize},
		{"clique groups", counts(*part("clique"), graph.GroupKey{Relationships: hops(1), Property: "part"}), 1, false, cliqueSize},
		{"clique chains", counts(*part("clique"), graph.GroupKey{Relationships: hops(2), Property: "id"}), 30, true, cliqueSize},

		{"star shortest", paths(hub, hub+leaves, graph.Shortest, ""), 1, false, -1},
		{"star all", paths(hub, hub+leaves, graph.AllPaths, ""), 1, false, -1},
		{"star k shortest", paths(hub, hub+leaves, graph.KShortest, ""), 1, false, -1},
		{"star weights", paths(hub, hub+leaves, graph.KShortest, "length"), 1, false, -1},
		{"star no way", paths(hub+1, hub+leaves, graph.AllPaths, ""), 0, false, -1},
		{"star explore", around(hub, 3), 30, true, -1},
		{"star explore a leaf", around(hub+1, 3), 30, true, -1},
		{"star traverse", from(hub, roads(1, 3)), 30, true, -1},
		{"star to all", counts(leading(part("star"), 3)), 1, false, 1},
		{"star groups", counts(*part("star"), graph.GroupKey{Relationships: hops(1), Property: "id"}), 30, true, 1},
		{"star group", counts(*part("star"), graph.GroupKey{Relationships: hops(1), Property: "part"}), 1, false, 1},

		{"lattice shortest", paths(lattice, latticeEnd, graph.Shortest, ""), 1, false, -1},
		{"lattice all shortest", paths(lattice, latticeEnd, graph.AllShortest, ""), 30, true, -1},
		{"lattice all", paths(lattice, latticeEnd, graph.AllPaths, ""), 30, true, -1},
		{"lattice k shortest", paths(lattice, latticeEnd, graph.KShortest, ""), 10, false, -1},
		{"lattice weights", paths(lattice, latticeEnd, graph.KShortest, "length"), 10, false, -1},
		{"lattice explore", around(lattice, 3), 30, true, -1},
		{"lattice traverse", from(lattice, append(roads(1, 3), roads(1, 3)...)), 30, true, -1},
		{"lattice to its end", counts(leading(only(latticeEnd), 3)), 1, false, 48},
		{"lattice to all", counts(leading(part("lattice"), 3)), 1, false, 81},
		{"lattice chains", counts(*part("lattice"), graph.GroupKey{Relationships: hops(3), Property: "part"}), 1, false, 49},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r, err := e.Run(context.Background(), c.ask)
			runtime.ReadMemStats(&after)
			require.NoError(t, err)
			if c.returned < 0 {
				require.Equal(t, graph.TruncatedBudget, r.TruncatedBy)
			} else {
				require.Equal(t, c.returned, r.Returned)
			}
			require.Equal(t, c.part, r.TruncatedBy != graph.Complete)
			if c.count >= 0 {
				row := r.Rows[0]
				require.Equal(t, c.count, row[len(row)-1].Int())
			}
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
		})
	}
}
