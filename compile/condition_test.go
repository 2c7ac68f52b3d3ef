package compile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// TestConditionsMadeInGo checks conditions that no tool call can hold: with
// operands that always or never hold.
func TestConditionsMadeInGo(t *testing.T) {
	some := graph.Cmp("weight", graph.Gt, 1)
	always, never := graph.And{}, graph.Or{}
	not := func(f graph.Filter) graph.Filter { return graph.Not{Filter: f} }
	for name, test := range map[string]struct{ filter, same graph.Filter }{
		"nothing":                      {nil, nil},
		"no conditions":                {always, nil},
		"all of no conditions":         {graph.And{always, graph.And{nil}}, nil},
		"one that always holds":        {graph.And{always, some}, some},
		"or what always holds":         {graph.Or{always, some}, nil},
		"or at last what always holds": {graph.Or{some, graph.Cmp("iid", graph.In, []any{1, 2, 3}), nil}, nil},
		"one only":                     {graph.Or{some}, some},
		"within a conjunction":         {graph.And{some, graph.Or{some, always}}, some},
		"not of either":                {not(graph.Or{some, always}), never},
		"not of what never holds":      {not(never), nil},
		"or not of what never holds":   {graph.Or{not(never), some}, nil},
		"not twice":                    {not(not(always)), nil},
		"not twice of never":           {graph.And{not(not(never)), some}, graph.And{never, some}},
		"or never":                     {graph.Or{never, some}, graph.Or{not(always), some}},
	} {
		t.Run(name, func(t *testing.T) {
			c, s := compile.New(compile.Options{}), fixtureSchema(t, "gitlab")
			made := func(f graph.Filter) *compile.Plan {
				q := find("gl_issue")
				q.Filter, q.Limit = f, 7
				plan, err := c.Check(s, nil, q)
				require.NoError(t, err)
				return plan
			}
			want := made(test.same)
			for range 4 { // the last ones as like as others before
				got := made(test.filter)
				require.Equal(t, want.Shape(), got.Shape())
				require.Equal(t, want.Params, got.Params)
			}
		})
	}
}

// TestConditionsOfOtherKinds refuses what is no condition of a call, in the place
// of leaving it out.
func TestConditionsOfOtherKinds(t *testing.T) {
	some := graph.Compare{Property: "state", Value: graph.String("opened")}
	for _, f := range []graph.Filter{
		graph.Exists{Relationships: []graph.Step{{Types: []string{"ISSUE_IN_PROJECT"}}}}, &some, &graph.And{some}, (*graph.Or)(nil),
	} {
		for _, f := range []graph.Filter{f, graph.Or{some, f}, graph.And{f}, graph.Not{Filter: f}} {
			q := find("gl_issue")
			q.Filter = f
			require.Equal(t, []string{"UNSUPPORTED /filters"}, checked(t, compile.New(compile.Options{}), "gitlab", nil, q), "%#v", f)
		}
	}
}

// Conditions that bind nothing leave nothing for calls that are like one
// before, either.
func TestConditionsThatBindNothingAreForgotten(t *testing.T) {
	s, err := schema.Parse("pairs.yaml", []byte(`
format: trellis.schema.v1
nodes:
  a: {key: id, properties: {id: int64}}
  b: {key: id, properties: {id: int64}}
  c: {key: id, properties: {id: int64}}
relationships:
  R: {pairs: [{from: a, to: c, table: rc, properties: {n: int64}}, {from: a, to: b, table: rb, properties: {n: int64}}]}
`))
	require.NoError(t, err)
	c := compile.New(compile.Options{})
	for i := range 4 {
		var list []any
		for n := range 60 {
			list = append(list, n+i)
		}
		plan, err := c.Check(s, nil, &graph.Traverse{From: graph.NodePattern{Label: "a"},
			Relationships: []graph.Step{{Types: []string{"R"}, Filter: graph.Cmp("n", graph.In, list)}}, To: graph.NodePattern{Label: "c"}, Limit: 5 + i})
		require.NoError(t, err)
		require.Equal(t, graph.Int(int64(i)), plan.Params[0])
		require.Equal(t, graph.Int(int64(5+i)), plan.Params[len(plan.Params)-1])
	}
}
