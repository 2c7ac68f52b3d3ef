package httpapi_test

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools"
	"github.com/trellisgraph/trellis/tools/httpapi"
	"github.com/trellisgraph/trellis/tools/tokens"
)

// records is the API over the fixture of records.
func records(t *testing.T) *httpapi.API {
	g, err := memory.Open(t.Context(), "../../store/storetest/testdata/fixtures/records", memory.Options{})
	require.NoError(t, err)
	eng := engine.New(schema.NewCatalog(g.Schema()), native.New(g, native.Options{}), engine.Options{Statements: engine.HideStatements})
	return httpapi.New(tools.New(eng, tools.Options{}), httpapi.Options{Authenticate: tokens.Bearer(verify)})
}

// Records are answered as plain documents, and as JSON only.
func TestRecords(t *testing.T) {
	api := records(t)
	for _, c := range []struct{ tool, args, want string }{
		{"list_maker_ids", `{"limit":2}`, `{"ids":["acme","bear"],"total":3}`},
		{"list_maker", `{"filters":{"founded":{"lt":1900}}}`, `{"items":[{"id":"bear","name":"Bear & Sons","founded":1890}],"total":1}`},
		{"get_maker", `{"id":"nobody"}`, `null`},
		{"get_maker", `{"ids":["nobody"]}`, `{"entities":[],"not_found":["nobody"]}`},
	} {
		a := ask(t, api, "POST", "/tools/"+c.tool, c.args, bearer(acme)...)
		require.Equal(t, 200, a.StatusCode)
		require.Equal(t, "application/json", a.Header.Get("Content-Type"))
		require.Equal(t, c.want, a.body)
	}
	a := ask(t, api, "POST", "/tools/list_maker", `{"limit":501}`, bearer(acme)...)
	require.Equal(t, 400, a.StatusCode/100*100)
	require.Contains(t, a.body, `[INVALID_INPUT] limit must be between 1 and 500`)
	for _, form := range []string{"csv", "columns", "markdown", "mermaid"} {
		a := ask(t, api, "POST", "/tools/list_maker?format="+form, `{}`, bearer(acme)...)
		require.Contains(t, a.body, "UNSUPPORTED")
		require.Contains(t, a.body, "records are written as json, and not as "+form)
	}
	require.Equal(t, 404, ask(t, api, "POST", "/tools/list_tag", `{}`, bearer(acme)...).StatusCode, "tags are no records")
}

// The OpenAPI document has an operation for each tool of records, whose schemas
// say of calls and answers what the tools do.
func TestRecordsInOpenAPI(t *testing.T) {
	api := records(t)
	text := ask(t, api, "GET", "/openapi.json", "", bearer(acme)...).body
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("mem://api", decoded(t, text)))
	for tool, args := range map[string]string{"list_product": `{"filters":{"grade":"stage"},"sort":"-price"}`, "get_product": `{"id":"aria-1"}`, "list_product_ids": `{}`, "list_maker_ids": `{}`} {
		arguments, err := compiler.Compile("mem://api#/components/schemas/" + tool)
		require.NoError(t, err)
		require.NoError(t, arguments.Validate(decoded(t, args)))
		require.Error(t, arguments.Validate(decoded(t, `{"colour":1}`)))
		path := "mem://api#/paths/~1tools~1" + tool + "/post/responses/200/content/application~1json/schema"
		answer, err := compiler.Compile(path)
		require.NoError(t, err)
		body := ask(t, api, "POST", "/tools/"+tool, args, bearer(acme)...).body
		require.NoError(t, answer.Validate(decoded(t, body)), body)
		require.Error(t, answer.Validate(decoded(t, `7`)))
		require.NotContains(t, text, `"operationId":"`+tool+`","parameters":[{"description":"the form of the answer, before what Accept says","in":"query","name":"format","schema":{"default":"json","enum":["json","columns"`)
	}
}

func TestRecordsInTheGuide(t *testing.T) {
	guide := ask(t, records(t), "GET", "/llms.txt", "", bearer(acme)...).body
	require.Contains(t, guide, "\n- list_product: The instruments of the catalogue.")
	require.Contains(t, guide, `"total" counts all that match`)
	require.Less(t, strings.Index(guide, "answer whole records"), strings.Index(guide, "## Errors"))
}
