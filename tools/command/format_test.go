package command

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const titles = `{"node_label": "gl_issue", "filters": {"state": "opened"}, "properties": ["title"]}`

func TestFormat(t *testing.T) {
	for form, want := range map[string]string{
		"csv":      "gl_issue\n@id,title\n101,",
		"markdown": "### gl_issue\n\n|@id|title|\n|-|-|\n|101|",
		"mermaid":  "graph LR\nn0[\"gl_issue 101\"]\nn1[\"gl_issue 102\"]\n",
		"columns":  `{"format":"knowledge_graph.columns.v1","tool":"find_nodes","nodes":[{"label":"gl_issue","columns":["@id","title"],"rows":[["101",`,
		"json":     `{"format":"knowledge_graph.result.v1"`,
	} {
		o := trellis(t, "", "call", "find_nodes", titles, "--graph", forgeDir, "--format", form)
		require.Equal(t, 0, o.code, o.err)
		require.True(t, strings.HasPrefix(o.out, want), o.out)
		require.True(t, strings.HasSuffix(o.out, "\n") && !strings.HasSuffix(o.out, "\n\n"), form)
	}
	o := trellis(t, "", "call", "find_nodes", `{"node_label": "gl_isue"}`, "--graph", forgeDir, "--format", "csv")
	require.Equal(t, 1, o.code)
	require.Equal(t, []string{"UNKNOWN_LABEL /node_label"}, o.errorCodes(t), "a refusal is JSON")
	o = trellis(t, "", "call", "aggregate_nodes", `{"node_label": "gl_issue", "aggregations": [{"function": "count"}]}`, "--graph", forgeDir, "--format", "mermaid")
	require.Equal(t, 1, o.code)
	require.Equal(t, []string{"UNSUPPORTED"}, o.errorCodes(t))

	call := `{"tool": "find_nodes", "arguments": ` + titles + "}\n"
	o = trellis(t, call+call, "call", "--batch", "-", "--graph", forgeDir, "--format", "columns")
	require.Equal(t, 0, o.code, o.err)
	require.Equal(t, 2, strings.Count(o.out, "\n"))
	for _, args := range [][]string{{"--batch", "-", "--format", "csv"}, {"find_nodes", "{}", "--format", "xml"}, {"find_nodes", "{}", "--dry-run", "--format", "csv"}} {
		require.Equal(t, 2, trellis(t, "", append([]string{"call", "--graph", forgeDir}, args...)...).code)
	}
}

// A terminal gets no orders out of a graph; what is not one gets every byte.
func TestHarmless(t *testing.T) {
	var b bytes.Buffer
	text := "a\tb\né\x1b[31m\u009b1m\x00\r\x7f\xff"
	n, err := harmless{&b}.Write([]byte(text))
	require.NoError(t, err)
	require.Equal(t, len(text), n)
	require.Equal(t, "a\tb\né\ufffd[31m\ufffd1m\ufffd\ufffd\ufffd\ufffd", b.String())
	require.Equal(t, &b, shown(&b))
}
