package httpapi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools"
	"github.com/trellisgraph/trellis/tools/httpapi"
	"github.com/trellisgraph/trellis/tools/tokens"
)

// Of the tools that others call one learns that there were calls, and no name.
func TestMetricsNameNoToolOfOthers(t *testing.T) {
	s, err := schema.Parse("test", []byte(`
format: trellis.schema.v1
nodes:
  person: {policy: public, key: id, properties: {id: int64}}
  payroll: {policy: caller.role == "manager", key: id, properties: {id: int64}}
`))
	require.NoError(t, err)
	g, err := memory.NewBuilder(s).Build()
	require.NoError(t, err)
	queries, err := tools.ParseQueries("test", []byte(`{"format": "trellis.queries.v1", "queries": {"salaries": {"description": "x", "tool": "find_nodes", "arguments": {"node_label": "payroll"}}}}`), s, graph.Limits{})
	require.NoError(t, err)
	metrics := httpapi.NewMetrics()
	eng := engine.New(schema.NewCatalog(s), native.New(g, native.Options{}), engine.Options{Observer: metrics})
	api := httpapi.New(tools.New(eng, tools.Options{Queries: queries}), httpapi.Options{Metrics: metrics, Authenticate: tokens.Bearer(verify)})
	require.Equal(t, 200, ask(t, api, "POST", "/tools/salaries", `{}`, bearer(acme)...).StatusCode)
	require.Contains(t, ask(t, api, "GET", "/metrics", "", bearer(acme)...).body, `trellis_calls_total{tool="salaries",outcome="ok"} 1`)
	clerk := ask(t, api, "GET", "/metrics", "", bearer(birch)...).body
	require.NotContains(t, clerk, "salaries")
	require.Contains(t, clerk, `trellis_calls_total{tool="other",outcome="ok"} 1`)
	require.Contains(t, clerk, `trellis_call_duration_seconds_count{tool="other"} 1`)
}
