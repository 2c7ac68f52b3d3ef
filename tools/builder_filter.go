package tools

import (
	"slices"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// filters is the schema of conditions on some properties.
func (b *builder) filters(props []*schema.Property) doc {
	if b.detail >= unlisted {
		return b.someFilters()
	}
	var fields doc
	for _, name := range names(props) {
		var conds []doc
		for _, p := range props {
			if p.Name != name || !conditional(p) {
				continue
			}
			cond := b.condition(p)
			if !slices.ContainsFunc(conds, func(c doc) bool { return c[1] == cond[1] }) {
				conds = append(conds, cond)
			}
		}
		switch len(conds) {
		case 0:
		case 1:
			fields = append(fields, name, conds[0])
		default:
			fields = append(fields, name, doc{"anyOf", conds})
		}
	}
	return doc{"type", "object", "properties", fields, "additionalProperties", false, "maxProperties", b.limits.Filters}
}

// conditions are the names of the properties that can be filtered by.
func (b *builder) conditions() conditions {
	return conditions{node: filterable(b.nodeProps), relationship: filterable(b.relProps)}
}

func filterable(props []*schema.Property) map[string]bool {
	out := map[string]bool{}
	for _, p := range props {
		if conditional(p) {
			out[p.Name] = true
		}
	}
	return out
}

// conditional reports whether there are conditions on a property. Of a masked
// one there are none, for they would tell what the mask hides.
func conditional(p *schema.Property) bool { return !p.NotFilterable && p.Masked == "" }

// filtersOf is the schema of conditions on a label's properties.
func (b *builder) filtersOf(l *schema.Label) doc {
	return b.define("filters_"+l.Name, func() doc { return b.filters(visible(l.Properties)) })
}

// byLabel is the schema of an object with a member for each label; of some, in
// place of an exact one, is what all of them have the form of.
func (b *builder) byLabel(some func() doc, of func(*schema.Label) doc) doc {
	if b.detail >= mixed {
		return doc{"type", "object", "additionalProperties", some()}
	}
	var fields doc
	for l := range b.schema.Labels() {
		fields = append(fields, l.Name, of(l))
	}
	return doc{"type", "object", "properties", fields, "additionalProperties", false}
}

// condition refers to the schema of a condition on a property. Properties of
// one type share it; enums share it if they have the same values.
func (b *builder) condition(p *schema.Property) doc {
	return b.define(b.conditionName(p), func() doc { return b.anyCondition(p) })
}

func (b *builder) conditionName(p *schema.Property) string {
	name := "condition_" + p.Type.String()
	switch {
	case p.Type == schema.Enum:
		return b.enumName(p)
	case p.Type.Integer() && b.keys[p]:
		name += "_key"
	case p.Type == schema.String && p.NoPatterns:
		name += "_exact"
	}
	return name
}

// enumName names an enum's condition after its property, and with a number
// where a property of that name had other values before.
func (b *builder) enumName(p *schema.Property) string {
	known, values := b.enums[p.Name], p.EnumNames()
	i := slices.IndexFunc(known, func(v []string) bool { return slices.Equal(v, values) })
	if i < 0 {
		i = len(known)
		b.enums[p.Name] = append(known, values)
	}
	name := "condition_enum_" + p.Name
	if i > 0 {
		name += "_" + strconv.Itoa(i+1)
	}
	return name
}

// anyCondition is the schema of a condition: a bare value, or an object of
// operators.
func (b *builder) anyCondition(p *schema.Property) doc {
	v := b.value(p)
	if v[0] == "anyOf" { // it stands here for each operator
		v = b.define("value_"+strings.TrimPrefix(b.conditionName(p), "condition_"), func() doc { return b.value(p) })
	}
	var ops doc
	for _, op := range compile.OpsOf(p) {
		operand := v
		switch op {
		case graph.In, graph.NotIn:
			operand = list(v, b.limits.ListValues)
		case graph.Contains, graph.StartsWith, graph.EndsWith:
			operand = doc{"type", "string", "maxLength", b.limits.PatternBytes}
		case graph.IsNull:
			operand = doc{"type", "boolean"}
		}
		ops = append(ops, string(op), operand)
	}
	operators := doc{"type", "object", "properties", ops, "additionalProperties", false, "minProperties", 1}
	if p.Type == schema.JSON {
		return operators
	}
	return either(v, operators)
}

// digits is the pattern of an integer in its one canonical text.
const digits = "^(0|-?[1-9][0-9]*)$"

// value is the schema of a property's values.
func (b *builder) value(p *schema.Property) doc {
	switch p.Type {
	case schema.Int32, schema.Int64:
		integer := doc{"type", "integer"}
		if p.Type == schema.Int32 {
			integer = append(integer, "minimum", -1<<31, "maximum", 1<<31-1)
		}
		if b.keys[p] {
			return either(integer, doc{"type", "string", "pattern", digits})
		}
		return integer
	case schema.Float:
		return doc{"type", "number"}
	case schema.Decimal:
		return either(aNumber, aString)
	case schema.Bool:
		return doc{"type", "boolean"}
	case schema.Enum:
		return doc{"type", "string", "enum", p.EnumNames()}
	case schema.Date:
		return doc{"type", "string", "format", "date"}
	case schema.DateTime:
		return doc{"type", "string", "format", "date-time"}
	}
	return doc{"type", "string"}
}
