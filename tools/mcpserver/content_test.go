package mcpserver_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/tools"
	"github.com/trellisgraph/trellis/tools/mcpserver"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares a text with a file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// ask sends one request of a caller and returns the result, as it stands on the
// wire.
func ask(t *testing.T, s *mcpserver.Server, caller, method, params string) reply {
	t.Helper()
	ctx := t.Context()
	if scope := callers[caller]; scope != nil {
		ctx = graph.WithScope(ctx, scope)
	}
	c := open(t, ctx, s)
	c.begin("2025-11-25")
	c.write(message("2025-11-25", 1, method, params))
	return c.read()
}

// Every tool, exactly as clients get it.
func TestToolsGolden(t *testing.T) {
	offered, _ := tenants(t, engine.Options{})
	s := mcpserver.New(offered, mcpserver.Options{})
	for _, caller := range []string{"clerk", "manager"} {
		var list struct{ Tools []json.RawMessage }
		require.NoError(t, json.Unmarshal(ask(t, s, "token-of-"+caller, "tools/list", "").Result, &list))
		var b strings.Builder
		for _, tool := range list.Tools {
			pretty, err := json.MarshalIndent(tool, "", " ")
			require.NoError(t, err)
			b.Write(append(pretty, '\n'))
		}
		golden(t, "testdata/tools_of_"+caller+".json", b.String())
		require.Equal(t, strings.Count(b.String(), `"annotations": {
  "destructiveHint": false,
  "idempotentHint": true,
  "openWorldHint": false,
  "readOnlyHint": true,
  "title": "`), len(list.Tools))
	}
}

// nothing is a store that finds nothing.
type nothing struct{ store.Store }

func (nothing) Run(context.Context, *compile.Plan, graph.Writer) (store.Outcome, error) {
	return store.Outcome{}, nil
}

// labels is a schema of n labels.
func labels(t *testing.T, n int) *schema.Schema {
	t.Helper()
	var d schema.Definition
	for i := range n {
		d.Nodes = append(d.Nodes, schema.NodeDefinition{Label: fmt.Sprintf("entity_%03d", i), Key: []string{"id"}, Properties: []schema.PropertyDefinition{
			{Name: "id", Type: schema.Int64}, {Name: "name", Type: schema.String}, {Name: fmt.Sprintf("amount_%d", i), Type: schema.Decimal, Scale: 2},
			{Name: "state", Type: schema.Enum, Values: []schema.EnumValue{{Name: "open"}, {Name: fmt.Sprintf("s%d", i%7)}}},
		}})
		d.Relationships = append(d.Relationships, schema.RelationshipDefinition{Type: fmt.Sprintf("LINKS_%03d", i), Pairs: []schema.PairDefinition{
			{From: fmt.Sprintf("entity_%03d", i), To: fmt.Sprintf("entity_%03d", (i+1)%n)},
		}})
	}
	s, err := schema.New(d)
	require.NoError(t, err)
	return s
}

// How much of what a model can read the list of tools takes. Four bytes are
// about one token.
func TestListSizes(t *testing.T) {
	offered, _ := tenants(t, engine.Options{})
	var b strings.Builder
	fmt.Fprintf(&b, "%-28s %6s %8s %8s  %s\n", "of", "tools", "bytes", "tokens", "with output schemas")
	row := func(name, caller string, offered *tools.Tools) {
		var sizes [2]int
		var count int
		for i, output := range []bool{false, true} {
			result := ask(t, mcpserver.New(offered, mcpserver.Options{OutputSchemas: output}), caller, "tools/list", "").Result
			var list struct{ Tools []json.RawMessage }
			require.NoError(t, json.Unmarshal(result, &list))
			sizes[i], count = len(result), len(list.Tools)
		}
		require.Less(t, sizes[0], 80<<10, "the most that a list of six tools takes")
		fmt.Fprintf(&b, "%-28s %6d %8d %8d  %d\n", name, count, sizes[0], (sizes[0]+3)/4, sizes[1])
	}
	row("two companies, a clerk", "token-of-clerk", offered)
	row("two companies, a manager", "token-of-manager", offered)
	for _, n := range []int{1, 10, 50, 100, 500} {
		eng := engine.New(schema.NewCatalog(labels(t, n)), nothing{}, engine.Options{})
		row(fmt.Sprintf("%d labels", n), "", tools.New(eng, tools.Options{}))
	}
	golden(t, "testdata/list_sizes.txt", b.String())
}

