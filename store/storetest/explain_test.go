package storetest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store/storetest"
)

// A server's own plans say how each of a call's statements is run.
func TestExplainMariaDB(t *testing.T) {
	st, g := eachMariaDB(t), storetest.Fixture(t, "gitlab")
	plan := explained(t, st(t, g), g.Schema(), graph.ToolFindNodes, `{"node_label": "gl_user", "ids": [1]}`)
	var first struct {
		Block json.RawMessage `json:"query_block"`
	}
	require.NoError(t, json.NewDecoder(strings.NewReader(plan)).Decode(&first))
	require.Contains(t, string(first.Block), `"key": "PRIMARY"`)
	require.Contains(t, string(first.Block), `"table_name": "n"`)
}

func TestExplainPostgreSQL(t *testing.T) {
	st, g := eachPostgreSQL(t), storetest.Fixture(t, "gitlab")
	plan := explained(t, st(t, g), g.Schema(), graph.ToolFindNodes, `{"node_label": "gl_user", "ids": [1]}`)
	require.Regexp(t, `Scan.* on gl_user n .*\(cost=`, plan)
}
