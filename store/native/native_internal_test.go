package native

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

const itemsFile = `
format: trellis.schema.v1
nodes:
  item:
    key: id
    properties:
      id: int64
      color: {type: string, index: true}
      size: {type: int32, index: true}
      price: {type: decimal, scale: 2, index: true}
      sum: int64
  part:
    key: [item, no]
    properties:
      item: int64
      no: int32
relationships:
  NEXT: {from: item, to: item}
`

// items are 1,000 items in a ring of which each is next to the 3 after it.
func items(t testing.TB) *memory.Graph {
	s, err := schema.Parse("items.yaml", []byte(itemsFile))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	const n = 1000
	for i := range n {
		b.Node("item", memory.Values{"id": i, "color": []string{"red", "green", "blue"}[min(i%100, 2)], "size": i / 10,
			"price": fmt.Sprintf("%d.50", i), "sum": int64(math.MaxInt64) - int64(i)})
		b.Node("part", memory.Values{"item": i / 4, "no": i % 4})
		for hop := 1; hop <= 3; hop++ {
			b.Relationship("NEXT", graph.ID("item", i), graph.ID("item", (i+hop)%n), nil)
		}
	}
	g, err := b.Build()
	require.NoError(t, err)
	return g
}

// planned returns a run of a query's program, and the program.
func planned(t testing.TB, g *memory.Graph, q graph.Query) (*run, *program) {
	p, err := compile.New(compile.Options{}).Check(g.Schema(), nil, q)
	require.NoError(t, err)
	tables := newTables(g, nil)
	prog, err := tables.lower(p)
	require.NoError(t, err)
	return begin(context.Background(), p, tables, prog), prog
}

// What is looked at is what a key or an index finds, where that is little.
func TestCandidatesAreFew(t *testing.T) {
	g := items(t)
	for _, c := range []struct {
		name  string
		label string
		f     graph.Filter
		want  int
	}{
		{"everything", "item", nil, 1000},
		{"key", "item", graph.Where("id", 7), 1},
		{"no such key", "item", graph.Where("id", 7000), 0},
		{"range of keys", "item", graph.And{graph.Cmp("id", graph.Gte, 10), graph.Cmp("id", graph.Lt, 20)}, 10},
		{"first part of the key", "part", graph.Where("item", 3), 4},
		{"index", "item", graph.Where("color", "red"), 10},
		{"index of much", "item", graph.Where("color", "blue"), 1000},
		{"index of nothing", "item", graph.Where("color", "black"), 0},
		{"list", "item", graph.OneOf("color", "red", "green", "red"), 20},
		{"range", "item", graph.Cmp("size", graph.Gt, 90), 90},
		{"two indexes", "item", graph.And{graph.Cmp("size", graph.Gt, 90), graph.Where("color", "red")}, 10},
		{"index and keys", "item", graph.And{graph.Cmp("id", graph.Lt, 500), graph.Where("color", "red")}, 5},
		{"either", "item", graph.Or{graph.Where("id", 7), graph.Where("id", 8)}, 1000},
		{"scales are not compared by an index", "item", graph.Cmp("price", graph.Lt, "7.505"), 1000},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, prog := planned(t, g, &graph.FindNodes{NodePattern: graph.NodePattern{Label: c.label, Filter: c.f}})
			found := prog.answer.(*find).nodes.candidates(r, true, position{})
			require.Equal(t, c.want, found.count())
		})
	}
}

// A semi-join is answered from the side where there is less to walk.
func TestSemiJoinsWalkFromTheSmallerSide(t *testing.T) {
	g := items(t)
	for _, c := range []struct {
		name     string
		from, to []graph.Value
		marked   bool
	}{
		{"from one", graph.IDs(1), nil, false},
		{"to one", nil, graph.IDs(1), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, prog := planned(t, g, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "item", IDs: c.from, Related: []graph.Related{
				{Relationships: []graph.Step{{Types: []string{"NEXT"}, MaxHops: 3, To: &graph.NodePattern{Label: "item", IDs: c.to}}}}}}})
			prog.answer.(*find).collect(r, 10)
			require.Equal(t, c.marked, r.sets[0].marked)
		})
	}
}

// Decimals of different scales compare by value, and what a dictionary has for
// null comes before zero.
func TestDecimalsAreCompared(t *testing.T) {
	sorted := []string{"-10.00", "-9.99", "-9.9", "-0.01", "", "0", "0.001", "0.01", "0.1", "1", "9.99", "10.0", "123456789012345678901234567890.1"}
	for i, a := range sorted {
		for j, b := range sorted {
			want := 0
			if i != j {
				want = map[bool]int{true: -1, false: 1}[i < j]
			}
			require.Equal(t, want, compareDecimals(a, b), "%q %q", a, b)
		}
	}
	require.Zero(t, compareDecimals("1.50", "1.5"))
	require.Zero(t, compareDecimals("-0", "-0.00"))
}

