package compile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// Plans of one shape share a statement, so a condition on a pair that does not
// lead to the step's end must not take a slot.
func TestConditionsOnPairsThatLeadNowhereBindNothing(t *testing.T) {
	parse := func(pairs string) *schema.Schema {
		s, err := schema.Parse("pairs.yaml", []byte(`
format: trellis.schema.v1
nodes:
  a: {key: id, properties: {id: int64}}
  b: {key: id, properties: {id: int64}}
  c: {key: id, properties: {id: int64}}
relationships:
  R: {pairs: [`+pairs+`{from: a, to: c, table: rc, properties: {n: int64}}]}
`))
		require.NoError(t, err)
		return s
	}
	q := &graph.Traverse{
		From:          graph.NodePattern{Label: "a"},
		Relationships: []graph.Step{{Types: []string{"R"}, Filter: graph.Compare{Property: "n", Value: graph.Int(7)}}},
		To:            graph.NodePattern{Label: "c"},
	}
	check := func(s *schema.Schema) (*compile.Plan, error) { return compile.New(compile.Options{}).Check(s, nil, q) }

	one, err := check(parse(""))
	require.NoError(t, err)
	two, err := check(parse("{from: a, to: b, table: rb, properties: {n: int64}}, "))
	require.NoError(t, err)
	require.Equal(t, one.Shape(), two.Shape())
	require.Equal(t, one.Params, two.Params)

	_, err = check(parse("{from: a, to: b, table: rb}, "))
	require.ErrorIs(t, err, graph.UnknownProperty, "the step can walk the pair without the property")
}
