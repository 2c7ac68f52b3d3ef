package tools_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/tools"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestToolsGolden(t *testing.T) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	for tool := range libraryTools(t).Tools() {
		require.NoError(t, enc.Encode(tool))
	}
	const file = "testdata/library_tools.json"
	if *update {
		require.NoError(t, os.WriteFile(file, b.Bytes(), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
}

func TestToolsAreSix(t *testing.T) {
	var names []string
	for tool := range libraryTools(t).Tools() {
		names = append(names, tool.Name)
		require.NotEmpty(t, tool.Title)
		require.LessOrEqual(t, utf8.RuneCountInString(tool.Description), 2000)
	}
	require.Equal(t, []string{"get_graph_schema", "find_nodes", "traverse_relationships", "explore_neighbors", "find_paths", "aggregate_nodes"}, names)
}

// Every object of every schema is closed, and nothing hidden shows.
func TestToolSchemasAreClosed(t *testing.T) {
	for tool := range libraryTools(t).Tools() {
		require.NotContains(t, string(tool.Parameters), "secret")
		require.NotContains(t, tool.Description, "secret")
		var root any
		require.NoError(t, json.Unmarshal(tool.Parameters, &root))
		walk(root, func(v any) {
			if m, ok := v.(map[string]any); ok && m["type"] == "object" {
				require.Equal(t, false, m["additionalProperties"], "%s: %v", tool.Name, m)
			}
		})
		_, err := tools.NewValidator(tool)
		require.NoError(t, err)
	}
}

func walk(v any, f func(any)) {
	f(v)
	switch v := v.(type) {
	case map[string]any:
		for _, c := range v {
			walk(c, f)
		}
	case []any:
		for _, c := range v {
			walk(c, f)
		}
	}
}

// The example in a description is a call that the tool takes.
func TestToolExamples(t *testing.T) {
	r := libraryTools(t)
	for tool := range r.Tools() {
		_, example, found := strings.Cut(tool.Description, "Example: ")
		require.True(t, found, tool.Name)
		_, errs := r.Decode(tool.Name, []byte(example))
		require.Empty(t, errs)
		v, err := tools.NewValidator(tool)
		require.NoError(t, err)
		require.NoError(t, v.Validate([]byte(example)))
	}
}

// A description shows no character that hides or turns text round.
func TestT19Descriptions(t *testing.T) {
	s, err := schema.New(schema.Definition{Nodes: []schema.NodeDefinition{{
		Label: "thing", Key: []string{"id"}, Properties: []schema.PropertyDefinition{
			{Name: "id", Type: schema.String},
			{Name: "kind", Type: schema.Enum, Values: []schema.EnumValue{{Name: "a\u202eb\u200bc"}}},
		}}}})
	if err != nil {
		return // the schema does not let it in to begin with
	}
	tool, _ := tools.Graph(s, graph.Limits{}).Lookup("find_nodes")
	require.NotContains(t, tool.Description, "\u202e")
	require.NotContains(t, tool.Description, "\u200b")
	require.Contains(t, tool.Description, "abc")
}

// The limits in the schemas are those of the host.
func TestToolsFollowLimits(t *testing.T) {
	r := tools.Graph(library(t), graph.Limits{Rows: 7, Groups: 5, StepHops: 1, PathHops: 2, Steps: 2, IDs: 3})
	for _, c := range []struct{ tool, good, bad, at string }{
		{"find_nodes", `{"node_label":"book","limit":7}`, `{"node_label":"book","limit":8}`, "/limit"},
		{"find_nodes", `{"node_label":"book","ids":[1,2,3]}`, `{"node_label":"book","ids":[1,2,3,4]}`, "/ids"},
		{"aggregate_nodes", `{"node_label":"book","aggregations":[{"function":"count"}],"limit":5}`, `{"node_label":"book","aggregations":[{"function":"count"}],"limit":6}`, "/limit"},
		{"explore_neighbors", `{"start_node":{"label":"person","node_id":1},"max_hops":1}`, `{"start_node":{"label":"person","node_id":1},"max_hops":2}`, "/max_hops"},
		{"find_paths", `{"from":{"label":"person","node_id":1},"to":{"label":"person","node_id":1},"max_hops":2}`, `{"from":{"label":"person","node_id":1},"to":{"label":"person","node_id":1},"max_hops":3}`, "/max_hops"},
	} {
		tool, ok := r.Lookup(c.tool)
		require.True(t, ok)
		v, err := tools.NewValidator(tool)
		require.NoError(t, err)
		require.NoError(t, v.Validate([]byte(c.good)))
		var errs graph.Errors
		require.ErrorAs(t, v.Validate([]byte(c.bad)), &errs)
		require.Equal(t, c.at, errs[0].Path)
		require.Equal(t, graph.LimitExceeded, errs[0].Code)
	}
}

// A schema without relationships and with next to nothing still has six valid
// tools.
func TestToolsOfSmallestSchema(t *testing.T) {
	s, err := schema.New(schema.Definition{Nodes: []schema.NodeDefinition{
		{Label: "thing", Key: []string{"id"}, Properties: []schema.PropertyDefinition{{Name: "id", Type: schema.String}}},
	}})
	require.NoError(t, err)
	for tool := range tools.Graph(s, graph.Limits{}).Tools() {
		_, err := tools.NewValidator(tool)
		require.NoError(t, err)
	}
}

func TestUnknownTool(t *testing.T) {
	r := libraryTools(t)
	for got, want := range map[string][]string{
		"find_node": {"find_nodes"}, "FIND_NODES": {"find_nodes"}, "find_nodes'; DROP TABLE x; --": nil, "": nil,
	} {
		q, errs := r.Decode(got, []byte(`{}`))
		require.Nil(t, q)
		require.Len(t, errs, 1)
		require.Equal(t, graph.UnknownTool, errs[0].Code)
		require.Len(t, errs[0].Allowed, 6)
		if want != nil {
			require.Equal(t, want[0], errs[0].DidYouMean[0])
		}
	}
}
