package storetest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/storetest"
)

// Tables may be called what statements call their own parts.
func TestTablesNamedLikePartsOfStatements(t *testing.T) {
	stores := hiddenStores(t)
	delete(stores, "native")
	for _, name := range []string{"near", "many", "p", "k", "a", "b", "n", "m", "r1", "value"} {
		s, err := schema.Parse("names.yaml", fmt.Appendf(nil, `{format: trellis.schema.v1,
  nodes: {%[1]s: {key: id, properties: {id: int64, size: int64}}},
  relationships: {NEXT: {from: %[1]s, to: %[1]s, table: %[1]s_next}}}`, name))
		require.NoError(t, err)
		b := memory.NewBuilder(s)
		for i := range 6 {
			b.Node(name, memory.Values{"id": i, "size": i})
		}
		for i := range 5 {
			b.Relationship("NEXT", graph.NodeID{Label: name, ID: graph.Int(int64(i))}, graph.NodeID{Label: name, ID: graph.Int(int64(i) + 1)}, nil)
		}
		g, err := b.Build()
		require.NoError(t, err)
		for kind, open := range stores {
			t.Run(kind+"/"+name, func(t *testing.T) {
				st := open(t, g)
				caller := storetest.NewCaller(s, st, graph.Limits{})
				found, err := caller.Call(graph.ToolFindNodes, fmt.Appendf(nil, `{"node_label": %[1]q, "properties": [],
  "related": [{"relationships": [{"type": "NEXT", "max_hops": 3, "to": {"label": %[1]q, "ids": [4]}}]}]}`, name))
				require.NoError(t, err)
				ids := []string{}
				for _, n := range found.Nodes {
					ids = append(ids, n.ID)
				}
				require.Equal(t, []string{"1", "2", "3"}, ids)
				mean, err := caller.Call(graph.ToolAggregate, fmt.Appendf(nil, `{"node_label": %q, "aggregations": [{"function": "avg", "property": "size"}]}`, name))
				require.NoError(t, err)
				require.Len(t, mean.Rows, 1)
				require.Equal(t, graph.Float(2.5), mean.Rows[0][0])
			})
		}
	}
}
