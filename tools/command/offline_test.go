package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLintFindsNothing(t *testing.T) {
	for _, args := range [][]string{{"lint", forgeSchema}, {"lint", forgeDir}, {"lint", "--schema", forgeSchema}, {"lint", "--graph", forgeDir}} {
		o := trellis(t, "", args...)
		require.Equal(t, 0, o.code)
		require.Empty(t, o.err)
		doc := o.document(t)
		require.Equal(t, []any{}, doc["problems"])
		require.EqualValues(t, 2, doc["labels"])
		require.EqualValues(t, 1, doc["relationship_types"])
		require.Regexp(t, `^2026-11-21T00:00:00Z#[0-9a-f]+$`, doc["revision"])
	}
}

func TestLintTellsLineAndColumn(t *testing.T) {
	o := trellis(t, "", "lint", "testdata/broken.yaml")
	require.Equal(t, 1, o.code)
	problems := o.document(t)["problems"].([]any)
	require.Len(t, problems, 2)
	first, second := problems[0].(map[string]any), problems[1].(map[string]any)
	require.EqualValues(t, 7, first["line"])
	require.EqualValues(t, 20, first["column"])
	require.Equal(t, "/nodes/gl_user/properties/name/type", first["path"])
	require.EqualValues(t, 9, second["line"])
	require.Equal(t, []any{"gl_user"}, second["did_you_mean"])
	lines := strings.Split(strings.TrimSpace(o.err), "\n")
	require.Len(t, lines, 2)
	require.True(t, strings.HasPrefix(lines[0], "testdata/broken.yaml:7:20: "), lines[0])
	require.True(t, strings.HasPrefix(lines[1], "testdata/broken.yaml:9:"), lines[1])
}

// With a schema that is wrong, no call can be answered.
func TestBrokenSchemaRefusesCalls(t *testing.T) {
	dir := t.TempDir()
	broken, err := os.ReadFile("testdata/broken.yaml")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "schema.yaml"), broken, 0o644))
	for _, args := range [][]string{
		{"call", "find_nodes", "{}", "--graph", dir},
		{"explain", "find_nodes", "{}", "--graph", dir},
		{"compile", "find_nodes", "{}", "--schema", dir, "--dialect", "mysql"},
		{"tools", "--schema", dir},
	} {
		o := trellis(t, "", args...)
		require.Equal(t, 1, o.code, args)
		require.Equal(t, []string{"INVALID_SCHEMA /nodes/gl_user/properties/name/type", "INVALID_SCHEMA /relationships/KNOWS/to"}, o.errorCodes(t))
	}
}

func TestCompile(t *testing.T) {
	args := `{"node_label": "gl_issue", "filters": {"state": "opened"}, "limit": 5}`
	for _, dialect := range []string{"mysql", "mariadb", "postgres"} {
		o := trellis(t, "", "compile", "find_nodes", args, "--schema", forgeSchema, "--dialect", dialect)
		require.Equal(t, 0, o.code, o.err)
		require.Empty(t, o.err)
		doc := o.document(t)
		require.Equal(t, dialect, doc["dialect"])
		require.NotEmpty(t, doc["plan"])
		statement := doc["statements"].([]any)[0].(map[string]any)
		require.Contains(t, statement["sql"], "SELECT")
		require.NotContains(t, statement["sql"], "opened", "values are parameters")
		require.Contains(t, o.out, `"value":"opened"`)
	}
}

// All that may run is shown: the page of targets and what connects them; the
// ends and the levels of a search.
func TestCompileShowsAllStatements(t *testing.T) {
	sql := func(dialect, tool, args string) (all []string) {
		o := trellis(t, "", "compile", tool, args, "--schema", forgeSchema, "--dialect", dialect)
		require.Equal(t, 0, o.code, o.out)
		for _, s := range o.document(t)["statements"].([]any) {
			s := s.(map[string]any)
			all = append(all, s["sql"].(string))
			require.Equal(t, strings.Count(s["sql"].(string), "$"), len(s["parameters"].([]any)))
		}
		return all
	}
	near := `{"from": {"label": "gl_user", "ids": [1]}, "relationships": [{"type": "AUTHORED_ISSUE", "direction": "both", "max_hops": 3}], "to": {"label": "gl_issue"}}`
	got := sql("postgres", "traverse_relationships", near)
	require.Len(t, got, 4, "the targets, paths of one hop and of three, the ids")
	require.Contains(t, got[0], "MIN(u.d)")
	require.Contains(t, got[2], "r3")

	got = sql("postgres", "explore_neighbors", `{"start_node": {"label": "gl_user", "node_id": 1}}`)
	require.Len(t, got, 6, "the start, each label, the relationships, a hop in each direction")
	require.Equal(t, `SELECT n."id" FROM "gl_user" AS n WHERE n."id" = $1::bigint`, got[0])

	got = sql("postgres", "find_paths", `{"from": {"label": "gl_user", "node_id": 1}, "to": {"label": "gl_user", "node_id": 2}}`)
	require.Len(t, got, 9, "both ends; and from the second end, the hops are the same; and those between the two")
	require.Equal(t, got[0], got[1])
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(got))), 8)

	got = sql("postgres", "find_nodes", `{"node_label": "gl_user", "related": [{"relationships": [{"type": "AUTHORED_ISSUE"}], "count": {"gte": 2}}]}`)
	require.Len(t, got, 1)
	require.Contains(t, got[0], "COUNT(*)")
}

