package httpapi_test

import (
	"fmt"
	"regexp"
	"strings"
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

// The guide names what this caller may ask, is small, and is true.
func TestGuide(t *testing.T) {
	api := offer(t, engine.Options{}, httpapi.Options{}, nil)
	manager, clerk := ask(t, api, "GET", "/llms.txt", "", bearer(acme)...), ask(t, api, "GET", "/llms.txt", "", bearer(birch)...)
	require.Equal(t, 200, manager.StatusCode)
	require.Equal(t, "text/plain; charset=utf-8", manager.Header.Get("Content-Type"))
	require.NotEmpty(t, manager.Header.Get("ETag"))
	require.Less(t, len(manager.body), 4<<10)
	require.True(t, strings.HasPrefix(manager.body, "# "))
	require.Contains(t, manager.body, "\n- documents_of: ", "named queries are tools")
	require.Equal(t, 401, ask(t, api, "GET", "/llms.txt", "").StatusCode)

	// What it names of the tools is there, for each caller.
	listed := regexp.MustCompile(`(?m)^- ([a-z_]+): `)
	for token, guide := range map[string]string{acme: manager.body, birch: clerk.body} {
		names := listed.FindAllStringSubmatch(guide, -1)
		require.GreaterOrEqual(t, len(names), 6)
		list := ask(t, api, "GET", "/tools", "", bearer(token)...).body
		for _, name := range names {
			require.Contains(t, list, `"name":"`+name[1]+`"`)
		}
	}
	links := regexp.MustCompile(`\]\((/[^)]+)\)`).FindAllStringSubmatch(manager.body, -1)
	require.Len(t, links, 3)
	for _, link := range links {
		require.Equal(t, 200, ask(t, api, "GET", link[1], "", bearer(acme)...).StatusCode, link[1])
	}
	for _, op := range []graph.Op{graph.Eq, graph.Ne, graph.Lt, graph.Lte, graph.Gt, graph.Gte, graph.In, graph.NotIn, graph.Contains, graph.StartsWith, graph.EndsWith, graph.IsNull} {
		require.Regexp(t, `operators are [a-z_, ]*\b`+string(op)+`\b`, manager.body)
	}
	// What a refusal is said to have, it has.
	refusal := ask(t, api, "POST", "/tools/find_nodes", `{"node_label": "persons"}`, bearer(acme)...)
	require.Contains(t, manager.body, strings.Split(refusal.Header.Get("Content-Type"), ";")[0])
	for _, member := range []string{"errors", "path", "allowed", "did_you_mean", "fix", "retryable"} {
		require.Contains(t, manager.body, `"`+member+`"`)
		require.Contains(t, refusal.body, `"`+member+`"`)
	}
}

// hidden is seen by managers only.
const hidden = `
format: trellis.schema.v1
nodes:
  memo: {policy: public, key: id, properties: {id: int64}}
  verdict: {policy: 'caller.role == "manager"', key: id, properties: {id: int64}}
`

// Labels that a caller may not see are not in the caller's guide, and of very many
// the first are.
func TestGuideOfSchemas(t *testing.T) {
	guide := func(text, token string) string {
		s, err := schema.Parse("schema.yaml", []byte(text))
		require.NoError(t, err)
		g, err := memory.NewBuilder(s).Build()
		require.NoError(t, err)
		st := native.New(g, native.Options{})
		defer st.Close()
		api := httpapi.New(tools.New(engine.New(schema.NewCatalog(s), st, engine.Options{}), tools.Options{}), httpapi.Options{Authenticate: tokens.Bearer(verify)})
		res := ask(t, api, "GET", "/llms.txt", "", bearer(token)...)
		require.Equal(t, 200, res.StatusCode, res.body)
		return res.body
	}
	require.Contains(t, guide(hidden, acme), "Labels: memo, verdict.\n")
	require.Contains(t, guide(hidden, birch), "Labels: memo.\n")

	var many strings.Builder
	many.WriteString("format: trellis.schema.v1\nnodes:\n")
	for i := range 500 {
		fmt.Fprintf(&many, "  label_%03d: {key: id, properties: {id: int64}}\n", i)
	}
	text := guide(many.String(), acme)
	require.Contains(t, text, "label_000, label_001")
	require.Contains(t, text, "label_039 and 460 more.\n")
	require.NotContains(t, text, "label_040")
	require.NotContains(t, text, "Relationship types:")
}
