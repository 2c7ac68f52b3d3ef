package bundles_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/schema/bundle"
	"github.com/trellisgraph/trellis/store/bundles"
)

// chain is a bundle in which products lead to brands, and brands to countries.
func chain(t *testing.T) *bundle.Bundle {
	return made(t, "shop",
		typ{name: "product", refs: map[string]string{"brand_id": "brand"}, rows: []string{"{id: p1, name: Spade, brand_id: b1, tags: [steel]}"}},
		typ{name: "brand", refs: map[string]string{"country_id": "country"}, expose: `["list", "get", "list_ids"]`, rows: []string{"{id: b1, name: Oak, country_id: c1, tags: [old]}"}},
		typ{name: "country", refs: map[string]string{"best_id": "product"}, rows: []string{"{id: c1, name: Canary, best_id: p1}"}})
}

const document = `format: trellis.views.v1
views:
  support:
    description: For agents that answer customers.
    bundles: [shop]
    labels: [product, country]
    tools: [list_product]
  all:
    bundles: [shop, issues]
  issues:
    bundles: [issues]
`

func viewed(t *testing.T) *world {
	w := newWorld(t, bundles.Options{})
	w.apply("acme", chain(t))
	w.apply("acme", made(t, "issues", typ{name: "issue", rows: []string{"{id: i1, name: Rust}"}}))
	_, err := w.lib.ApplyViews(context.Background(), "acme", []byte(document), bundles.ChangeOptions{Author: "ada"})
	require.NoError(t, err)
	return w
}

func TestViews(t *testing.T) {
	ctx := context.Background()
	w := viewed(t)
	require.Equal(t, []string{"list_product"}, w.names("acme", "support"))
	require.Equal(t, []string{"list_issue", "get_issue"}, w.names("acme", "issues"))
	require.Equal(t, w.names("acme", ""), w.names("acme", "all"))
	require.Equal(t, []string{"p1"}, w.ids("acme", "support", "product"))
	require.Contains(t, w.call("acme", "support", "find_nodes", `{"node_label": "country"}`), "Canary")
	require.Contains(t, w.call("acme", "support", "aggregate_nodes", `{"node_label": "product", "aggregations": [{"function": "count"}], "group_by": [{"relationships": [{"type": "PRODUCT_TAGS", "to": {"label": "product_tags"}}]}]}`), "steel")

	views, err := w.lib.Views(ctx, "acme")
	require.NoError(t, err)
	require.Equal(t, []bundles.View{
		{Name: "support", Description: "For agents that answer customers.", Bundles: []string{"shop"}, Labels: []string{"product", "country"}, Tools: []string{"list_product"}},
		{Name: "all", Bundles: []string{"shop", "issues"}},
		{Name: "issues", Bundles: []string{"issues"}},
	}, views)
	back, err := w.lib.ExportViews(ctx, "acme", 0)
	require.NoError(t, err)
	require.Equal(t, document, string(back))
	require.NoError(t, w.lib.CheckViews(ctx, "acme", []byte(document)))
	same, err := w.lib.ApplyViews(ctx, "acme", []byte(document), bundles.ChangeOptions{})
	require.NoError(t, err)
	require.False(t, same.Changed)
	history, err := w.lib.ViewsHistory(ctx, "acme")
	require.NoError(t, err)
	require.Len(t, history, 1)
	require.Equal(t, "ada", history[0].Author)

	fresh := over(t, w.repo, bundles.Options{})
	require.Equal(t, []string{"list_product"}, fresh.names("acme", "support"))

	w.apply("acme", made(t, "third", typ{name: "thing"}))
	require.Equal(t, []string{"list_product"}, w.names("acme", "support"), "views keep through other changes")
	require.NotContains(t, w.names("acme", "all"), "list_thing")
	_, err = w.lib.DeleteViews(ctx, "acme", bundles.ChangeOptions{})
	require.NoError(t, err)
	_, err = w.tools.List(scoped("acme", "support"))
	code(t, graph.NoScope, err)
	require.NotEmpty(t, w.names("acme", ""))
}

