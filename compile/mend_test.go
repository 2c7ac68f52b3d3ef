package compile_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
)

// TestFilterAtTheWrongEnd moves a filter to the end of a traversal that has the
// property, and makes its filters where there are none.
func TestFilterAtTheWrongEnd(t *testing.T) {
	s := fixtureSchema(t, "types")
	wrong, right := graph.Where("text", "x"), graph.Where("name", "x")
	for _, c := range []struct {
		name     string
		from, to graph.Filter
		fix      string
	}{
		{"from", wrong, nil, `[{"op":"add","path":"/to/filters","value":{}},{"op":"move","from":"/from/filters/text","path":"/to/filters/text"}]`},
		{"from, to has some", wrong, graph.Where("n", 1), `[{"op":"move","from":"/from/filters/text","path":"/to/filters/text"}]`},
		{"to", nil, right, `[{"op":"add","path":"/from/filters","value":{}},{"op":"move","from":"/to/filters/name","path":"/from/filters/name"}]`},
		{"to, from has some", graph.Where("s", "x"), right, `[{"op":"move","from":"/to/filters/name","path":"/from/filters/name"}]`},
		{"neither", graph.Where("zzzzzzzz", "x"), nil, `null`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := compile.New(compile.Options{}).Check(s, nil, &graph.Traverse{
				From: graph.NodePattern{Label: "thing", Filter: c.from}, To: graph.NodePattern{Label: "tag", Filter: c.to},
				Relationships: []graph.Step{{Types: []string{"TAGGED"}}},
			})
			var errs graph.Errors
			require.ErrorAs(t, err, &errs)
			require.Len(t, errs, 1)
			require.ErrorIs(t, err, graph.UnknownProperty)
			fix, err := json.Marshal(errs[0].Fix)
			require.NoError(t, err)
			require.JSONEq(t, c.fix, string(fix))
		})
	}
}

// TestTooManyWays pins that a traversal that would become too many chains, or
// a statement of too many tables, is refused rather than sent.
func TestTooManyWays(t *testing.T) {
	s := fixtureSchema(t, "types")
	walk := func(dir graph.Direction, to graph.Filter, hops ...int) error {
		q := &graph.Traverse{From: graph.NodePattern{Label: "thing"}, To: graph.NodePattern{Label: "thing", Filter: to}}
		for i, n := range hops {
			step := graph.Step{Types: []string{"LINKS"}, Direction: dir, MaxHops: n}
			if i < len(hops)-1 {
				step.To = &graph.NodePattern{Label: "thing", Filter: to}
			}
			q.Relationships = append(q.Relationships, step)
		}
		plan, err := compile.New(compile.Options{}).Check(s, nil, q)
		require.NoError(t, err)
		_, err = compile.SQL(plan, compile.Postgres())
		return err
	}
	require.NoError(t, walk(graph.Outgoing, nil, 3, 3, 2))
	require.NoError(t, walk(graph.Both, nil, 1, 1, 1, 1), "16 chains")
	require.ErrorIs(t, walk(graph.Both, nil, 3, 3), graph.TooCostly, "14 times 14 chains")
	require.ErrorIs(t, walk(graph.Outgoing, graph.Where("s", "x"), 3, 3, 2), graph.TooCostly, "18 chains of many tables")
}

// TestToOfTheLastStep moves what the last step says about its end to where it
// belongs, unless a condition would be lost.
func TestToOfTheLastStep(t *testing.T) {
	s := fixtureSchema(t, "types")
	const move, remove = `[{"op":"move","from":"/relationships/0/to","path":"/to"}]`, `[{"op":"remove","path":"/relationships/0/to"}]`
	tag := graph.NodePattern{Label: "tag"}
	filtered := graph.NodePattern{Label: "tag", Filter: graph.Where("n", 1)}
	links := []graph.Related{{Relationships: []graph.Step{{Types: []string{"TAGGED"}, Direction: graph.Incoming}}}}
	for _, c := range []struct {
		name     string
		last, to graph.NodePattern
		fix      string
	}{
		{"both alike", tag, tag, move},
		{"the step has more", filtered, tag, move},
		{"the call has more", tag, filtered, remove},
		{"ids", tag, graph.NodePattern{Label: "tag", IDs: graph.IDs("a")}, remove},
		{"where", tag, graph.NodePattern{Label: "tag", Where: "n == 1"}, remove},
		{"related", tag, graph.NodePattern{Label: "tag", Related: links}, remove},
		{"both have conditions", filtered, filtered, `null`},
		{"labels differ", graph.NodePattern{Label: "slot"}, tag, `null`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := compile.New(compile.Options{}).Check(s, nil, &graph.Traverse{
				From: graph.NodePattern{Label: "thing"}, Relationships: []graph.Step{{Types: []string{"TAGGED"}, To: &c.last}}, To: c.to,
			})
			var errs graph.Errors
			require.ErrorAs(t, err, &errs)
			require.Len(t, errs, 1)
			require.ErrorIs(t, err, graph.UnknownField)
			fix, err := json.Marshal(errs[0].Fix)
			require.NoError(t, err)
			require.JSONEq(t, c.fix, string(fix))
		})
	}
	_, err := compile.New(compile.Options{}).Check(s, nil, &graph.Traverse{
		From: graph.NodePattern{Label: "word", Search: "a"}, To: graph.NodePattern{Label: "word", Search: "a"},
		Relationships: []graph.Step{{Types: []string{"SAYS"}, Direction: graph.Incoming}, {Types: []string{"SAYS"}, To: &graph.NodePattern{Label: "word"}}},
	})
	var errs graph.Errors
	require.ErrorAs(t, err, &errs)
	require.Equal(t, "/relationships/1/to", errs[0].Path)
	require.Equal(t, []graph.Patch{{Op: "remove", Path: "/relationships/1/to"}}, errs[0].Fix)
}

// TestPathsToKeys pins which of the keys found goes where in the statement that
// connects them: part by part, filled up with the last.
func TestPathsToKeys(t *testing.T) {
	plan, err := compile.New(compile.Options{}).Check(fixtureSchema(t, "types"), nil, &graph.Traverse{
		From: graph.NodePattern{Label: "thing", IDs: graph.IDs(5)}, To: graph.NodePattern{Label: "slot"},
		Relationships: []graph.Step{{Types: []string{"LINKS"}, MaxHops: 2}, {Types: []string{"AT"}}},
	})
	require.NoError(t, err)
	prog, err := compile.SQL(plan, compile.Postgres())
	require.NoError(t, err)
	require.Len(t, prog.Paths, 2, "of two hops and of three")
	st, fields, err := prog.Paths[0].To(3)
	require.NoError(t, err)
	args, _ := st.Bind(plan.Params, []graph.Value{graph.String("a"), graph.Int(1), graph.String("b"), graph.Int(2), graph.String("c"), graph.Int(3)})
	require.Equal(t, []any{int64(5), "a", int64(1), "b", int64(2), "c", int64(3), "c", int64(3), int64(500_001)}, args)
	require.Len(t, fields.Nodes, 3)
	require.Len(t, fields.Rels, 2)
	require.GreaterOrEqual(t, fields.Rels[0].Key, 0, "LINKS has a key")
	require.Negative(t, fields.Rels[1].Key, "AT has none")
}
