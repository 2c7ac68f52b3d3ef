package graph_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

// A document that is written at once has the bytes of one that is collected.
func TestJSONWriterWritesWhatACollectorKeeps(t *testing.T) {
	key := func(id string) graph.NodeKey { return graph.NodeKey{Label: "person", ID: id} }
	node := func(w graph.Writer, id string, distance int) {
		require.NoError(t, w.Node(&graph.Node{Label: "person", ID: id, Distance: distance, Properties: []graph.Property{
			{Name: "name", Value: graph.String("\"Jörg\" <x>\n\u2028")}, {Name: "age", Value: graph.Null()}},
			Cut: []graph.CutText{{Name: "name", Bytes: 300}}}))
	}
	rel := func(w graph.Writer, from, to string) {
		require.NoError(t, w.Relationship(&graph.Relationship{Type: "KNOWS", From: key(from), To: key(to)}))
	}
	path := func(w graph.Writer) {
		require.NoError(t, w.Path(&graph.Path{Nodes: []graph.NodeKey{key("1"), key("2")}, Relationships: []int{0}, Length: 1, Weight: graph.Float(0.5)}))
	}
	columns := func(w graph.Writer) {
		require.NoError(t, w.Columns([]graph.Column{{Name: "na\"me", Type: "string"}, {Name: "count", Type: "int64"}}))
	}
	row := func(w graph.Writer, name string, n int64) {
		require.NoError(t, w.Row([]graph.Value{graph.String(name), graph.Int(n)}))
	}
	for name, c := range map[string]struct {
		tool  string
		write func(w graph.Writer)
	}{
		"nothing found":         {graph.ToolFindNodes, func(graph.Writer) {}},
		"nodes":                 {graph.ToolFindNodes, func(w graph.Writer) { node(w, "1", 0); node(w, "2", 0) }},
		"nothing walked to":     {graph.ToolTraverse, func(graph.Writer) {}},
		"nodes alone":           {graph.ToolTraverse, func(w graph.Writer) { node(w, "1", 2) }},
		"nodes, relationships":  {graph.ToolNeighbors, func(w graph.Writer) { node(w, "1", 1); rel(w, "1", "2"); rel(w, "2", "1") }},
		"no path":               {graph.ToolPaths, func(graph.Writer) {}},
		"paths":                 {graph.ToolPaths, func(w graph.Writer) { node(w, "1", 0); rel(w, "1", "2"); path(w); path(w) }},
		"paths without a hop":   {graph.ToolPaths, func(w graph.Writer) { path(w) }},
		"columns without a row": {graph.ToolAggregate, columns},
		"rows":                  {graph.ToolAggregate, func(w graph.Writer) { columns(w); row(w, "a", 1); row(w, "b", 2) }},
	} {
		t.Run(name, func(t *testing.T) {
			res := &graph.Result{Tool: c.tool, Summary: graph.Summary{
				Returned: 2, TruncatedBy: graph.TruncatedRows, NextCursor: "x", Executed: "native",
				Warnings:   []graph.Warning{{Code: graph.NotFound, Path: "/ids/0", Message: "a < b"}},
				Statements: []graph.Statement{{SQL: "SELECT 1 < 2", Executions: 1}},
			}}
			c.write(graph.Collector{Result: res})
			want, err := res.AppendJSON([]byte("before"))
			require.NoError(t, err)
			w := graph.NewJSONWriter([]byte("before"), c.tool)
			c.write(w)
			got, err := w.Finish(&res.Summary)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got))

			w.Reset(got[:0], c.tool)
			c.write(w)
			got, err = w.Finish(&res.Summary)
			require.NoError(t, err)
			require.Equal(t, string(want[len("before"):]), string(got), "and once more")
		})
	}
}

// What a store encodes itself has the bytes of what it hands over, and what it
// goes back over leaves nothing.
func TestJSONWriterTakesWhatIsEncoded(t *testing.T) {
	n := graph.Node{Label: "person", ID: "1"}
	r := graph.Relationship{Type: "KNOWS", From: graph.NodeKey{Label: "person", ID: "1"}, To: graph.NodeKey{Label: "person", ID: "2"}}
	p := graph.Path{Nodes: []graph.NodeKey{r.From, r.To}, Relationships: []int{0}, Length: 1}
	given := graph.NewJSONWriter(nil, graph.ToolPaths)
	for range 2 {
		require.NoError(t, given.Node(&n))
	}
	for range 2 {
		require.NoError(t, given.Relationship(&r))
	}
	for range 2 {
		require.NoError(t, given.Path(&p))
	}
	want, err := given.Finish(&graph.Summary{})
	require.NoError(t, err)

	encoded := graph.NewJSONWriter(nil, graph.ToolPaths)
	var w graph.Writer = encoded
	require.Same(t, encoded, w.JSON())
	require.Nil(t, graph.Collector{}.JSON())
	write := func() {
		for range 2 {
			encoded.End(n.AppendJSON(encoded.BeginNode()))
		}
		for range 2 {
			encoded.End(r.AppendJSON(encoded.BeginRelationship()))
		}
		for range 2 {
			encoded.End(p.AppendJSON(encoded.BeginPath()))
		}
	}
	start := encoded.Mark()
	write()
	encoded.Back(start)
	encoded.End(n.AppendJSON(encoded.BeginNode()))
	first := encoded.Mark()
	write()
	encoded.Back(first)
	encoded.End(n.AppendJSON(encoded.BeginNode()))
	for range 2 {
		require.NoError(t, encoded.Relationship(&r))
	}
	for range 2 {
		encoded.End(p.AppendJSON(encoded.BeginPath()))
	}
	got, err := encoded.Finish(&graph.Summary{})
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

// Texts are looked at eight bytes at a time; every byte counts, wherever it is.
func TestTextsAreEscapedWhereverTheyNeedIt(t *testing.T) {
	for length := 1; length < 20; length++ {
		for at := range length {
			for c := range 128 {
				text := []byte(strings.Repeat("x", length))
				text[at] = byte(c)
				got := string(graph.AppendJSONString(nil, string(text)))
				escaped := c < 0x20 || c == 0x7f || c == '"' || c == '\\'
				require.Equal(t, escaped, got != `"`+string(text)+`"`, "%q", text)
				var back string
				require.NoError(t, json.Unmarshal([]byte(got), &back))
				require.Equal(t, string(text), back)
			}
		}
	}
	require.Equal(t, `"abcdefghé"`, string(graph.AppendJSONString(nil, "abcdefghé")))
	require.Equal(t, "\"abcdefgh\uFFFD\"", string(graph.AppendJSONString(nil, "abcdefgh\xff")))
}
