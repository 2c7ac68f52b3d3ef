package native_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
)

// roads is a graph of places a to e whose roads have a length of some type.
func roads(t *testing.T, typ string, lengths map[string]any) *memory.Graph {
	t.Helper()
	s, err := schema.Parse("roads.yaml", []byte(`
format: trellis.schema.v1
nodes:
  place: {key: id, properties: {id: string}}
relationships:
  ROAD: {from: place, to: place, properties: {length: `+typ+`}}
  RAIL: {from: place, to: place, properties: {length: `+typ+`}}
`))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		b.Node("place", memory.Values{"id": id})
	}
	for way, length := range lengths {
		typ := "ROAD"
		if name, ok := strings.CutPrefix(way, "rail "); ok {
			typ, way = "RAIL", name
		}
		b.Relationship(typ, graph.ID("place", way[:1]), graph.ID("place", way[1:]), memory.Values{"length": length})
	}
	g, err := b.Build()
	require.NoError(t, err)
	return g
}

func ask(t *testing.T, g *memory.Graph, limits graph.Limits, q graph.Query) (*graph.Result, error) {
	t.Helper()
	e := engine.New(schema.NewCatalog(g.Schema()), native.New(g, native.Options{}), engine.Options{Limits: limits})
	return e.Run(context.Background(), q)
}

// between asks for ways from a to e.
func between(mode graph.PathMode, k, hops int) *graph.Paths {
	return &graph.Paths{From: graph.ID("place", "a"), To: graph.ID("place", "e"), Mode: mode, K: k, MaxHops: hops,
		Direction: graph.Outgoing, Weight: "length"}
}

// ways shows paths: their nodes, the types of their hops and their weight.
func ways(r *graph.Result) (out []string) {
	for _, p := range r.Paths {
		var b strings.Builder
		for i, n := range p.Nodes {
			if i > 0 {
				b.WriteString(strings.ToLower(r.Relationships[p.Relationships[i-1]].Type[1:2]))
			}
			b.WriteString(n.ID)
		}
		out = append(out, b.String()+" "+string(p.Weight.AppendJSON(nil)))
	}
	return out
}

func TestWeights(t *testing.T) {
	for name, c := range map[string]struct {
		typ     string
		lengths map[string]any
		ask     *graph.Paths
		want    []string
	}{
		"more hops weigh less": {"int64", map[string]any{"ae": 9, "ab": 1, "bc": 1, "ce": 1},
			between(graph.KShortest, 3, 3), []string{"aobocoe 3", "aoe 9"}},
		"as many hops as are asked for": {"int64", map[string]any{"ae": 9, "ab": 1, "bc": 1, "ce": 1, "be": 4},
			between(graph.Shortest, 0, 2), []string{"aoboe 5"}},
		"of equal weight the shorter, then the first": {"int32", map[string]any{"ae": 2, "ac": 1, "ce": 1, "ab": 1, "be": 1, "bc": 0, "cd": 0, "de": 1},
			between(graph.KShortest, 4, 4), []string{"aoe 2", "aoboe 2", "aocoe 2", "aobocoe 2"}},
		"circles of no weight": {"int32", map[string]any{"ab": 0, "ba": 0, "bc": 0, "cb": 0, "ca": 0, "ce": 1, "bd": 0, "db": 0, "de": 2},
			between(graph.KShortest, 10, 6), []string{"aobocoe 1", "aobodoe 2"}},
		"the lightest of parallel relationships": {"int64", map[string]any{"ab": 5, "rail ab": 3, "be": 1, "rail be": 1},
			between(graph.Shortest, 0, 2), []string{"aabae 4"}},
		"without a length no way": {"int64", map[string]any{"ae": nil, "ab": 5, "be": 1},
			between(graph.KShortest, 3, 3), []string{"aoboe 6"}},
		"floats are added exactly": {"float", map[string]any{"ab": 0.1, "bc": 0.2, "ce": 0.3, "ae": 0.6},
			between(graph.KShortest, 2, 3), []string{"aoe 0.6", "aobocoe 0.6"}},
		"floats of all sizes": {"float", map[string]any{"ab": 1e300, "be": 1e-300, "ae": math.Nextafter(1e300, 2e300)},
			between(graph.KShortest, 2, 3), []string{"aoboe 1e+300", "aoe 1.0000000000000002e+300"}},
		"decimals keep their scale": {"{type: decimal, scale: 2}", map[string]any{"ab": "0.10", "be": "0.20", "ae": "0.30"},
			between(graph.KShortest, 2, 3), []string{`aoe "0.30"`, `aoboe "0.30"`}},
		"over 64 bits on a way that is not shown": {"int64", map[string]any{"ab": int64(math.MaxInt64), "be": int64(math.MaxInt64), "ae": 7},
			between(graph.Shortest, 0, 3), []string{"aoe 7"}},
	} {
		t.Run(name, func(t *testing.T) {
			for way, v := range c.lengths {
				if text, ok := v.(string); ok {
					c.lengths[way] = graph.Decimal(text)
				}
			}
			r, err := ask(t, roads(t, c.typ, c.lengths), graph.Limits{}, c.ask)
			require.NoError(t, err)
			require.Equal(t, c.want, ways(r))
		})
	}
}

