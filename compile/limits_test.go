package compile_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// times makes a list of n copies.
func times[T any](n int, v T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = v
	}
	return list
}

// refused is what Check refuses a query with, as "CODE pointer", or "".
func refused(t testing.TB, limits graph.Limits, s *schema.Schema, q graph.Query) string {
	_, err := compile.New(compile.Options{Limits: limits}).Check(s, nil, q)
	if err == nil {
		return ""
	}
	var errs graph.Errors
	require.True(t, errors.As(err, &errs))
	var all []string
	for _, e := range errs {
		all = append(all, strings.TrimSpace(string(e.Code)+" "+e.Path))
	}
	return strings.Join(all, "; ")
}

// TestLimits tries every cap of a call at the cap and one over it.
func TestLimits(t *testing.T) {
	types := fixtureSchema(t, "types")
	find := func(n graph.NodePattern) *graph.FindNodes { n.Label = "thing"; return &graph.FindNodes{NodePattern: n} }
	links := graph.Step{Types: []string{"LINKS"}}
	walk := func(steps ...graph.Step) *graph.Traverse {
		return &graph.Traverse{From: graph.NodePattern{Label: "thing"}, To: graph.NodePattern{Label: "thing"}, Relationships: steps}
	}
	hops := func(min, max int) graph.Step { return graph.Step{Types: []string{"LINKS"}, MinHops: min, MaxHops: max} }
	count := graph.Aggregation{Function: graph.Count}
	aggregate := func(a graph.Aggregate) *graph.Aggregate {
		a.Label = "thing"
		if a.Aggregations == nil {
			a.Aggregations = []graph.Aggregation{count}
		}
		return &a
	}
	search := func(text string) *graph.FindNodes {
		return &graph.FindNodes{NodePattern: graph.NodePattern{Label: "word", Search: text}}
	}
	numbered := func(n int, each func(name string)) {
		for i := range n {
			each(fmt.Sprintf("c%d", i))
		}
	}
	all := []string{"i32", "i64", "f", "s", "name", "d"}
	for _, c := range []struct {
		name   string
		limits graph.Limits
		at     int // the cap
		query  func(n int) graph.Query
		want   string // one over it
	}{
		{"ids", graph.Limits{IDs: 3}, 3, func(n int) graph.Query {
			return find(graph.NodePattern{IDs: times(n, graph.Int(1))})
		}, "LIMIT_EXCEEDED /ids"},
		{"values of a list", graph.Limits{ListValues: 3}, 3, func(n int) graph.Query {
			return find(graph.NodePattern{Filter: graph.Cmp("i32", graph.In, times(n, 1))})
		}, "LIMIT_EXCEEDED /filters/i32/in"},
		{"filtered properties", graph.Limits{Filters: 3}, 3, func(n int) graph.Query {
			var and graph.And
			for _, p := range all[:n] {
				and = append(and, graph.Cmp(p, graph.IsNull, false), graph.Cmp(p, graph.IsNull, false))
			}
			return find(graph.NodePattern{Filter: and})
		}, "LIMIT_EXCEEDED /filters"},
		{"bytes of a pattern", graph.Limits{PatternBytes: 3}, 3, func(n int) graph.Query {
			return find(graph.NodePattern{Filter: graph.Cmp("s", graph.EndsWith, strings.Repeat("x", n))})
		}, "LIMIT_EXCEEDED /filters/s/ends_with"},
		{"bytes of a search term", graph.Limits{PatternBytes: 3}, 3, func(n int) graph.Query {
			return search("a " + strings.Repeat("x", n))
		}, "LIMIT_EXCEEDED /search"},
		{"terms of a search", graph.Limits{}, 8, func(n int) graph.Query { return search(strings.Repeat("a ", n)) }, "LIMIT_EXCEEDED /search"},
		{"related", graph.Limits{Related: 2}, 2, func(n int) graph.Query {
			return find(graph.NodePattern{Related: times(n, graph.Related{Relationships: []graph.Step{links}})})
		}, "LIMIT_EXCEEDED /related"},
		{"steps of related", graph.Limits{}, 3, func(n int) graph.Query {
			return find(graph.NodePattern{Related: []graph.Related{{Relationships: times(n, links)}}})
		}, "LIMIT_EXCEEDED /related/0/relationships"},
		{"rows", graph.Limits{Rows: 7}, 7, func(n int) graph.Query { q := find(graph.NodePattern{}); q.Limit = n; return q }, "LIMIT_EXCEEDED /limit"},
		{"order keys", graph.Limits{OrderKeys: 2}, 2, func(n int) graph.Query {
			q := find(graph.NodePattern{})
			for _, p := range all[:n] {
				q.OrderBy = append(q.OrderBy, graph.Order{Property: p})
			}
			return q
		}, "LIMIT_EXCEEDED /order_by"},
		{"steps", graph.Limits{Steps: 2}, 2, func(n int) graph.Query { return walk(times(n, links)...) }, "LIMIT_EXCEEDED /relationships"},
		{"hops of a step", graph.Limits{StepHops: 2}, 2, func(n int) graph.Query { return walk(hops(1, n)) }, "LIMIT_EXCEEDED /relationships/0/max_hops"},
		{"least hops of a step", graph.Limits{StepHops: 2}, 2, func(n int) graph.Query { return walk(hops(n, 0)) }, "LIMIT_EXCEEDED /relationships/0/min_hops"},
		{"hops of all steps", graph.Limits{TotalHops: 4}, 4, func(n int) graph.Query { return walk(hops(1, n-2), hops(1, 2)) }, "LIMIT_EXCEEDED /relationships"},
		{"types of a step", graph.Limits{StepTypes: 2}, 2, func(n int) graph.Query {
			return walk(graph.Step{Types: []string{"LINKS", "AT", "TAGGED"}[:n], Direction: graph.Both, MaxHops: 2})
		}, "LIMIT_EXCEEDED /relationships/0/type"},
		{"hops of a neighbourhood", graph.Limits{StepHops: 2}, 2, func(n int) graph.Query {
			return &graph.Neighbors{Start: graph.ID("thing", 1), MaxHops: n}
		}, "LIMIT_EXCEEDED /max_hops"},
		{"rows of a neighbourhood", graph.Limits{Rows: 7}, 7, func(n int) graph.Query {
			return &graph.Neighbors{Start: graph.ID("thing", 1), Limit: n}
		}, "LIMIT_EXCEEDED /limit"},
		{"hops of a path", graph.Limits{PathHops: 2}, 2, func(n int) graph.Query {
			return &graph.Paths{From: graph.ID("thing", 1), To: graph.ID("thing", 2), MaxHops: n}
		}, "LIMIT_EXCEEDED /max_hops"},
		{"k", graph.Limits{}, 10, func(n int) graph.Query {
			return &graph.Paths{From: graph.ID("thing", 1), To: graph.ID("thing", 2), Mode: graph.KShortest, K: n}
		}, "LIMIT_EXCEEDED /k"},
		{"aggregations", graph.Limits{Aggregations: 2}, 2, func(n int) graph.Query {
			var a graph.Aggregate
			numbered(n, func(name string) {
				a.Aggregations = append(a.Aggregations, graph.Aggregation{Function: graph.Count, As: name})
			})
			return aggregate(a)
		}, "LIMIT_EXCEEDED /aggregations"},
		{"group keys", graph.Limits{GroupKeys: 2}, 2, func(n int) graph.Query {
			var a graph.Aggregate
			numbered(n, func(name string) { a.GroupBy = append(a.GroupBy, graph.GroupKey{Property: "s", As: name}) })
			return aggregate(a)
		}, "LIMIT_EXCEEDED /group_by"},
		{"steps of a group key", graph.Limits{}, 3, func(n int) graph.Query {
			step := graph.Step{Types: []string{"LINKS"}, To: &graph.NodePattern{Label: "thing"}}
			return aggregate(graph.Aggregate{GroupBy: []graph.GroupKey{{Relationships: times(n, step), Property: "s"}}})
		}, "LIMIT_EXCEEDED /group_by/0/relationships"},
		{"groups", graph.Limits{Groups: 40}, 40, func(n int) graph.Query { return aggregate(graph.Aggregate{Limit: n}) }, "LIMIT_EXCEEDED /limit"},
		{"order of groups", graph.Limits{OrderKeys: 2}, 2, func(n int) graph.Query {
			return aggregate(graph.Aggregate{OrderBy: times(n, graph.ColumnOrder{As: "count"})})
		}, "LIMIT_EXCEEDED /order_by"},
		{"having", graph.Limits{Filters: 2}, 2, func(n int) graph.Query {
			return aggregate(graph.Aggregate{Having: times(n, graph.Having{As: "count", Op: graph.Gt, Value: graph.Int(1)})})
		}, "LIMIT_EXCEEDED /having"},
		{"bytes of where", graph.Limits{WhereBytes: 20}, 20, func(n int) graph.Query {
			return find(graph.NodePattern{Where: "i32 == 1" + strings.Repeat(" ", n-8)})
		}, "LIMIT_EXCEEDED /where"},
		{"length of a column's name", graph.Limits{}, 63, func(n int) graph.Query {
			return aggregate(graph.Aggregate{Aggregations: []graph.Aggregation{{Function: graph.Count, As: strings.Repeat("x", n)}}})
		}, "INVALID_STRING /aggregations/0/as"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Empty(t, refused(t, c.limits, types, c.query(c.at)))
			require.Equal(t, c.want, refused(t, c.limits, types, c.query(c.at+1)))
		})
	}
}

