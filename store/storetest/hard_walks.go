package storetest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// A hardWalk is a call on the hard graph, and its answer as the row of a
// script's table.
type hardWalk struct{ tool, args, want string }

type hardWalkSet struct {
	name  string
	walks []hardWalk
}

func hardWalks() []hardWalkSet {
	return []hardWalkSet{
		{"T22 a loop", []hardWalk{
			{graph.ToolNeighbors, around(loop, `"max_hops": 3`), nothing},
			{graph.ToolPaths, between(loop, loop, `"mode": "all", "max_hops": 6`), nothing},
			{graph.ToolTraverse, stepping(loop, road("")), "1"},
			{graph.ToolTraverse, stepping(loop, road(`"direction": "both", "max_hops": 3`)), "1"},
			{graph.ToolTraverse, stepping(loop, road(`"min_hops": 2`)), nothing},
			{graph.ToolTraverse, stepping(loop, road(""), road(""), road("")), "1"},
			{graph.ToolFindNodes, connected(loop, `"eq": 1`, road(`"max_hops": 3`)), "1"},
			{graph.ToolFindNodes, connected(loop, `"eq": 0`, road(`"min_hops": 2`)), "1"},
		}},
		{"T22 a cycle of two", []hardWalk{
			{graph.ToolNeighbors, around(pair, `"max_hops": 3`), "3"},
			{graph.ToolPaths, between(pair, pair+1, `"mode": "all", "max_hops": 6`), "2>3"},
			{graph.ToolTraverse, stepping(pair, road(`"max_hops": 3`)), "3"},
			{graph.ToolTraverse, stepping(pair, road(`"min_hops": 2, "max_hops": 3`)), nothing},
			{graph.ToolTraverse, stepping(pair, road(""), road("")), "2"},
			{graph.ToolTraverse, stepping(pair, road(""), road(""), road("")), "3"},
			{graph.ToolFindNodes, connected(pair, `"eq": 1`, road(`"max_hops": 3`)), "2"},
		}},
		{"T22 a clique of 31", []hardWalk{
			{graph.ToolNeighbors, around(clique+30, `"max_hops": 3`), list(clique, 30) + "; truncated rows"},
			{graph.ToolNeighbors, around(clique+30, `"max_hops": 3, "filters": {"spot": {"id": {"gte": 100}}}`), list(clique, 30)},
			{graph.ToolPaths, between(clique+1, clique+30, `"max_hops": 6`), "101>130"},
			{graph.ToolPaths, between(clique+1, clique+30, `"mode": "all_shortest", "max_hops": 6`), "101>130"},
			{graph.ToolPaths, between(clique+1, clique+30, `"mode": "all", "max_hops": 6`), "101>130 | 101>100>130 | " + cliquePaths(102, 129) + "; truncated rows"},
			{graph.ToolPaths, between(clique+1, clique+30, `"mode": "all", "max_hops": 2`), "101>130 | 101>100>130 | " + cliquePaths(102, 129)},
			// Nothing that goes into the clique comes out of it but where it went in.
			{graph.ToolPaths, between(entrance, exit, `"mode": "all", "max_hops": 6`), "98>100>99"},
			{graph.ToolPaths, between(exit, entrance, `"mode": "all", "max_hops": 6, "direction": "outgoing"`), nothing},
			{graph.ToolTraverse, stepping(clique+30, road(`"max_hops": 3`)), list(clique, 30) + "; truncated rows"},
			{graph.ToolTraverse, stepping(clique+30, road(`"min_hops": 3`)), list(exit, 30) + "; truncated rows"},
			{graph.ToolTraverse, stepping(clique+30, road(""), road(""), road("")), list(exit, 30) + "; truncated rows"},
			{graph.ToolFindNodes, connected(clique+30, `"eq": 31`, road(`"max_hops": 3`)), "130"},
			{graph.ToolFindNodes, connected(clique+30, `"eq": 32`, road(""), road(""), road("")), "130"},
		}},
		{"T22 a hub with 100,000 neighbours", []hardWalk{
			{graph.ToolNeighbors, around(hub, `"max_hops": 3`), list(firstLeaf, 30) + "; truncated rows"},
			{graph.ToolNeighbors, around(firstLeaf, `"max_hops": 3`), "1000 " + list(firstLeaf+1, 29) + "; truncated rows"},
			{graph.ToolNeighbors, around(firstLeaf, `"direction": "outgoing"`), nothing},
			{graph.ToolPaths, between(firstLeaf, hub+leaves, ""), "1001>1000>101000"},
			{graph.ToolPaths, between(firstLeaf, hub+leaves, `"mode": "all_shortest", "max_hops": 6`), "1001>1000>101000"},
			{graph.ToolPaths, between(firstLeaf, hub+leaves, `"mode": "all"`), "1001>1000>101000"},
			{graph.ToolPaths, between(hub, hub+leaves, `"mode": "all", "max_hops": 2`), "1000>101000"},
			{graph.ToolPaths, between(firstLeaf, hub+leaves, `"max_hops": 6, "direction": "outgoing"`), nothing},
			{graph.ToolPaths, between(firstLeaf, loop, `"max_hops": 6`), nothing},
			{graph.ToolTraverse, stepping(hub, road("")), list(firstLeaf, 30) + "; truncated rows"},
			{graph.ToolTraverse, stepping(firstLeaf, road(`"direction": "incoming"`), road("")), list(firstLeaf, 30) + "; truncated rows"},
			{graph.ToolTraverse, stepping(firstLeaf, road(`"direction": "both", "max_hops": 3`)), "1000 " + list(firstLeaf+1, 29) + "; truncated rows"},
			{graph.ToolFindNodes, connected(hub, `"eq": 100000`, road("")), "1000"},
			{graph.ToolFindNodes, `{"node_label": "spot", "related": [{"relationships": [{"type": "ROAD"}], "count": {"gt": 31}}]}`, "1000"},
			{graph.ToolAggregate, `{"node_label": "spot", "group_by": [{"relationships": [{"type": "ROAD", "direction": "incoming", "to": {"label": "spot", "ids": [1000]}}]}], "aggregations": [{"function": "count"}, {"function": "max", "property": "id"}]}`, "1000 100000 101000"},
		}},
		{"T22 a lattice with a million paths", []hardWalk{
			{graph.ToolNeighbors, around(source, `"max_hops": 3`), list(501, 30) + "; truncated rows"},
			{graph.ToolPaths, between(source, sink, `"max_hops": 6`), latticePaths(1)},
			{graph.ToolPaths, between(source, sink, `"max_hops": 6, "mode": "all_shortest"`), latticePaths(30) + "; truncated rows"},
			{graph.ToolPaths, between(source, sink, `"max_hops": 6, "mode": "all"`), latticePaths(30) + "; truncated rows"},
			{graph.ToolPaths, between(source, sink, `"max_hops": 5, "mode": "all"`), nothing},
			{graph.ToolPaths, between(sink, source, `"max_hops": 6, "mode": "all", "direction": "outgoing"`), nothing},
			{graph.ToolTraverse, stepping(source, road(`"max_hops": 3`)), list(501, 30) + "; truncated rows"},
			{graph.ToolFindNodes, connected(source, `"eq": 16`, road(`"min_hops": 3`)), "500"},
			{graph.ToolFindNodes, connected(source, `"eq": 16`, road(`"min_hops": 3`), road("")), "500"},
		}},
	}
}

