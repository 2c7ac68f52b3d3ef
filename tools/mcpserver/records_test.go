package mcpserver_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools"
	"github.com/trellisgraph/trellis/tools/mcpserver"
)

// records is a server of the fixture of records.
func records(t *testing.T, opts mcpserver.Options) *mcpserver.Server {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../store/storetest/testdata/fixtures/records")))
	file := filepath.Join(dir, "schema.yaml")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append(text, "description: What the schema says about the graph.\n"...), 0o644))
	g, err := memory.Open(t.Context(), dir, memory.Options{})
	require.NoError(t, err)
	eng := engine.New(schema.NewCatalog(g.Schema()), native.New(g, native.Options{}), engine.Options{})
	return mcpserver.New(tools.New(eng, tools.Options{}), opts)
}

// A record that is not there is the text null; what is structured is an object,
// and so is what an output schema describes.
func TestRecords(t *testing.T) {
	for _, structured := range []bool{false, true} {
		s := records(t, mcpserver.Options{OutputSchemas: structured})
		for _, c := range []struct {
			call, text string
			object     bool
		}{
			{`"name":"get_maker","arguments":{"id":"nobody"}`, `null`, false},
			{`"name":"get_maker","arguments":{"id":"acme"}`, `{"id":"acme","name":"Acme Violins","founded":1950}`, true},
			{`"name":"list_maker_ids","arguments":{"limit":1}`, `{"ids":["acme"],"total":3}`, true},
		} {
			var res struct {
				Content           []struct{ Type, Text string }
				StructuredContent json.RawMessage
				IsError           bool
			}
			require.NoError(t, json.Unmarshal(ask(t, s, "", "tools/call", c.call).Result, &res))
			require.False(t, res.IsError)
			require.Equal(t, c.text, res.Content[0].Text)
			if structured && c.object {
				require.JSONEq(t, c.text, string(res.StructuredContent))
			} else {
				require.Empty(t, res.StructuredContent)
			}
		}
		var list struct {
			Tools []struct {
				Name         string
				OutputSchema struct{ Type string }
			}
		}
		require.NoError(t, json.Unmarshal(ask(t, s, "", "tools/list", "").Result, &list))
		require.Len(t, list.Tools, 6+8)
		for _, tool := range list.Tools {
			want := ""
			if structured && (tool.Name == "get_graph_schema" || tool.Name[:4] != "get_") {
				want = "object"
			}
			require.Equal(t, want, tool.OutputSchema.Type, tool.Name)
		}
	}
	refused := ask(t, records(t, mcpserver.Options{}), "", "tools/call", `"name":"list_maker","arguments":{"limit":0}`)
	require.Contains(t, string(refused.Result), "[INVALID_INPUT] limit must be between 1 and 500")
	require.Contains(t, string(refused.Result), `"isError":true`)
}

// The workflow of records is a prompt where there are records, and only there.
func TestRecordsWorkflow(t *testing.T) {
	s := records(t, mcpserver.Options{})
	require.Contains(t, string(ask(t, s, "", "prompts/list", "").Result), `"name":"records_workflow"`)
	var prompt struct {
		Messages []struct{ Content struct{ Text string } }
	}
	require.NoError(t, json.Unmarshal(ask(t, s, "", "prompts/get", `"name":"records_workflow","arguments":{"question":"Which cello?"}`).Result, &prompt))
	text := prompt.Messages[0].Content.Text
	for _, part := range []string{"MANDATORY", "Identify the type", "product: The instruments of the catalogue (list_product, get_product, list_product_ids)", "never invent an id",
		"If nothing is found", "closest", "popular", "Cite the id", "filters is an object", "codes", "product.grade: student, stage, collector", "The question: Which cello?"} {
		require.Contains(t, text, part)
	}
	require.NotNil(t, ask(t, s, "", "prompts/get", `"name":"records_workflow","arguments":{"label":"x"}`).Error)
	about := "What the schema says about the graph."
	require.Contains(t, string(ask(t, s, "", "prompts/list", "").Result), about)
	require.Contains(t, string(ask(t, s, "", "prompts/get", `"name":"grounded_answer","arguments":{"question":"Which cello?"}`).Result), "The graph: "+about)
	require.Contains(t, text, about)

	offered, _ := tenants(t, engine.Options{})
	other := mcpserver.New(offered, mcpserver.Options{})
	require.NotContains(t, string(ask(t, other, "token-of-clerk", "prompts/list", "").Result), "records_workflow")
	require.NotNil(t, ask(t, other, "token-of-clerk", "prompts/get", `"name":"records_workflow"`).Error)
}