// TestLeastValues tries what is too small: 0 stands for a default, so that in Go
// only less than that can be wrong, where a field has a default.
func TestLeastValues(t *testing.T) {
	types := fixtureSchema(t, "types")
	thing := graph.NodePattern{Label: "thing"}
	count := []graph.Aggregation{{Function: graph.Count}}
	step := func(s graph.Step) *graph.Traverse {
		s.Types = []string{"LINKS"}
		return &graph.Traverse{From: thing, To: thing, Relationships: []graph.Step{s}}
	}
	related := func(r graph.Related) *graph.FindNodes {
		return &graph.FindNodes{NodePattern: graph.NodePattern{Label: "thing", Related: []graph.Related{r}}}
	}
	links := []graph.Step{{Types: []string{"LINKS"}}}
	for _, c := range []struct {
		name  string
		query graph.Query
		want  string
	}{
		{"limit", &graph.FindNodes{NodePattern: thing, Limit: -1}, "OUT_OF_RANGE /limit"},
		{"ids", &graph.FindNodes{NodePattern: graph.NodePattern{Label: "thing", IDs: []graph.Value{}}}, "OUT_OF_RANGE /ids"},
		{"search", &graph.FindNodes{NodePattern: graph.NodePattern{Label: "word", Search: " \t"}}, "OUT_OF_RANGE /search"},
		{"steps", &graph.Traverse{From: thing, To: thing, Relationships: []graph.Step{}}, "OUT_OF_RANGE /relationships"},
		{"no steps", &graph.Traverse{From: thing, To: thing}, "MISSING_FIELD /relationships"},
		{"min_hops", step(graph.Step{MinHops: -1}), "OUT_OF_RANGE /relationships/0/min_hops"},
		{"max_hops", step(graph.Step{MaxHops: -1}), "OUT_OF_RANGE /relationships/0/max_hops"},
		{"min_hops over max_hops", step(graph.Step{MinHops: 2, MaxHops: 1}), "OUT_OF_RANGE /relationships/0/min_hops"},
		{"min_hops alone", step(graph.Step{MinHops: 2}), ""},
		{"min_hops equal to max_hops", step(graph.Step{MinHops: 2, MaxHops: 2}), ""},
		{"related steps", related(graph.Related{Relationships: []graph.Step{}}), "OUT_OF_RANGE /related/0/relationships"},
		{"no related steps", related(graph.Related{}), "MISSING_FIELD /related/0/relationships"},
		{"count", related(graph.Related{Relationships: links, Count: []graph.CountBound{{Op: graph.Eq, N: -1}}}), "OUT_OF_RANGE /related/0/count/eq"},
		{"count of none", related(graph.Related{Relationships: links, Count: []graph.CountBound{{Op: graph.Eq, N: 0}}}), ""},
		{"count's operator", related(graph.Related{Relationships: links, Count: []graph.CountBound{{Op: graph.In, N: 1}}}), "UNKNOWN_OPERATOR /related/0/count/in"},
		{"count without existence", related(graph.Related{Relationships: links, None: true, Count: []graph.CountBound{{Op: graph.Eq, N: 1}}}), "UNSUPPORTED /related/0/count"},
		{"max_hops of a neighbourhood", &graph.Neighbors{Start: graph.ID("thing", 1), MaxHops: -1}, "OUT_OF_RANGE /max_hops"},
		{"k", &graph.Paths{From: graph.ID("thing", 1), To: graph.ID("thing", 1), Mode: graph.KShortest, K: -1}, "OUT_OF_RANGE /k"},
		{"k of another mode", &graph.Paths{From: graph.ID("thing", 1), To: graph.ID("thing", 1), K: 1}, "UNSUPPORTED /k"},
		{"mode", &graph.Paths{From: graph.ID("thing", 1), To: graph.ID("thing", 1), Mode: "fastest"}, "INVALID_ENUM /mode"},
		{"weight of another mode", &graph.Paths{From: graph.ID("thing", 1), To: graph.ID("thing", 1), Mode: graph.AllPaths, Weight: "f"}, "UNSUPPORTED /weight"},
		{"weight without order", &graph.Paths{From: graph.ID("thing", 1), To: graph.ID("thing", 1), Weight: "s"}, "INVALID_TYPE /weight"},
		{"unknown weight", &graph.Paths{From: graph.ID("thing", 1), To: graph.ID("thing", 1), Weight: "x"}, "UNKNOWN_PROPERTY /weight"},
		{"node_types", &graph.Neighbors{Start: graph.ID("thing", 1), NodeTypes: []string{}}, "OUT_OF_RANGE /node_types"},
		{"relationship_types", &graph.Neighbors{Start: graph.ID("thing", 1), RelationshipTypes: []string{}}, "OUT_OF_RANGE /relationship_types"},
		{"no id", &graph.Neighbors{Start: graph.NodeID{Label: "thing"}}, "MISSING_FIELD /start_node/node_id"},
		{"aggregations", &graph.Aggregate{NodePattern: thing, Aggregations: []graph.Aggregation{}}, "OUT_OF_RANGE /aggregations"},
		{"no aggregations", &graph.Aggregate{NodePattern: thing}, "MISSING_FIELD /aggregations"},
		{"hops of a group key", &graph.Aggregate{NodePattern: thing, Aggregations: count, GroupBy: []graph.GroupKey{{Relationships: []graph.Step{{Types: []string{"LINKS"}, MinHops: 1, MaxHops: 1, To: &thing}}}}}, ""},
		{"more hops of a group key", &graph.Aggregate{NodePattern: thing, Aggregations: count, GroupBy: []graph.GroupKey{{Relationships: []graph.Step{{Types: []string{"LINKS"}, MaxHops: 2, To: &thing}}}}}, "UNSUPPORTED /group_by/0/relationships/0/max_hops"},
		{"least hops of a group key", &graph.Aggregate{NodePattern: thing, Aggregations: count, GroupBy: []graph.GroupKey{{Relationships: []graph.Step{{Types: []string{"LINKS"}, MinHops: 2, To: &thing}}}}}, "UNSUPPORTED /group_by/0/relationships/0/min_hops"},
		{"nothing to group by", &graph.Aggregate{NodePattern: thing, Aggregations: count, GroupBy: []graph.GroupKey{{}}}, "MISSING_FIELD /group_by/0/property"},
		{"a list without relationships", &graph.Aggregate{NodePattern: thing, Aggregations: count, GroupBy: []graph.GroupKey{{Properties: []string{"s"}}}}, "INVALID_TYPE /group_by/0/property"},
		{"no query", nil, "UNKNOWN_TOOL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, refused(t, graph.Limits{}, types, c.query))
		})
	}
}

