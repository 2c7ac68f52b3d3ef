package graph_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

func TestResultJSON(t *testing.T) {
	seven := int64(7)
	ada, post := graph.NodeKey{Label: "person", ID: "1"}, graph.NodeKey{Label: "post", ID: `["a","7"]`}
	nodes := []graph.Node{
		{Label: "post", ID: post.ID, Distance: 2, Properties: []graph.Property{{Name: "body", Value: graph.String("<b>…")}, {Name: "at", Value: graph.Null()}},
			Cut: []graph.CutText{{Name: "body", Bytes: 48213}}},
		{Label: "person", ID: "1"},
	}
	rels := []graph.Relationship{{Type: "WROTE", From: ada, To: post, Properties: []graph.Property{{Name: "score", Value: graph.Float(0.5)}}}}
	const (
		nodesJSON = `[{"label":"post","id":"[\"a\",\"7\"]","distance":2,"properties":{"body":"<b>…","at":null},"cut":{"body":48213}},{"label":"person","id":"1","properties":{}}]`
		relsJSON  = `[{"type":"WROTE","from":{"label":"person","id":"1"},"to":{"label":"post","id":"[\"a\",\"7\"]"},"properties":{"score":0.5}}]`
		endJSON   = `"truncated":false,"truncated_by":null,"next_cursor":null,"warnings":[],"executed":""}`
	)
	for name, c := range map[string]struct {
		result graph.Result
		want   string
	}{
		"find_nodes": {
			graph.Result{Tool: graph.ToolFindNodes, Nodes: nodes[1:], Summary: graph.Summary{
				Returned: 1, TruncatedBy: graph.TruncatedRows, NextCursor: "abc", Executed: "postgres",
				Warnings: []graph.Warning{{Code: graph.EmptyMatch, Path: "/filters/name", Message: "a < b", Fix: []graph.Patch{{Op: "remove", Path: "/x"}}}},
				Statements: []graph.Statement{{SQL: "SELECT 1 WHERE 1 < $1 AND 2 > 1", Executions: 2,
					Parameters: []graph.Parameter{{Position: 1, Type: "int64", Value: graph.Int(9007199254740993)}}}},
			}},
			`{"format":"knowledge_graph.result.v1","tool":"find_nodes","nodes":[{"label":"person","id":"1","properties":{}}],` +
				`"returned":1,"truncated":true,"truncated_by":"rows","next_cursor":"abc",` +
				`"warnings":[{"code":"EMPTY_MATCH","path":"/filters/name","message":"a < b","fix":[{"op":"remove","path":"/x"}]}],"executed":"postgres",` +
				`"statements":[{"sql":"SELECT 1 WHERE 1 < $1 AND 2 > 1","parameters":[{"position":1,"type":"int64","value":9007199254740993}],"executions":2}]}`,
		},
		"nothing found": {
			graph.Result{Tool: graph.ToolFindNodes},
			`{"format":"knowledge_graph.result.v1","tool":"find_nodes","nodes":[],"returned":0,` + endJSON,
		},
		"a page": {
			graph.Result{Tool: graph.ToolFindNodes, Nodes: nodes[1:], Summary: graph.Summary{Returned: 1, Total: &seven}},
			`{"format":"knowledge_graph.result.v1","tool":"find_nodes","nodes":[{"label":"person","id":"1","properties":{}}],"returned":1,"total":7,` + endJSON,
		},
		"traverse_relationships": {
			graph.Result{Tool: graph.ToolTraverse, Nodes: nodes, Relationships: rels, Summary: graph.Summary{Returned: 1}},
			`{"format":"knowledge_graph.result.v1","tool":"traverse_relationships","nodes":` + nodesJSON + `,"relationships":` + relsJSON + `,"returned":1,` + endJSON,
		},
		"explore_neighbors": {
			graph.Result{Tool: graph.ToolNeighbors},
			`{"format":"knowledge_graph.result.v1","tool":"explore_neighbors","nodes":[],"relationships":[],"returned":0,` + endJSON,
		},
		"find_paths": {
			graph.Result{Tool: graph.ToolPaths, Nodes: nodes, Relationships: rels, Summary: graph.Summary{Returned: 2}, Paths: []graph.Path{
				{Nodes: []graph.NodeKey{ada, post}, Relationships: []int{0}, Length: 1, Weight: graph.Decimal("0.50")},
				{Nodes: []graph.NodeKey{post, ada}, Relationships: []int{0}, Length: 1},
			}},
			`{"format":"knowledge_graph.result.v1","tool":"find_paths","nodes":` + nodesJSON + `,"relationships":` + relsJSON +
				`,"paths":[{"nodes":[{"label":"person","id":"1"},{"label":"post","id":"[\"a\",\"7\"]"}],"relationships":[0],"length":1,"weight":"0.50"},` +
				`{"nodes":[{"label":"post","id":"[\"a\",\"7\"]"},{"label":"person","id":"1"}],"relationships":[0],"length":1}],"returned":2,` + endJSON,
		},
		"aggregate_nodes": {
			graph.Result{Tool: graph.ToolAggregate, Columns: []graph.Column{{Name: "day", Type: "date"}, {Name: "count", Type: "int64"}},
				Rows: [][]graph.Value{{graph.DateFromDays(0), graph.Int(3)}, {graph.Null(), graph.Int(1)}}, Summary: graph.Summary{Returned: 2}},
			`{"format":"knowledge_graph.result.v1","tool":"aggregate_nodes","columns":[{"name":"day","type":"date"},{"name":"count","type":"int64"}],` +
				`"rows":[{"day":"1970-01-01","count":3},{"day":null,"count":1}],"returned":2,` + endJSON,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.result.AppendJSON([]byte("x"))
			require.NoError(t, err)
			require.Equal(t, "x"+c.want, string(got))
			require.True(t, json.Valid(got[1:]))
			got, err = c.result.MarshalJSON()
			require.NoError(t, err)
			require.Equal(t, c.want, string(got))
		})
	}
}

