package compile_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
)

// statements are the texts of a plan in all dialects, as they are for pages of one
// row: but for the limit no text depends on a value.
func statements(t testing.TB, plan *compile.Plan) string {
	var b strings.Builder
	params := slices.Repeat([]graph.Value{graph.Int(1)}, len(plan.Params))
	for _, d := range compile.Dialects() {
		prog, err := compile.SQL(plan, d)
		if err != nil {
			requireNoStatement(t, err)
			fmt.Fprintln(&b, err)
			continue
		}
		for _, st := range prog.Statements() {
			fmt.Fprintln(&b, st.Text(params))
		}
	}
	return b.String()
}

// TestEqualShapesHaveEqualStatements compares the statements of all calls of
// the scripts whose plans have one shape: programs are kept by shape.
func TestEqualShapesHaveEqualStatements(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(storetest, "scripts", "*.txt"))
	require.NoError(t, err)
	fixtures := readers{}
	byShape := map[string]string{}
	plans := 0
	for _, path := range paths {
		for _, c := range scriptCalls(t, path) {
			plan, err := fixtures.of(t, c).plan(c)
			if err != nil || c.tool == graph.ToolDescribe {
				continue
			}
			plans++
			shape, text := fmt.Sprint(c.fixture, c.limits, plan.Shape()), statements(t, plan)
			if byShape[shape] == "" {
				byShape[shape] = text
			}
			require.Equal(t, byShape[shape], text, plan.Shape())
		}
	}
	require.Greater(t, plans, len(byShape)+100, "too few calls share a shape")
}

// TestValuesDoNotReachTheText makes a query again and again with other values:
// its statements stay the same, and so does where the arguments come from.
func TestValuesDoNotReachTheText(t *testing.T) {
	s := fixtureSchema(t, "types")
	c := compile.New(compile.Options{})
	r := rand.New(rand.NewPCG(1, 2))
	text := func() graph.Value {
		parts := []string{"'", `"`, "`", "--", "?", "$1", ";", "\\", "%", "_", "!", "@", "a", "\n", "*/"}
		out := ""
		for range r.IntN(6) {
			out += parts[r.IntN(len(parts))]
		}
		return graph.String(out)
	}
	integer := func() graph.Value { return graph.Int(int64(int32(r.Uint32()))) }
	list := func(n int, item func() graph.Value) graph.Value {
		values := make([]graph.Value, n)
		for i := range values {
			values[i] = item()
		}
		return graph.List(values...)
	}
	queries := map[string]func() graph.Query{
		"conditions": func() graph.Query {
			return &graph.FindNodes{NodePattern: graph.NodePattern{Label: "thing", IDs: list(5+r.IntN(4), integer).List(),
				Filter: graph.And{
					graph.Cmp("s", graph.In, list(3+r.IntN(2), text)), graph.Cmp("s", graph.NotIn, list(9+r.IntN(8), text)),
					graph.Or{graph.Cmp("s", graph.Contains, text()), graph.Not{Filter: graph.Cmp("name", graph.EndsWith, text())}},
					graph.Cmp("dec", graph.Lt, integer()), graph.Cmp("f", graph.Gte, integer()),
				}}, Limit: 1 + r.IntN(30)}
		},
		"walks": func() graph.Query {
			return &graph.Traverse{
				From:          graph.NodePattern{Label: "slot", IDs: []graph.Value{graph.List(text(), integer())}},
				Relationships: []graph.Step{{Types: []string{"NEXT"}, MaxHops: 2}, {Types: []string{"AT"}, Direction: graph.Incoming}, {Types: []string{"LINKS"}, Filter: graph.Cmp("s", graph.Ne, text())}},
				To: graph.NodePattern{Label: "thing", Related: []graph.Related{{
					Relationships: []graph.Step{{Types: []string{"TAGGED"}, To: &graph.NodePattern{Label: "tag", IDs: []graph.Value{text()}}}},
					Count:         []graph.CountBound{{Op: graph.Gte, N: r.IntN(100)}}}}},
				OrderBy: []graph.Order{{Property: "s"}}, Limit: 1 + r.IntN(30),
			}
		},
		"neighbours": func() graph.Query {
			return &graph.Neighbors{Start: graph.NodeID{Label: "tag", ID: text()}, Filters: map[string]graph.Filter{"thing": graph.Cmp("s", graph.StartsWith, text())}, Limit: 1 + r.IntN(30)}
		},
		"paths": func() graph.Query {
			return &graph.Paths{From: graph.NodeID{Label: "tag", ID: text()}, To: graph.NodeID{Label: "thing", ID: integer()}, Limit: 1 + r.IntN(30)}
		},
		"aggregates": func() graph.Query {
			return &graph.Aggregate{
				NodePattern:  graph.NodePattern{Label: "thing", Filter: graph.Cmp("s", graph.Gt, text())},
				Aggregations: []graph.Aggregation{{Function: graph.Count}, {Function: graph.Max, Property: "s", Filter: graph.Cmp("i32", graph.Lt, integer())}},
				GroupBy:      []graph.GroupKey{{Property: "s"}},
				Having:       []graph.Having{{As: "count", Op: graph.In, Value: list(5+r.IntN(4), integer)}, {As: "max_s", Op: graph.Ne, Value: text()}},
				Limit:        1 + r.IntN(30),
			}
		},
	}
	for name, query := range queries {
		t.Run(name, func(t *testing.T) {
			first, err := c.Check(s, nil, query())
			require.NoError(t, err)
			want := statements(t, first)
			for range 30 {
				plan, err := c.Check(s, nil, query())
				require.NoError(t, err)
				require.Equal(t, first.Shape(), plan.Shape())
				require.Len(t, plan.Params, len(first.Params), "slots depend on the shape alone")
				require.Equal(t, want, statements(t, plan))
			}
		})
	}
}
