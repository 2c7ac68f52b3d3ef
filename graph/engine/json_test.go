package engine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/embedded"
)

// A document that the store writes has the bytes of a collected answer, whether
// the store may be abandoned or not.
func TestRunJSONWritesWhatRunCollects(t *testing.T) {
	g, err := metro()
	require.NoError(t, err)
	st, err := embedded.New(g, embedded.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, st.Close()) })
	next := []graph.Step{{Types: []string{"NEXT"}}}
	stop := graph.NodePattern{Label: "stop"}
	queries := map[string]graph.Query{
		"nodes":     &graph.FindNodes{NodePattern: graph.NodePattern{Label: "stop", IDs: graph.IDs("A", "Z")}},
		"more":      &graph.FindNodes{NodePattern: stop, Limit: 1},
		"traverse":  &graph.Traverse{From: stop, Relationships: next, To: stop},
		"neighbors": &graph.Neighbors{Start: graph.ID("stop", "A")},
		"paths":     &graph.Paths{From: graph.ID("stop", "A"), To: graph.ID("stop", "D")},
		"rows": &graph.Aggregate{NodePattern: stop, GroupBy: []graph.GroupKey{{Property: "zone"}},
			Aggregations: []graph.Aggregation{{Function: graph.Count}}},
		"schema": &graph.Describe{Expand: true},
	}
	for name, opts := range map[string]engine.Options{
		"watched": {}, "prompt": {Prompt: true},
	} {
		t.Run(name, func(t *testing.T) {
			e := engine.New(schema.NewCatalog(g.Schema()), st, opts)
			for name, q := range queries {
				res, err := e.Run(context.Background(), q)
				require.NoError(t, err, name)
				want, err := res.MarshalJSON()
				require.NoError(t, err, name)
				got, err := e.RunJSON(context.Background(), []byte("before"), q)
				require.NoError(t, err, name)
				require.Equal(t, "before"+string(want), string(got), name)
				got, err = e.CallJSON(context.Background(), nil, engine.Request{Tool: q.Tool(), Decode: func(*schema.Schema) (graph.Query, graph.Errors) { return q, nil }})
				require.NoError(t, err, name)
				require.Equal(t, string(want), string(got), name)
			}
			got, err := e.RunJSON(context.Background(), []byte("before"), &graph.FindNodes{NodePattern: graph.NodePattern{Label: "stp"}})
			require.Error(t, err)
			require.Equal(t, "before", string(got))
		})
	}
}