// A collector keeps what it is given, though the giver uses its memory again.
func TestCollector(t *testing.T) {
	res := &graph.Result{}
	c := graph.Collector{Result: res}
	n := graph.Node{ID: "1", Properties: []graph.Property{{Name: "a", Value: graph.Int(1)}}, Cut: []graph.CutText{{Name: "a", Bytes: 1}}}
	r := graph.Relationship{Type: "T", Properties: []graph.Property{{Name: "a", Value: graph.Int(1)}}}
	p := graph.Path{Nodes: []graph.NodeKey{{ID: "1"}}, Relationships: []int{1}}
	cols := []graph.Column{{Name: "a"}}
	row := []graph.Value{graph.Int(1)}
	require.NoError(t, c.Node(&n))
	require.NoError(t, c.Relationship(&r))
	require.NoError(t, c.Path(&p))
	require.NoError(t, c.Columns(cols))
	require.NoError(t, c.Row(row))
	n.Properties[0].Value, n.Cut[0].Bytes, r.Properties[0].Value = graph.Int(2), 2, graph.Int(2)
	p.Nodes[0].ID, p.Relationships[0], cols[0].Name, row[0] = "2", 2, "b", graph.Int(2)
	require.Equal(t, &graph.Result{
		Nodes:         []graph.Node{{ID: "1", Properties: []graph.Property{{Name: "a", Value: graph.Int(1)}}, Cut: []graph.CutText{{Name: "a", Bytes: 1}}}},
		Relationships: []graph.Relationship{{Type: "T", Properties: []graph.Property{{Name: "a", Value: graph.Int(1)}}}},
		Paths:         []graph.Path{{Nodes: []graph.NodeKey{{ID: "1"}}, Relationships: []int{1}}},
		Columns:       []graph.Column{{Name: "a"}},
		Rows:          [][]graph.Value{{graph.Int(1)}},
	}, res)
}

