package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

// Named queries are served to the tenants of a repository that can answer them,
// whatever is applied meanwhile; one whose name is taken is told of when a bundle is
// applied by who knows the queries.
func TestServeRepositoryWithQueries(t *testing.T) {
	dir := t.TempDir()
	where := filepath.Join(dir, "repo")
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	queries := write("queries.yaml", `format: trellis.queries.v1
queries:
  brands_of: {description: Brands of a country., tool: find_nodes, parameters: {land: string}, arguments: {node_label: brand, filters: {country: {$parameter: land}}}}
  nowhere: {description: What nobody has., tool: find_nodes, arguments: {node_label: nowhere}}
`)
	taken := write("taken.yaml", "format: trellis.queries.v1\nqueries:\n  list_brand: {description: Brands., tool: find_nodes, arguments: {node_label: brand}}\n")
	wrong := write("wrong.yaml", "format: trellis.queries.v1\nqueries:\n  find_nodes: {description: Brands., tool: find_nodes, arguments: {node_label: brand}}\n")
	on := []string{"--repository", where, "--tenant", "acme"}
	bundle := func(args ...string) outcome {
		return trellis(t, "", append(append([]string{"bundle"}, args...), on...)...)
	}
	o := bundle("apply", workshop, "--queries", taken)
	require.Equal(t, 1, o.code, o.out)
	require.Contains(t, o.out, "tool_name_collision_in_tenant")
	require.Equal(t, 1, bundle("apply", workshop, "--queries", wrong).code)
	require.Equal(t, 0, bundle("apply", workshop, "--queries", queries).code)
	o = bundle("plan", "--delete", workshopName, "--queries", queries)
	require.Contains(t, o.document(t)["tools_removed"], "brands_of")

	require.Equal(t, 3, trellis(t, "", "serve", "--stdio", "--repository", where, "--scope", `{"tenant": "acme"}`, "--queries", wrong).code)
	var log shouted
	s := &server{repository: where}
	s.queries, s.timeout = queries, 10*time.Second
	served, err := s.openRepository(t.Context(), streams{err: &log})
	require.NoError(t, err)
	defer func() { require.NoError(t, served.close()) }()
	ctx := graph.WithScope(t.Context(), &graph.Scope{Tenant: "acme"})
	lands := func() string {
		answer, _ := served.tools.Call(ctx, "brands_of", []byte(`{"land": "JP"}`))
		return string(answer)
	}
	require.Contains(t, lands(), `"truncated":false`)
	require.Contains(t, log.String(), "nowhere")

	lost := copied(t)
	for _, file := range []string{"schemas/brand.schema.json", "entities/brands.yaml"} {
		path := filepath.Join(lost, filepath.FromSlash(file))
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(text), "country", "land")), 0o644))
	}
	o = bundle("apply", lost)
	require.Equal(t, 0, o.code, o.err)
	require.Eventually(t, func() bool { return strings.Contains(lands(), "UNKNOWN_TOOL") }, 20*time.Second, 50*time.Millisecond)
	require.Contains(t, log.String(), "brands_of")
	require.Equal(t, 0, bundle("apply", workshop).code)
	require.Eventually(t, func() bool { return strings.Contains(lands(), `"truncated":false`) }, 20*time.Second, 50*time.Millisecond)
}
