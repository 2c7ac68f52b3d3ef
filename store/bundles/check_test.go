package bundles_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema/bundle"
	"github.com/trellisgraph/trellis/store/bundles"
)

// (T56)
func TestCollisions(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, bundles.Options{Tools: []string{"list_named", "get_named_ids"}})
	w.apply("acme", made(t, "first", typ{name: "product"}, typ{name: "brand", expose: `["list", "list_ids"]`}, typ{name: "part_ids"}))
	for name, c := range map[string]struct {
		types []typ
		want  []string // in the message, each of a mistake of its own
	}{
		"one tool":        {[]typ{{name: "product", expose: `["get"]`}}, []string{bundles.TypeCollision, `"get_product"`}},
		"all tools":       {[]typ{{name: "product"}}, []string{bundles.TypeCollision, `"list_product"`, `"get_product"`}},
		"list_ids":        {[]typ{{name: "brand_ids"}}, []string{`"list_brand_ids" of the entity type "brand_ids"`}},
		"the other way":   {[]typ{{name: "part", expose: `["list_ids"]`}}, []string{`"list_part_ids"`}},
		"named queries":   {[]typ{{name: "named"}, {name: "named_ids"}}, []string{`"list_named"`, `"get_named_ids"`}},
		"without tools":   {[]typ{{name: "product", expose: `[]`}}, []string{bundles.TypeCollision}},
		"several at once": {[]typ{{name: "product"}, {name: "brand_ids"}, {name: "named"}}, []string{bundles.TypeCollision, `"list_brand_ids"`, `"list_named"`, `"list_product"`, `"get_product"`}},
	} {
		t.Run(name, func(t *testing.T) {
			b := made(t, "second", c.types...)
			plan, err := w.lib.Plan(ctx, "acme", b)
			require.NoError(t, err)
			_, err = w.lib.Apply(ctx, "acme", b, bundles.ChangeOptions{})
			code(t, graph.Conflict, err)
			var errs graph.Errors
			require.ErrorAs(t, err, &errs)
			require.Equal(t, errs, plan.Errors, "a plan tells what speaks against it")
			require.Len(t, errs, len(c.want), "%v", err)
			for i, want := range c.want {
				require.Contains(t, errs[i].Message, want)
				require.True(t, strings.HasPrefix(errs[i].Message, bundles.ToolCollision+": ") || strings.HasPrefix(errs[i].Message, bundles.TypeCollision+": "))
				require.NotEmpty(t, errs[i].Hint)
			}
			list, err := w.lib.Bundles(ctx, "acme")
			require.NoError(t, err)
			require.Len(t, list, 1, "nothing was applied")
			if !strings.Contains(name, "named") && !strings.Contains(name, "several") {
				w.apply(name, b) // another tenant has nothing against it
			}
		})
	}
	// The same bundle again, changed, does not collide with itself.
	w.apply("acme", made(t, "first", typ{name: "product", rows: []string{"{id: p1}"}}))
	w.apply("acme", made(t, "second", typ{name: "brand_ids"}))
}