// Sums are exact over all steps, also where a step does not fit.
func TestSumsAreExact(t *testing.T) {
	var w wide
	for range 3 {
		w.add(math.MaxInt64)
	}
	_, fits := w.int64()
	require.False(t, fits)
	require.Equal(t, "27670116110564327421", w.big().String())
	for range 3 {
		w.add(math.MinInt64)
	}
	n, fits := w.int64()
	require.True(t, fits)
	require.Equal(t, int64(-3), n)
	require.Equal(t, "-3", w.big().String())

	var c compensated
	for _, f := range []float64{1e100, 1, -1e100} {
		c.add(f)
	}
	require.Equal(t, 1.0, c.value())

	for text, want := range map[string]int64{"0.00": 0, "-0.01": -1, "1234567890123456.78": 123456789012345678, "-7": -7, "999999999999999999": 999999999999999999} {
		n, ok := unscaled(text)
		require.True(t, ok, text)
		require.Equal(t, want, n, text)
	}
	for _, text := range []string{"12345678901234567.890", "-9999999999999999999"} {
		_, ok := unscaled(text)
		require.False(t, ok, text)
	}
	require.Equal(t, "-0.05", scaledText(wideOf(-5).big(), 2))
	require.Equal(t, "12.00", scaledText(wideOf(1200).big(), 2))
	require.Equal(t, "7", scaledText(wideOf(7).big(), 0))
}

func wideOf(n int64) (w wide) {
	w.add(n)
	return w
}

// Floats stand in their order as integers.
func TestFloatsAreOrdered(t *testing.T) {
	sorted := []float64{-math.MaxFloat64, -1.5, -1, -math.SmallestNonzeroFloat64, 0, math.SmallestNonzeroFloat64, 1, 1.5, math.MaxFloat64}
	for i := 1; i < len(sorted); i++ {
		require.Less(t, orderedOf(sorted[i-1]), orderedOf(sorted[i]))
	}
}

// A call that is given up stops within a stride, and the memory of its run
// serves the next.
func TestRunsStopWhenGivenUp(t *testing.T) {
	g := items(t)
	everywhere := graph.Step{Types: []string{"NEXT"}, MinHops: 2, MaxHops: 3, To: &graph.NodePattern{Label: "item"}}
	q := &graph.Aggregate{NodePattern: graph.NodePattern{Label: "item", Related: []graph.Related{
		{Relationships: []graph.Step{everywhere, everywhere}, Count: []graph.CountBound{{Op: graph.Gte, N: 4}}}}},
		Aggregations: []graph.Aggregation{{Function: graph.Count}}}
	p, err := compile.New(compile.Options{}).Check(g.Schema(), nil, q)
	require.NoError(t, err)
	st := New(g, Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = st.Run(ctx, p, graph.Collector{Result: &graph.Result{}})
	require.ErrorIs(t, err, graph.Canceled)

	r, prog := planned(t, g, q)
	ctx, cancel = context.WithCancel(context.Background())
	r.ctx = ctx
	cancel()
	looked := 0
	prog.answer.(*aggregate).nodes.each(r, false, position{}, func(rows []uint32) bool {
		looked += len(rows)
		return true
	})
	require.ErrorIs(t, r.err, context.Canceled)
	require.Less(t, looked, 200, "and not all thousand were looked at")
	r.end()

	res := &graph.Result{}
	_, err = st.Run(context.Background(), p, graph.Collector{Result: res})
	require.NoError(t, err)
	require.Equal(t, [][]graph.Value{{graph.Int(1000)}}, res.Rows)
}

// A step of two and three hops finds what trying all paths finds.
func TestFarStepsAgreeWithTryingAllPaths(t *testing.T) {
	g := items(t)
	for _, hops := range [][2]int{{2, 2}, {2, 3}, {3, 3}} {
		for _, dir := range []graph.Direction{graph.Outgoing, graph.Incoming, graph.Both} {
			r, prog := planned(t, g, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "item", Related: []graph.Related{{Relationships: []graph.Step{
				{Types: []string{"NEXT"}, Direction: dir, MinHops: hops[0], MaxHops: hops[1], To: &graph.NodePattern{Label: "item"}}}}}}})
			e := prog.answer.(*find).nodes.related[0].steps[0]
			for row := range uint32(10) {
				walk := func(from func(r *run, start node, visit func(node, int) bool)) map[node]int {
					found := map[node]int{}
					from(r, node{row: row}, func(end node, hops int) bool {
						require.NotContains(t, found, end)
						found[end] = hops
						return true
					})
					return found
				}
				require.Equal(t, walk(e.fromDeep), walk(e.from), "%v %v", hops, dir)
			}
		}
	}
}
