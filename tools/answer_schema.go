package tools

import (
	"encoding/json"

	"github.com/trellisgraph/trellis/graph"
)

// AnswerSchema returns the JSON Schema (draft-07) of what a tool answers, by its
// Tool.Answers: the same for every graph and every caller, because it names none
// of their labels. It is nil for other names.
func AnswerSchema(tool string) json.RawMessage {
	b := &builder{}
	var fields doc
	switch tool {
	case graph.ToolDescribe:
		return appendJSON(nil, append(b.describeAnswer(), "definitions", b.defs))
	case graph.ToolFindNodes:
		fields = doc{"nodes", list(b.answerNode(), 0)}
	case graph.ToolTraverse, graph.ToolNeighbors:
		fields = doc{"nodes", list(b.answerNode(), 0), "relationships", list(b.answerRelationship(), 0)}
	case graph.ToolPaths:
		fields = doc{"nodes", list(b.answerNode(), 0), "relationships", list(b.answerRelationship(), 0), "paths", list(b.answerPath(), 0)}
	case graph.ToolAggregate:
		column := record(0, "name", aString, "type", aString)
		fields = doc{"columns", list(column, 0), "rows", list(doc{"type", "object"}, 0)}
	default:
		if d := b.recordAnswer(tool); d != nil {
			return appendJSON(nil, d)
		}
		return nil
	}
	schema := record(1, append(append(doc{
		"format", doc{"type", "string", "const", graph.ResultFormat},
		"tool", doc{"type", "string", "const", tool},
	}, fields...),
		"returned", doc{"type", "integer", "description", "how many of nodes, paths or rows are what was asked for; nodes after them connect them"},
		"truncated", aBoolean,
		"truncated_by", either(aString, doc{"type", "null"}),
		"next_cursor", either(aString, doc{"type", "null"}),
		"warnings", list(warningAnswer(), 0),
		"executed", aString,
		"statements", list(record(0, "sql", aString, "parameters", list(doc{"type", "object"}, 0), "executions", anInteger), 0),
	)...)
	if len(b.defs) > 0 {
		schema = append(schema, "definitions", b.defs)
	}
	return appendJSON(nil, schema)
}

// record is the schema of an object that has all the given members, but for the
// last ones, which may be absent.
func record(optional int, fields ...any) doc {
	required := []string{}
	for i := 0; i < len(fields)-2*optional; i += 2 {
		required = append(required, fields[i].(string))
	}
	return doc{"type", "object", "properties", doc(fields), "required", required, "additionalProperties", false}
}

func (b *builder) answerNode() doc {
	return b.define("node", func() doc {
		fields := doc{"label", aString, "id", aString, "properties", doc{"type", "object"}}
		return record(2, append(fields,
			"distance", doc{"type", "integer", "description", "hops from the start"},
			"cut", b.cut())...)
	})
}

func (b *builder) answerRelationship() doc {
	return b.define("relationship", func() doc {
		return record(1, "type", aString, "from", b.reference(), "to", b.reference(), "properties", doc{"type", "object"}, "cut", b.cut())
	})
}

func (b *builder) answerPath() doc {
	return record(1, "nodes", list(b.reference(), 0),
		"relationships", append(list(anInteger, 0), "description", "indexes into relationships"),
		"length", anInteger, "weight", either(aNumber, aString))
}

func (b *builder) reference() doc {
	return b.define("reference", func() doc { return record(0, "label", aString, "id", aString) })
}

func (b *builder) cut() doc {
	return b.define("cut", func() doc {
		return doc{"type", "object", "additionalProperties", anInteger, "description", "full lengths, in bytes, of texts that were shortened"}
	})
}

// describeAnswer is the schema of a description of a graph.
func (b *builder) describeAnswer() doc {
	pair := doc{"type", "array", "items", aString, "minItems", 2, "maxItems", 2}
	properties := list(b.define("property", func() doc {
		return record(5, "name", aString, "type", aString,
			"nullable", doc{"type", "boolean"}, "values", list(aString, 0), "description", aString, "filterable", doc{"type", "boolean"}, "pairs", list(pair, 0))
	}), 0)
	sides := record(2, "outgoing", list(aString, 0), "incoming", list(aString, 0))
	label := record(3, "name", aString, "description", aString, "properties", properties, "relationships", sides)
	relationshipType := record(5, "name", aString, "from", aString, "to", aString, "pairs", list(pair, 0), "description", aString, "properties", properties)
	return record(0,
		"format", doc{"type", "string", "const", graph.DescriptionFormat}, "revision", aString,
		"node_types", list(label, 0), "relationship_types", list(relationshipType, 0), "limits", doc{"type", "object"})
}
