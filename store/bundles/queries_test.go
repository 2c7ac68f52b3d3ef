package bundles_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/bundles"
	"github.com/trellisgraph/trellis/store/repository"
	"github.com/trellisgraph/trellis/tools"
)

const hostQueries = `
format: trellis.queries.v1
queries:
  products_of:
    description: The products of a brand.
    tool: traverse_relationships
    parameters: {brand: string}
    arguments:
      from: {label: brand, ids: [{$parameter: brand}]}
      relationships: [{type: BRAND, direction: incoming}]
      to: {label: product}
  list_pamphlet:
    description: All brands.
    tool: find_nodes
    arguments: {node_label: brand}
  issues:
    description: What no tenant here has.
    tool: find_nodes
    arguments: {node_label: issue}
`

// withQueries is a world whose host has named queries.
func withQueries(t *testing.T, log *strings.Builder) *world {
	named, err := tools.ParseQueries("queries.yaml", []byte(hostQueries), nil, graph.Limits{})
	require.NoError(t, err)
	repo, err := repository.Folder(t.TempDir(), repository.Options{})
	require.NoError(t, err)
	w := over(t, repo, bundles.Options{Queries: named, Log: slog.New(slog.NewTextHandler(log, nil))})
	w.tools = tools.New(engine.NewFrom(w.lib, engine.Options{Statements: engine.HideStatements}), tools.Options{Queries: named})
	return w
}

// queries are the named queries that a caller is offered.
func (w *world) queries(tenant, view string) (names []string) {
	w.t.Helper()
	list, err := w.tools.List(scoped(tenant, view))
	require.NoError(w.t, err)
	for _, tool := range list {
		if tool.Asks != tool.Name {
			names = append(names, tool.Name)
		}
	}
	return names
}

// Each tenant has the named queries that its bundles can answer, through every
// change of them; what is lost is logged once, and planned before.
func TestNamedQueriesOfTenants(t *testing.T) {
	ctx := context.Background()
	var log strings.Builder
	w := withQueries(t, &log)
	plan, err := w.lib.Plan(ctx, "acme", shop(t))
	require.NoError(t, err)
	require.Subset(t, plan.ToolsAdded, []string{"products_of", "list_pamphlet"})
	require.NotContains(t, plan.ToolsAdded, "issues")
	w.apply("acme", shop(t))
	w.apply("globex", made(t, "desk", typ{name: "issue", rows: []string{"{id: i1}"}}))
	require.Equal(t, []string{"products_of", "list_pamphlet"}, w.queries("acme", ""))
	require.Equal(t, []string{"issues"}, w.queries("globex", ""))
	require.Contains(t, w.call("acme", "", "products_of", `{"brand": "b1"}`), `"returned":2`)
	require.Contains(t, w.call("globex", "", "products_of", `{"brand": "b1"}`), "UNKNOWN_TOOL")
	_, err = w.lib.ApplyViews(ctx, "acme", []byte("format: trellis.views.v1\nviews:\n  desk: {bundles: [shop], labels: [brand]}\n"), bundles.ChangeOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"list_pamphlet"}, w.queries("acme", "desk"), "a view has those that it can answer")

	log.Reset()
	w.apply("acme", shop(t, "{id: p1, brand_id: b1}"))
	require.Contains(t, w.call("acme", "", "products_of", `{"brand": "b1"}`), `"returned":1`)
	require.Empty(t, log.String(), "nothing is lost")

	without := made(t, "shop", typ{name: "product"}, typ{name: "brand"})
	plan, err = w.lib.Plan(ctx, "acme", without)
	require.NoError(t, err)
	require.Empty(t, plan.Errors)
	require.Contains(t, plan.ToolsRemoved, "products_of")
	w.apply("acme", without)
	require.Equal(t, []string{"list_pamphlet"}, w.queries("acme", ""))
	require.Contains(t, log.String(), "tenant=acme")
	require.Contains(t, log.String(), "BRAND")
	require.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())

	log.Reset()
	w.apply("acme", shop(t))
	require.Equal(t, []string{"products_of", "list_pamphlet"}, w.queries("acme", ""), "it fits again")
	_, err = w.lib.DeleteViews(ctx, "acme", bundles.ChangeOptions{})
	require.NoError(t, err)
	_, err = w.lib.Delete(ctx, "acme", "shop", bundles.ChangeOptions{})
	require.NoError(t, err, "the host's queries do not keep a tenant's bundle")
	require.Contains(t, log.String(), "there are no bundles")
}

// (T56)
func TestNamedQueriesCollide(t *testing.T) {
	ctx := context.Background()
	var log strings.Builder
	w := withQueries(t, &log)
	b := made(t, "press", typ{name: "pamphlet"})
	plan, err := w.lib.Plan(ctx, "acme", b)
	require.NoError(t, err)
	_, err = w.lib.Apply(ctx, "acme", b, bundles.ChangeOptions{})
	code(t, graph.Conflict, err)
	require.ErrorContains(t, err, bundles.ToolCollision)
	require.ErrorContains(t, err, "is already a named query")
	require.Len(t, plan.Errors, 1)

	// What a program applies that does not know the queries is not loaded.
	w.apply("acme", shop(t))
	state, err := w.repo.State(ctx, "acme")
	require.NoError(t, err)
	_, err = w.repo.Commit(ctx, "acme", state.Version, commitOf(t, b))
	require.NoError(t, err)
	require.Error(t, w.lib.Refresh(ctx))
	require.Contains(t, log.String(), bundles.ToolCollision)
	require.Contains(t, w.call("acme", "", "list_pamphlet", `{}`), `"b1"`, "the query answers as before")
	require.NotContains(t, w.names("acme", ""), "get_pamphlet")
}

// Without a schema the form of queries is checked, and what needs none.
func TestQueriesWithoutASchema(t *testing.T) {
	for text, want := range map[string]string{
		`q: {description: d, tool: find_node, arguments: {node_label: a}}`:                                          "there is no tool",
		`find_nodes: {description: d, tool: find_nodes, arguments: {node_label: a}}`:                                "already",
		`q: {description: d, tool: find_nodes, arguments: {node_label: a, serch: b}}`:                               "serch",
		`q: {description: d, tool: find_nodes, parameters: {p: string}, arguments: {node_label: a}}`:                "is not used",
		`q: {description: d, tool: find_nodes, parameters: {p: string}, arguments: {node_label: {$parameter: p}}}`:  "stands for a value only",
		`q: {description: d, tool: list_product, parameters: {}, arguments: {filters: {}}}`:                         "there is no tool",
		`q: {description: d, tool: find_nodes, arguments: {node_label: a, limit: 900}}`:                             "",
		`q: {description: d, tool: find_nodes, parameters: {p: {type: enum}}, arguments: {ids: [{$parameter: p}]}}`: "has no values",
	} {
		_, err := tools.ParseQueries("q.yaml", []byte("format: trellis.queries.v1\nqueries:\n  "+text+"\n"), nil, graph.Limits{})
		if want == "" {
			require.NoError(t, err, text)
			continue
		}
		var problems schema.Problems
		require.ErrorAs(t, err, &problems, text)
		require.Contains(t, problems[0].String(), want)
		require.NotZero(t, problems[0].Line)
	}
}
