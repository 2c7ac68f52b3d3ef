package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	tenantsDir     = "../../examples/tenants/graph"
	tenantsQueries = tenantsDir + "/queries.yaml"
	clerk          = `{"tenant": "acme", "principal": "tomas", "claims": {"role": "clerk", "folders": ["/sales/"], "home": "/sales/"}}`
	manager        = `{"tenant": "acme", "principal": "mira", "claims": {"role": "manager", "folders": ["/"]}}`
)

// A graph with policies answers on behalf of a scope, in every command.
func TestScopeEndToEnd(t *testing.T) {
	people := `{"node_label": "person"}`
	o := trellis(t, "", "call", "find_nodes", people, "--graph", tenantsDir)
	require.Equal(t, 1, o.code)
	require.Equal(t, []string{"NO_SCOPE"}, o.errorCodes(t))

	o = trellis(t, "", "call", "find_nodes", people, "--graph", tenantsDir, "--scope", clerk)
	require.Equal(t, 0, o.code, o.out)
	require.Equal(t, []string{"1", "2"}, ids(t, o.document(t)))
	require.Contains(t, o.out, `"iban":"****7947"`)

	batch := `{"tool": "find_nodes", "arguments": {"node_label": "person"}}` + "\n" +
		`{"tool": "find_nodes", "arguments": {"node_label": "person"}, "scope": {"tenant": "birch"}}`
	o = trellis(t, batch, "call", "--batch", "-", "--graph", tenantsDir, "--scope", clerk)
	require.Equal(t, 0, o.code, o.out)
	docs := o.answerLines(t)
	require.Equal(t, []string{"1", "2"}, ids(t, docs[0]))
	require.Equal(t, []string{"3"}, ids(t, docs[1]))

	o = trellis(t, "", "compile", "find_nodes", people, "--schema", tenantsDir, "--dialect", "postgres", "--scope", clerk)
	require.Equal(t, 0, o.code, o.out)
	require.Equal(t, []any{"person: tenant = ?"}, o.document(t)["guards"])
	require.Contains(t, o.out, `\"tenant\" = $1`)
	o = trellis(t, "", "compile", "find_nodes", people, "--schema", tenantsDir, "--dialect", "postgres")
	require.Equal(t, []string{"NO_SCOPE"}, o.errorCodes(t))

	o = trellis(t, "", "explain", "find_nodes", people, "--graph", tenantsDir, "--scope", clerk)
	require.Equal(t, 0, o.code, o.out)
	doc := o.document(t)
	require.Equal(t, []any{"person: tenant = ?"}, doc["guards"])
	require.EqualValues(t, 3, doc["estimate"].(map[string]any)["rows"])

	o = trellis(t, "", "tools", "--schema", tenantsDir)
	require.Equal(t, 1, o.code)
	require.Equal(t, []string{"NO_SCOPE"}, o.errorCodes(t))
	require.NotContains(t, trellis(t, "", "tools", "--schema", tenantsDir, "--scope", clerk).out, "budget")
	require.Contains(t, trellis(t, "", "tools", "--schema", tenantsDir, "--scope", manager).out, "budget")
}

func TestDryRun(t *testing.T) {
	o := trellis(t, "", "call", "find_nodes", openIssues, "--graph", forgeDir, "--dry-run")
	require.Equal(t, 0, o.code, o.out)
	doc := o.document(t)
	require.Equal(t, true, doc["dry_run"])
	require.Contains(t, doc["plan"], "gl_issue")
	require.NotContains(t, doc, "nodes")
	require.EqualValues(t, 3, doc["estimate"].(map[string]any)["rows"])

	o = trellis(t, "", "call", "find_nodes", `{"node_label": "gl_issue", "limit": 31}`, "--graph", forgeDir, "--dry-run")
	require.Equal(t, 1, o.code)
	require.Equal(t, []string{"LIMIT_EXCEEDED /limit"}, o.errorCodes(t))
}

