package command

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

// What a shell reads from a pipe it answers with a document a line.
func TestShellPiped(t *testing.T) {
	o := trellis(t, `
find_nodes {"node_label": "gl_issue",

  "limit": 1}
find_nodes {"node_label":
  "gl_issue", "filters": {"state":
  "opened"}}
aggregate_nodes{"node_label": "gl_user", "aggregations": [{"function": "count"}]}
get_graph_schema
.schema gl_user AUTHORED_ISSUE
.explain find_nodes {"node_label": "gl_user"}
.format csv
find_nodes {"node_label": "gl_user", "properties": [], "limit": 1}
.format xml
.quit
find_nodes {"node_label": "never"}
`, "shell", "--graph", forgeDir)
	require.Equal(t, 1, o.code)
	require.Empty(t, o.err)
	lines := strings.Split(strings.TrimSuffix(o.out, "\n"), "\n")
	for i, want := range []string{
		`"code":"SYNTAX"`, // the empty line ended it
		`"code":"UNKNOWN_TOOL"`,
		`"id":"101"`,
		`"rows":[{"count":`,
		`"node_types":[{"name":"gl_issue"},{"name":"gl_user"}]`,
		`{"name":"gl_user","description":"A person.","properties":`,
		`"plan":"find gl_user`,
		"gl_user", "@id", "1", "", "truncated", "returned,truncated_by,next_cursor", "1,rows,",
		`"code":"INVALID_ENUM"`,
	} {
		require.Contains(t, lines[i], want, o.out)
	}
	require.Len(t, lines, 15, "nothing after .quit")

	require.Equal(t, 0, trellis(t, `find_nodes {"node_label": "gl_user"}`, "shell", "--graph", forgeDir).code, "a line without an end")
	require.Equal(t, 0, trellis(t, "", "shell", "--graph", forgeDir).code)
	require.Equal(t, 1, trellis(t, strings.Repeat("x", maxLine+1), "shell", "--graph", forgeDir).code)
	require.Equal(t, 3, trellis(t, `find_nodes {"node_label": "gl_user"}`, "shell", "--graph", forgeDir, "--timeout", "1ns").code)
	require.Equal(t, 2, trellis(t, "", "shell", "find_nodes", "--graph", forgeDir).code)
	o = trellis(t, `find_nodes {"node_label": "person", "properties": ["name"]}`, "shell", "--graph", tenantsDir, "--scope", clerk, "--format", "csv")
	require.Equal(t, "person\n@id,name\n1,Mira Solberg\n2,Tomás Oliveira\n", o.out)
	require.Contains(t, trellis(t, ".help\n.tools", "shell", "--graph", forgeDir).out, "explore_neighbors  Shows what surrounds one node")
}

// completing returns what completes over a graph.
func completing(t *testing.T, dir, scope string) *completer {
	var how host
	s, err := (&source{graph: dir, store: "memory"}).open(t.Context(), streams{}, &how)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.close()) })
	caller, err := parseScope([]byte(scope))
	require.NoError(t, err)
	c, err := s.completer(within(context.Background(), caller))
	require.NoError(t, err)
	return c
}

