package tools

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// maxDescription is how many characters clients show of a description.
const maxDescription = 2000

var descriptions = map[string]string{
	graph.ToolDescribe: "Shows which labels, relationship types and properties the graph has. Call it first, before any other tool. " +
		"Without arguments it lists the names; expand_nodes shows the properties and relationships of some labels, " +
		"expand_relationship_types those of some types, expand_schema everything. search finds names and descriptions.",
	graph.ToolFindNodes: "Finds the nodes of one label by id, by conditions on their properties, by search text, or by what they are connected to. " +
		"filters is an object: a bare value means equality, an operator object such as {\"gte\": 3, \"lt\": 9} a comparison. " +
		"Operators: eq ne lt lte gt gte in not_in contains starts_with ends_with is_null. " +
		"related keeps the nodes for which a path of relationships exists, does not exist, or reaches a number of nodes. " +
		"For figures use aggregate_nodes; to get the connected nodes themselves use traverse_relationships.",
	graph.ToolTraverse: "Walks from some nodes along a chain of relationships and returns the distinct nodes where it ends. " +
		"Use it when you know which relationships to follow. from and to say which nodes are meant; each step has a type, a direction " +
		"(outgoing unless said), and min_hops and max_hops to repeat it. A step may have its own to; the last step ends at the call's to. " +
		"The directions that exist are in get_graph_schema.",
	graph.ToolNeighbors: "Shows what surrounds one node, nearest first. Use it to look around when you do not know which relationships to follow. " +
		"node_types, relationship_types and filters restrict what is walked through and returned. " +
		"relationships are those among the nodes of this page and the start; those to nodes of other pages are left out.",
	graph.ToolPaths: "Shows how two nodes are connected. mode shortest gives one shortest path, all_shortest all of the least length, " +
		"all every path up to max_hops, the shortest first. k_shortest gives the k best, and weight minimises the sum of a relationship's property " +
		"instead of the hops; SQL stores refuse weight as UNSUPPORTED.",
	graph.ToolAggregate: "Computes figures over the nodes of one label: count, count_distinct, sum, avg, min and max, for all of them or by group. " +
		"group_by takes properties, buckets of time with truncate, and properties of connected nodes with relationships. " +
		"count counts nodes and takes no property. Columns are named count, <function>_<property>, or by as; having and order_by name columns.",
}

// description is what a tool does, with an example call in the schema's own
// words, as far as there is room.
func (b *builder) description(tool string) string {
	d := descriptions[tool]
	if args := b.example(tool); args != nil {
		example := "\n\nExample: " + printable(string(appendJSON(nil, args)))
		if utf8.RuneCountInString(d)+utf8.RuneCountInString(example) <= maxDescription {
			d += example
		}
	}
	return d
}

// printable drops control and formatting characters, with which a text could
// show a reader something else than it holds. Ends of lines and tabs part words.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s)
}

// example is a call of a tool that Trellis accepts; nil if the schema has too
// little for one.
func (b *builder) example(tool string) doc {
	label := b.exampleLabel()
	if label == nil {
		return nil
	}
	if tool == graph.ToolDescribe {
		return doc{"expand_nodes", []string{label.Name}}
	}
	filters := exampleFilters(label)
	switch tool {
	case graph.ToolFindNodes:
		return append(append(doc{"node_label", label.Name}, filters...), "limit", min(10, b.limits.Rows))
	case graph.ToolAggregate:
		args := append(doc{"node_label", label.Name}, filters...)
		return append(args, "aggregations", []doc{{"function", "count"}})
	case graph.ToolNeighbors:
		return doc{"start_node", reference(label), "max_hops", 1}
	}
	p := b.examplePair()
	switch {
	case p == nil:
		return nil
	case tool == graph.ToolPaths:
		return doc{"from", reference(p.From), "to", reference(p.To), "relationship_types", []string{p.Type.Name}}
	}
	return doc{
		"from", doc{"label", p.From.Name, "ids", []any{exampleKey(p.From)}},
		"relationships", []doc{{"type", p.Type.Name, "direction", "outgoing"}},
		"to", doc{"label", p.To.Name},
	}
}

// examplePair is the first pair of the first type; nil if there is none.
func (b *builder) examplePair() *schema.Pair {
	for t := range b.schema.Relationships() {
		if len(t.Pairs) > 0 {
			return t.Pairs[0]
		}
	}
	return nil
}

// exampleLabel prefers a label with something to filter by.
func (b *builder) exampleLabel() (first *schema.Label) {
	for l := range b.schema.Labels() {
		if exampleFilters(l) != nil {
			return l
		}
		if first == nil {
			first = l
		}
	}
	return first
}

// exampleFilters is a condition on an enum of the label, or else on a text.
func exampleFilters(l *schema.Label) doc {
	for _, p := range visible(l.Properties) {
		if p.Type == schema.Enum && conditional(p) && len(p.Values) > 0 {
			return doc{"filters", doc{p.Name, p.Values[0].Name}}
		}
	}
	for _, p := range visible(l.Properties) {
		if p.Type == schema.String && conditional(p) && !p.NoPatterns && !l.IsKey(p) {
			return doc{"filters", doc{p.Name, doc{"contains", "text"}}}
		}
	}
	return nil
}

func reference(l *schema.Label) doc {
	return doc{"label", l.Name, "node_id", exampleKey(l)}
}

func exampleKey(l *schema.Label) any {
	var parts []any
	for _, p := range l.Key {
		parts = append(parts, exampleValue(p))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return parts
}

func exampleValue(p *schema.Property) any {
	switch p.Type {
	case schema.Int32, schema.Int64:
		return 7
	case schema.UUID:
		return "7f1b8c52-3f0e-4d29-9b57-0f6f3c1a2b44"
	case schema.Enum:
		return p.EnumNames()[0]
	case schema.Date:
		return "2026-01-31"
	case schema.DateTime:
		return "2026-01-31T12:00:00Z"
	case schema.Decimal:
		return "7"
	}
	return "a7"
}
