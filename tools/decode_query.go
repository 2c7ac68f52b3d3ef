package tools

import (
	"encoding/json"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

func (d *decoder) describe() *graph.Describe {
	q := new(graph.Describe)
	o, ok := d.open(describeShape)
	for ok && d.next(&o) {
		switch o.key {
		case "expand_schema":
			q.Expand = d.boolean()
		case "expand_nodes":
			q.ExpandNodes = d.names("a list of labels")
		case "expand_relationship_types":
			q.ExpandRelationshipTypes = d.names("a list of relationship types")
		case "search":
			q.Search = d.text()
		}
	}
	return q
}

func (d *decoder) findNodes() *graph.FindNodes {
	q := new(graph.FindNodes)
	o, ok := d.open(findShape)
	var byLabel *graph.Error // properties given by label, and its text
	var object string
	for ok && d.next(&o) {
		switch o.key {
		case "node_label":
			q.Label = d.text()
		case "properties":
			if d.peek() == '{' {
				byLabel, object = d.wrongType("a list of properties", '[', "")
				break
			}
			q.Properties = d.names("a list of properties")
		case "order_by":
			q.OrderBy = d.order()
		case "limit":
			q.Limit = d.integer(1, d.limits.Rows)
		case "cursor":
			q.Cursor = d.cursor()
		default:
			d.nodeField(&q.NodePattern, o.key)
		}
	}
	if byLabel != nil && d.failed == nil {
		var lists map[string]json.RawMessage
		if json.Unmarshal([]byte(object), &lists) == nil && strings.HasPrefix(string(lists[q.Label]), "[") {
			byLabel.Fix = replace(byLabel.Path, string(lists[q.Label]))
		}
	}
	return q
}

func (d *decoder) traverse() *graph.Traverse {
	q := d.newTraverse()
	o, ok := d.open(traverseShape)
	var listed *graph.Error // properties given as a list, and its text
	var list string
	for ok && d.next(&o) {
		switch o.key {
		case "from":
			d.node(&q.From, nodeShape)
		case "relationships":
			q.Relationships = d.steps(nodeShape)
		case "to":
			d.node(&q.To, nodeShape)
		case "properties":
			if d.peek() == '[' {
				listed, list = d.wrongType(byLabelShape.noun, '{', "")
				break
			}
			q.Properties = d.propertiesByLabel()
		case "order_by":
			q.OrderBy = d.order()
		case "connections":
			n := len(d.errs)
			q.OmitConnections = !d.boolean() && len(d.errs) == n
		case "limit":
			q.Limit = d.integer(1, d.limits.Rows)
		case "cursor":
			q.Cursor = d.cursor()
		}
	}
	if listed != nil && q.To.Label != "" && d.failed == nil {
		listed.Fix = []graph.Patch{{Op: "replace", Path: listed.Path, Value: map[string]any{q.To.Label: json.RawMessage(list)}}}
	}
	return q
}

func (d *decoder) neighbors() *graph.Neighbors {
	q := new(graph.Neighbors)
	o, ok := d.open(neighborsShape)
	for ok && d.next(&o) {
		switch o.key {
		case "start_node":
			q.Start = d.nodeID()
		case "max_hops":
			q.MaxHops = d.integer(1, d.limits.StepHops)
		case "direction":
			q.Direction = d.direction()
		case "node_types":
			q.NodeTypes = d.names("a list of labels")
		case "relationship_types":
			q.RelationshipTypes = d.names("a list of relationship types")
		case "filters":
			q.Filters = d.filtersByLabel()
		case "properties":
			q.Properties = d.propertiesByLabel()
		case "limit":
			q.Limit = d.integer(1, d.limits.Rows)
		case "cursor":
			q.Cursor = d.cursor()
		}
	}
	return q
}

func (d *decoder) paths() *graph.Paths {
	q := new(graph.Paths)
	o, ok := d.open(pathsShape)
	var mistaken graph.Errors // about k
	for ok && d.next(&o) {
		switch o.key {
		case "from":
			q.From = d.nodeID()
		case "to":
			q.To = d.nodeID()
		case "mode":
			q.Mode = graph.PathMode(d.enum("mode", modes))
		case "k":
			n := len(d.errs)
			q.K = d.integer(1, maxK)
			mistaken = d.errs[n:]
		case "max_hops":
			q.MaxHops = d.integer(1, d.limits.PathHops)
		case "direction":
			q.Direction = d.direction()
		case "relationship_types":
			q.RelationshipTypes = d.names("a list of relationship types")
		case "node_types":
			q.NodeTypes = d.names("a list of labels")
		case "filters":
			q.Filters = d.filtersByLabel()
		case "properties":
			q.Properties = d.propertiesByLabel()
		case "weight":
			q.Weight = d.filled(graph.UnknownProperty, "weight")
		case "limit":
			q.Limit = d.integer(1, d.limits.Rows)
		}
	}
	if q.Mode != graph.KShortest { // k would be refused even if it were right
		for _, e := range mistaken {
			e.Fix = []graph.Patch{{Op: "remove", Path: e.Path}}
		}
	}
	return q
}

func (d *decoder) aggregate() *graph.Aggregate {
	q := new(graph.Aggregate)
	o, ok := d.open(aggregateShape)
	for ok && d.next(&o) {
		switch o.key {
		case "node_label":
			q.Label = d.text()
		case "aggregations":
			if !d.openItems("a list of aggregations", aggregationShape) {
				break
			}
			for i := 0; d.element(i); i++ {
				q.Aggregations = append(q.Aggregations, d.aggregation())
			}
			if len(q.Aggregations) == 0 && d.failed == nil {
				d.emptyList()
			}
		case "group_by":
			if !d.openItems("a list of group keys", groupShape) {
				break
			}
			for i := 0; d.element(i); i++ {
				q.GroupBy = append(q.GroupBy, d.groupKey())
			}
		case "having":
			if !d.openItems("a list of conditions", havingShape) {
				break
			}
			for i := 0; d.element(i); i++ {
				q.Having = append(q.Having, d.having())
			}
		case "order_by":
			if !d.openItems("a list of keys", columnOrderShape) {
				break
			}
			for i := 0; d.element(i); i++ {
				q.OrderBy = append(q.OrderBy, d.columnOrder())
			}
		case "limit":
			q.Limit = d.integer(1, d.limits.Groups)
		case "cursor":
			q.Cursor = d.cursor()
		default:
			d.nodeField(&q.NodePattern, o.key)
		}
	}
	return q
}

func (d *decoder) cursor() string {
	return d.filled(graph.InvalidCursor, "a cursor")
}

func (d *decoder) direction() graph.Direction {
	return graph.Direction(d.enum("direction", directions))
}

// The words that arguments choose from, as the published schemas list them.
var (
	directions     = []string{"outgoing", "incoming", "both"}
	sortDirections = []string{"asc", "desc"}
	modes          = []string{"shortest", "all_shortest", "all", "k_shortest"}
	functions      = []string{"count", "count_distinct", "sum", "avg", "min", "max"}
	units          = []string{"minute", "hour", "day", "week", "month", "quarter", "year"}
)

// Caps that are no limits of the host.
const (
	maxK            = 10 // paths of k_shortest
	maxRelatedSteps = 3  // steps of a related condition or a group key
)
