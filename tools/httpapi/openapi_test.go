package httpapi_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/tools/httpapi"
)

// decoded reads JSON as the validator wants it.
func decoded(t *testing.T, text string) any {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	require.NoError(t, err)
	return v
}

// The document is valid OpenAPI 3.1, by the specification's own schema (testdata,
// of the OpenAPI Initiative, Apache 2.0), and its
// schemas are valid JSON Schemas all of whose references lead somewhere. They say
// of a call what the tools say.
func TestOpenAPI(t *testing.T) {
	api := offer(t, engine.Options{}, httpapi.Options{Version: "1.2.3"}, nil)
	text := ask(t, api, "GET", "/openapi.json", "", bearer(acme)...).body
	meta, err := os.ReadFile("testdata/openapi-3.1.json")
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("https://spec.openapis.org/oas/3.1/schema/2022-10-07", decoded(t, string(meta))))
	valid, err := compiler.Compile("https://spec.openapis.org/oas/3.1/schema/2022-10-07")
	require.NoError(t, err)
	require.NoError(t, valid.Validate(decoded(t, text)))
	require.Error(t, valid.Validate(decoded(t, strings.Replace(text, `"operationId":"find_nodes"`, `"operation":"find_nodes"`, 1))))

	var doc struct {
		Info       struct{ Version string }
		Paths      map[string]map[string]struct{ OperationID string }
		Components struct {
			Schemas         map[string]json.RawMessage
			SecuritySchemes map[string]any
		}
		Security []any
	}
	require.NoError(t, json.Unmarshal([]byte(text), &doc))
	require.Equal(t, "1.2.3", doc.Info.Version)
	require.NotEmpty(t, doc.Security)
	require.Len(t, doc.Paths, 6+2+2, "the tools, the named queries, the lists")
	require.NoError(t, compiler.AddResource("mem://api", decoded(t, text)))
	for name := range doc.Components.Schemas {
		_, err := compiler.Compile("mem://api#/components/schemas/" + name)
		require.NoError(t, err, name)
	}
	arguments, err := compiler.Compile("mem://api#/components/schemas/find_nodes")
	require.NoError(t, err)
	require.NoError(t, arguments.Validate(decoded(t, `{"node_label": "person", "filters": {"id": {"gte": 1}}, "related": [{"relationships": [{"type": "WROTE"}]}]}`)))
	for _, bad := range []string{`{}`, `{"node_label": "persn"}`, `{"node_label": "person", "filters": {"id": {"over": 1}}}`, `{"node_label": "person", "related": [{"relationships": [{"type": "READ"}]}]}`} {
		require.Error(t, arguments.Validate(decoded(t, bad)), bad)
	}

	for tool, args := range map[string]string{
		"get_graph_schema":       `{"expand_schema": true}`,
		"find_nodes":             `{"node_label": "person"}`,
		"traverse_relationships": `{"from": {"label": "person"}, "relationships": [{"type": "WROTE"}], "to": {"label": "document"}}`,
		"documents_of":           `{"person": 1}`,
	} {
		path := "/tools/" + tool
		valid, err := compiler.Compile("mem://api#/paths/" + strings.ReplaceAll(path, "/", "~1") + "/post/responses/200/content/application~1json/schema")
		require.NoError(t, err)
		for _, form := range []string{"json", "columns"} {
			answer := ask(t, api, "POST", path+"?format="+form, args, bearer(acme)...).body
			require.NoError(t, valid.Validate(decoded(t, answer)), answer)
		}
		require.Error(t, valid.Validate(decoded(t, `{"format": "knowledge_graph.error.v1"}`)))
	}

	problem, err := compiler.Compile("mem://api#/components/schemas/trellis.problem")
	require.NoError(t, err)
	refused := ask(t, api, "POST", "/tools/find_nodes", `{"node_label": "persn"}`, bearer(acme)...).body
	require.NoError(t, problem.Validate(decoded(t, refused)))
}