func TestNamedQueries(t *testing.T) {
	with := func(command, tool, args string, more ...string) outcome {
		return trellis(t, "", append([]string{command, tool, args, "--queries", tenantsQueries}, more...)...)
	}
	o := with("call", "documents_of", `{"person": 1}`, "--graph", tenantsDir, "--scope", clerk)
	require.Equal(t, 0, o.code, o.out)
	require.Equal(t, []string{"1"}, ids(t, o.document(t)))
	o = with("call", "documents_of", `{"person": 1, "title": ""}`, "--graph", tenantsDir, "--scope", manager)
	require.Equal(t, []string{"1", "2"}, ids(t, o.document(t)))
	o = with("call", "documents_of", `{"persons": 1}`, "--graph", tenantsDir, "--scope", clerk)
	require.ElementsMatch(t, []string{"UNKNOWN_FIELD /persons", "MISSING_FIELD /person"}, o.errorCodes(t))
	o = with("compile", "documents_of", `{"person": 1}`, "--schema", tenantsDir, "--dialect", "mysql", "--scope", clerk)
	require.Equal(t, 0, o.code, o.out)
	o = with("explain", "in_my_folder", `{}`, "--graph", tenantsDir, "--scope", clerk)
	require.Equal(t, 0, o.code, o.out)
	o = with("call", "in_my_folder", `{}`, "--graph", tenantsDir, "--scope", manager)
	require.Equal(t, []string{"FORBIDDEN"}, o.errorCodes(t))

	o = trellis(t, "", "call", "documents_of", `{"person": 1}`, "--graph", tenantsDir, "--scope", clerk)
	require.Equal(t, []string{"UNKNOWN_TOOL"}, o.errorCodes(t), "without the file there is no such tool")
	o = trellis(t, "", "tools", "--schema", tenantsDir, "--scope", clerk, "--queries", tenantsQueries)
	require.Contains(t, o.out, `"name":"documents_of"`)

	bad := filepath.Join(t.TempDir(), "queries.yaml")
	require.NoError(t, os.WriteFile(bad, []byte("format: trellis.queries.v1\nqueries:\n  q: {description: A., tool: find_nodes, arguments: {node_label: persn}}\n"), 0o600))
	o = trellis(t, "", "lint", tenantsDir, "--queries", bad)
	require.Equal(t, 1, o.code)
	require.Contains(t, o.err, bad+":3:")
	require.Contains(t, o.err, `did you mean "person"?`)
	o = trellis(t, "", "lint", tenantsDir, "--queries", tenantsQueries)
	require.Equal(t, 0, o.code, o.out)
	o = trellis(t, "", "call", "q", `{}`, "--graph", tenantsDir, "--scope", clerk, "--queries", bad)
	require.Equal(t, 1, o.code)
	require.Equal(t, []string{"INVALID_SCHEMA /queries/q/arguments/node_label"}, o.errorCodes(t))
}