// The one prompt, made of what the caller sees.
func TestPrompt(t *testing.T) {
	offered, _ := tenants(t, engine.Options{})
	s := mcpserver.New(offered, mcpserver.Options{})
	text := func(caller, args string) string {
		var res mcp.GetPromptResult
		answer := ask(t, s, "token-of-"+caller, "prompts/get", `"name":"grounded_answer","arguments":`+args)
		require.Nil(t, answer.Error, args)
		require.NoError(t, json.Unmarshal(answer.Result, &res))
		require.Len(t, res.Messages, 1)
		require.Equal(t, mcp.Role("user"), res.Messages[0].Role)
		return res.Messages[0].Content.(*mcp.TextContent).Text
	}
	golden(t, "testdata/prompt_of_clerk.md", text("clerk", `{"question":"Who wrote about the Harbour project?"}`))
	golden(t, "testdata/prompt_of_manager.md", text("manager", `{"question":"Who wrote it?","label":"document","property":"confidential","value":"true","relationship_type":"WROTE"}`))
	require.NotContains(t, text("clerk", `{"question":"?"}`), "dear_projects")
	require.Contains(t, text("clerk", `{"question":"?","label":"person"}`), `get_graph_schema {"expand_nodes": ["person"]}`)

	for args, want := range map[string]string{
		`{}`:                               "question is missing",
		`{"question":"?","label":"persn"}`: `no label "persn"; did you mean "person"?`,
		`{"question":"?","relationship_type":"WROT"}`:                                     `did you mean "WROTE"?`,
		`{"question":"?","label":"project","property":"budget"}`:                          `no property of project "budget"`,
		`{"question":"?","label":"project","property":"tenant"}`:                          `no property of project "tenant"`,
		`{"question":"?","label":"person","property":"iban","value":"x"}`:                 `no property of person "iban"`,
		`{"question":"?","label":"document","property":"confidential","value":"perhaps"}`: "the value:",
		`{"question":"?","property":"name"}`:                                              "need the label",
		`{"question":"?","label":"person","value":"x"}`:                                   "needs the property",
		`{"question":"?","colour":"red"}`:                                                 `no argument "colour"`,
	} {
		answer := ask(t, s, "token-of-clerk", "prompts/get", `"name":"grounded_answer","arguments":`+args)
		require.NotNil(t, answer.Error, args)
		require.Equal(t, -32602, answer.Error.Code)
		require.Contains(t, answer.Error.Message, want)
	}
	require.NotNil(t, ask(t, s, "token-of-clerk", "prompts/get", `"name":"other"`).Error)
	require.Contains(t, string(ask(t, s, "token-of-clerk", "prompts/list", "").Result), `"name":"grounded_answer"`)

	eng := engine.New(schema.NewCatalog(labels(t, 500)), nothing{}, engine.Options{})
	large := string(ask(t, mcpserver.New(tools.New(eng, tools.Options{}), mcpserver.Options{}), "", "prompts/get", `"name":"grounded_answer","arguments":{"question":"?"}`).Result)
	require.Contains(t, large, "and 460 more labels, which get_graph_schema lists")
	require.Less(t, len(large), 16<<10)
}

// The schema and its parts, and named queries, as resources.
func TestResources(t *testing.T) {
	offered, _ := tenants(t, engine.Options{})
	s := mcpserver.New(offered, mcpserver.Options{})
	read := func(caller, uri string) string {
		answer := ask(t, s, "token-of-"+caller, "resources/read", fmt.Sprintf(`"uri":%q`, uri))
		if answer.Error != nil {
			require.Equal(t, -32602, answer.Error.Code)
			require.JSONEq(t, fmt.Sprintf(`{"uri":%q}`, uri), string(answer.Error.Data))
			return answer.Error.Message
		}
		var res mcp.ReadResourceResult
		require.NoError(t, json.Unmarshal(answer.Result, &res))
		require.Len(t, res.Contents, 1)
		require.Equal(t, uri, res.Contents[0].URI)
		require.Equal(t, "application/json", res.Contents[0].MIMEType)
		require.Equal(t, "private", res.CacheScope)
		return res.Contents[0].Text
	}
	whole, err := offered.Call(graph.WithScope(t.Context(), callers["token-of-clerk"]), graph.ToolDescribe, []byte(`{"expand_schema":true}`))
	require.NoError(t, err)
	require.Equal(t, string(whole), read("clerk", "trellis://schema"))
	require.Equal(t, `{"name":"name","type":"string","nullable":false}`, read("clerk", "trellis://schema/labels/project/properties/name"))
	require.Equal(t, `{"name":"budget","type":"decimal"}`, read("manager", "trellis://schema/labels/project/properties/budget"))
	require.Equal(t, `{"name":"WROTE","from":"person","to":"document","properties":[]}`, read("clerk", "trellis://schema/relationship-types/WROTE"))
	require.Contains(t, read("clerk", "trellis://schema/labels/document"), `{"name":"document","description":"What is written down.`)
	require.Contains(t, read("manager", "trellis://queries/dear_projects"), `"asks":"find_nodes"`)
	for uri, want := range map[string]string{
		"trellis://schema/labels/project/properties/budget": "no such resource",
		"trellis://schema/labels/project/properties/tenant": "no such resource",
		"trellis://schema/labels/proj":                      `no label "proj"`,
		"trellis://schema/relationship-types/WRITES":        "no such resource: UNKNOWN_RELATIONSHIP",
		"trellis://schema/labels/*":                         "no such resource",
		"trellis://schema/labels/":                          "no such resource",
		"trellis://queries/dear_projects":                   "no such resource",
		"trellis://queries/find_nodes":                      "no such resource",
		"trellis://schema/":                                 "no such resource",
		"trellis://other":                                   "no such resource",
	} {
		require.Contains(t, read("clerk", uri), want, uri)
	}
	require.Equal(t, 4, strings.Count(string(ask(t, s, "token-of-clerk", "resources/templates/list", "").Result), `"uriTemplate":"trellis://`))
}

