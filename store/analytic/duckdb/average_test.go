package duckdb_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/store/storetest"
)

// Averages of integers and decimals are the exact sum, divided once: to the last
// bit what a graph in memory answers, of which other tests let the last bits go.
func TestAveragesAreDividedOnce(t *testing.T) {
	s, err := schema.Parse("schema.yaml", []byte(`format: trellis.schema.v1
nodes:
  item: {key: id, properties: {id: int64, group: int32, n: int64, d: {type: decimal, scale: 3}, far: {type: decimal, scale: 12}}}
relationships: {}
`))
	require.NoError(t, err)
	lists := [][]int64{{1, 2, 2}, {-1, -2, -2}, {0, 0}, {1<<53 + 1, 1<<53 + 2}, {-(1<<53 + 1), -(1<<53 + 2)}, {1<<63 - 1, 1<<63 - 1, 1<<63 - 3}, {-1 << 63, -1 << 63, 3}, {1 << 53, 1, 1}}
	for sum := int64(1); sum < 120; sum++ {
		list := make([]int64, sum%29+1)
		list[0] = sum
		lists = append(lists, list)
	}
	b := memory.NewBuilder(s)
	id := int64(0)
	for group, list := range lists {
		for _, n := range list {
			id++
			d := fmt.Sprintf("%d.%03d", n/1000, max(n%1000, -(n%1000)))
			if n < 0 && n > -1000 {
				d = "-" + d
			}
			b.Node("item", memory.Values{
				"id": graph.Int(id), "group": graph.Int(int64(group)), "n": graph.Int(n), "d": graph.Decimal(d), "far": graph.Decimal("0.500000000000"),
			})
		}
	}
	g, err := b.Build()
	require.NoError(t, err)
	const args = `{"node_label": "item", "group_by": [{"property": "group"}], "limit": 100, "aggregations": [
		{"function": "avg", "property": "n"}, {"function": "avg", "property": "d"}, {"function": "avg", "property": "far"},
		{"function": "avg", "property": "n", "as": "none", "filters": {"id": -1}}, {"function": "avg", "property": "n", "as": "some", "filters": {"n": {"gt": 1}}}]}`
	answer := func(c *storetest.Caller) string {
		r, err := c.Call("aggregate_nodes", []byte(args))
		require.NoError(t, err)
		var out strings.Builder
		for _, row := range r.Rows {
			fmt.Fprintln(&out, row)
		}
		require.Len(t, r.Rows, 100)
		return out.String()
	}
	require.Equal(t, answer(storetest.NewCaller(s, native.New(g, native.Options{}), graph.Limits{})), answer(storetest.NewCaller(s, inFile(t, g), graph.Limits{})))
}
