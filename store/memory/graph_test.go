package memory_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// A naive graph is what a random graph was built from.
type naive struct {
	things []int64
	spots  [][2]any // area, no
	near   map[[2]any]bool
	paid   map[int64][2]int64
}

func random(r *rand.Rand) *naive {
	n := &naive{near: map[[2]any]bool{}, paid: map[int64][2]int64{}}
	for range r.IntN(60) {
		n.things = append(n.things, r.Int64N(200)-100)
	}
	slices.Sort(n.things)
	n.things = slices.Compact(n.things)
	for no := range r.IntN(30) {
		n.spots = append(n.spots, [2]any{[]string{"", "a", "A", "é", "\U0001F642", "z"}[r.IntN(6)], no - 10})
	}
	slices.SortFunc(n.spots, func(a, b [2]any) int {
		return cmp.Or(strings.Compare(a[0].(string), b[0].(string)), cmp.Compare(a[1].(int), b[1].(int)))
	})
	for range r.IntN(300) {
		if len(n.things) > 0 && len(n.spots) > 0 {
			n.near[[2]any{r.IntN(len(n.things)), r.IntN(len(n.spots))}] = true
		}
		if len(n.things) > 0 {
			n.paid[r.Int64N(1000)] = [2]int64{r.Int64N(int64(len(n.things))), r.Int64N(int64(len(n.things)))}
		}
	}
	return n
}

func (n *naive) build(t *testing.T, s *schema.Schema, r *rand.Rand) *memory.Graph {
	b := memory.NewBuilder(s)
	for _, i := range r.Perm(len(n.things)) {
		b.Node("thing", memory.Values{"id": n.things[i], "label": strconv.FormatInt(n.things[i], 10), "text": text(n.things[i])})
	}
	for _, i := range r.Perm(len(n.spots)) {
		b.Node("spot", memory.Values{"area": n.spots[i][0], "no": n.spots[i][1]})
	}
	for e := range n.near {
		i, j := e[0].(int), e[1].(int)
		b.Relationship("NEAR", graph.ID("thing", n.things[i]), graph.ID("spot", n.spots[j][:]), memory.Values{"km": float64(i*1000 + j)})
	}
	for no, e := range n.paid {
		b.Relationship("PAID", graph.ID("thing", n.things[e[0]]), graph.ID("thing", n.things[e[1]]), memory.Values{"no": no, "amount": no})
	}
	g, err := b.Build()
	require.NoError(t, err)
	return g
}

// text is one of few texts, or null.
func text(id int64) any {
	if id%5 == 0 {
		return nil
	}
	return []string{"", "b", "a", "ä", "B"}[(id+100)%5]
}

func TestRandomGraphsMatchWhatTheyWereBuiltFrom(t *testing.T) {
	s := parse(t, allTypes)
	thing, _ := s.Label("thing")
	spot, _ := s.Label("spot")
	near, _ := s.Relationship("NEAR")
	paid, _ := s.Relationship("PAID")
	km, _ := near.Pairs[0].Property("km")
	no, _ := paid.Pairs[0].Property("no")
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := random(r)
		g := n.build(t, s, r)

		require.Equal(t, len(n.things), g.NodeCount(thing))
		for row, id := range n.things {
			require.Equal(t, graph.Int(id), g.Value(thing, uint32(row), thing.Key[0]))
			found, ok := g.Find(thing, []graph.Value{graph.Int(id)})
			require.True(t, ok)
			require.Equal(t, uint32(row), found)
		}
		_, ok := g.Find(thing, []graph.Value{graph.Int(1000)})
		require.False(t, ok)
		for row, key := range n.spots {
			found, ok := g.Find(spot, []graph.Value{graph.Of(key[0]), graph.Of(key[1])})
			require.True(t, ok)
			require.Equal(t, uint32(row), found)
		}

		var want [][2]int
		for e := range n.near {
			want = append(want, [2]int{e[0].(int), e[1].(int)})
		}
		checkAdjacency(t, g, near.Pairs[0], want)
		for rel := range uint32(g.RelCount(near.Pairs[0])) {
			from, to := g.Ends(near.Pairs[0], rel)
			require.Equal(t, float64(from*1000+to), g.RelValue(near.Pairs[0], rel, km).Float())
		}
		require.Zero(t, g.RelCount(near.Pairs[1]))

		want = nil
		for _, e := range n.paid {
			want = append(want, [2]int{int(e[0]), int(e[1])})
		}
		checkAdjacency(t, g, paid.Pairs[0], want)
		for rel := range uint32(g.RelCount(paid.Pairs[0])) {
			from, to := g.Ends(paid.Pairs[0], rel)
			key := g.RelValue(paid.Pairs[0], rel, no).Int()
			require.Equal(t, n.paid[key], [2]int64{int64(from), int64(to)})
			if rel > 0 {
				from1, to1 := g.Ends(paid.Pairs[0], rel-1)
				if from1 == from && to1 == to {
					require.Less(t, g.RelValue(paid.Pairs[0], rel-1, no).Int(), key)
				}
			}
		}
	}
}

