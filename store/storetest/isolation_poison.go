package storetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

// A told is a call and what its answer shows: the ids or the rows, in order,
// then the relationships.
type told struct{ tool, args, want string }

// poisoned are calls of the clinic's north about what is stored wrongly:
// relationships of north, of south and of North that lead from one to another.
// Of patient 10, who is north's, a doctor of south takes care; 10 is referred to
// 15, who is south's, and 15 back to 12.
var poisoned = []told{
	{graph.ToolTraverse, `{"from": {"label": "doctor", "ids": [["north", 1]]}, "relationships": [{"type": "TREATS"}], "to": {"label": "patient"}}`,
		`10 | ["north","1"]>10`},
	{graph.ToolTraverse, `{"from": {"label": "patient", "ids": [10]}, "relationships": [{"type": "TREATS", "direction": "incoming"}], "to": {"label": "doctor"}}`,
		`["north","1"] ["north","2"] | ["north","1"]>10 ["north","2"]>10`},
	{graph.ToolTraverse, `{"from": {"label": "doctor", "ids": [["north", 2]]}, "relationships": [{"type": "KNOWS", "direction": "both"}], "to": {"label": "doctor"}}`,
		`["north","1"] | ["north","1"]>["north","2"]`},
	{graph.ToolTraverse, `{"from": {"label": "patient", "ids": [10]}, "relationships": [{"type": "REFERS", "max_hops": 3}], "to": {"label": "patient"}}`,
		`11 12 13 | 10>11 11>12 12>13`},
	{graph.ToolTraverse, `{"from": {"label": "doctor"}, "relationships": [{"type": "WORKS_AT"}], "to": {"label": "clinic", "ids": [1]}}`,
		`1 | ["north","1"]>1`},
	{graph.ToolNeighbors, `{"start_node": {"label": "patient", "node_id": 10}, "relationship_types": ["REFERS"], "max_hops": 3}`,
		`11 12 13 | 10>11 11>12 12>13`},
	{graph.ToolNeighbors, `{"start_node": {"label": "clinic", "node_id": 1}, "max_hops": 2}`,
		`["north","1"] ["north","2"] 10 | ["north","1"]>["north","2"] ["north","1"]>10 ["north","1"]>1`},
	{graph.ToolPaths, `{"from": {"label": "patient", "node_id": 10}, "to": {"label": "patient", "node_id": 12}, "relationship_types": ["REFERS"], "mode": "all", "max_hops": 4}`,
		`10-11-12 | 10>11 11>12`},
	{graph.ToolPaths, `{"from": {"label": "doctor", "node_id": ["north", 2]}, "to": {"label": "doctor", "node_id": ["north", 1]}, "relationship_types": ["KNOWS"], "direction": "outgoing", "mode": "all", "max_hops": 3}`,
		` | `},
	{graph.ToolFindNodes, `{"node_label": "doctor", "related": [{"relationships": [{"type": "TREATS"}], "count": {"gte": 2}}]}`, `["north","2"] | `},
	{graph.ToolFindNodes, `{"node_label": "patient", "related": [{"relationships": [{"type": "TREATS", "direction": "incoming"}], "count": {"eq": 2}}]}`, `10 | `},
	{graph.ToolFindNodes, `{"node_label": "patient", "related": [{"relationships": [{"type": "TREATS", "direction": "incoming"}], "count": {"gte": 3}}]}`, ` | `},
	{graph.ToolFindNodes, `{"node_label": "patient", "related": [{"relationships": [{"type": "TREATS", "direction": "incoming"}], "exists": false}]}`, `11 13 | `},
	{graph.ToolFindNodes, `{"node_label": "patient", "related": [{"relationships": [{"type": "REFERS"}, {"type": "REFERS"}]}]}`, `10 11 | `},
	{graph.ToolAggregate, `{"node_label": "patient", "aggregations": [{"function": "count"}], "group_by": [{"relationships": [{"type": "TREATS", "direction": "incoming", "to": {"label": "doctor"}}]}]}`,
		`["north","1"] 1, ["north","2"] 2 | `},
	{graph.ToolAggregate, `{"node_label": "doctor", "aggregations": [{"function": "count"}], "group_by": [{"relationships": [{"type": "TREATS", "to": {"label": "patient"}}], "property": "name"}]}`,
		`Pia 2 | `},
	{graph.ToolAggregate, `{"node_label": "doctor", "aggregations": [{"function": "count"}], "group_by": [{"relationships": [{"type": "WORKS_AT", "to": {"label": "clinic"}}], "property": "name"}]}`,
		`Bay 1, Hill 1 | `},
}

