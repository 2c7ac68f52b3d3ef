package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

// teas are nodes as a store finds them: by their keys.
func teas() []graph.Node {
	node := func(id, name string) graph.Node {
		return graph.Node{Label: "tea", ID: id, Properties: []graph.Property{{Name: "id", Value: graph.String(id)}, {Name: "name", Value: graph.String(name)}}}
	}
	return []graph.Node{node("a", "Assam"), node("b", "Bai Mu Dan"), node("c", "Ceylon")}
}

// Each kind of answer, as a document and as a result that is made one: the same
// bytes, whatever the writer had written before.
func TestRecordForms(t *testing.T) {
	total := int64(7)
	missing := func(i string) graph.Warning {
		return graph.Warning{Code: graph.NotFound, Path: "/ids/" + i, Message: "there is no tea"}
	}
	whole := []graph.Node{{ID: "a", Properties: []graph.Property{{Name: "doc", Value: graph.JSON(`{"x":[1,"é"]}`)}}}}
	var w graph.JSONWriter
	for name, c := range map[string]struct {
		form  graph.RecordForm
		nodes []graph.Node
		said  graph.Summary
		want  string
	}{
		"items": {graph.RecordForm{Kind: graph.RecordItems}, teas()[:2], graph.Summary{Total: &total, TruncatedBy: graph.TruncatedRows},
			`{"items":[{"id":"a","name":"Assam"},{"id":"b","name":"Bai Mu Dan"}],"total":7}`},
		"no items": {graph.RecordForm{Kind: graph.RecordItems}, nil, graph.Summary{Total: new(int64)}, `{"items":[],"total":0}`},
		"cut by bytes": {graph.RecordForm{Kind: graph.RecordItems}, teas()[:1], graph.Summary{Total: &total, TruncatedBy: graph.TruncatedBytes},
			`{"items":[{"id":"a","name":"Assam"}],"total":7,"truncated_by":"bytes"}`},
		"whole": {graph.RecordForm{Kind: graph.RecordItems, Whole: true}, whole, graph.Summary{Total: &total}, `{"items":[{"x":[1,"é"]}],"total":7}`},
		"ids":   {graph.RecordForm{Kind: graph.RecordIDs}, teas(), graph.Summary{Total: &total}, `{"ids":["a","b","c"],"total":7}`},
		"summaries": {graph.RecordForm{Kind: graph.RecordSummaries}, teas()[:1], graph.Summary{Total: &total},
			`{"items":[{"id":"a","name":"Assam"}],"total":7}`},
		"one":     {graph.RecordForm{Kind: graph.RecordOne}, teas()[2:], graph.Summary{}, `{"id":"c","name":"Ceylon"}`},
		"none":    {graph.RecordForm{Kind: graph.RecordOne}, nil, graph.Summary{Warnings: []graph.Warning{missing("0")}}, `null`},
		"several": {graph.RecordForm{Kind: graph.RecordsByID, Asked: []string{"a", "b", "c"}}, teas()[1:], graph.Summary{Warnings: []graph.Warning{missing("0")}}, `{"entities":[{"id":"b","name":"Bai Mu Dan"},{"id":"c","name":"Ceylon"}],"not_found":["a"]}`},
		"several, in another order": {graph.RecordForm{Kind: graph.RecordsByID, Asked: []string{"c", "x", "a", "b", "y"}}, teas(), graph.Summary{Warnings: []graph.Warning{missing("1"), missing("4")}},
			`{"entities":[{"id":"c","name":"Ceylon"},{"id":"a","name":"Assam"},{"id":"b","name":"Bai Mu Dan"}],"not_found":["x","y"]}`},
		"several, of which bytes cut one": {graph.RecordForm{Kind: graph.RecordsByID, Asked: []string{"c", "a", "x"}}, teas()[:1], graph.Summary{TruncatedBy: graph.TruncatedBytes, Warnings: []graph.Warning{missing("2")}},
			`{"entities":[{"id":"a","name":"Assam"}],"not_found":["x"],"truncated_by":"bytes","warnings":[{"code":"LIMIT_EXCEEDED","path":"/ids","message":"the answer has no room for \"c\"; ask for these by themselves","fix":[{"op":"replace","path":"/ids","value":["c"]}]}]}`},
		"said beside": {graph.RecordForm{Kind: graph.RecordIDs}, nil, graph.Summary{Total: new(int64), Warnings: []graph.Warning{{Code: graph.NotFound, Path: "/filters/kind", Message: "no <kind>"}}},
			`{"ids":[],"total":0,"warnings":[{"code":"NOT_FOUND","path":"/filters/kind","message":"no <kind>"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, before := range []string{"", "kept"} {
				w.ResetRecords([]byte(before), &c.form)
				require.Same(t, &c.form, w.JSON().Records())
				for i := range c.nodes {
					require.NoError(t, w.Node(&c.nodes[i]))
				}
				doc, err := w.Finish(&c.said)
				require.NoError(t, err)
				require.Equal(t, before+c.want, string(doc))
				w.Clear()
			}
			res := graph.Result{Tool: graph.ToolFindNodes, Nodes: c.nodes, Records: &c.form, Summary: c.said}
			doc, err := res.AppendJSON(nil)
			require.NoError(t, err)
			require.Equal(t, c.want, string(doc))
			w.Reset(nil, graph.ToolFindNodes)
			require.Nil(t, w.JSON().Records(), "the next answer is another")
		})
	}
}

// What bytes leave of a record's texts is told; one record by itself has no place
// for that, and is refused instead.
func TestRecordsWithShortenedTexts(t *testing.T) {
	nodes := teas()[:2]
	nodes[1].Cut = []graph.CutText{{Name: "name", Bytes: 5000}}
	res := graph.Result{Nodes: nodes, Records: &graph.RecordForm{Kind: graph.RecordItems}}
	doc, err := res.AppendJSON(nil)
	require.NoError(t, err)
	require.Contains(t, string(doc), `"truncated_by":"bytes","warnings":[{"code":"LIMIT_EXCEEDED","path":"","message":"long texts of 1 records are shortened`)

	res = graph.Result{Nodes: nodes[1:], Records: &graph.RecordForm{Kind: graph.RecordOne}}
	_, err = res.AppendJSON(nil)
	require.ErrorIs(t, err, graph.LimitExceeded)
}
