package clickhouse_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/storetest"
)

// A float of 32 bits is compared with what is shown of it.
func TestSingleFloats(t *testing.T) {
	writing, reading := fresh(t)
	exec(t, writing, "CREATE TABLE single (id Int64, f Float32) ENGINE = MergeTree ORDER BY id")
	exec(t, writing, "INSERT INTO single VALUES (1, 0.1), (2, -0.7), (3, 0.3)")
	st := store.SQL(reading, compile.ClickHouse())
	s, err := schema.Parse("schema.yaml", []byte("format: trellis.schema.v1\nnodes: {single: {key: id, properties: {id: int64, f: float}}}\n"))
	require.NoError(t, err)
	c := storetest.NewCaller(s, st, graph.Limits{})
	for args, want := range map[string]string{
		`"filters": {"f": 0.10000000149011612}`:                               "1=0.10000000149011612",
		`"filters": {"f": {"in": [0.10000000149011612, 0.5]}}`:                "1=0.10000000149011612",
		`"filters": {"f": 0.1}`:                                               "",
		`"order_by": [{"property": "f"}], "where": "f < 0.30000001192092896"`: "2=-0.699999988079071 1=0.10000000149011612",
	} {
		r, err := c.Call("find_nodes", []byte(`{"node_label": "single", "properties": ["f"], `+args+"}"))
		require.NoError(t, err, args)
		var got []string
		for _, n := range r.Answers() {
			got = append(got, n.ID+"="+strconv.FormatFloat(n.Properties[0].Value.Float(), 'g', -1, 64))
		}
		require.Equal(t, want, strings.Join(got, " "), args)
	}
}
