package duckdb_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store/storetest"
)

// A sum that DuckDB cannot add is refused, at its place if it can only be that one.
func TestSumsThatAreTooLong(t *testing.T) {
	g := storetest.Fixture(t, "figures")
	c := storetest.NewCaller(g.Schema(), inFile(t, g), graph.Limits{})
	for figures, path := range map[string]string{
		`{"function": "sum", "property": "huge"}`:                                                                                   "/aggregations/0",
		`{"function": "count"}, {"function": "avg", "property": "huge"}`:                                                            "/aggregations/1",
		`{"function": "sum", "property": "huge"}, {"function": "max", "property": "huge"}, {"function": "avg", "property": "huge"}`: "/aggregations",
	} {
		_, err := c.Call("aggregate_nodes", []byte(`{"node_label": "item", "filters": {"part": 1}, "aggregations": [`+figures+`]}`))
		mistakes := storetest.Mistakes(err)
		require.Len(t, mistakes, 1, figures)
		require.Equal(t, graph.OutOfRange, mistakes[0].Code, figures)
		require.Equal(t, path, mistakes[0].Path)
	}
}