// Policies are checked like the rest of a schema, with places in the file.
func TestLintOfPolicies(t *testing.T) {
	file := filepath.Join(t.TempDir(), "schema.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`format: trellis.schema.v1
nodes:
  doc:
    policy: node.tennant == caller.tenant
    key: id
    properties: {id: int64, tenant: {type: string, visible: false}}
  open:
    key: id
    properties: {id: int64, name: {type: string, visible: 'node.id > 3'}}
`), 0o600))
	o := trellis(t, "", "lint", file)
	require.Equal(t, 1, o.code)
	require.Contains(t, o.err, file+":4:")
	require.Contains(t, o.err, `did you mean "tenant"`)
	require.Contains(t, o.err, `"open" has no policy`)
	require.Contains(t, o.err, `there is no "node" here`)
	require.Len(t, o.document(t)["problems"], 3)
}

// Every call leaves one record, refused ones included; without its record a
// call is not answered.
func TestAudit(t *testing.T) {
	dir := t.TempDir()
	file, key := filepath.Join(dir, "audit.jsonl"), filepath.Join(dir, "key")
	require.NoError(t, os.WriteFile(key, []byte("0123456789abcdef\n"), 0o600))
	for range 2 {
		o := trellis(t, `{"tool": "find_nodes", "arguments": {"node_label": "person", "ids": [1]}}`+"\n"+`{"tool": "drop", "arguments": {}}`,
			"call", "--batch", "-", "--graph", tenantsDir, "--scope", clerk, "--audit", file, "--audit-key", key)
		require.Equal(t, 1, o.code, o.err)
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Len(t, lines, 4)
	var records []map[string]any
	for _, line := range lines {
		var r map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		records = append(records, r)
	}
	require.Equal(t, "tomas", records[0]["principal"])
	require.Equal(t, "ok", records[0]["outcome"])
	require.Equal(t, []any{"UNKNOWN_TOOL"}, records[1]["codes"])
	require.Equal(t, records[0]["arguments"], records[2]["arguments"], "hashed with the same key")
	require.Regexp(t, `"ids":\["h:[0-9a-f]{32}"\]`, lines[0])

	if _, err := os.Stat("/dev/full"); err == nil {
		o := trellis(t, "", "call", "find_nodes", openIssues, "--graph", forgeDir, "--audit", "/dev/full")
		require.Equal(t, 3, o.code)
		require.Equal(t, []string{"UNAVAILABLE"}, o.errorCodes(t))
	}
	o := trellis(t, "", "call", "find_nodes", openIssues, "--graph", forgeDir, "--audit", filepath.Join(dir, "no", "where"))
	require.Equal(t, 3, o.code)
	require.Empty(t, o.out)
}

// Keys come from files or the environment.
func TestKeys(t *testing.T) {
	dir := t.TempDir()
	key := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	first := func(more ...string) string {
		o := trellis(t, "", append([]string{"call", "find_nodes", `{"node_label": "gl_issue", "limit": 1}`, "--graph", forgeDir}, more...)...)
		require.Equal(t, 0, o.code, o.err)
		return o.document(t)["next_cursor"].(string)
	}
	next := func(cursor string, more ...string) int {
		return trellis(t, "", append([]string{"call", "find_nodes", `{"node_label": "gl_issue", "limit": 1, "cursor": "` + cursor + `"}`, "--graph", forgeDir}, more...)...).code
	}
	a, b := key("a", "the first key of all\n"), key("b", "the second key of all")
	require.Equal(t, 0, next(first("--cursor-key", a), "--cursor-key", a))
	require.Equal(t, 1, next(first("--cursor-key", a), "--cursor-key", b))
	require.Equal(t, 1, next(first("--cursor-key", a)))
	cursor := first("--cursor-key", a)
	t.Setenv("TRELLIS_CURSOR_KEY", "the first key of all")
	require.Equal(t, 0, next(cursor))

	hashed := t.TempDir()
	require.NoError(t, os.CopyFS(hashed, os.DirFS(tenantsDir)))
	text, err := os.ReadFile(filepath.Join(hashed, "schema.yaml"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(hashed, "schema.yaml"), []byte(strings.ReplaceAll(string(text), "last4", "hash")), 0o600))
	masked := func(more ...string) string {
		o := trellis(t, "", append([]string{"call", "find_nodes", `{"node_label": "person", "properties": ["iban"]}`, "--graph", hashed, "--scope", clerk}, more...)...)
		require.Equal(t, 0, o.code, o.err)
		require.Contains(t, o.out, `"iban":"h:`)
		return o.out
	}
	require.Equal(t, masked("--mask-key", a), masked("--mask-key", a))
	require.NotEqual(t, masked("--mask-key", a), masked("--mask-key", b))

	for _, flag := range []string{"--cursor-key", "--mask-key", "--audit-key"} {
		o := trellis(t, "", "call", "find_nodes", openIssues, "--graph", forgeDir, flag, key("short", "secret"))
		require.Equal(t, 2, o.code)
		require.Contains(t, o.err, "has 6 bytes; at least 16 are needed")
		require.NotContains(t, o.err, "secret")
		o = trellis(t, "", "call", "find_nodes", openIssues, "--graph", forgeDir, flag, filepath.Join(dir, "none"))
		require.Equal(t, 3, o.code)
	}
}

func TestMaxBytes(t *testing.T) {
	o := trellis(t, "", "call", "find_nodes", `{"node_label": "gl_issue"}`, "--graph", forgeDir, "--max-bytes", "100")
	require.Equal(t, 0, o.code, o.err)
	require.Equal(t, "bytes", o.document(t)["truncated_by"])
	o = trellis(t, "", "call", "find_nodes", `{"node_label": "gl_issue"}`, "--graph", forgeDir, "--max-bytes", "0")
	require.Equal(t, 2, o.code)
}