// What is not in the view is not told of anywhere: each call about it is
// answered as the same call about something that does not exist at all.
func TestViewShowsNothingElse(t *testing.T) {
	w := viewed(t)
	schema := w.call("acme", "support", "get_graph_schema", `{"expand_schema": true, "expand_nodes": ["*"], "expand_relationship_types": ["BEST", "PRODUCT_TAGS"]}`)
	for _, hidden := range []string{"brand", "BRAND", "issue", `"COUNTRY"`, "Leads to the country"} {
		require.NotContains(t, schema, hidden)
	}
	list, err := w.tools.List(scoped("acme", "support"))
	require.NoError(t, err)
	for _, tool := range list {
		for _, hidden := range []string{`"brand"`, `"issue"`, "BRAND", "list_brand", "get_product"} {
			require.NotContains(t, string(tool.Parameters), hidden, tool.Name)
			require.NotContains(t, tool.Description, hidden, tool.Name)
		}
	}
	for _, call := range [][2]string{
		{"find_nodes", `{"node_label": "NAME"}`},
		{"explore_neighbors", `{"start_node": {"label": "NAME", "node_id": "b1"}}`},
		{"find_paths", `{"from": {"label": "product", "node_id": "p1"}, "to": {"label": "NAME", "node_id": "b1"}}`},
		{"aggregate_nodes", `{"node_label": "NAME", "aggregations": [{"function": "count"}]}`},
		{"get_graph_schema", `{"expand_nodes": ["NAME"]}`},
		{"traverse_relationships", `{"from": {"label": "product"}, "relationships": [{"type": "TYPE"}], "to": {"label": "country"}}`},
		{"traverse_relationships", `{"from": {"label": "product"}, "relationships": [{"type": "BEST", "to": {"label": "NAME"}}], "to": {"label": "country"}}`},
		{"list_NAME", `{}`}, {"get_NAME", `{"id": "b1"}`}, {"list_NAME_ids", `{}`},
	} {
		asked := func(name string) string {
			args := strings.ReplaceAll(strings.ReplaceAll(call[1], "NAME", name), "TYPE", strings.ToUpper(name))
			return strings.ReplaceAll(strings.ReplaceAll(w.call("acme", "support", strings.ReplaceAll(call[0], "NAME", name), args), name, "NAME"), strings.ToUpper(name), "TYPE")
		}
		require.Equal(t, asked("zzzzz"), asked("brand"), "%v", call)
		require.Contains(t, asked("brand"), `"errors"`)
	}
	none := w.call("acme", "support", "get_product", `{"id": "p1"}`)
	require.Contains(t, none, `"UNKNOWN_TOOL"`)
	require.Contains(t, none, `"aggregate_nodes","list_product"],"allowed_total":7`)

	// The only way from the product to the country leads through the brand.
	require.Contains(t, w.call("acme", "all", "find_paths", `{"from": {"label": "product", "node_id": "p1"}, "to": {"label": "country", "node_id": "c1"}, "direction": "outgoing"}`), `"length":2`)
	answer := w.call("acme", "support", "find_paths", `{"from": {"label": "product", "node_id": "p1"}, "to": {"label": "country", "node_id": "c1"}, "direction": "outgoing"}`)
	require.Contains(t, answer, `"returned":0`)
	require.NotContains(t, answer, "b1")
	answer = w.call("acme", "support", "explore_neighbors", `{"start_node": {"label": "product", "node_id": "p1"}, "max_hops": 3, "properties": {"product": ["name"]}}`)
	require.NotContains(t, answer, `"b1"`)
	require.NotContains(t, answer, "Oak")
	require.Contains(t, answer, `"c1"`)
}