func TestCompileRefuses(t *testing.T) {
	o := trellis(t, "", "compile", "find_nodes", `{"node_label": "gl_isue", "limt": 5}`, "--schema", forgeSchema, "--dialect", "mysql")
	require.Equal(t, 1, o.code)
	require.ElementsMatch(t, []string{"UNKNOWN_FIELD /limt", "UNKNOWN_LABEL /node_label"}, o.errorCodes(t))
	require.Empty(t, o.err)

	o = trellis(t, "", "compile", "find_node", `{}`, "--schema", forgeSchema, "--dialect", "mysql")
	require.Equal(t, 1, o.code)
	require.Equal(t, []string{"UNKNOWN_TOOL"}, o.errorCodes(t))

	roads := filepath.Join(t.TempDir(), "roads.yaml")
	require.NoError(t, os.WriteFile(roads, []byte("format: trellis.schema.v1\nnodes: {town: {key: id, properties: {id: int64}}}\n"+
		"relationships: {ROAD: {from: town, to: town, properties: {km: float}}}\n"), 0o600))
	o = trellis(t, "", "compile", "find_paths", `{"from": {"label": "town", "node_id": 1}, "to": {"label": "town", "node_id": 2}, "weight": "km"}`, "--schema", roads, "--dialect", "mariadb")
	require.Equal(t, 1, o.code)
	require.Equal(t, []string{"UNSUPPORTED /weight"}, o.errorCodes(t), "SQL has no such search")

	o = trellis(t, "", "compile", "find_nodes", `{"node_label": "gl_issue", "limit": 5}`, "--schema", forgeSchema, "--dialect", "mysql", "--max-rows", "4")
	require.Equal(t, 1, o.code)
	require.Equal(t, []string{"LIMIT_EXCEEDED /limit"}, o.errorCodes(t))
}

func TestCompileOfTheSchemaItself(t *testing.T) {
	o := trellis(t, "", "compile", "get_graph_schema", `{}`, "--schema", forgeSchema, "--dialect", "postgres")
	require.Equal(t, 0, o.code, o.out)
	require.Equal(t, []any{}, o.document(t)["statements"])
}

func TestTools(t *testing.T) {
	names := []string{"get_graph_schema", "find_nodes", "traverse_relationships", "explore_neighbors", "find_paths", "aggregate_nodes"}
	parameters := map[string]any{}
	export := func(format string) (out []map[string]any) {
		o := trellis(t, "", "tools", "--schema", forgeSchema, "--format", format)
		require.Equal(t, 0, o.code, o.err)
		require.NoError(t, json.Unmarshal([]byte(o.out), &out))
		require.Len(t, out, len(names))
		return out
	}
	for i, tool := range export("json") {
		require.Equal(t, names[i], tool["name"])
		require.NotEmpty(t, tool["description"])
		parameters[names[i]] = tool["parameters"]
		require.Equal(t, "object", tool["parameters"].(map[string]any)["type"])
	}
	require.Contains(t, trellis(t, "", "tools", "--schema", forgeSchema).out, `"gl_issue"`, "the schema's own names")
	for i, tool := range export("openai") {
		require.Equal(t, "function", tool["type"])
		function := tool["function"].(map[string]any)
		require.Equal(t, names[i], function["name"])
		require.Equal(t, parameters[names[i]], function["parameters"])
	}
	for i, tool := range export("anthropic") {
		require.Equal(t, names[i], tool["name"])
		require.Equal(t, parameters[names[i]], tool["input_schema"])
		require.NotContains(t, tool, "parameters")
	}
	markdown := trellis(t, "", "tools", "--schema", forgeSchema, "--format", "markdown")
	require.Equal(t, 0, markdown.code)
	for _, name := range names {
		require.Contains(t, markdown.out, "## "+name+"\n")
	}
	require.Equal(t, len(names), strings.Count(markdown.out, "```json\n"))
}

func TestToolsPublishTheLimits(t *testing.T) {
	usual := trellis(t, "", "tools", "--schema", forgeSchema)
	narrow := trellis(t, "", "tools", "--schema", forgeSchema, "--max-rows", "7")
	require.NotContains(t, usual.out, `"maximum":7,`)
	require.Regexp(t, `"maximum":\s*7\b`, narrow.out)
}

// The workflow of answers from records is printed where there are records.
func TestToolsAsPrompt(t *testing.T) {
	o := trellis(t, "", "tools", "--schema", "../../store/storetest/testdata/fixtures/records", "--format", "prompt")
	require.Equal(t, exitAnswered, o.code)
	require.Contains(t, o.out, "MANDATORY")
	require.Contains(t, o.out, "list_product, get_product, list_product_ids")
	o = trellis(t, "", "tools", "--schema", forgeSchema, "--format", "prompt")
	require.Equal(t, exitUsage, o.code)
	require.Contains(t, o.err, "offers its nodes as `records`")

	o = trellis(t, "", "call", "get_maker", `{"id": "nobody"}`, "--graph", "../../store/storetest/testdata/fixtures/records")
	require.Equal(t, exitAnswered, o.code)
	require.Equal(t, "null\n", o.out)
}
