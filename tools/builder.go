package tools

import (
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A builder makes the JSON Schemas of the tools. What occurs in several places
// of one schema becomes a definition of it.
//
// Where a label is a key of the arguments, its properties are listed exactly.
// Where it is a value, all labels' properties are listed together: an exact
// schema would repeat itself for each label, and clients would not read it.
type builder struct {
	schema *schema.Schema
	limits graph.Limits
	labels []string
	types  []string
	// nodeProps and relProps are the visible properties of all labels and of
	// all relationship pairs.
	nodeProps, relProps []*schema.Property
	keys                map[*schema.Property]bool // whole keys of labels
	enums               map[string][][]string     // the lists of values, by property name
	defs                doc
	detail              detail
}

func newBuilder(s *schema.Schema, l graph.Limits) *builder {
	b := &builder{schema: s, limits: l, keys: map[*schema.Property]bool{}, enums: map[string][][]string{}}
	for label := range s.Labels() {
		b.labels = append(b.labels, label.Name)
		b.nodeProps = append(b.nodeProps, visible(label.Properties)...)
		if len(label.Key) == 1 {
			b.keys[label.Key[0]] = true
		}
	}
	for t := range s.Relationships() {
		b.types = append(b.types, t.Name)
		for _, p := range t.Pairs {
			b.relProps = append(b.relProps, visible(p.Properties)...)
		}
	}
	return b
}

func visible(props []*schema.Property) []*schema.Property {
	var out []*schema.Property
	for _, p := range props {
		if !p.Hidden {
			out = append(out, p)
		}
	}
	return out
}

// tool finishes a tool. The fields are those of its arguments, in the order of
// its shape, which says which are required.
func (b *builder) tool(name, title string, s *shape, fields doc) *Tool {
	schema := b.object(s, fields)
	if len(b.defs) > 0 {
		schema = append(schema, "definitions", b.defs)
		b.defs = nil
	}
	return &Tool{Name: name, Title: title, Description: b.description(name), Parameters: appendJSON(nil, schema), Asks: name, Answers: name}
}

// object is the schema of an object of a shape.
func (b *builder) object(s *shape, fields doc) doc {
	d := doc{"type", "object", "properties", fields}
	if s.required > 0 {
		d = append(d, "required", s.fields[:s.required])
	}
	return append(d, "additionalProperties", false)
}

// define returns a reference to a definition, which make makes on first use.
func (b *builder) define(name string, make func() doc) doc {
	ref := doc{"$ref", "#/definitions/" + name}
	for i := 0; i < len(b.defs); i += 2 {
		if b.defs[i] == name {
			return ref
		}
	}
	b.defs = append(b.defs, name, nil) // claimed before make, which may come back here
	at := len(b.defs) - 1
	made := make()
	b.defs[at] = made
	return ref
}

func list(items doc, most int) doc {
	d := doc{"type", "array", "items", items}
	if most > 0 {
		d = append(d, "maxItems", most)
	}
	return d
}

func filledList(items doc, most int) doc { return append(list(items, most), "minItems", 1) }

// either is the schema of what one of some schemas fits. Of a list of types in
// one schema, which JSON Schema allows, some clients know nothing.
func either(some ...doc) doc {
	var flat []doc
	for _, s := range some {
		if inner, ok := s[1].([]doc); ok && len(s) == 2 && s[0] == "anyOf" {
			flat = append(flat, inner...)
			continue
		}
		flat = append(flat, s)
	}
	return doc{"anyOf", flat}
}

var (
	anInteger = doc{"type", "integer"}
	aNumber   = doc{"type", "number"}
	aString   = doc{"type", "string"}
	aBoolean  = doc{"type", "boolean"}
)

func text(description string) doc { return doc{"type", "string", "description", description} }

func filledText(description string) doc { return append(text(description), "minLength", 1) }

// oneOfNames is a text out of a list. A schema that has no such names gets any
// text, for an empty enum is not valid; Trellis refuses it all the same.
func oneOfNames(names []string) doc {
	if len(names) == 0 {
		return doc{"type", "string"}
	}
	return doc{"type", "string", "enum", names}
}

func choice(names []string, def string) doc {
	d := oneOfNames(names)
	if def != "" {
		d = append(d, "default", def)
	}
	return d
}

func flag(def bool, description string) doc {
	return doc{"type", "boolean", "default", def, "description", description}
}

func whole(least, most, def int) doc {
	d := doc{"type", "integer", "minimum", least}
	if most > 0 {
		d = append(d, "maximum", most)
	}
	if def > 0 {
		d = append(d, "default", def)
	}
	return d
}

// names lists the properties once each, in the order of their first occurrence.
func names(props []*schema.Property) []string {
	var out []string
	seen := map[string]bool{}
	for _, p := range props {
		if !seen[p.Name] {
			seen[p.Name] = true
			out = append(out, p.Name)
		}
	}
	return out
}
