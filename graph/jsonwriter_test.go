package graph_test

import (
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