// checkAdjacency compares both directions of a pair with a list of its ends.
func checkAdjacency(t *testing.T, g *memory.Graph, p *schema.Pair, want [][2]int) {
	t.Helper()
	slices.SortFunc(want, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
	require.Equal(t, len(want), g.RelCount(p))
	var out, in [][2]int
	for row := range uint32(g.NodeCount(p.From)) {
		first, end := g.Out(p, row)
		for rel := first; rel < end; rel++ {
			from, to := g.Ends(p, rel)
			require.Equal(t, row, from)
			require.Equal(t, to, g.Targets(p)[rel])
			out = append(out, [2]int{int(row), int(to)})
		}
	}
	require.Equal(t, want, out)
	for row := range uint32(g.NodeCount(p.To)) {
		sources := g.Sources(p, row)
		rels := g.In(p, row)
		require.True(t, slices.IsSorted(sources))
		require.True(t, slices.IsSorted(rels))
		for i, rel := range rels {
			from, to := g.Ends(p, rel)
			require.Equal(t, row, to)
			require.Equal(t, from, sources[i])
			in = append(in, [2]int{int(from), int(to)})
		}
	}
	slices.SortStableFunc(in, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
	require.Equal(t, want, in)
}

func TestIndexesMatchAScan(t *testing.T) {
	s := parse(t, allTypes)
	thing, _ := s.Label("thing")
	textProperty, _ := thing.Property("text")
	small, _ := thing.Property("small")
	r := rand.New(rand.NewPCG(7, 7))
	for range 50 {
		n := random(r)
		g := n.build(t, s, r)
		bounds := []memory.Bound{{}}
		for _, v := range []string{"", "B", "a", "aa", "b", "ä"} {
			bounds = append(bounds, memory.Bound{Value: graph.String(v)}, memory.Bound{Value: graph.String(v), Open: true})
		}
		for _, lo := range bounds {
			for _, hi := range bounds {
				var want []uint32
				for row := range uint32(g.NodeCount(thing)) {
					v := g.Value(thing, row, textProperty)
					if v.IsNull() {
						continue
					}
					if c := strings.Compare(v.Text(), lo.Value.Text()); !lo.Value.IsNull() && (c < 0 || c == 0 && lo.Open) {
						continue
					}
					if c := strings.Compare(v.Text(), hi.Value.Text()); !hi.Value.IsNull() && (c > 0 || c == 0 && hi.Open) {
						continue
					}
					want = append(want, row)
				}
				slices.SortStableFunc(want, func(a, b uint32) int {
					return strings.Compare(g.Value(thing, a, textProperty).Text(), g.Value(thing, b, textProperty).Text())
				})
				got, indexed := g.RowRange(thing, textProperty, lo, hi)
				require.True(t, indexed)
				require.Equal(t, want, slices.Clone(got), "%v %v", lo, hi)
			}
		}
		rows, indexed := g.Rows(thing, textProperty, graph.Int(1))
		require.True(t, indexed)
		require.Empty(t, rows)
		rows, indexed = g.Rows(thing, small, graph.Int(1))
		require.False(t, indexed)
		require.Nil(t, rows)
		rows, indexed = g.Rows(thing, textProperty, graph.Null())
		require.True(t, indexed)
		require.Empty(t, rows, "nothing equals null")
	}
}

func TestKeyRangeTakesPrefixes(t *testing.T) {
	g := load(t, allTypes, "nodes/spot.csv", "area,no\na,1\na,2\nb,-1\nb,0\nc,5\n", "nodes/thing.csv", "id,label\n-3,\n10,\n9,\n")
	spot, _ := g.Schema().Label("spot")
	thing, _ := g.Schema().Label("thing")
	values := func(list ...any) []graph.Value {
		out := []graph.Value{}
		for _, v := range list {
			out = append(out, graph.Of(v))
		}
		return out
	}
	for _, tt := range []struct {
		label      *schema.Label
		lo, hi     []graph.Value
		first, end uint32
	}{
		{spot, nil, nil, 0, 5},
		{spot, values("b"), values("b"), 2, 4},
		{spot, values("b", 0), values("b"), 3, 4},
		{spot, values("a", 2), values("b", -1), 1, 3},
		{spot, values("bb"), values("c", 4), 4, 4},
		{spot, values("c"), values("a"), 4, 4},
		{spot, values(1), nil, 0, 0},
		{spot, values("a", 1, 1), nil, 0, 0},
		{thing, values(9), nil, 1, 3},
		{thing, nil, values(9), 0, 2},
		{thing, values("9"), values("9"), 1, 2},
	} {
		first, end, late := g.KeyRange(tt.label, tt.lo, tt.hi)
		require.Nil(t, late)
		require.Equal(t, [2]uint32{tt.first, tt.end}, [2]uint32{first, end}, "%v %v", tt.lo, tt.hi)
	}
}

func TestForeignSchemasHaveNothing(t *testing.T) {
	g := load(t, allTypes, "nodes/spot.csv", spotsCSV)
	other := parse(t, allTypes)
	spot, _ := other.Label("spot")
	near, _ := other.Relationship("NEAR")
	require.Zero(t, g.NodeCount(spot))
	require.True(t, g.Value(spot, 0, spot.Key[0]).IsNull())
	_, ok := g.Find(spot, []graph.Value{graph.String("a"), graph.Int(9)})
	require.False(t, ok)
	require.Zero(t, g.RelCount(near.Pairs[0]))
	require.Empty(t, g.In(near.Pairs[0], 0))
	require.Empty(t, g.Sources(near.Pairs[0], 0))
}

func TestConcurrentReaders(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	s := parse(t, allTypes)
	g := random(r).build(t, s, r)
	want := dump(g)
	thing, _ := s.Label("thing")
	textProperty, _ := thing.Property("text")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := dump(g); got != want {
				t.Error("a reader saw another graph")
			}
			for row := range uint32(g.NodeCount(thing)) {
				g.Find(thing, []graph.Value{g.Value(thing, row, thing.Key[0])})
				g.Rows(thing, textProperty, g.Value(thing, row, textProperty))
			}
		})
	}
	wg.Wait()
}