func TestComplete(t *testing.T) {
	c := completing(t, forgeDir, "")
	for text, want := range map[string]string{
		"fi":                             "find_nodes find_paths",
		".ex":                            ".explain",
		".explain ag":                    "aggregate_nodes",
		".schema gl_i":                   "gl_issue",
		".schema gl_user AU":             "AUTHORED_ISSUE",
		".format m":                      "markdown mermaid",
		"find_nodes":                     "find_nodes",
		"find_nodes ":                    "{",
		"nothing {":                      "",
		`find_nodes {"node`:              `"node_label":`,
		`find_nodes{"node`:               `"node_label":`,
		".explain find_nodes {\"li":      `"limit":`,
		`find_nodes {"node_label": `:     `"gl_issue" "gl_user"`,
		`find_nodes {"node_label": "gl_`: `"gl_issue" "gl_user"`,
		`find_nodes {"node_label": "gl_issue", "filters": {`:                                 `"id": "title": "state":`,
		`find_nodes {"node_label": "gl_issue", "filters": {"state": "`:                       `"opened" "closed"`,
		`find_nodes {"node_label": "gl_issue", "filters": {"state": {"i`:                     `"in": "is_null":`,
		`find_nodes {"node_label": "gl_issue", "filters": {"state": {"in": ["opened", `:      `"opened" "closed"`,
		`find_nodes {"node_label": "gl_issue", "properties": ["t`:                            `"title"`,
		`find_nodes {"node_label": "gl_issue", "order_by": [{"property": "s`:                 `"state"`,
		`find_nodes {"node_label": "gl_issue", "order_by": [{"property": "state", `:          `"direction":`,
		`find_nodes {"node_label": "gl_issue", "order_by": [{"direction": `:                  `"asc" "desc"`,
		`traverse_relationships {"from": {"label": "gl_user"}, "relationships": [{"type": "`: `"AUTHORED_ISSUE"`,
		`traverse_relationships {"from": {"label": "gl_user"}, "relationships": [{"dir`:      `"direction":`,
		`traverse_relationships {"from": {"label": "gl_user"}, "relat`:                       `"relationships":`,
		`traverse_relationships {"connections": `:                                            `false true`,
		`traverse_relationships {"properties": {"gl_i`:                                       `"gl_issue":`,
		`explore_neighbors {"filters": {"gl_issue": {"st`:                                    `"state":`,
		`explore_neighbors {"filters": {"gl_issue": {"state": "cl`:                           `"closed"`,
		`aggregate_nodes {"aggregations": [{"function": "count_`:                             `"count_distinct"`,
		`find_paths {"mode": "a`:                          `"all" "all_shortest"`,
		"find_nodes {\"node_label\": \"gl_issue\",\n\"fi": `"filters":`,
		`find_nodes {"where": "state == \"op`:             "",
		`find_nodes {]}"`:                                 "",
	} {
		words, replaced := c.complete(text)
		require.Equal(t, want, strings.Join(strings.Fields(strings.Join(words, " ")), " "), text)
		for _, w := range words {
			require.True(t, strings.HasPrefix(w, text[len(text)-replaced:]), "%q for the end of %q", w, text)
		}
	}
}

// What a caller does not see completes nothing.
func TestCompleteForACaller(t *testing.T) {
	manager, clerks := completing(t, tenantsDir, `{"tenant": "acme", "claims": {"role": "manager", "folders": ["/"]}}`), completing(t, tenantsDir, clerk)
	budget := `find_nodes {"node_label": "project", "filters": {"b`
	words, _ := manager.complete(budget)
	require.Equal(t, []string{`"budget": `}, words)
	words, _ = clerks.complete(budget)
	require.Empty(t, words)
}

// Whatever is written, completing it ends, and what it says fits.
func TestCompleteAnything(t *testing.T) {
	c := completing(t, forgeDir, "")
	pieces := []string{"find_nodes ", "explore_neighbors", ".explain ", ".schema ", ".", "{", "}", "[", "]", ":", ",", `"`, `\`, " ", "\n", "1.5e3", "null", "é", "\xff",
		`"filters"`, `"node_label"`, `"gl_issue"`, `"state"`, `"in"`, `"relationships"`, `"type"`, `"properties"`}
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		text := pieces[r.IntN(3)]
		for range r.IntN(20) {
			text += pieces[r.IntN(len(pieces))]
		}
		words, replaced := c.complete(text)
		require.LessOrEqual(t, replaced, len(text))
		for _, w := range words {
			require.True(t, strings.HasPrefix(w, text[len(text)-replaced:]), text)
		}
		goesOn(text)
	}
}

func TestHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "trellis", "history")
	h, err := openHistory(path)
	require.NoError(t, err)
	for _, line := range []string{"one", "two", "two", " ", "three"} {
		h.Add(line)
	}
	h.close()
	h, err = openHistory(path)
	require.NoError(t, err)
	defer h.close()
	require.Equal(t, 3, h.Len())
	require.Equal(t, "three", h.At(0))
	require.Equal(t, "one", h.At(2))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	for range 2 * maxHistory {
		h.Add("a")
		h.Add("b")
	}
	require.Equal(t, maxHistory, h.Len())
}

func TestFirstSentence(t *testing.T) {
	require.Equal(t, "A b.", firstSentence("A b. C d."))
	require.Equal(t, graph.ToolPaths, firstSentence(graph.ToolPaths))
}
