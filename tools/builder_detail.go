package tools

import (
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A detail is how much of a graph the schemas of its tools spell out. Less of it
// accepts more calls, which Trellis refuses itself, and takes less of what a
// model can read; the names that are left out are in get_graph_schema.
type detail int

const (
	// exact lists all names, and where a label is a key exactly its properties.
	exact detail = iota
	// mixed lists all names, but the properties of no label by itself.
	mixed
	// unlisted lists no properties, only labels and types, once in each tool.
	unlisted
	// bare lists no names at all.
	bare
)

// detailed returns the six tools with as much detail as fits the limit, which
// bare ones may be over all the same.
func detailed(s *schema.Schema, l graph.Limits) []*Tool {
	b := newBuilder(s, l)
	for b.detail = exact; ; b.detail++ {
		list := []*Tool{b.describe(), b.findNodes(), b.traverse(), b.neighbors(), b.paths(), b.aggregate()}
		size := 0
		for _, t := range list {
			size += len(t.Name) + len(t.Title) + len(t.Description) + len(t.Parameters)
		}
		if size <= l.ToolBytes || b.detail == bare {
			return list
		}
	}
}

// label is the schema of a label's name.
func (b *builder) label() doc { return b.name("label", b.labels) }

// relationshipType is the schema of a type's name.
func (b *builder) relationshipType() doc { return b.name("relationship_type", b.types) }

func (b *builder) name(kind string, names []string) doc {
	switch b.detail {
	case unlisted:
		return b.define(kind, func() doc { return oneOfNames(names) })
	case bare:
		return b.define(kind, func() doc { return text("one that get_graph_schema lists") })
	}
	return oneOfNames(names)
}

// property is the schema of the name of one of some properties.
func (b *builder) property(names []string) doc {
	if b.detail >= unlisted {
		return doc{"type", "string"}
	}
	return oneOfNames(names)
}

// someFilters is the schema of conditions on properties that are not listed.
func (b *builder) someFilters() doc {
	return doc{"type", "object", "additionalProperties", b.define("condition", b.someCondition), "maxProperties", b.limits.Filters}
}

// someCondition is the schema of a condition on a property of any type.
func (b *builder) someCondition() doc {
	v := either(aString, aNumber, aBoolean)
	var ops doc
	for _, op := range allOperators {
		operand := v
		switch graph.Op(op) {
		case graph.In, graph.NotIn:
			operand = list(v, b.limits.ListValues)
		case graph.Contains, graph.StartsWith, graph.EndsWith:
			operand = doc{"type", "string", "maxLength", b.limits.PatternBytes}
		case graph.IsNull:
			operand = doc{"type", "boolean"}
		}
		ops = append(ops, op, operand)
	}
	return either(v, doc{"type", "object", "properties", ops, "additionalProperties", false, "minProperties", 1})
}
