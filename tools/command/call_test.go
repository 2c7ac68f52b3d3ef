package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const openIssues = `{"node_label": "gl_issue", "filters": {"state": "opened"}}`

// ids returns the ids of an answer's nodes.
func ids(t *testing.T, document map[string]any) (ids []string) {
	require.Equal(t, "knowledge_graph.result.v1", document["format"])
	for _, n := range document["nodes"].([]any) {
		ids = append(ids, n.(map[string]any)["id"].(string))
	}
	return ids
}

func TestCall(t *testing.T) {
	o := trellis(t, "", "call", "find_nodes", openIssues, "--graph", forgeDir)
	require.Equal(t, 0, o.code, o.err)
	require.Empty(t, o.err)
	require.Equal(t, []string{"101", "102"}, ids(t, o.document(t)))
	require.Contains(t, o.out, `"statements":[{"sql":"SELECT `)
	require.Contains(t, o.out, `"executed":"native"`)
	require.Equal(t, o, trellis(t, "", "call", "find_nodes", openIssues, "--graph", forgeDir, "--store", "memory", "--format", "json"))
	other := trellis(t, "", "call", "find_nodes", openIssues, "--graph", forgeDir, "--store", "embedded")
	require.Equal(t, 0, other.code, other.err)
	head, _, _ := strings.Cut(o.out, `"executed"`)
	require.True(t, strings.HasPrefix(other.out, head+`"executed":"embedded"`), "one answer, whichever store")
	require.Equal(t, 2, trellis(t, "", "call", "find_nodes", openIssues, "--graph", forgeDir, "--store", "disk").code)
}

// The next page is asked for by another run of the program.
func TestPages(t *testing.T) {
	var got []string
	cursor := ""
	for range 3 {
		args := `{"node_label": "gl_issue", "limit": 1` + cursor + `}`
		o := trellis(t, "", "call", "find_nodes", args, "--graph", forgeDir)
		require.Equal(t, 0, o.code, o.out)
		doc := o.document(t)
		got = append(got, ids(t, doc)...)
		if next, ok := doc["next_cursor"].(string); ok {
			cursor = fmt.Sprintf(`, "cursor": %q`, next)
			compiled := trellis(t, "", "compile", "find_nodes", `{"node_label": "gl_issue", "limit": 1`+cursor+`}`, "--schema", forgeSchema, "--dialect", "postgres")
			require.Equal(t, 0, compiled.code, compiled.out)
		} else {
			require.Len(t, got, 3)
		}
	}
	require.Equal(t, []string{"100", "101", "102"}, got)
}

func TestCallOfTheSchema(t *testing.T) {
	o := trellis(t, "", "call", "get_graph_schema", "{}", "--graph", forgeDir)
	require.Equal(t, 0, o.code, o.err)
	require.Equal(t, "knowledge_graph.schema.v1", o.document(t)["format"])
}

func TestCallRefused(t *testing.T) {
	for args, want := range map[string]string{
		`{"node_label": "gl_isue"}`:                            "UNKNOWN_LABEL /node_label",
		`{"node_label": "gl_issue", "filters": {"stat": "o"}}`: "UNKNOWN_PROPERTY /filters/stat",
		`{"node_label": "gl_issue",}`:                          "SYNTAX",
		``:                                                     "SYNTAX",
		`[]`:                                                   "INVALID_TYPE",
		`{"node_label": "gl_issue", "limit": 31}`: "LIMIT_EXCEEDED /limit",
	} {
		o := trellis(t, "", "call", "find_nodes", args, "--graph", forgeDir)
		require.Equal(t, 1, o.code, args)
		require.Equal(t, []string{want}, o.errorCodes(t), args)
		require.Empty(t, o.err)
	}
	o := trellis(t, "", "call", "find_node", "{}", "--graph", forgeDir)
	require.Equal(t, 1, o.code)
	require.Equal(t, []string{"UNKNOWN_TOOL"}, o.errorCodes(t))
}

// around is a call that explores what surrounds a node; between is one that
// connects two.
func around(more string) string {
	return `{"start_node": {"label": "gl_user", "node_id": 1}, ` + more + `}`
}

func between(more string) string {
	return `{"from": {"label": "gl_user", "node_id": 1}, "to": {"label": "gl_issue", "node_id": 100}, ` + more + `}`
}

// A default that is over a limit gives way to it: nobody asked for it.
func TestDefaultsUnderLimits(t *testing.T) {
	for flag, want := range map[string][]string{"--max-rows": {"100"}, "--max-hops": {"100", "102"}} {
		o := trellis(t, "", "call", "explore_neighbors", around(`"direction": "outgoing"`), "--graph", forgeDir, flag, "1")
		require.Equal(t, 0, o.code, o.out)
		require.Equal(t, want, ids(t, o.document(t))[:len(want)], flag)
	}
	o := trellis(t, "", "call", "find_paths", between(`"mode": "all"`), "--graph", forgeDir, "--max-hops", "1")
	require.Equal(t, 0, o.code, o.out)
	require.Equal(t, 1.0, o.document(t)["returned"])
}