func around(start int, more string) string {
	return fmt.Sprintf(`{"start_node": {"label": "spot", "node_id": %d}%s}`, start, further(more))
}

func between(from, to int, more string) string {
	return fmt.Sprintf(`{"from": {"label": "spot", "node_id": %d}, "to": {"label": "spot", "node_id": %d}%s}`, from, to, further(more))
}

func road(more string) string { return `{"type": "ROAD"` + further(more) + `}` }

func stepping(from int, steps ...string) string {
	return fmt.Sprintf(`{"from": {"label": "spot", "ids": [%d]}, "relationships": [%s], "to": {"label": "spot"}}`, from, strings.Join(steps, ", "))
}

// connected asks for a node if it is connected to so many others.
func connected(id int, count string, steps ...string) string {
	return fmt.Sprintf(`{"node_label": "spot", "ids": [%d], "related": [{"relationships": [%s], "count": {%s}}]}`, id, strings.Join(steps, ", "), count)
}

// further continues a JSON object.
func further(more string) string {
	if more == "" {
		return ""
	}
	return ", " + more
}

// span lists the ids of n spots from the first on.
func span(first, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(first + i)
	}
	return out
}

func list(first, n int) string { return strings.Join(span(first, n), " ") }

// cliquePaths are the paths from 101 to 130 through one of these.
func cliquePaths(first, last int) string {
	var out []string
	for _, id := range span(first, last-first+1) {
		out = append(out, "101>"+id+">130")
	}
	return strings.Join(out, " | ")
}

// latticePaths are the first n paths through the lattice: the last layer
// changes fastest.
func latticePaths(n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("500>501>517>533>%d>%d>600", 549+i/layerSize, 565+i%layerSize)
	}
	return strings.Join(out, " | ")
}
