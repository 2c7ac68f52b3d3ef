package tools

import "slices"

// A shape says which fields an object has. A shape without fields is that of an
// object whose names are the caller's: labels or properties.
type shape struct {
	noun string // in messages
	// fields begins with the required ones.
	fields   []string
	required int
	// short is the field meant by a plain text in the place of the object.
	short string
	// hints says more about names that are not fields.
	hints map[string]string
	// filtered says that the object's filters take the conditions of the decoder.
	filtered bool
}

func (s *shape) index(field string) int { return slices.Index(s.fields, field) }

func (s *shape) isRequired(i int) bool { return i < s.required }

// The shapes of the tools' arguments.
var (
	describeShape  = &shape{noun: "get_graph_schema", fields: []string{"expand_schema", "expand_nodes", "expand_relationship_types", "search"}}
	findShape      = &shape{noun: "find_nodes", required: 1, fields: []string{"node_label", "ids", "filters", "where", "search", "related", "properties", "order_by", "limit", "cursor"}}
	traverseShape  = &shape{noun: "traverse_relationships", required: 3, fields: []string{"from", "relationships", "to", "properties", "order_by", "connections", "limit", "cursor"}}
	neighborsShape = &shape{noun: "explore_neighbors", required: 1, fields: []string{"start_node", "max_hops", "direction", "node_types", "relationship_types", "filters", "properties", "limit", "cursor"}}
	pathsShape     = &shape{noun: "find_paths", required: 2, fields: []string{"from", "to", "mode", "k", "max_hops", "direction", "relationship_types", "node_types", "filters", "properties", "weight", "limit"}}
	aggregateShape = &shape{noun: "aggregate_nodes", required: 2, fields: []string{"node_label", "aggregations", "ids", "filters", "where", "search", "related", "group_by", "having", "order_by", "limit", "cursor"}}
)

// The shapes of what arguments are built from.
var (
	nodeShape = &shape{noun: "a node", required: 1, short: "label", fields: []string{"label", "ids", "filters", "where", "search", "related"}}
	// innerShape is a node inside a related condition.
	innerShape = &shape{noun: "a node of a related condition", required: 1, short: "label", fields: []string{"label", "ids", "filters", "where", "search"},
		hints: map[string]string{"related": "related conditions are not nested; add steps to relationships instead"}}
	stepShape        = &shape{noun: "a step", required: 1, short: "type", fields: []string{"type", "direction", "min_hops", "max_hops", "filters", "to"}}
	relatedShape     = &shape{noun: "a related condition", required: 1, fields: []string{"relationships", "exists", "count"}}
	nodeIDShape      = &shape{noun: "a reference to a node", required: 2, fields: []string{"label", "node_id"}}
	orderShape       = &shape{noun: "a key of order_by", required: 1, short: "property", fields: []string{"property", "direction"}}
	columnOrderShape = &shape{noun: "a key of order_by", required: 1, short: "as", fields: []string{"as", "direction"}}
	havingShape      = &shape{noun: "a condition of having", required: 3, fields: []string{"as", "op", "value"}}
	aggregationShape = &shape{noun: "an aggregation", required: 1, short: "function", fields: []string{"function", "property", "as", "filters", "where"}}
	groupShape       = &shape{noun: "a key of group_by", short: "property", fields: []string{"property", "relationships", "truncate", "as"}}
)

// The shapes of objects with the caller's names.
var (
	filtersShape   = &shape{noun: "an object of conditions by property"}
	operatorsShape = &shape{noun: "an object of operators"}
	byLabelShape   = &shape{noun: "an object by label"}
)

// aliases are names that callers use for fields, by what they may stand for.
var aliases = map[string][]string{
	"alias": {"as"}, "column": {"as", "property"}, "name": {"as", "property"},
	"aggregate": {"aggregations"}, "aggregates": {"aggregations"}, "metrics": {"aggregations"},
	"conditions": {"filters"}, "depth": {"max_hops"}, "max_depth": {"max_hops"}, "hops": {"max_hops"},
	"edges": {"relationships"}, "path": {"relationships"}, "steps": {"relationships"},
	"edge_types": {"relationship_types"}, "type": {"function"}, "types": {"type", "relationship_types"},
	"end": {"to"}, "end_node": {"to"}, "target": {"to"},
	"expand": {"expand_schema"}, "field": {"property"}, "fields": {"properties"}, "return_properties": {"properties"}, "select": {"properties"}, "return": {"properties"},
	"fn": {"function"}, "func": {"function"}, "group": {"group_by"},
	"id": {"node_id", "ids"}, "key": {"node_id", "ids"}, "node_id": {"ids"}, "node_ids": {"ids"},
	"label": {"node_label"}, "node_label": {"label"}, "node_type": {"label", "node_label"},
	"labels": {"node_types", "label", "expand_nodes"}, "node_labels": {"node_types", "expand_nodes"},
	"filter": {"filters"}, "max_results": {"limit"}, "page_size": {"limit"}, "top": {"limit"}, "first": {"limit"},
	"next_cursor": {"cursor"}, "after": {"cursor"},
	"operator": {"op"}, "property": {"as"}, "order": {"order_by", "direction", "sort"}, "sort": {"order_by"}, "sort_by": {"order_by", "sort"}, "order_by": {"sort"}, "skip": {"offset"},
	"q": {"search"}, "query": {"search"},
	"relationship": {"type", "relationships"}, "relationship_type": {"type", "relationship_types"},
	"start": {"start_node", "from"}, "start_node": {"from"}, "from": {"start_node"}, "source": {"from"},
}