func TestLimitsFromFlags(t *testing.T) {
	for _, tc := range []struct {
		tool, args, flag, value, want string
	}{
		{"find_nodes", `{"node_label": "gl_issue", "limit": 40}`, "--max-rows", "50", ""},
		{"find_nodes", `{"node_label": "gl_issue", "limit": 2}`, "--max-rows", "1", "LIMIT_EXCEEDED /limit"},
		{"traverse_relationships", `{"from": {"label": "gl_user"}, "relationships": [{"type": "AUTHORED_ISSUE", "max_hops": 2}], "to": {"label": "gl_issue"}}`, "--max-hops", "1", "LIMIT_EXCEEDED /relationships/0/max_hops"},
		{"explore_neighbors", around(`"max_hops": 2`), "--max-hops", "2", ""},
		{"explore_neighbors", around(`"max_hops": 2`), "--max-hops", "1", "LIMIT_EXCEEDED /max_hops"},
		{"explore_neighbors", around(`"max_hops": 4`), "--max-rows", "50", "LIMIT_EXCEEDED /max_hops"},
		{"explore_neighbors", around(`"limit": 2`), "--max-rows", "1", "LIMIT_EXCEEDED /limit"},
		{"explore_neighbors", around(`"limit": 50`), "--max-rows", "50", ""},
		{"find_paths", between(`"max_hops": 6`), "--max-rows", "50", ""},
		{"find_paths", between(`"max_hops": 7`), "--max-hops", "7", ""},
		{"find_paths", between(`"max_hops": 7`), "--max-hops", "6", "LIMIT_EXCEEDED /max_hops"},
		{"find_paths", between(`"limit": 2`), "--max-rows", "1", "LIMIT_EXCEEDED /limit"},
		{"aggregate_nodes", `{"node_label": "gl_user", "aggregations": [{"function": "count"}], "limit": 2}`, "--max-rows", "1", ""},
	} {
		o := trellis(t, "", "call", tc.tool, tc.args, "--graph", forgeDir, tc.flag, tc.value)
		if tc.want == "" {
			require.Equal(t, 0, o.code, o.out)
			continue
		}
		require.Equal(t, 1, o.code)
		require.Equal(t, []string{tc.want}, o.errorCodes(t))
	}
}

// Without time for it, a call fails; that is not its own fault.
func TestTimeout(t *testing.T) {
	o := trellis(t, "", "call", "find_nodes", openIssues, "--graph", forgeDir, "--timeout", "1ns")
	require.Equal(t, 3, o.code)
	require.Equal(t, []string{"TIMEOUT"}, o.errorCodes(t))
	require.Contains(t, o.err, "TIMEOUT")
}

// Nothing of a graph with a bad row is asked; the row is named.
func TestBadData(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(forgeDir)))
	file := filepath.Join(dir, "relationships", "AUTHORED_ISSUE.csv")
	require.NoError(t, os.WriteFile(file, []byte("from,to\n1,999\n"), 0o644))
	for _, args := range [][]string{
		{"call", "find_nodes", openIssues, "--graph", dir},
		{"load", "--graph", dir, "--dsn", "mysql://u@127.0.0.1:1/d"},
	} {
		o := trellis(t, "", args...)
		require.Equal(t, 3, o.code)
		require.Empty(t, o.out)
		require.Contains(t, o.err, "AUTHORED_ISSUE.csv:2")
	}
}

func TestExplain(t *testing.T) {
	o := trellis(t, "", "explain", "find_nodes", openIssues, "--graph", forgeDir)
	require.Equal(t, 0, o.code, o.err)
	require.Equal(t, "native", o.document(t)["executed"])
	o = trellis(t, "", "explain", "find_nodes", openIssues, "--graph", forgeDir, "--store", "embedded")
	require.Equal(t, 0, o.code, o.err)
	doc := o.document(t)
	require.Contains(t, doc["plan"], "gl_issue")
	require.Equal(t, "embedded", doc["executed"])
	require.Len(t, doc["statements"], len(doc["database"].([]any)))

	o = trellis(t, "", "explain", "find_paths", between(`"mode": "all"`), "--graph", forgeDir, "--store", "embedded")
	require.Equal(t, 0, o.code, o.err)
	doc = o.document(t)
	require.Len(t, doc["statements"], 7, "both ends, each label, the relationships, a hop in each direction")
	require.Len(t, doc["database"], 7)
	for _, plan := range doc["database"].([]any) {
		require.NotEmpty(t, plan)
	}

	o = trellis(t, "", "explain", "find_nodes", `{"node_label": "gl_isue", "x": 1}`, "--graph", forgeDir)
	require.Equal(t, 1, o.code)
	require.ElementsMatch(t, []string{"UNKNOWN_LABEL /node_label", "UNKNOWN_FIELD /x"}, o.errorCodes(t))

	o = trellis(t, "", "explain", "get_graph_schema", `{}`, "--graph", forgeDir)
	require.Equal(t, 0, o.code)
	require.Equal(t, []any{}, o.document(t)["statements"])
}

