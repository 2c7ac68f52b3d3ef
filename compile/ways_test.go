package compile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// TestTooManyWaysAreRefused walks in more ways than statements are made for: no
// way is left out, and the call is refused.
func TestTooManyWaysAreRefused(t *testing.T) {
	types := strings.Split("PQRSTUVWXYZ", "")
	text := "format: trellis.schema.v1\nnodes:\n  a: {key: id, properties: {id: int64}}\nrelationships:\n"
	for _, name := range types {
		text += "  " + name + ": {from: a, to: a}\n"
	}
	s, err := schema.Parse("ways.yaml", []byte(text))
	require.NoError(t, err)
	a := graph.NodePattern{Label: "a"}
	for _, c := range []struct {
		steps []graph.Step
		ways  int
	}{
		{[]graph.Step{{Types: types[:8]}, {Types: types[:8]}}, 64},
		{[]graph.Step{{Types: types[:8]}, {Types: types[:9]}}, 72},
		{[]graph.Step{{Types: types[:9], Direction: graph.Both}, {Types: types[:4]}}, 72},
		{[]graph.Step{{Types: types[:8], MaxHops: 2}}, 8 + 64},
		{[]graph.Step{{Types: types[:1]}, {Types: types[:9]}, {Types: types[:9]}}, 81},
	} {
		for _, d := range compile.Dialects() {
			plan, err := compile.New(compile.Options{}).Check(s, nil, &graph.Traverse{From: a, Relationships: c.steps, To: a})
			require.NoError(t, err)
			_, err = compile.SQL(plan, d)
			if c.ways > 64 {
				require.ErrorIs(t, err, graph.TooCostly, "%d ways, %s", c.ways, d.Name)
			}
			related := a
			related.Related = []graph.Related{{Relationships: c.steps}}
			plan, err = compile.New(compile.Options{}).Check(s, nil, &graph.FindNodes{NodePattern: related})
			require.NoError(t, err)
			_, err = compile.SQL(plan, d)
			if c.ways > 64 {
				require.ErrorIs(t, err, graph.TooCostly, "%d ways, %s", c.ways, d.Name)
			}
		}
	}
}