// What weights may not be, or come to.
func TestWeightsThatAreRefused(t *testing.T) {
	_, err := ask(t, roads(t, "int64", map[string]any{"ab": 1, "be": -1}), graph.Limits{}, between(graph.Shortest, 0, 3))
	require.ErrorIs(t, err, graph.InvalidData)
	require.ErrorContains(t, err, `ROAD from place "b" to place "e": length is negative`)
	_, err = ask(t, roads(t, "int64", map[string]any{"ab": int64(math.MaxInt64), "be": 1}), graph.Limits{}, between(graph.Shortest, 0, 3))
	require.ErrorIs(t, err, graph.OutOfRange)
}

// A budget that is spent is told, and what is shown is a part of what there is.
func TestT22BudgetsOfWalks(t *testing.T) {
	lengths := map[string]any{}
	for _, from := range "abcde" {
		for _, to := range "abcde" {
			lengths[string(from)+string(to)] = 1
		}
	}
	g := roads(t, "int64", lengths)
	step := graph.Step{Types: []string{"ROAD"}, MinHops: 2, MaxHops: 3}
	for name, q := range map[string]graph.Query{
		"targets":   &graph.Traverse{From: graph.NodePattern{Label: "place"}, Relationships: []graph.Step{step, step}, To: graph.NodePattern{Label: "place"}},
		"neighbors": &graph.Neighbors{Start: graph.ID("place", "a")},
		"weights":   between(graph.KShortest, 10, 4),
		"paths":     &graph.Paths{From: graph.ID("place", "a"), To: graph.ID("place", "e"), Mode: graph.AllPaths},
	} {
		t.Run(name, func(t *testing.T) {
			whole, err := ask(t, g, graph.Limits{}, q)
			require.NoError(t, err)
			require.NotEqual(t, graph.TruncatedBudget, whole.TruncatedBy)
			part, err := ask(t, g, graph.Limits{Budget: 4}, q)
			require.NoError(t, err)
			require.Equal(t, graph.TruncatedBudget, part.TruncatedBy)
			require.Empty(t, part.NextCursor)
			require.LessOrEqual(t, part.Returned, whole.Returned)
		})
	}
}

