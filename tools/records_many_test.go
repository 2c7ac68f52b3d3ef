package tools_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools"
)

// manyFilters are the tools of records with 40 filters of their own and 6 of
// lists, and one record.
func manyFilters(t *testing.T) *tools.Tools {
	t.Helper()
	var filters, properties, labels, relationships strings.Builder
	for i := range 40 {
		fmt.Fprintf(&properties, ", p%02d: {type: int64, index: true}", i)
	}
	for i := range 6 {
		fmt.Fprintf(&filters, "l%d: L%d, ", i, i)
		fmt.Fprintf(&labels, "  v%d: {key: value, properties: {value: string}}\n", i)
		fmt.Fprintf(&relationships, "  L%d: {from: thing, to: v%d}\n", i, i)
	}
	s, err := schema.Parse("many.yaml", []byte("format: trellis.schema.v1\nnodes:\n  thing:\n    key: id\n    records: {filters: {"+filters.String()+"}}\n    properties: {id: string"+
		properties.String()+"}\n"+labels.String()+"relationships:\n"+relationships.String()))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	values := memory.Values{"id": "a"}
	for i := range 40 {
		values[fmt.Sprintf("p%02d", i)] = 1
	}
	b.Node("thing", values)
	for i := range 6 {
		label := fmt.Sprintf("v%d", i)
		b.Node(label, memory.Values{"value": "x"})
		b.Relationship(fmt.Sprintf("L%d", i), graph.ID("thing", "a"), graph.ID(label, "x"), nil)
	}
	g, err := b.Build()
	require.NoError(t, err)
	return tools.New(engine.New(schema.NewCatalog(s), native.New(g, native.Options{}), engine.Options{Prompt: true}), tools.Options{})
}

// B7: whoever names a filter that is not there is told all that are, in order.
func TestUnknownFilterOfMany(t *testing.T) {
	_, err := manyFilters(t).Call(t.Context(), "list_thing", []byte(`{"filters":{"colour":"red"}}`))
	var list graph.Errors
	require.ErrorAs(t, err, &list)
	require.Len(t, list[0].Allowed, 46)
	require.Equal(t, 46, list[0].AllowedTotal)
	require.True(t, slices.IsSorted(list[0].Allowed))
	require.Contains(t, list[0].Message, "l0, l1, l2, l3, l4, l5, p00, p01")
	require.Contains(t, list[0].Message, "p38, p39")
}

// As many filters are taken as are published, in all and of lists, and
// more are refused in a caller's words.
func TestManyFilters(t *testing.T) {
	tt := manyFilters(t)
	args := func(lists, own int) []byte {
		var all []string
		for i := range lists {
			all = append(all, fmt.Sprintf(`"l%d":"x"`, i))
		}
		for i := range own {
			all = append(all, fmt.Sprintf(`"p%02d":1`, i))
		}
		return []byte(`{"filters":{` + strings.Join(all, ",") + `}}`)
	}
	registry, err := tt.Registry(t.Context())
	require.NoError(t, err)
	var v *tools.Validator
	for tool := range registry.Tools() {
		if tool.Name == "list_thing" {
			v, err = tools.NewValidator(tool)
			require.NoError(t, err)
		}
	}
	for _, n := range [][2]int{{4, 0}, {4, 28}, {0, 32}} {
		doc, err := tt.Call(t.Context(), "list_thing", args(n[0], n[1]))
		require.NoError(t, err)
		require.Contains(t, string(doc), `"total":1`)
		require.NoError(t, v.Validate(args(n[0], n[1])))
	}
	for _, n := range [][2]int{{4, 29}, {0, 33}} {
		_, err := tt.Call(t.Context(), "list_thing", args(n[0], n[1]))
		var list graph.Errors
		require.ErrorAs(t, err, &list)
		require.Len(t, list, 1)
		require.Equal(t, graph.LimitExceeded, list[0].Code)
		require.Equal(t, "/filters", list[0].Path)
		require.Equal(t, "[INVALID_INPUT] 33 filters are over the cap of 32", list[0].Message)
		require.Error(t, v.Validate(args(n[0], n[1])))
	}
	_, err = tt.Call(t.Context(), "list_thing", args(6, 0))
	require.ErrorContains(t, err, "[INVALID_INPUT] 6 filters by what records are connected to are over the cap of 4")
	// find_nodes keeps its own cap.
	var related []string
	for i := range 6 {
		related = append(related, fmt.Sprintf(`{"relationships":[{"types":["L%d"]}]}`, i))
	}
	_, err = tt.Call(t.Context(), "find_nodes", []byte(`{"node_label":"thing","related":[`+strings.Join(related, ",")+`]}`))
	require.ErrorContains(t, err, "related conditions: 6 is over the cap of 4")
}