func TestViewsThatDoNotFit(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		document string
		want     []string
	}{
		"unknown names": {"format: trellis.views.v1\nviews:\n  a:\n    bundles: [shp, issues]\n    labels: [isue]\n    tools:\n      - list_isue\n  b: {bundles: [shop], labels: [issue, prodct], tools: [find_nodes, list_brand]}\n",
			[]string{
				`views.yaml:4:15: the view "a" has an unknown bundle: "shp"; did you mean "shop"?`,
				`views.yaml:5:14: the view "a" has an unknown label: "isue"; did you mean "issue"?`,
				`views.yaml:7:9: the view "a" has an unknown tool: "list_isue"`,
				`views.yaml:8:33: the label "issue" is of the bundle "issues", which the view does not have`,
				`views.yaml:8:40: the view "b" has an unknown label: "prodct"; did you mean "product"?`,
				`views.yaml:8:57: the tool "find_nodes" works on whatever labels a view has (leave it out; tools are those of records)`,
				`views.yaml:8:69: the tool "list_brand" is of the label "brand", which the view does not have`,
			}},
		"form": {"formt: trellis.views.v1\nviews:\n  A: {bundles: [shop]}\n  b: {labels: [], bundels: [shop]}\n  c: [shop]\n  d: {bundles: shop, description: 7}\n  e: {bundles: [shop, shop, 7, [x]]}\n  f: {bundles: [shop]}\n  f: {bundles: [shop]}\n",
			[]string{
				`views.yaml:1:1: "formt" is not known here; did you mean "format"?`,
				`views.yaml:1:1: the format is missing (format: trellis.views.v1)`,
				`views.yaml:3:3: "A" is no name for a view`,
				`views.yaml:4:3: the view "b" does not say which bundles it is bound to (bundles: [NAME, …])`,
				`views.yaml:4:15: the list is empty, so the view would show nothing (leave it out for all)`,
				`views.yaml:4:19: "bundels" is not known here; did you mean "bundles"?`,
				`views.yaml:5:6: this has to be a map`,
				`views.yaml:6:16: this has to be a list of names`,
				`views.yaml:6:35: the description has to be a text`,
				`views.yaml:7:23: "shop" is there twice`,
				`views.yaml:7:29: this has to be a name`,
				`views.yaml:7:32: this has to be a name`,
				`views.yaml:9:3: "f" is there twice`,
			}},
		"form and names": {"format: trellis.views.v1\nviews:\n  a: {bundles: [shop], labels: [prodct]}\n  b: {bundles: [shop], labls: [product]}\n  c: {bundles: [shp]}\n",
			[]string{
				`views.yaml:3:33: the view "a" has an unknown label: "prodct"; did you mean "product"?`,
				`views.yaml:4:24: "labls" is not known here; did you mean "labels"?`,
				`views.yaml:5:17: the view "c" has an unknown bundle: "shp"; did you mean "shop"?`,
			}},
		"format":      {"format: trellis.views.v2\nviews: {}\n", []string{`the format is "trellis.views.v2", and has to be trellis.views.v1`}},
		"no views":    {"format: trellis.views.v1\n", []string{"the views are missing"}},
		"empty":       {"", []string{"the document is empty"}},
		"no YAML":     {"a: [", []string{"the document is no YAML"}},
		"a list":      {"[]", []string{"this has to be a map", "the format is missing", "the views are missing"}},
		"two":         {"format: trellis.views.v1\nviews: {}\n---\na: 1\n", []string{"there is more after the document"}},
		"not UTF-8":   {"format: \xff", []string{"the document is not UTF-8"}},
		"large":       {strings.Repeat("#", 2<<20), []string{"larger than 1048576 bytes"}},
		"alias":       {"format: &a trellis.views.v1\nviews: {}\n", []string{"anchors, aliases and tags are not read"}},
		"tag":         {"format: !!str trellis.views.v1\nviews: {}\n", []string{"anchors, aliases and tags are not read"}},
		"invisible":   {"format: trellis.views.v1\nviews: {a: {bundles: [shop], description: \"x\\u202e" + strings.Repeat("y", 300) + "\"}}\n", []string{"control characters"}},
		"description": {"format: trellis.views.v1\nviews: {a: {bundles: [shop], description: " + strings.Repeat("y", 1001) + "}}\n", []string{"longer than 1000 characters"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := viewed(t)
			checked := w.lib.CheckViews(ctx, "acme", []byte(c.document))
			_, err := w.lib.ApplyViews(ctx, "acme", []byte(c.document), bundles.ChangeOptions{})
			require.Equal(t, err, checked)
			var problems bundle.Problems
			require.ErrorAs(t, err, &problems)
			lines := strings.Split(err.Error(), "\n")
			require.Len(t, lines, len(c.want), "%s", err)
			for i, want := range c.want {
				require.Contains(t, lines[i], want)
			}
			back, err := w.lib.ExportViews(ctx, "acme", 0)
			require.NoError(t, err)
			require.Equal(t, document, string(back), "nothing was applied")
		})
	}
	many := "format: trellis.views.v1\nviews:\n"
	for i := range 101 {
		many += "  v" + strings.Repeat("x", i%60) + string(rune('a'+i/60)) + ": {bundles: [shop]}\n"
	}
	_, err := viewed(t).lib.ApplyViews(ctx, "acme", []byte(many), bundles.ChangeOptions{})
	require.ErrorContains(t, err, "there are 101 views, over the cap of 100")
}

// A change of a bundle does not leave views behind that name what is gone.
func TestChangesThatWouldBreakViews(t *testing.T) {
	ctx := context.Background()
	w := viewed(t)
	smaller := made(t, "shop", typ{name: "product", rows: []string{"{id: p1}"}})
	plan, err := w.lib.Plan(ctx, "acme", smaller)
	require.NoError(t, err)
	_, err = w.lib.Apply(ctx, "acme", smaller, bundles.ChangeOptions{})
	code(t, graph.Conflict, err)
	require.ErrorContains(t, err, bundles.BrokenView)
	require.ErrorContains(t, err, `the view "support" has an unknown label: "country"`)
	var errs graph.Errors
	require.ErrorAs(t, err, &errs)
	require.Equal(t, errs, plan.Errors)
	_, err = w.lib.Delete(ctx, "acme", "issues", bundles.ChangeOptions{})
	require.ErrorContains(t, err, bundles.BrokenView)
	_, err = w.lib.Delete(ctx, "acme", "shop", bundles.ChangeOptions{})
	require.ErrorAs(t, err, &errs)
	var at []string
	for _, e := range errs {
		at = append(at, e.Path)
		require.Equal(t, 1, strings.Count(e.Message, bundles.BrokenView))
	}
	require.Equal(t, []string{"/views/support/bundles/0", "/views/all/bundles/0"}, at, "one for each view")
	require.Equal(t, []string{"list_product"}, w.names("acme", "support"))

	_, err = w.lib.ApplyViews(ctx, "acme", []byte("format: trellis.views.v1\nviews: {support: {bundles: [shop], labels: [product]}}\n"), bundles.ChangeOptions{})
	require.NoError(t, err)
	w.apply("acme", smaller)
	_, err = w.lib.Delete(ctx, "acme", "issues", bundles.ChangeOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"list_product", "get_product"}, w.names("acme", "support"))
}