// answerLines splits the output of a batch into its documents.
func (o outcome) answerLines(t *testing.T) (docs []map[string]any) {
	for line := range strings.Lines(o.out) {
		var doc map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &doc), line)
		docs = append(docs, doc)
	}
	return docs
}

func TestBatch(t *testing.T) {
	call := fmt.Sprintf(`{"tool": "find_nodes", "arguments": %s}`, openIssues)
	lines := []struct{ line, want string }{
		{call, ""},
		{`not JSON`, "SYNTAX"},
		{``, "SYNTAX"},
		{`{"tool": "find_nodes", "arguments": {"node_label": "gl_isue"}}`, "UNKNOWN_LABEL /node_label"},
		{`{"tool": "find_nodes", "arguments": "{}"}`, "INVALID_TYPE"},
		{`{"tool": "find_nodes"}`, "MISSING_FIELD /arguments"},
		{`{"arguments": {}}`, "MISSING_FIELD /tool"},
		{`{"tool": 7, "arguments": {}}`, "INVALID_TYPE /tool"},
		{`{"tool": "find_nodes", "arguments": {}, "args": {}}`, "UNKNOWN_FIELD /args"},
		{`{"tool": "find_nodes", "argument": {}, "x/y": 1}`, "UNKNOWN_FIELD /argument; UNKNOWN_FIELD /x~1y; MISSING_FIELD /arguments"},
		{`{"Tool": "find_nodes", "arguments": {}}`, "UNKNOWN_FIELD /Tool; MISSING_FIELD /tool"},
		{`null`, "INVALID_TYPE"},
		{`{"tool": "find_nodes", "arguments": {"node_label": "gl_issue"}, "scope": []}`, "INVALID_TYPE /scope"},
		{`{"tool": "find_nodes", "arguments": {"node_label": "gl_issue"}, "scope": {"claims": 7}}`, "INVALID_TYPE /scope"},
		{`{"tool": "find_nodes", "arguments": {"node_label": "gl_issue"}, "scope": {"role": 7}}`, "INVALID_TYPE /scope"},
		{`["find_nodes", {}]`, "INVALID_TYPE"},
		{strings.Repeat(" ", maxLine) + call, "TOO_LARGE"},
		{`{"tool": "find_nodes", "arguments": {"node_label": "gl_issue", "node_label": "gl_issue"}}`, "DUPLICATE_KEY /node_label"},
		{`{"tool": "find_nodes", "arguments": ` + openIssues + `, "scope": {"tenant": "acme", "view": "shop"}}`, ""},
		{call, ""},
	}
	var in []string
	for _, l := range lines {
		in = append(in, l.line)
	}
	text := strings.Join(in, "\n") // the last line has no end
	o := trellis(t, text, "call", "--batch", "-", "--graph", forgeDir)
	require.Equal(t, 1, o.code, "the worst of all lines")
	require.Empty(t, o.err)
	docs := o.answerLines(t)
	require.Len(t, docs, len(lines))
	for i, doc := range docs {
		if lines[i].want == "" {
			require.Equal(t, []string{"101", "102"}, ids(t, doc), "line %d", i+1)
			continue
		}
		var got []string
		for _, e := range doc["errors"].([]any) {
			e := e.(map[string]any)
			got = append(got, strings.TrimSpace(e["code"].(string)+" "+e["path"].(string)))
			require.NotContains(t, e["message"], "json:", "line %d: in words of our own", i+1)
		}
		require.Equal(t, lines[i].want, strings.Join(got, "; "), "line %d", i+1)
	}

	file := filepath.Join(t.TempDir(), "calls.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(text+"\n"), 0o644))
	require.Equal(t, o, trellis(t, "", "call", "--graph", forgeDir, "--batch", file), "from a file, whose last line has an end")
}

func TestBatchOfGoodCalls(t *testing.T) {
	call := fmt.Sprintf(`{"tool": "find_nodes", "arguments": %s}`, openIssues)
	o := trellis(t, call+"\n"+call+"\n", "call", "--batch", "-", "--graph", forgeDir)
	require.Equal(t, 0, o.code)
	require.Len(t, o.answerLines(t), 2)

	o = trellis(t, "", "call", "--batch", "-", "--graph", forgeDir)
	require.Equal(t, 0, o.code)
	require.Empty(t, o.out)
}

// A failure outweighs a refusal, and standard error names its line.
func TestBatchWithFailures(t *testing.T) {
	call := fmt.Sprintf(`{"tool": "find_nodes", "arguments": %s}`, openIssues)
	o := trellis(t, "nonsense\n"+call+"\nnonsense\n", "call", "--batch", "-", "--graph", forgeDir, "--timeout", "1ns")
	require.Equal(t, 3, o.code)
	require.Len(t, o.answerLines(t), 3)
	require.Contains(t, o.err, "trellis: line 2: TIMEOUT")
}
