package command

import (
	"os"
	process "os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// The program of the tests is the command line, too, when it is told to be.
const beCommand = "TRELLIS_TEST_BE_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(beCommand) != "" {
		Main()
	}
	os.Exit(m.Run())
}

// A client starts the program itself, as desktop clients do, and calls every
// tool.
func TestServeProcess(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := process.Command(program, "serve", "--stdio", "--graph", forgeDir)
	cmd.Env = append(os.Environ(), beCommand+"=1")
	session := connect(t, &mcp.CommandTransport{Command: cmd})
	list, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, list.Tools, 6)
	calls := map[string]map[string]any{
		"get_graph_schema":       {},
		"find_nodes":             {"node_label": "gl_issue"},
		"traverse_relationships": {"from": map[string]any{"label": "gl_user"}, "relationships": []any{map[string]any{"type": "AUTHORED_ISSUE"}}, "to": map[string]any{"label": "gl_issue"}},
		"explore_neighbors":      {"start_node": map[string]any{"label": "gl_user", "node_id": 1}},
		"find_paths":             {"from": map[string]any{"label": "gl_user", "node_id": 1}, "to": map[string]any{"label": "gl_issue", "node_id": 102}},
		"aggregate_nodes":        {"node_label": "gl_issue", "aggregations": []any{map[string]any{"function": "count"}}},
	}
	for _, tool := range list.Tools {
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: calls[tool.Name]})
		require.NoError(t, err)
		require.False(t, res.IsError, tool.Name)
		require.Contains(t, res.Content[0].(*mcp.TextContent).Text, `{"format":"knowledge_graph.`)
	}
	require.NoError(t, session.Close(), "it ends with its input")
}