// Ways without end to targets that there are none of end with the budget, also
// where nothing is ever found.
func TestBudgetOfDeepSteps(t *testing.T) {
	s, err := schema.Parse("web.yaml", []byte(`
format: trellis.schema.v1
nodes:
  page: {key: id, properties: {id: int64}}
relationships:
  LINKS: {from: page, to: page}
`))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	for from := range 60 {
		b.Node("page", memory.Values{"id": from})
		for to := range 60 {
			b.Relationship("LINKS", graph.ID("page", from), graph.ID("page", to), nil)
		}
	}
	g, err := b.Build()
	require.NoError(t, err)
	res, err := ask(t, g, graph.Limits{StepHops: 8, TotalHops: 8, Budget: 100_000}, &graph.Traverse{
		From:          graph.NodePattern{Label: "page", IDs: []graph.Value{graph.Int(1)}},
		Relationships: []graph.Step{{Types: []string{"LINKS"}, MinHops: 7, MaxHops: 8}},
		To:            graph.NodePattern{Label: "page", Filter: graph.Cmp("id", graph.Gt, 100)},
	})
	require.NoError(t, err)
	require.Zero(t, res.Returned)
	require.Equal(t, graph.TruncatedBudget, res.TruncatedBy)
}

// Who asks for so many paths and gets them has all: the budget took nothing away.
func TestBudgetOfPathsThatWereFound(t *testing.T) {
	g := roads(t, "int64", map[string]any{"ab": 1, "be": 1, "ac": 1, "ce": 1, "rail ab": 1, "rail be": 1})
	for mode, k := range map[graph.PathMode]int{graph.Shortest: 1, graph.KShortest: 2} {
		found := false
		for budget := range 40 {
			q := between(mode, k, 3)
			if q.Weight = ""; mode == graph.Shortest {
				q.K = 0
			}
			res, err := ask(t, g, graph.Limits{Budget: budget + 1}, q)
			require.NoError(t, err)
			if len(res.Paths) == k {
				found = true
				require.Equal(t, graph.Complete, res.TruncatedBy, "%s, a budget of %d", mode, budget+1)
			} else {
				require.Equal(t, graph.TruncatedBudget, res.TruncatedBy, "%s, a budget of %d", mode, budget+1)
			}
		}
		require.True(t, found)
	}
}

// Limits that stand for none take nothing away.
func TestHighestLimits(t *testing.T) {
	g := roads(t, "int64", map[string]any{"ab": 1, "ac": 1, "bc": 1, "ce": 1, "rail ce": 1})
	place := graph.NodePattern{Label: "place"}
	road := graph.Step{Types: []string{"ROAD"}, To: &place}
	counts := []graph.Aggregation{{Function: graph.Count}}
	for name, q := range map[string]graph.Query{
		"find":      &graph.FindNodes{NodePattern: place, OrderBy: []graph.Order{{Property: "id", Direction: graph.Desc}}},
		"traverse":  &graph.Traverse{From: place, Relationships: []graph.Step{{Types: []string{"ROAD"}, MaxHops: 3}}, To: place},
		"neighbors": &graph.Neighbors{Start: graph.ID("place", "a"), MaxHops: 2},
		"paths":     &graph.Paths{From: graph.ID("place", "a"), To: graph.ID("place", "e"), Mode: graph.AllPaths},
		"aggregate": &graph.Aggregate{NodePattern: place, Aggregations: counts, GroupBy: []graph.GroupKey{{Relationships: []graph.Step{road}}},
			OrderBy: []graph.ColumnOrder{{As: "count", Direction: graph.Desc}}},
	} {
		t.Run(name, func(t *testing.T) {
			want, err := ask(t, g, graph.Limits{}, q)
			require.NoError(t, err)
			require.Positive(t, want.Returned)
			high := graph.Limits{Rows: math.MaxInt, Groups: math.MaxInt, Connections: math.MaxInt, Budget: math.MaxInt, Bytes: math.MaxInt}
			set(q, math.MaxInt32/4)
			got, err := ask(t, g, high, q)
			require.NoError(t, err)
			want.Statements, got.Statements = nil, nil
			require.Equal(t, want, got)
		})
	}
}

// set sets a query's limit.
func set(q graph.Query, limit int) {
	switch q := q.(type) {
	case *graph.FindNodes:
		q.Limit = limit
	case *graph.Traverse:
		q.Limit = limit
	case *graph.Neighbors:
		q.Limit = limit
	case *graph.Paths:
		q.Limit = limit
	case *graph.Aggregate:
		q.Limit = limit
	}
}
