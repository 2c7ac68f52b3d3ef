package bundle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/schema"
)

// Schema is the schema that bundles become together; see Definition.
func Schema(revised time.Time, bundles ...*Bundle) (*schema.Schema, error) {
	def, err := Definition(revised, bundles...)
	if err != nil {
		return nil, err
	}
	return schema.New(def)
}

// Definition is the definition of the schema that bundles become together. An
// entity type becomes a label whose key is its id and whose nodes are records
// with the type's tools; its properties become properties of the label, those of
// no single type json, and one more json property holds the whole entity. It is
// called record, and is not shown by default.
//
// References become relationships, which are named after their properties in
// upper case and without an id at the end: category_ids makes CATEGORY. Those of
// several types with one name are pairs of one relationship type. A list of
// values that is a filter becomes a label of its values and a relationship to
// them: tags of product become product_tags and PRODUCT_TAGS.
//
// What the manifests say about the bundles is the schema's description.
//
// Two bundles cannot make one label: the error is a Problems. See Labels. What a
// bundle becomes has the same names whatever others there are; where two have a
// relationship type of one name, it has the pairs of both.
func Definition(revised time.Time, bundles ...*Bundle) (schema.Definition, error) {
	def, err := Part(revised, func(*Type) bool { return true }, bundles...)
	var about []string
	for _, b := range bundles {
		switch text := cmp.Or(b.description, b.title); {
		case text == "":
		case b.title != "" && b.title != text:
			about = append(about, b.title+": "+text)
		default:
			about = append(about, text)
		}
	}
	def.Description = clip(strings.Join(about, "\n"), schema.MaxDescription)
	return def, err
}

// Part is the definition of what some types of bundles become: that of
// Definition without the labels of the others, their values, what leads from or to
// them, and the properties that refer to them, which records are shown without; and
// without a description: those of bundles are of all their types. All that stays has
// the names that it has in the whole, so that a graph of the whole answers calls
// about the part.
func Part(revised time.Time, shown func(*Type) bool, bundles ...*Bundle) (schema.Definition, error) {
	def := schema.Definition{Revised: revised}
	m, err := newMapping(bundles)
	if err != nil {
		return def, err
	}
	m.leave(shown)
	for _, t := range m.types {
		def.Nodes = append(def.Nodes, m.node(t))
	}
	for _, l := range m.values {
		def.Nodes = append(def.Nodes, l.valueNode())
	}
	links := slices.Concat(m.references, m.values)
	slices.SortStableFunc(links, func(a, b *link) int { return strings.Compare(a.relationship, b.relationship) })
	room := 0 // that descriptions of a type have
	for _, l := range links {
		n := len(def.Relationships)
		if n == 0 || def.Relationships[n-1].Type != l.relationship {
			def.Relationships = append(def.Relationships, schema.RelationshipDefinition{Type: l.relationship})
			n, room = n+1, schema.MaxDescription
		}
		pair := l.pair()
		pair.Description = clip(l.describe(), room)
		room = max(0, room-utf8.RuneCountInString(pair.Description)-1)
		r := &def.Relationships[n-1]
		r.Pairs = append(r.Pairs, pair)
	}
	return def, nil
}

// leave takes out of a mapping whatever is not of the shown types alone.
func (m *mapping) leave(shown func(*Type) bool) {
	hidden := func(l *link) bool { return !shown(l.from) || l.to != nil && !shown(l.to) }
	m.hidden = map[*Property]bool{}
	for _, l := range m.references {
		if hidden(l) {
			m.hidden[l.prop()] = true
		}
	}
	m.types = slices.DeleteFunc(m.types, func(t *Type) bool { return !shown(t) })
	m.references = slices.DeleteFunc(m.references, hidden)
	m.values = slices.DeleteFunc(m.values, hidden)
}

