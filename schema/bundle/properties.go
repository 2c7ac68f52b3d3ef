package bundle

import (
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// properties reads those of the top level.
func (a *annotator) properties() {
	list := a.root.get("properties")
	if list == nil || list.kind != objectNode {
		if list == nil {
			a.fail(a.root, "/properties", "the schema has no %q", "properties")
		}
		return
	}
	var required []string
	if v := a.root.get("required"); v != nil {
		for i := range v.items {
			required = append(required, v.items[i].text)
		}
	}
	folded := map[string]string{}
	for i := range list.members {
		m := &list.members[i]
		at := graph.Pointer("/properties", m.name)
		if !schema.IsName(m.name) {
			a.fail(m.at(), at, "%q is no name for a property of an entity", short(m.name)).Hint = "letters, digits and underscores, at most 63, no digit first"
			continue
		}
		if first, ok := folded[strings.ToLower(m.name)]; ok {
			a.fail(m.at(), at, "the properties %q and %q differ only in case", first, m.name)
		}
		folded[strings.ToLower(m.name)] = m.name
		p := &Property{Name: m.name, Required: slices.Contains(required, m.name)}
		form := a.form(&m.value, false, 0)
		p.Type, p.Array, p.Nullable, p.Enum = form.typ, form.array, form.nullable, form.enum
		a.t.byName[p.Name] = len(a.t.Properties)
		a.t.Properties = append(a.t.Properties, p)
		a.property(p, &m.value, at)
	}
}

// property reads the annotations of a property.
func (a *annotator) property(p *Property, n *node, at string) {
	p.Title, p.Description = a.text(n, at, "title", maxTitle), a.text(n, at, "description", schema.MaxDescription)
	p.Index, p.Derived = a.flag(n, at, "x-index"), a.flag(n, at, "x-derived")
	if p.Index && p.Derived {
		a.fail(&n.member("x-index").value, at+"/x-index", "%q is derived, so it cannot be a filter", p.Name).Hint = "take one of x-index and x-derived away"
	} else if p.Index && !indexable(p) {
		a.fail(&n.member("x-index").value, at+"/x-index", "%q is %s, by which nothing is filtered", p.Name, p.told()).Hint =
			"a text, a number, a date, true or false, or a list of texts or integers"
	}
	if v := n.get("x-content-type"); v != nil {
		p.ContentType = v.text
		switch {
		case v.kind != textNode || !contentType.MatchString(v.text):
			a.fail(v, at+"/x-content-type", "%s is no content type", v.told()).Hint = "such as text/markdown"
		case p.Type != schema.String || p.Array:
			a.fail(v, at+"/x-content-type", "%q is %s, and only a text has a content type", p.Name, p.told())
		}
	}
	a.reference(p, n, at)
}

// told is the form of a property for a message.
func (p *Property) told() string {
	switch {
	case p.Array:
		return "a list of " + p.Type.String()
	case p.Type == schema.JSON:
		return "of no single type"
	}
	return "of type " + p.Type.String()
}

// indexable reports whether a property can be filtered by. What a list holds is
// compared by its value, so it must be of a type that keys have.
func indexable(p *Property) bool {
	if p.Array {
		return slices.Contains([]schema.Type{schema.String, schema.Enum, schema.Int64, schema.UUID, schema.Date}, p.Type)
	}
	return p.Type != schema.JSON
}

func (a *annotator) flag(n *node, at, name string) bool {
	v := n.get(name)
	if v == nil {
		return false
	}
	if v.kind != boolNode {
		a.fail(v, at+"/"+name, "%q is true or false, not %s", name, v.kind)
	}
	return v.text == "true"
}

// reference reads what a property refers to. Whether it exists is known when all
// types are read.
func (a *annotator) reference(p *Property, n *node, at string) {
	typ, field := n.get("x-ref"), n.get("x-ref-field")
	if typ == nil {
		if field != nil {
			a.fail(field, at+"/x-ref-field", "%q needs %q beside it, which names the type", "x-ref-field", "x-ref")
		}
		return
	}
	if typ.kind != textNode {
		a.fail(typ, at+"/x-ref", "%q is the name of an entity type, not %s", "x-ref", typ.kind)
		return
	}
	if p.Type == schema.JSON || p.Type == schema.Float || p.Type == schema.Bool || p.Type == schema.DateTime {
		a.fail(typ, at+"/x-ref", "%q is %s, which refers to nothing", p.Name, p.told()).Hint = `a reference is a string or an integer, or a list of them: {"type": "array", "items": {"type": "string"}}`
		return
	}
	if p.Ref = (&Ref{Type: typ.text}); isText(p.Type) {
		p.Type, p.Enum = schema.String, nil // as keys are
	}
	if field != nil {
		if p.Ref.Field = field.text; field.kind != textNode {
			a.fail(field, at+"/x-ref-field", "%q is the name of a property, not %s", "x-ref-field", field.kind)
			p.Ref = nil
		}
	}
}

// A form is what values of a property are like, as far as a column goes.
type form struct {
	typ             schema.Type
	array, nullable bool
	enum            []string
}

// form finds out the type of a property's column, or of the items of a list.
// What a column cannot be sure of is json.
func (a *annotator) form(n *node, ofItems bool, depth int) form {
	any := form{typ: schema.JSON, nullable: true}
	if n.kind != objectNode || depth > maxDepth {
		return any // a reference to itself is reported
	}
	types, nullable := typesOf(n)
	if types == nil {
		types, nullable = typesOfValues(n)
	}
	enum, enumNull, isEnum := texts(n)
	switch {
	case isEnum && (types == nil || slices.Equal(types, []string{"string"})):
		return form{typ: schema.Enum, nullable: enumNull && (types == nil || nullable), enum: enum}
	case types == nil:
		return a.indirect(n, any, ofItems, depth)
	case len(types) != 1:
		return any
	}
	out := form{nullable: nullable}
	switch types[0] {
	case "string":
		out.typ = schema.String
		if f := n.get("format"); f != nil {
			switch f.text {
			case "date":
				out.typ = schema.Date
			case "date-time":
				out.typ = schema.DateTime
			case "uuid":
				out.typ = schema.UUID
			}
		}
	case "integer":
		out.typ = schema.Int64
	case "number":
		out.typ = schema.Float
	case "boolean":
		out.typ = schema.Bool
	case "array":
		items := n.get("items")
		if items == nil || ofItems || n.get("prefixItems") != nil {
			return any
		}
		f := a.form(items, true, depth+1)
		if f.array || f.nullable || f.typ == schema.JSON {
			return any
		}
		out.typ, out.array, out.enum = f.typ, true, f.enum
	default:
		return any
	}
	return out
}

// indirect is the form of a schema that refers to another one, or allows null
// beside another one.
func (a *annotator) indirect(n *node, any form, ofItems bool, depth int) form {
	if v := n.get("$ref"); v != nil {
		if target := refersTo(a.root, v.text); target != nil {
			return a.form(target, ofItems, depth+1)
		}
	}
	for _, name := range []string{"anyOf", "oneOf"} {
		list := n.get(name)
		if list == nil || len(list.items) != 2 {
			continue
		}
		for i := range list.items {
			if types, null := typesOf(&list.items[i]); null && len(types) == 0 {
				if f := a.form(&list.items[1-i], ofItems, depth+1); f.typ != schema.JSON {
					f.nullable = true
					return f
				}
			}
		}
	}
	return any
}

// typesOf are the types that a schema names, without null; nil if it names none.
func typesOf(n *node) (types []string, null bool) {
	v := n.get("type")
	if v == nil {
		return nil, false
	}
	list := []node{*v}
	if v.kind == listNode {
		list = v.items
	}
	types = []string{}
	for i := range list {
		if list[i].text == "null" {
			null = true
		} else {
			types = append(types, list[i].text)
		}
	}
	return types, null
}

// typesOfValues is the type that all values of an enum or a const have, without
// null; nil if it is not one.
func typesOfValues(n *node) (types []string, null bool) {
	for _, v := range listed(n) {
		typ := ""
		switch v.kind {
		case nullNode:
			null = true
			continue
		case textNode:
			typ = "string"
		case boolNode:
			typ = "boolean"
		case numberNode:
			typ = "number"
			if _, ok := integer(v.text); ok {
				typ = "integer"
			}
		}
		switch {
		case typ == "":
			return nil, false
		case types == nil:
			types = []string{typ}
		case types[0] == typ:
		case strings.Contains("integer number", types[0]) && strings.Contains("integer number", typ):
			types[0] = "number"
		default:
			return nil, false
		}
	}
	return types, null
}

// listed are the values of an enum or a const.
func listed(n *node) []node {
	if v := n.get("const"); v != nil {
		return []node{*v}
	} else if v := n.get("enum"); v != nil {
		return v.items
	}
	return nil
}

// texts are the values of an enum or a const that are all texts, or null.
func texts(n *node) (values []string, null, ok bool) {
	for _, v := range listed(n) {
		switch {
		case v.kind == nullNode:
			null = true
		case v.kind != textNode || !schema.IsValue(v.text) || slices.Contains(values, v.text):
			return nil, false, false
		default:
			values = append(values, v.text)
		}
	}
	return values, null, len(values) > 0
}