func TestScan(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	type name string
	type record struct {
		Label    string `graph:"@label"`
		ID       string `graph:"@id"`
		Hops     int    `graph:"@distance"`
		Title    name
		Count    *uint8 `graph:"COUNT"`
		Missing  *int
		Share    float32
		Whole    float64
		Price    string
		Day      time.Time
		At       any
		Raw      json.RawMessage
		Exact    graph.Value
		Open     bool
		Null     int
		Ignored  string `graph:"-"`
		internal string
	}
	n := graph.Node{Label: "post", ID: "7", Distance: 2}
	for name, v := range map[string]graph.Value{
		"title": graph.String("x"), "count": graph.Int(255), "share": graph.Float(0.5), "whole": graph.Int(3), "price": graph.Decimal("1.50"),
		"day": graph.Date(at), "at": graph.DateTime(at), "raw": graph.JSON(`{"a":1}`), "exact": graph.Decimal("2.0"), "open": graph.Bool(true),
		"null": graph.Null(), "ignored": graph.String("x"), "internal": graph.String("x"), "another": graph.Int(1),
	} {
		n.Properties = append(n.Properties, graph.Property{Name: name, Value: v})
	}
	context := graph.Node{Label: "person", ID: "1", Properties: []graph.Property{{Name: "title", Value: graph.Int(1)}}}
	got, err := graph.ScanNodes[record](&graph.Result{Nodes: []graph.Node{n, context}, Summary: graph.Summary{Returned: 1}})
	require.NoError(t, err)
	most := uint8(255)
	want := record{Label: "post", ID: "7", Hops: 2, Title: "x", Count: &most, Share: 0.5, Whole: 3, Price: "1.50",
		Day: at.Truncate(24 * time.Hour), At: at, Raw: json.RawMessage(`{"a":1}`), Exact: graph.Decimal("2.0"), Open: true}
	require.Equal(t, []record{want}, got)
	require.Empty(t, got[0].internal)
}

func TestScanRefusesWhatDoesNotFit(t *testing.T) {
	row := func(v graph.Value) *graph.Result {
		return &graph.Result{Columns: []graph.Column{{Name: "v", Type: "any"}}, Rows: [][]graph.Value{{graph.Null()}, {v}}}
	}
	for name, scan := range map[string]func() error{
		"field V: the int does not fit into int8":        func() error { _, err := graph.ScanRows[struct{ V int8 }](row(graph.Int(128))); return err },
		"field V: the int does not fit into uint":        func() error { _, err := graph.ScanRows[struct{ V uint }](row(graph.Int(-1))); return err },
		"field V: the int does not fit into string":      func() error { _, err := graph.ScanRows[struct{ V string }](row(graph.Int(1))); return err },
		"field V: the float does not fit into int":       func() error { _, err := graph.ScanRows[struct{ V int }](row(graph.Float(1))); return err },
		"field V: the decimal does not fit into float64": func() error { _, err := graph.ScanRows[struct{ V float64 }](row(graph.Decimal("1.5"))); return err },
		"field V: the string does not fit into bool":     func() error { _, err := graph.ScanRows[struct{ V bool }](row(graph.String("true"))); return err },
		"field V: the string does not fit into int":      func() error { _, err := graph.ScanRows[struct{ V *int }](row(graph.String("1"))); return err },
	} {
		require.EqualError(t, scan(), "graph: row 1: "+name)
	}
	_, err := graph.ScanRows[int](row(graph.Int(1)))
	require.ErrorContains(t, err, "a struct is needed")
	_, err = graph.ScanNodes[struct{ A bool }](&graph.Result{Summary: graph.Summary{Returned: 1},
		Nodes: []graph.Node{{Label: "post", ID: "7", Properties: []graph.Property{{Name: "a", Value: graph.Int(1)}}}}})
	require.EqualError(t, err, `graph: post "7": field A: the int does not fit into bool`)
}
