package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

// good are calls with every field of every tool, and what they decode into.
var good = []struct {
	args string
	want graph.Query
}{
	{`{}`, &graph.Describe{}},
	{" \t\r\n{ \"expand_schema\" : true } \n", &graph.Describe{Expand: true}},
	{`{"expand_nodes":["*"],"expand_relationship_types":["WROTE"],"search":"bo"}`,
		&graph.Describe{ExpandNodes: []string{"*"}, ExpandRelationshipTypes: []string{"WROTE"}, Search: "bo"}},
	{`{"expand_schema":false,"expand_nodes":[]}`, &graph.Describe{ExpandNodes: []string{}}},

	{`{"node_label":"book"}`, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "book"}}},
	{`{"node_label":"b\u006fok","filters":{}}`, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "book"}}},
	{`{"node_label":"person","ids":[7,"8",-9223372036854775808],"properties":[],"limit":30}`,
		&graph.FindNodes{
			NodePattern: graph.NodePattern{Label: "person", IDs: []graph.Value{graph.Number("7"), graph.String("8"), graph.Number("-9223372036854775808")}},
			Properties:  []string{}, Limit: 30}},
	{`{"node_label":"shelf","ids":[["a",7],"[\"a\",\"7\"]"],"order_by":[{"property":"room"},{"property":"number","direction":"desc"}]}`,
		&graph.FindNodes{
			NodePattern: graph.NodePattern{Label: "shelf", IDs: []graph.Value{graph.List(graph.String("a"), graph.Number("7")), graph.String(`["a","7"]`)}},
			OrderBy:     []graph.Order{{Property: "room"}, {Property: "number", Direction: graph.Desc}}}},
	{`{"node_label":"person","filters":{"score":1.50e+2,"name":"Ada","member":true,"id":{"gte":3,"lt":9,"ne":5}},"where":"score > 1.0","search":"ada","cursor":"abc"}`,
		&graph.FindNodes{NodePattern: graph.NodePattern{Label: "person", Where: "score > 1.0", Search: "ada", Filter: graph.And{
			graph.Compare{Property: "score", Value: graph.Number("1.50e+2")},
			graph.Compare{Property: "name", Value: graph.String("Ada")},
			graph.Compare{Property: "member", Value: graph.Bool(true)},
			graph.Compare{Property: "id", Op: graph.Gte, Value: graph.Number("3")},
			graph.Compare{Property: "id", Op: graph.Lt, Value: graph.Number("9")},
			graph.Compare{Property: "id", Op: graph.Ne, Value: graph.Number("5")},
		}}, Cursor: "abc"}},
	{`{"node_label":"book","filters":{"title":{"contains":"%","starts_with":"_","ends_with":"\\"},"state":{"in":["in","lent"],"not_in":[]},"notes":{"is_null":false}}}`,
		&graph.FindNodes{NodePattern: graph.NodePattern{Label: "book", Filter: graph.And{
			graph.Compare{Property: "title", Op: graph.Contains, Value: graph.String("%")},
			graph.Compare{Property: "title", Op: graph.StartsWith, Value: graph.String("_")},
			graph.Compare{Property: "title", Op: graph.EndsWith, Value: graph.String(`\`)},
			graph.Compare{Property: "state", Op: graph.In, Value: graph.List(graph.String("in"), graph.String("lent"))},
			graph.Compare{Property: "state", Op: graph.NotIn, Value: graph.List()},
			graph.Compare{Property: "notes", Op: graph.IsNull, Value: graph.Bool(false)},
		}}}},
	{`{"node_label":"person","related":[{"relationships":[{"type":["WROTE","BORROWED"],"filters":{"year":1999},"to":{"label":"book","ids":["x"],"filters":{"state":"in"},"where":"pages > 3","search":"go"}}],"count":{"gte":0,"lt":3}},{"relationships":[{"type":"KNOWS"}],"exists":false},{"relationships":[{"type":"KNOWS"}],"exists":true}]}`,
		&graph.FindNodes{NodePattern: graph.NodePattern{Label: "person", Related: []graph.Related{
			{Relationships: []graph.Step{{Types: []string{"WROTE", "BORROWED"},
				Filter: graph.And{graph.Compare{Property: "year", Value: graph.Number("1999")}},
				To: &graph.NodePattern{Label: "book", IDs: []graph.Value{graph.String("x")}, Where: "pages > 3", Search: "go",
					Filter: graph.And{graph.Compare{Property: "state", Value: graph.String("in")}}}}},
				Count: []graph.CountBound{{Op: graph.Gte}, {Op: graph.Lt, N: 3}}},
			{Relationships: []graph.Step{{Types: []string{"KNOWS"}}}, None: true},
			{Relationships: []graph.Step{{Types: []string{"KNOWS"}}}},
		}}}},

	{`{"from":{"label":"person"},"relationships":[{"type":"KNOWS","direction":"both","min_hops":1,"max_hops":3,"to":{"label":"person"}},{"type":["WROTE"]}],"to":{"label":"book"},"properties":{"book":["title"],"person":[]},"order_by":[],"connections":false,"limit":1,"cursor":"c"}`,
		&graph.Traverse{From: graph.NodePattern{Label: "person"}, To: graph.NodePattern{Label: "book"},
			Relationships: []graph.Step{
				{Types: []string{"KNOWS"}, Direction: graph.Both, MinHops: 1, MaxHops: 3, To: &graph.NodePattern{Label: "person"}},
				{Types: []string{"WROTE"}}},
			Properties: map[string][]string{"book": {"title"}, "person": {}}, OmitConnections: true, Limit: 1, Cursor: "c"}},
	{`{"to":{"label":"book"},"relationships":[{"type":"WROTE","direction":"outgoing"}],"from":{"label":"person"},"connections":true}`,
		&graph.Traverse{From: graph.NodePattern{Label: "person"}, To: graph.NodePattern{Label: "book"},
			Relationships: []graph.Step{{Types: []string{"WROTE"}, Direction: graph.Outgoing}}}},

	{`{"start_node":{"label":"person","node_id":7}}`, &graph.Neighbors{Start: graph.NodeID{Label: "person", ID: graph.Number("7")}}},
	{`{"start_node":{"label":"shelf","node_id":["a",7]},"max_hops":3,"direction":"incoming","node_types":["book"],"relationship_types":["WROTE"],"filters":{"book":{"pages":3},"person":{}},"properties":{"book":["title"]},"limit":5,"cursor":"c"}`,
		&graph.Neighbors{Start: graph.NodeID{Label: "shelf", ID: graph.List(graph.String("a"), graph.Number("7"))}, MaxHops: 3, Direction: graph.Incoming,
			NodeTypes: []string{"book"}, RelationshipTypes: []string{"WROTE"},
			Filters:    map[string]graph.Filter{"book": graph.And{graph.Compare{Property: "pages", Value: graph.Number("3")}}, "person": graph.And(nil)},
			Properties: map[string][]string{"book": {"title"}}, Limit: 5, Cursor: "c"}},

	{`{"from":{"label":"person","node_id":7},"to":{"label":"book","node_id":"x"}}`,
		&graph.Paths{From: graph.NodeID{Label: "person", ID: graph.Number("7")}, To: graph.NodeID{Label: "book", ID: graph.String("x")}}},
	{`{"from":{"label":"person","node_id":7},"to":{"label":"person","node_id":8},"mode":"k_shortest","k":10,"max_hops":6,"direction":"outgoing","relationship_types":["KNOWS"],"node_types":["book"],"filters":{},"properties":{},"weight":"year","limit":1}`,
		&graph.Paths{From: graph.ID("person", graph.Number("7")), To: graph.ID("person", graph.Number("8")), Mode: graph.KShortest, K: 10, MaxHops: 6,
			Direction: graph.Outgoing, RelationshipTypes: []string{"KNOWS"}, NodeTypes: []string{"book"},
			Filters: map[string]graph.Filter{}, Properties: map[string][]string{}, Weight: "year", Limit: 1}},

	{`{"node_label":"book","aggregations":[{"function":"count"}]}`,
		&graph.Aggregate{NodePattern: graph.NodePattern{Label: "book"}, Aggregations: []graph.Aggregation{{Function: graph.Count}}}},
	{`{"node_label":"book","ids":["x"],"filters":{"pages":3},"where":"pages > 1","search":"go","related":[],"aggregations":[{"function":"avg","property":"pages","as":"mean","filters":{"state":"in"},"where":"pages < 9"}],"group_by":[{"property":"added","truncate":"month","as":"m"},{"relationships":[{"type":"WROTE","direction":"incoming","to":{"label":"person"}}],"property":["name","id"]},{"relationships":[{"type":"STANDS_ON","to":{"label":"shelf"}}]}],"having":[{"as":"mean","op":"gte","value":1.5}],"order_by":[{"as":"mean","direction":"desc"},{"as":"m"}],"limit":100,"cursor":"c"}`,
		&graph.Aggregate{
			NodePattern: graph.NodePattern{Label: "book", IDs: []graph.Value{graph.String("x")}, Where: "pages > 1", Search: "go",
				Filter: graph.And{graph.Compare{Property: "pages", Value: graph.Number("3")}}},
			Aggregations: []graph.Aggregation{{Function: graph.Avg, Property: "pages", As: "mean", Where: "pages < 9",
				Filter: graph.And{graph.Compare{Property: "state", Value: graph.String("in")}}}},
			GroupBy: []graph.GroupKey{
				{Property: "added", Truncate: graph.Month, As: "m"},
				{Relationships: []graph.Step{{Types: []string{"WROTE"}, Direction: graph.Incoming, To: &graph.NodePattern{Label: "person"}}}, Properties: []string{"name", "id"}},
				{Relationships: []graph.Step{{Types: []string{"STANDS_ON"}, To: &graph.NodePattern{Label: "shelf"}}}}},
			Having:  []graph.Having{{As: "mean", Op: graph.Gte, Value: graph.Number("1.5")}},
			OrderBy: []graph.ColumnOrder{{As: "mean", Direction: graph.Desc}, {As: "m"}},
			Limit:   100, Cursor: "c"}},
	{`{"node_label":"person","aggregations":[{"function":"count"}],"group_by":[{"relationships":[{"type":"KNOWS","to":{"label":"person","related":[{"relationships":[{"type":"WROTE","to":{"label":"book","filters":{"title":{"in":["x"]}}}}]}]}}]}]}`,
		&graph.Aggregate{NodePattern: graph.NodePattern{Label: "person"}, Aggregations: []graph.Aggregation{{Function: graph.Count}},
			GroupBy: []graph.GroupKey{{Relationships: []graph.Step{{Types: []string{"KNOWS"}, To: &graph.NodePattern{Label: "person",
				Related: []graph.Related{{Relationships: []graph.Step{{Types: []string{"WROTE"}, To: &graph.NodePattern{Label: "book",
					Filter: graph.And{graph.Compare{Property: "title", Op: graph.In, Value: graph.List(graph.String("x"))}}}}}}}}}}}}}},
}

func TestDecodeGood(t *testing.T) {
	r := libraryTools(t)
	for _, c := range good {
		t.Run(c.args, func(t *testing.T) {
			q, errs := r.Decode(c.want.Tool(), []byte(c.args))
			require.Empty(t, errs)
			require.Equal(t, c.want, q)
		})
	}
}