// TestDefaultLimits pins that 0 asks for a default, and that this is never over
// the cap.
func TestDefaultLimits(t *testing.T) {
	types := fixtureSchema(t, "types")
	thing := graph.NodePattern{Label: "thing"}
	count := []graph.Aggregation{{Function: graph.Count}}
	for _, c := range []struct {
		limits graph.Limits
		query  graph.Query
		want   string
	}{
		{graph.Limits{}, &graph.FindNodes{NodePattern: thing}, "limit 30"},
		{graph.Limits{Rows: 7}, &graph.FindNodes{NodePattern: thing}, "limit 7"},
		{graph.Limits{}, &graph.Aggregate{NodePattern: thing, Aggregations: count}, "limit 30"},
		{graph.Limits{Rows: 200}, &graph.Aggregate{NodePattern: thing, Aggregations: count}, "limit 100"},
		{graph.Limits{}, &graph.Neighbors{Start: graph.ID("thing", 1)}, "1..2"},
		{graph.Limits{StepHops: 1}, &graph.Neighbors{Start: graph.ID("thing", 1)}, "1..1"},
		{graph.Limits{}, &graph.Paths{From: graph.ID("thing", 1), To: graph.ID("thing", 2)}, "1..3"},
		{graph.Limits{PathHops: 2}, &graph.Paths{From: graph.ID("thing", 1), To: graph.ID("thing", 2)}, "1..2"},
		{graph.Limits{}, &graph.Paths{From: graph.ID("thing", 1), To: graph.ID("thing", 2), Mode: graph.KShortest}, "paths k_shortest 3 from"},
		{graph.Limits{}, &graph.Traverse{From: thing, To: thing, Relationships: []graph.Step{{Types: []string{"LINKS"}, MinHops: 2}}}, "2..2"},
	} {
		plan, err := compile.New(compile.Options{Limits: c.limits}).Check(types, nil, c.query)
		require.NoError(t, err)
		require.Contains(t, plan.String(), c.want)
	}
}

// TestColumnNames pins what a column may be called.
func TestColumnNames(t *testing.T) {
	types := fixtureSchema(t, "types")
	for name, good := range map[string]bool{
		"a": true, "z": true, "A": true, "Z": true, "a0": true, "a9": true, "a_": true, "aZ9_z": true,
		"0a": false, "_a": false, "a-b": false, "a b": false, "ä": false, "a`": false, "a[": false, "a@": false, "a{": false,
		"a/": false, "a:": false, "[": false, "@": false, "`": false, "{": false,
	} {
		want := ""
		if !good {
			want = "INVALID_STRING /aggregations/0/as"
		}
		q := &graph.Aggregate{NodePattern: graph.NodePattern{Label: "thing"}, Aggregations: []graph.Aggregation{{Function: graph.Count, As: name}}}
		require.Equal(t, want, refused(t, graph.Limits{}, types, q), name)
	}
}