func TestCompletion(t *testing.T) {
	offered, _ := tenants(t, engine.Options{})
	s := mcpserver.New(offered, mcpserver.Options{})
	complete := func(caller, ref, name, value, known string) string {
		params := fmt.Sprintf(`"ref":%s,"argument":{"name":%q,"value":%q}`, ref, name, value)
		if known != "" {
			params += `,"context":{"arguments":` + known + `}`
		}
		answer := ask(t, s, "token-of-"+caller, "completion/complete", params)
		if answer.Error != nil {
			return answer.Error.Message
		}
		var res mcp.CompleteResult
		require.NoError(t, json.Unmarshal(answer.Result, &res))
		require.Equal(t, len(res.Completion.Values), res.Completion.Total)
		return strings.Join(res.Completion.Values, " ")
	}
	const prompt = `{"type":"ref/prompt","name":"grounded_answer"}`
	require.Equal(t, "person project", complete("clerk", prompt, "label", "P", ""))
	require.Equal(t, "document", complete("clerk", prompt, "label", "cum", ""))
	require.Equal(t, "id confidential name title", strings.Join([]string{complete("clerk", prompt, "property", "id", ""), complete("clerk", prompt, "property", "nam", ""), complete("clerk", prompt, "property", "title", "")}, " "))
	require.Equal(t, "title path confidential", complete("clerk", prompt, "property", "T", `{"label":"document"}`), "first what begins so")
	require.Equal(t, "WROTE", complete("clerk", prompt, "relationship_type", "wr", ""))
	require.Equal(t, "WORKS_ON WROTE", complete("clerk", prompt, "relationship_type", "", `{"label":"person"}`))
	require.Equal(t, "id name", complete("clerk", prompt, "property", "", `{"label":"project"}`))
	require.Equal(t, "id name budget", complete("manager", prompt, "property", "", `{"label":"project"}`))
	require.Equal(t, "true false", complete("clerk", prompt, "value", "", `{"label":"document","property":"confidential"}`))
	require.Equal(t, "", complete("clerk", prompt, "value", "", `{"label":"person","property":"name"}`))
	require.Equal(t, "", complete("clerk", prompt, "question", "W", ""))
	require.Equal(t, "person project", complete("clerk", `{"type":"ref/resource","uri":"trellis://schema/labels/{label}"}`, "label", "p", ""))
	require.Equal(t, "WROTE", complete("clerk", `{"type":"ref/resource","uri":"trellis://schema/relationship-types/{relationship_type}"}`, "relationship_type", "WR", ""))
	require.Equal(t, "budget", complete("manager", `{"type":"ref/resource","uri":"trellis://schema/labels/{label}/properties/{property}"}`, "property", "bu", `{"label":"project"}`))
	require.Equal(t, "documents_of", complete("clerk", `{"type":"ref/resource","uri":"trellis://queries/{query}"}`, "query", "", ""))
	require.Equal(t, "documents_of dear_projects", complete("manager", `{"type":"ref/resource","uri":"trellis://queries/{query}"}`, "query", "", ""))
	require.Contains(t, complete("clerk", prompt, "colour", "", ""), "no argument")
	require.Contains(t, complete("clerk", `{"type":"ref/resource","uri":"trellis://x/{label}"}`, "label", "", ""), "no argument")

	eng := engine.New(schema.NewCatalog(labels(t, 500)), nothing{}, engine.Options{})
	large := mcpserver.New(tools.New(eng, tools.Options{}), mcpserver.Options{})
	answer := ask(t, large, "", "completion/complete", `"ref":`+prompt+`,"argument":{"name":"label","value":"entity"}`)
	var res mcp.CompleteResult
	require.NoError(t, json.Unmarshal(answer.Result, &res))
	require.Len(t, res.Completion.Values, 100)
	require.Equal(t, 500, res.Completion.Total)
	require.True(t, res.Completion.HasMore)
	answer = ask(t, large, "", "completion/complete", `"ref":`+prompt+`,"argument":{"name":"value","value":""},"context":{"arguments":{"label":"entity_003","property":"state"}}`)
	require.Contains(t, string(answer.Result), `["open","s3"]`)
}