// visibleOnly are calls of the clinic's north for figures, totals and pages: each
// is of the four patients, two doctors and three notes that it may see.
var visibleOnly = []told{
	{graph.ToolAggregate, `{"node_label": "patient", "aggregations": [{"function": "count"}, {"function": "sum", "property": "age"}, {"function": "avg", "property": "age"}, {"function": "min", "property": "age"}, {"function": "max", "property": "age"}, {"function": "count_distinct", "property": "name"}]}`,
		`4 180 45 30 60 3 | `},
	{graph.ToolAggregate, `{"node_label": "patient", "aggregations": [{"function": "count"}], "group_by": [{"property": "risk"}]}`, `low 2, high 2 | `},
	{graph.ToolAggregate, `{"node_label": "patient", "aggregations": [{"function": "count"}], "group_by": [{"property": "name"}], "having": [{"as": "count", "op": "gte", "value": 3}]}`, ` | `},
	{graph.ToolAggregate, `{"node_label": "patient", "filters": {"age": {"gt": 60}}, "aggregations": [{"function": "count"}]}`, `0 | `},
	{graph.ToolAggregate, `{"node_label": "patient", "ids": [10, 15, 16], "aggregations": [{"function": "count"}, {"function": "max", "property": "age"}]}`, `1 30 | `},
	{graph.ToolAggregate, `{"node_label": "patient", "where": "name == 'Sam'", "aggregations": [{"function": "count"}]}`, `0 | `},
	{graph.ToolAggregate, `{"node_label": "doctor", "aggregations": [{"function": "count"}], "group_by": [{"property": "house"}]}`, `north 2 | `},
	{graph.ToolAggregate, `{"node_label": "note", "aggregations": [{"function": "count"}]}`, `3 | `},
	{graph.ToolFindNodes, `{"node_label": "patient", "limit": 4}`, `10 11 12 13 | `},
	{graph.ToolFindNodes, `{"node_label": "patient", "order_by": [{"property": "age", "direction": "desc"}], "limit": 4}`, `13 12 11 10 | `},
	{graph.ToolFindNodes, `{"node_label": "patient", "search": "S", "limit": 1}`, ` | `},
	{graph.ToolTraverse, `{"from": {"label": "clinic"}, "relationships": [{"type": "WORKS_AT", "direction": "incoming"}], "to": {"label": "doctor"}, "connections": false, "limit": 2}`,
		`["north","1"] ["north","2"] | `},
	{graph.ToolNeighbors, `{"start_node": {"label": "patient", "node_id": 10}, "relationship_types": ["TREATS"], "max_hops": 1, "limit": 2}`,
		`["north","1"] ["north","2"] | ["north","1"]>10 ["north","2"]>10`},
	{graph.ToolPaths, `{"from": {"label": "patient", "node_id": 10}, "to": {"label": "patient", "node_id": 12}, "relationship_types": ["REFERS"], "mode": "all", "limit": 1}`,
		`10-11-12 | 10>11 11>12`},
}

// tellsOnly makes calls whose answers are whole, and are what is said.
func tellsOnly(t *testing.T, c *Caller, list []told) {
	for _, call := range list {
		r := mustAnswer(t, c, call.tool, call.args)
		require.Equal(t, call.want, toldBy(r), call.args)
		require.Equal(t, graph.Complete, r.TruncatedBy, call.args)
		require.Empty(t, r.NextCursor, call.args)
	}
}

// toldBy is what an answer shows, on a line.
func toldBy(r *graph.Result) string {
	asked := ids(r)
	if r.Tool == graph.ToolPaths {
		asked = nil
	}
	for _, p := range r.Paths {
		var on []string
		for _, n := range p.Nodes {
			on = append(on, n.ID)
		}
		asked = append(asked, strings.Join(on, "-"))
	}
	if len(r.Columns) > 0 {
		var rows []string
		for _, row := range r.Rows {
			var values []string
			for _, v := range row {
				values = append(values, v.Text())
			}
			rows = append(rows, strings.Join(values, " "))
		}
		asked = []string{strings.Join(rows, ", ")}
	}
	var along []string
	for _, rel := range r.Relationships {
		along = append(along, fmt.Sprintf("%s>%s", rel.From.ID, rel.To.ID))
	}
	return strings.Join(asked, " ") + " | " + strings.Join(along, " ")
}
