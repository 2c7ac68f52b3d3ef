package native

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// tangled is a random graph of two labels, some of it dense, with loops.
func tangled(t testing.TB, rng *rand.Rand) *memory.Graph {
	s, err := schema.Parse("tangled.yaml", []byte(`
format: trellis.schema.v1
nodes:
  a: {key: id, properties: {id: int64, n: int64}}
  b: {key: id, properties: {id: int64, n: int64}}
relationships:
  R: [{from: a, to: a, properties: {w: int64}}, {from: a, to: b, table: ab, properties: {w: int64}}, {from: b, to: a, table: ba, properties: {w: int64}}]
`))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	size := map[string]int{"a": 1 + rng.IntN(300), "b": 1 + rng.IntN(60)}
	for label, n := range size {
		for i := range n {
			b.Node(label, memory.Values{"id": i, "n": i % 10})
		}
	}
	for _, pair := range [][2]string{{"a", "a"}, {"a", "b"}, {"b", "a"}} {
		have := map[string]bool{}
		for range rng.IntN(1 << rng.IntN(12)) {
			from, to := rng.IntN(size[pair[0]]), rng.IntN(size[pair[1]])
			if way := fmt.Sprint(from, to); !have[way] {
				have[way] = true
				b.Relationship("R", graph.ID(pair[0], from), graph.ID(pair[1], to), memory.Values{"w": rng.IntN(10)})
			}
		}
	}
	g, err := b.Build()
	require.NoError(t, err)
	return g
}

// A sweep finds what walks from each of its nodes find.
func TestSweepsFindWhatWalksFind(t *testing.T) {
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 5))
		g := tangled(t, rng)
		step := graph.Step{Types: []string{"R"}, MaxHops: 2 + rng.IntN(2), Direction: []graph.Direction{graph.Outgoing, graph.Incoming, graph.Both}[rng.IntN(3)]}
		if rng.IntN(2) == 0 {
			step.Filter = graph.Cmp("w", graph.Lt, rng.IntN(10))
		}
		if rng.IntN(2) == 0 {
			step.To = &graph.NodePattern{Label: []string{"a", "b"}[rng.IntN(2)], Filter: graph.Cmp("n", graph.Lt, rng.IntN(11))}
		}
		r, prog := planned(t, g, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "a", Related: []graph.Related{{Relationships: []graph.Step{step}}}}})
		nodes := prog.answer.(*find).nodes
		for _, e := range []*expansion{nodes.related[0].steps[0], nodes.related[0].back[0]} {
			require.True(t, e.sweeps())
			if seed%2 == 0 {
				for _, hops := range e.hops {
					for i := range hops {
						hops[i].target = notEach(1 + seed%7)
					}
				}
			}
			from, want, got := r.takeMarks(), r.takeMarks(), r.takeMarks()
			for label := range uint32(2) {
				l, _ := g.Schema().Label([]string{"a", "b"}[label])
				for row := range uint32(g.NodeCount(l)) {
					if rng.IntN(1+int(seed%40)) == 0 {
						from.add(node{label, row})
					}
				}
			}
			for _, n := range from.touched {
				e.from(r, n, func(end node, _ int) bool {
					want.add(end)
					return true
				})
			}
			e.sweep(r, from, got, true)
			byPlace := func(a, b node) int { return cmp.Compare(a.place(), b.place()) }
			slices.SortFunc(want.touched, byPlace)
			slices.SortFunc(got.touched, byPlace)
			require.True(t, slices.Equal(want.touched, got.touched), "seed %d: %v and not %v", seed, got.touched, want.touched)
			short := r.takeMarks()
			e.sweep(r, from, short, false)
			for label := range uint32(2) {
				for row := range uint32(400) {
					require.Equal(t, want.has(node{label, row}), short.has(node{label, row}), "seed %d", seed)
				}
			}
			for _, m := range []*marks{from, want, got, short} {
				r.giveMarks(m)
				for _, words := range m.bits {
					for _, w := range words {
						require.Zero(t, w)
					}
				}
			}
		}
	}
}

// endsAfter is a context that ends when it has been looked at so many times.
type endsAfter struct {
	context.Context
	looks int
}

func (c *endsAfter) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// A sweep that ends early leaves nothing behind that a later call would meet.
func TestSweepsThatEndEarlyLeaveNothing(t *testing.T) {
	s, err := schema.Parse("hubs.yaml", []byte(`
format: trellis.schema.v1
nodes:
  a: {key: id, properties: {id: int64}}
relationships:
  R: {from: a, to: a}
`))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	const hubs, size = 3, 40_000
	for i := range size {
		b.Node("a", memory.Values{"id": i})
		for hub := 1; hub <= hubs; hub++ {
			if i > hubs {
				b.Relationship("R", graph.ID("a", hub), graph.ID("a", i), nil)
			} else if i == 0 {
				b.Relationship("R", graph.ID("a", 0), graph.ID("a", hub), nil)
			}
		}
	}
	g, err := b.Build()
	require.NoError(t, err)
	near := graph.Related{Relationships: []graph.Step{{Types: []string{"R"}, MaxHops: 2}}}
	r, prog := planned(t, g, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "a", Related: []graph.Related{near}}})
	step := prog.answer.(*find).nodes.related[0].steps[0]
	for looks := 0; ; looks++ {
		r.ctx, r.err, r.work = &endsAfter{context.Background(), looks}, nil, 0
		from, to := r.takeMarks(), r.takeMarks()
		from.add(node{0, 0})
		step.sweep(r, from, to, false)
		r.giveMarks(from)
		r.giveMarks(to)
		for _, m := range r.scratch.marks {
			for _, words := range m.bits {
				for _, w := range words {
					require.Zero(t, w, "after %d looks", looks)
				}
			}
		}
		if r.err == nil {
			require.Greater(t, looks, 2)
			return
		}
	}
}

// notEach is a guard that does not show each nth row.
type notEach uint32

func (n notEach) holds(_ *run, row uint32) bool { return (row+1)%uint32(n+1) != 0 }

func (n notEach) narrow(r *run, rows []uint32) []uint32 {
	return keep(rows, func(row uint32) bool { return n.holds(r, row) })
}
