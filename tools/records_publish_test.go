package tools_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	draft7 "github.com/xeipuuv/gojsonschema"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/tools"
)

// draftOf compiles a schema as one of a draft: it has to fit the draft's own
// schema for that.
func draftOf(t *testing.T, draft *jsonschema.Draft, text []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(draft)
	c.AssertFormat()
	require.NoError(t, c.AddResource("tool.json", doc))
	s, err := c.Compile("tool.json")
	require.NoError(t, err, "%s", text)
	return s
}

// The schemas of all tools, and of all answers, are valid in Draft 2020-12 and
// in Draft 7, and both say the same of calls.
func TestRecordSchemasInBothDrafts(t *testing.T) {
	registry := tools.Graph(catalog(t), graph.Limits{})
	seen := 0
	for tool := range registry.Tools() {
		new, old := draftOf(t, jsonschema.Draft2020, tool.Parameters), draftOf(t, jsonschema.Draft7, tool.Parameters)
		_, err := draft7.NewSchema(draft7.NewBytesLoader(tool.Parameters))
		require.NoError(t, err)
		answer := tools.AnswerSchema(tool.Answers)
		draftOf(t, jsonschema.Draft2020, answer)
		draftOf(t, jsonschema.Draft7, answer)
		require.LessOrEqual(t, utf8.RuneCountInString(tool.Description), 2000)
		require.LessOrEqual(t, len(tool.Name), 64)
		require.Equal(t, strings.HasPrefix(tool.Name, "list_") || strings.HasPrefix(tool.Name, "get_") && tool.Name != "get_graph_schema", tool.Records(), tool.Name)
		validator, err := tools.NewValidator(tool)
		require.NoError(t, err)
		for _, c := range badRecords {
			args, err := jsonschema.UnmarshalJSON(strings.NewReader(c.args))
			if err != nil || c.tool != tool.Name || strings.Contains(c.want, "DUPLICATE") {
				continue
			}
			seen++
			own := validator.Validate([]byte(c.args)) == nil
			require.Equal(t, own, new.Validate(args) == nil, c.args)
			require.Equal(t, own, old.Validate(args) == nil, c.args)
		}
	}
	require.Greater(t, seen, 60)
}

// Answers fit the schemas that are published of them.
func TestRecordAnswersFitTheirSchemas(t *testing.T) {
	tt := catalogTools(t, engine.Options{})
	list, err := tt.List(t.Context())
	require.NoError(t, err)
	answers := map[string]*jsonschema.Schema{}
	for _, tool := range list {
		answers[tool.Name] = draftOf(t, jsonschema.Draft2020, tools.AnswerSchema(tool.Answers))
	}
	for _, c := range append(goodRecords, []struct{ tool, args string }{
		{"get_product", `{"id":"nobody"}`},
		{"list_product", `{"filters":{"tag":"nothing"}}`},
	}...) {
		doc, err := tt.Call(t.Context(), c.tool, []byte(c.args))
		require.NoError(t, err)
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
		require.NoError(t, err)
		require.NoError(t, answers[c.tool].Validate(v), "%s", doc)
		require.False(t, bytes.Contains(doc, []byte("knowledge_graph")), "records are plain documents")
	}
	require.Nil(t, tools.AnswerSchema("list_product"), "the shape has the name, and not the tool")
}

// types is a schema of n types of records with filters and a long description.
func types(t testing.TB, n int) *schema.Schema {
	var def schema.Definition
	for i := range n {
		node := schema.NodeDefinition{Label: fmt.Sprintf("type_%03d", i), Description: strings.Repeat("What there is to say. ", 40), Key: []string{"id"},
			Records:    &schema.RecordsDefinition{},
			Properties: []schema.PropertyDefinition{{Name: "id", Type: schema.String}, {Name: "state", Type: schema.Enum, Index: true, Values: []schema.EnumValue{{Name: "a"}, {Name: "b"}}}}}
		for j := range 10 {
			node.Properties = append(node.Properties, schema.PropertyDefinition{Name: fmt.Sprintf("property_%d", j), Type: schema.Int64, Index: true, Description: strings.Repeat("About it. ", 20)})
		}
		def.Nodes = append(def.Nodes, node)
	}
	s, err := schema.New(def)
	require.NoError(t, err)
	return s
}

