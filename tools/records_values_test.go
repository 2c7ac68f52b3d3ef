package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools"
)

// shelf are the tools of books with a list of moods, each of which is one of an
// enum.
func shelf(t *testing.T) *tools.Tools {
	t.Helper()
	s, err := schema.Parse("shelf.yaml", []byte(`
format: trellis.schema.v1
nodes:
  book:
    key: id
    records: {filters: {moods: {relationship: MOODS, values: [dark, warm, merry]}}}
    properties: {id: string, used: {type: bool, index: true}, pages: {type: int64, index: true}}
  book_moods: {key: value, properties: {value: string}}
relationships:
  MOODS: {from: book, to: book_moods}
`))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	b.Node("book", memory.Values{"id": "emma", "used": true, "pages": 3})
	b.Node("book", memory.Values{"id": "it", "used": false, "pages": 9})
	b.Node("book_moods", memory.Values{"value": "dark"})
	b.Node("book_moods", memory.Values{"value": "warm"})
	b.Relationship("MOODS", graph.ID("book", "emma"), graph.ID("book_moods", "warm"), nil)
	b.Relationship("MOODS", graph.ID("book", "it"), graph.ID("book_moods", "dark"), nil)
	g, err := b.Build()
	require.NoError(t, err)
	return tools.New(engine.New(schema.NewCatalog(s), native.New(g, native.Options{}), engine.Options{Prompt: true}), tools.Options{})
}

// A list of an enum's values is filtered as an enum is: its values are published,
// and another one is refused with the nearest.
func TestFilterOfAListOfAnEnum(t *testing.T) {
	tt := shelf(t)
	registry, err := tt.Registry(t.Context())
	require.NoError(t, err)
	require.Contains(t, registry.Workflow(), "book.moods: dark, warm, merry")
	for tool := range registry.Tools() {
		if tool.Name == "list_book" {
			require.Contains(t, string(tool.Parameters), `{"type":"string","enum":["dark","warm","merry"]}`)
			require.NotContains(t, string(tool.Parameters), "book_moods")
			v, err := tools.NewValidator(tool)
			require.NoError(t, err)
			require.Error(t, v.Validate([]byte(`{"filters":{"moods":"drak"}}`)))
			require.NoError(t, v.Validate([]byte(`{"filters":{"moods":{"in":["dark","merry"]}}}`)))
		}
	}
	for args, want := range map[string]string{
		`{"filters":{"used":{"in":[true]}}}`:            `{"items":[{"id":"emma","used":true,"pages":3}],"total":1}`,
		`{"filters":{"used":{"in":[false]}}}`:           `{"items":[{"id":"it",`,
		`{"filters":{"used":{"in":[]}}}`:                `{"items":[],"total":0}`,
		`{"filters":{"used":{"in":[false,true]}}}`:      `"total":2`,
		`{"filters":{"moods":"dark"}}`:                  `"items":[{"id":"it"`,
		`{"filters":{"moods":{"in":["warm","merry"]}}}`: `"items":[{"id":"emma"`,
		`{"filters":{"moods":"merry"}}`:                 `{"items":[],"total":0}`,
	} {
		doc, err := tt.Call(t.Context(), "list_book", []byte(args))
		require.NoError(t, err, args)
		require.Contains(t, string(doc), want)
	}
	for args, at := range map[string]string{`{"filters":{"moods":"drak"}}`: "/filters/moods", `{"filters":{"moods":{"in":["warm","drak"]}}}`: "/filters/moods/in/1"} {
		_, err := tt.Call(t.Context(), "list_book", []byte(args))
		var list graph.Errors
		require.ErrorAs(t, err, &list)
		require.Equal(t, graph.InvalidEnum, list[0].Code)
		require.Equal(t, at, list[0].Path)
		require.Equal(t, []string{"dark", "warm", "merry"}, list[0].Allowed)
		require.Equal(t, []graph.Patch{{Op: "replace", Path: at, Value: "dark"}}, list[0].Fix)
	}
}
