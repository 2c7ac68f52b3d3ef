package compile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

// Go code can nest conditions as deep as it likes; JSON cannot.
func TestConditionsWithoutEnd(t *testing.T) {
	s, c := benchSchema(t), New(Options{})
	check := func(levels int) error {
		f := graph.Where("firstName", "Ada")
		for range levels {
			f = graph.Not{Filter: f}
		}
		_, err := c.Check(s, nil, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "person", Filter: f}})
		return err
	}
	require.NoError(t, check(c.Limits().ArgumentDepth))
	err := check(c.Limits().ArgumentDepth + 1)
	require.ErrorIs(t, err, graph.TooDeep)
	require.Contains(t, err.Error(), "/filters")
	require.ErrorIs(t, check(1_000_000), graph.TooDeep)
}

// Each kind of condition is a level, wherever in it the deepest one stands.
func TestEveryConditionIsALevel(t *testing.T) {
	s, c := benchSchema(t), New(Options{})
	leaf := graph.Where("firstName", "Ada")
	for name, wrap := range map[string]func(graph.Filter) graph.Filter{
		"and": func(f graph.Filter) graph.Filter { return graph.And{leaf, f} },
		"or":  func(f graph.Filter) graph.Filter { return graph.Or{f, leaf} },
		"not": func(f graph.Filter) graph.Filter { return graph.Not{Filter: f} },
	} {
		check := func(levels int) error {
			f := leaf
			for range levels {
				f = wrap(f)
			}
			_, err := c.Check(s, nil, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "person", Filter: f}})
			return err
		}
		require.NoError(t, check(c.Limits().ArgumentDepth), name)
		require.ErrorIs(t, check(c.Limits().ArgumentDepth+1), graph.TooDeep, name)
	}
}