// Many types list less of each, so that all tools together stay what a model can
// read; what they leave out, a refusal tells.
func TestManyTypesOfRecords(t *testing.T) {
	for _, c := range []struct {
		types, most int
		filters     string
	}{
		{1, 8 << 10, `"property_3":{"anyOf"`},
		{5, 64 << 10, `"property_3":{"anyOf"`},
		{20, 64 << 10, "by name: property_0, property_1"},
		{100, 104 << 10, `"filters":{"type":"object"}`},
	} {
		s := types(t, c.types)
		registry := tools.Graph(s, graph.Limits{})
		size, count := 0, 0
		for tool := range registry.Tools() {
			if tool.Records() {
				count++
				size += len(tool.Name) + len(tool.Title) + len(tool.Description) + len(tool.Parameters)
			}
		}
		t.Logf("%d types: %d tools, %d bytes", c.types, count, size)
		require.Equal(t, 2*c.types, count)
		require.Less(t, size, c.most)
		first, ok := registry.Lookup("list_type_000")
		require.True(t, ok)
		require.Contains(t, string(first.Parameters), c.filters)
		v, err := tools.NewValidator(first)
		require.NoError(t, err)
		args := []byte(`{"filters":{"state":"a","property_3":{"gte":1}},"sort":"-property_1"}`)
		require.NoError(t, v.Validate(args))
		_, errs := registry.Decode("list_type_000", args)
		require.Empty(t, errs)
		_, errs = registry.Decode("list_type_000", []byte(`{"filters":{"stat":"a"}}`))
		require.Contains(t, errs[0].Allowed, "property_9")
		require.Equal(t, "state", errs[0].DidYouMean[0])
	}
}

// The example in a description is a call that the tool takes.
func TestRecordExamples(t *testing.T) {
	registry, n := tools.Graph(catalog(t), graph.Limits{}), 0
	for tool := range registry.Tools() {
		if _, example, found := strings.Cut(tool.Description, "Example: "); found && tool.Records() {
			_, errs := registry.Decode(tool.Name, []byte(example))
			require.Empty(t, errs, example)
			n++
		}
	}
	require.Equal(t, 5, n)
}

// A named query may not have the name of a tool of records, and cannot ask one.
func TestNamedQueriesBesideRecords(t *testing.T) {
	query := tools.NamedQuery{Name: "list_maker", Description: "A.", Tool: "find_nodes", Arguments: json.RawMessage(`{"node_label":"maker"}`)}
	_, err := tools.NewQueries(catalog(t), graph.Limits{}, query)
	require.ErrorContains(t, err, `tool_name_collision_in_tenant: there is a tool "list_maker" already`)
	query.Name, query.Tool = "makers", "list_maker"
	_, err = tools.NewQueries(catalog(t), graph.Limits{}, query)
	require.ErrorContains(t, err, "lists records, and a named query asks one of the six tools")

	// Of a schema that has the tool nevertheless, the tool stays what it was.
	query.Name, query.Tool = "list_maker", "find_nodes"
	bare, err := schema.New(schema.Definition{Nodes: []schema.NodeDefinition{{Label: "maker", Key: []string{"id"}, Properties: []schema.PropertyDefinition{{Name: "id", Type: schema.String}}}}})
	require.NoError(t, err)
	queries, err := tools.NewQueries(bare, graph.Limits{}, query)
	require.NoError(t, err)
	offered := tools.New(engine.New(schema.NewCatalog(catalog(t)), nil, engine.Options{}), tools.Options{Queries: queries})
	registry, err := offered.Registry(t.Context())
	require.NoError(t, err)
	tool, _ := registry.Lookup("list_maker")
	require.True(t, tool.Records())
}

// The lines of a description stay words of their own.
func TestDescriptionsOfSeveralLines(t *testing.T) {
	s, err := schema.Parse("schema.yaml", []byte(`format: trellis.schema.v1
nodes:
  part:
    key: id
    properties: {id: string}
    records: {description: "Bicycle parts.\nIn euros:\n- one\n-\ttwo"}
`))
	require.NoError(t, err)
	tool, ok := tools.Graph(s, graph.Limits{}).Lookup("list_part")
	require.True(t, ok)
	require.Contains(t, tool.Description, "Bicycle parts. In euros: - one - two\n\n")
}

// T19, T54: nothing of a description hides or turns text round, wherever it
// comes from.
func TestT54RecordDescriptions(t *testing.T) {
	for tool := range tools.Graph(catalog(t), graph.Limits{}).Tools() {
		for _, r := range tool.Description + tool.Title {
			require.False(t, r != '\n' && r < ' ' || r == '\u202e' || r == '\u200b', tool.Name)
		}
	}
}