// A stored view that does not fit shows nothing, rather than more.
func TestStoredViewThatDoesNotFit(t *testing.T) {
	ctx := context.Background()
	w := viewed(t)
	_, err := w.repo.Commit(ctx, "acme", 3, commitOf(t, made(t, "shop", typ{name: "product", rows: []string{"{id: p9}"}})))
	require.NoError(t, err)
	require.NoError(t, w.lib.Refresh(ctx))
	require.Equal(t, []string{"p9"}, w.ids("acme", "", "product"))
	require.Equal(t, []string{"list_issue", "get_issue"}, w.names("acme", "issues"))
	_, err = w.tools.List(scoped("acme", "support"))
	code(t, graph.NoScope, err)
}

// Changes of what a view does not show change nothing for its callers: not the
// revision of their schema, and so no cursor of theirs is refused.
func TestViewsHearNothingOfOtherBundles(t *testing.T) {
	w := viewed(t)
	w.apply("acme", made(t, "issues", typ{name: "issue", rows: []string{"{id: i1, name: Rust}", "{id: i2, name: Slack}"}}))
	of := func(view string) *schema.Schema {
		s, err := w.lib.Snapshot(context.Background(), &graph.Scope{Tenant: "acme", View: view})
		require.NoError(t, err)
		return s.Schema
	}
	issues, all := of("issues").Revised(), of("all").Revised()
	_, cursor, ok := strings.Cut(w.call("acme", "issues", "find_nodes", `{"node_label": "issue", "limit": 1}`), `"next_cursor":"`)
	require.True(t, ok)
	cursor, _, _ = strings.Cut(cursor, `"`)

	w.apply("acme", made(t, "third", typ{name: "thing"}))
	_, err := w.lib.ApplyViews(context.Background(), "acme", []byte(document+"  more:\n    bundles: [third]\n"), bundles.ChangeOptions{})
	require.NoError(t, err)
	require.True(t, of("").Revised().After(all))
	require.Equal(t, all, of("all").Revised())
	require.Equal(t, issues, of("issues").Revised())
	fresh := over(t, w.repo, bundles.Options{})
	for _, w := range []*world{w, fresh} {
		s, err := w.lib.Snapshot(context.Background(), &graph.Scope{Tenant: "acme", View: "issues"})
		require.NoError(t, err)
		require.Equal(t, issues, s.Schema.Revised())
	}
	require.Contains(t, w.call("acme", "issues", "find_nodes", `{"node_label": "issue", "limit": 1, "cursor": "`+cursor+`"}`), "Slack")
}

// A view's description begins the workflow of its tools; the whole has those of the
// bundles, which a view does not show: they are of more than it has.
func TestDescriptionsOfViews(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, bundles.Options{})
	fs := fstest.MapFS{}
	for _, f := range shop(t).Files() {
		fs[f.Path] = &fstest.MapFile{Data: f.Data}
	}
	fs["manifest.yaml"].Data = append(fs["manifest.yaml"].Data, "description: All that the shop sells.\n"...)
	b, err := bundle.Read(fs, bundle.Options{})
	require.NoError(t, err)
	w.apply("acme", b)
	_, err = w.lib.ApplyViews(ctx, "acme", []byte("format: trellis.views.v1\nviews:\n  desk: {bundles: [shop], labels: [brand], description: \"For the desk.\\nOf brands.\"}\n  plain: {bundles: [shop]}\n"), bundles.ChangeOptions{})
	require.NoError(t, err)
	for view, want := range map[string]string{"": "All that the shop sells.", "desk": "For the desk. Of brands.", "plain": "Answer from the records"} {
		text, err := w.tools.Workflow(scoped("acme", view))
		require.NoError(t, err)
		require.Equal(t, want, strings.SplitN(text, "\n", 4)[2][:len(want)], view)
	}
}