// node is the label of a type.
func (m *mapping) node(t *Type) schema.NodeDefinition {
	n := schema.NodeDefinition{
		Label:             t.Name,
		Description:       cmp.Or(t.Description, t.Title),
		Key:               []string{t.IDField},
		Display:           t.display(m.hides),
		DefaultProperties: []string{},
		Records: &schema.RecordsDefinition{
			Tools:       t.Expose,
			Description: t.ToolDescription,
			Document:    m.documents[t],
		},
	}
	document := schema.PropertyDefinition{
		Name: m.documents[t], Type: schema.JSON, Required: true, NotFilterable: true, Description: "The whole record, as JSON.",
	}
	refers := map[*Property]string{} // what the schema cannot tell by the columns
	for _, l := range m.references {
		if l.from == t && l.table != "" {
			refers[l.prop()] = l.relationship
		}
	}
	for _, name := range t.Summary {
		if p, ok := t.Property(name); !ok || !m.hides(p) {
			n.Records.Summary = append(n.Records.Summary, name)
		}
	}
	for _, p := range t.Properties {
		if m.hides(p) {
			document.Without = append(document.Without, p.Name)
			continue
		}
		def := p.definition(t, n.Display)
		def.Refers = refers[p]
		n.Properties = append(n.Properties, def)
		n.DefaultProperties = append(n.DefaultProperties, p.Name)
	}
	n.Properties = append(n.Properties, document)
	for _, l := range slices.Concat(m.references, m.values) {
		if p := l.prop(); l.from == t && p.Array && p.Index {
			f := schema.RecordFilter{Name: p.Name, Relationship: l.relationship}
			if p.Ref != nil && p.Ref.Field != l.to.IDField {
				f.Property = p.Ref.Field
			}
			if p.Type == schema.Enum {
				f.Values = slices.Clone(p.Enum) // which no key can tell
			}
			n.Records.Filters = append(n.Records.Filters, f)
		}
	}
	return n
}

// definition is a property of a label. What people call an entity by, and what
// is told beside its id, can be searched.
func (p *Property) definition(t *Type, display string) schema.PropertyDefinition {
	def := schema.PropertyDefinition{
		Name:          p.Name,
		Type:          p.Type,
		Required:      p.Required && !p.Nullable,
		Description:   cmp.Or(p.Description, p.Title),
		Index:         p.Index && !p.Array,
		NotFilterable: p.Derived,
	}
	if p.Array {
		def.Type = schema.JSON
	}
	if def.Type == schema.JSON {
		def.NotFilterable = true
	}
	if def.Type == schema.Enum {
		for _, v := range p.Enum {
			def.Values = append(def.Values, schema.EnumValue{Name: v})
		}
	}
	def.Search = def.Type == schema.String && !p.Derived && (p.Name == display || slices.Contains(t.Summary, p.Name))
	return def
}

// display is the property that people call an entity by: the first text called
// title, name or label, or told beside ids.
func (t *Type) display(hidden func(*Property) bool) string {
	for _, name := range slices.Concat([]string{"title", "name", "label"}, t.Summary) {
		if p, ok := t.Property(name); ok && p.Type == schema.String && !p.Array && !hidden(p) {
			return name
		}
	}
	return ""
}

// valueNode is the label of the values of a list.
func (l *link) valueNode() schema.NodeDefinition {
	p := l.prop()
	value := schema.PropertyDefinition{Name: "value", Type: p.Type, Required: true, Search: p.Type == schema.String}
	if p.Type == schema.Enum {
		value.Type, value.Search = schema.String, true // no key is an enum
	}
	return schema.NodeDefinition{
		Label:       l.label,
		Description: fmt.Sprintf("A value of %s of %s.", p.Name, l.from.Name),
		Key:         []string{"value"},
		Display:     "value",
		Properties:  []schema.PropertyDefinition{value},
	}
}

func (l *link) pair() schema.PairDefinition {
	def := schema.PairDefinition{From: l.from.Name, To: l.label}
	if l.to != nil {
		def.To = l.to.Name
	}
	if l.table == "" {
		def.ForeignKey = &schema.ForeignKey{Columns: []string{l.prop().Name}}
	} else {
		def.Table = schema.Table{Name: l.table}
	}
	return def
}

// describe says where a relationship comes from.
func (l *link) describe() string {
	p := l.prop()
	text := fmt.Sprintf("%s.%s", l.from.Name, p.Name)
	if d := cmp.Or(p.Description, p.Title); d != "" {
		return text + ": " + strings.TrimRight(d, ". \n") + "."
	}
	return text + "."
}

// clip cuts a text to a number of characters.
func clip(text string, most int) string {
	if most < 1 {
		return ""
	}
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}