func TestTextColumnsGiveUpTheirDictionary(t *testing.T) {
	var b strings.Builder
	b.WriteString("area,no,name\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "x,%d,name %d\n", 5000-i, i)
	}
	g := load(t, allTypes, "nodes/spot.csv", b.String())
	spot, _ := g.Schema().Label("spot")
	name, _ := spot.Property("name")
	for row := range uint32(5000) {
		require.Equal(t, fmt.Sprintf("name %d", 4999-row), g.Value(spot, row, name).Text())
	}
}

// BenchmarkLoad loads the graph directory that TRELLIS_SNB names, or else a
// generated one.
func BenchmarkLoad(b *testing.B) {
	dir := os.Getenv("TRELLIS_SNB")
	s, fsys := parse(b, allTypes), generated(100_000)
	open := func() (*memory.Graph, error) {
		return memory.Load(context.Background(), s, fsys, memory.Options{})
	}
	if dir != "" {
		open = func() (*memory.Graph, error) { return memory.Open(context.Background(), dir, memory.Options{}) }
	}
	b.ReportAllocs()
	for b.Loop() {
		_, err := open()
		require.NoError(b, err)
	}
}

// generated is a graph directory of n things and 4n relationships.
func generated(n int) fstest.MapFS {
	r := rand.New(rand.NewPCG(1, 1))
	var things, paid strings.Builder
	things.WriteString("id,label,text,at,small\n")
	paid.WriteString("from,to,no,amount\n")
	for i := range n {
		fmt.Fprintf(&things, "%d,thing number %d of a few,%d,2024-01-01T00:00:00.%03dZ,%d\n", i, i, i%100, i%1000, i)
	}
	for i := range 4 * n {
		fmt.Fprintf(&paid, "%d,%d,%d,%d.5\n", r.IntN(n), r.IntN(n), i, i)
	}
	return files("nodes/thing.csv", things.String(), "relationships/PAID.csv", paid.String())
}