// What a bundle becomes has the same names whatever others are applied; one that
// would make a label that is there is refused, and told of, not the other.
func TestBundlesLeaveTheNamesOfOthers(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, bundles.Options{})
	w.apply("acme", made(t, "shop", typ{name: "book", rows: []string{"{id: b1, tags: [red]}"}}, typ{name: "author"}))
	_, err := w.lib.ApplyViews(ctx, "acme", []byte("format: trellis.views.v1\nviews: {books: {bundles: [shop]}}\n"), bundles.ChangeOptions{})
	require.NoError(t, err)
	before := w.call("acme", "books", "get_graph_schema", `{}`)
	red := `{"node_label": "book_tags", "limit": 5}`
	require.Contains(t, w.call("acme", "books", "find_nodes", red), `"red"`)

	for name, c := range map[string]struct {
		b    *bundle.Bundle
		want string
	}{
		"a type that is a label of values": {made(t, "a-third", typ{name: "book_tags", expose: "[]"}), `the entity type "book_tags" of the bundle "a-third" is already the label "book_tags" of the values of book.tags of the bundle "shop"`},
		"of a name that sorts after":       {made(t, "third", typ{name: "book_tags"}), `the entity type "book_tags" of the bundle "third" is already`},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := w.lib.Plan(ctx, "acme", c.b)
			require.NoError(t, err)
			_, err = w.lib.Apply(ctx, "acme", c.b, bundles.ChangeOptions{})
			code(t, graph.Conflict, err)
			require.ErrorContains(t, err, bundles.TypeCollision)
			require.ErrorContains(t, err, c.want)
			var errs graph.Errors
			require.ErrorAs(t, err, &errs)
			require.Equal(t, errs, plan.Errors)
			require.Len(t, errs, 1)
			require.Equal(t, "/"+c.b.Name()+"/book_tags", errs[0].Path, "it is about what is applied")
		})
	}
	// A relationship type of one name has the pairs of both, and says of the first
	// what it said.
	w.apply("acme", made(t, "a-third", typ{name: "shelf", refs: map[string]string{"book_tags_id": "sign"}, rows: []string{"{id: s1, book_tags_id: g1}"}}, typ{name: "sign", rows: []string{"{id: g1}"}}))
	require.Equal(t, before, w.call("acme", "books", "get_graph_schema", `{}`))
	require.Contains(t, w.call("acme", "books", "find_nodes", red), `"red"`)
	require.Contains(t, w.call("acme", "books", "explore_neighbors", `{"start_node": {"label": "book", "node_id": "b1"}}`), `BOOK_TAGS`)
	require.Contains(t, w.call("acme", "", "list_book", `{"filters": {"tags": "red"}}`), `"b1"`)
	require.Contains(t, w.call("acme", "", "explore_neighbors", `{"start_node": {"label": "sign", "node_id": "g1"}}`), `BOOK_TAGS`)
	require.Empty(t, w.lib.Load(ctx, "acme"))
	fresh := over(t, w.repo, bundles.Options{})
	require.Equal(t, before, fresh.call("acme", "books", "get_graph_schema", `{}`))
}

// Whose names sort first does not matter: what is applied is told of.
func TestCollisionsAreToldOfWhatIsApplied(t *testing.T) {
	w := newWorld(t, bundles.Options{})
	w.apply("acme", made(t, "shop", typ{name: "product"}))
	_, err := w.lib.Apply(context.Background(), "acme", made(t, "annex", typ{name: "product", expose: `["get"]`}), bundles.ChangeOptions{})
	var errs graph.Errors
	require.ErrorAs(t, err, &errs)
	require.Len(t, errs, 2)
	for _, e := range errs {
		require.Equal(t, "/annex/product", e.Path)
		require.Contains(t, e.Message, `of the bundle "annex" is already`)
		require.Regexp(t, `bundle "shop"$`, e.Message)
	}
}

func TestReferencesOfSeveralBundlesShareTheirName(t *testing.T) {
	w := newWorld(t, bundles.Options{})
	w.apply("acme", shop(t))
	w.apply("acme", made(t, "cars", typ{name: "car", refs: map[string]string{"brand_id": "maker"}, rows: []string{"{id: c1, brand_id: m1}"}}, typ{name: "maker", rows: []string{"{id: m1}"}}))
	s := w.call("acme", "", "get_graph_schema", `{}`)
	require.Contains(t, s, `{"name":"BRAND","pairs":[["car","maker"],["product","brand"]]}`)
	require.Contains(t, w.call("acme", "", "explore_neighbors", `{"start_node": {"label": "maker", "node_id": "m1"}}`), `"id":"c1"`)
}

func TestBundlesAreCapped(t *testing.T) {
	w := newWorld(t, bundles.Options{Bundles: 1})
	w.apply("acme", shop(t))
	w.apply("acme", shop(t, "{id: p9}"))
	_, err := w.lib.Apply(context.Background(), "acme", made(t, "second", typ{name: "thing"}), bundles.ChangeOptions{})
	code(t, graph.LimitExceeded, err)
	plan, err := w.lib.Plan(context.Background(), "acme", made(t, "second", typ{name: "thing"}))
	require.NoError(t, err)
	require.True(t, errors.Is(plan.Errors, graph.LimitExceeded))
}
