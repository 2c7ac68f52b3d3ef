package compile

import (
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// describe answers get_graph_schema. It needs no store, since it tells nothing
// about where a graph is kept. Hidden properties are neither shown nor found by
// a search.
//
// Everything is listed by name; what the question names, or all of it, in
// detail. Names that do not exist are reported together.
func describe(s *schema.Schema, limits graph.Limits, q *graph.Describe) (*graph.Description, graph.Errors) {
	d := &describer{schema: s, search: foldASCII(q.Search)}
	labels := d.expandedLabels(q)
	types := d.expandedTypes(q)
	if len(d.errs) > 0 {
		return nil, d.errs
	}
	out := &graph.Description{
		Format:            graph.DescriptionFormat,
		Revision:          s.Revision(s.ViewHash()),
		NodeTypes:         []graph.NodeTypeInfo{},
		RelationshipTypes: []graph.RelTypeInfo{},
		Limits:            limits.WithDefaults(),
	}
	for l := range s.Labels() {
		if d.finds(l.Name, l.Description) || d.findsProperty(l.Properties) {
			out.NodeTypes = append(out.NodeTypes, d.label(l, q.Expand || labels[l.Name]))
		}
	}
	for t := range s.Relationships() {
		found := d.finds(t.Name, t.Description)
		for _, p := range t.Pairs {
			found = found || d.findsProperty(p.Properties)
		}
		if found {
			out.RelationshipTypes = append(out.RelationshipTypes, d.relationship(t, q.Expand || types[t.Name]))
		}
	}
	return out, nil
}

type describer struct {
	schema *schema.Schema
	search string // folded; "" finds everything
	errs   graph.Errors
}

// expandedLabels are the labels to show in detail; "*" names all.
func (d *describer) expandedLabels(q *graph.Describe) map[string]bool {
	names := map[string]bool{}
	for i, name := range q.ExpandNodes {
		if name == "*" {
			for l := range d.schema.Labels() {
				names[l.Name] = true
			}
			continue
		}
		if _, ok := d.schema.Label(name); !ok {
			var all []string
			for l := range d.schema.Labels() {
				all = append(all, l.Name)
			}
			d.unknown(graph.UnknownLabel, "expand_nodes", i, "label", name, all, d.schema.SuggestLabel(name))
		}
		names[name] = true
	}
	return names
}

// expandedTypes are the relationship types to show in detail.
func (d *describer) expandedTypes(q *graph.Describe) map[string]bool {
	names := map[string]bool{}
	for i, name := range q.ExpandRelationshipTypes {
		if _, ok := d.schema.Relationship(name); !ok {
			var all []string
			for t := range d.schema.Relationships() {
				all = append(all, t.Name)
			}
			d.unknown(graph.UnknownRelationship, "expand_relationship_types", i, "relationship type", name, all, d.schema.SuggestRelationship(name))
		}
		names[name] = true
	}
	return names
}

// unknown reports a wrong name in a list. Without a better one it can be left
// out.
func (d *describer) unknown(code graph.Code, field string, i int, what, got string, all, similar []string) {
	var root *place
	e := errName(code, root.member(field).item(i), what, got, all, similar)
	if len(similar) > 0 {
		e.Fix = replace(e.Path, similar[0])
	} else {
		e.Fix = []graph.Patch{{Op: "remove", Path: e.Path}}
	}
	d.errs = append(d.errs, e)
}

// finds reports whether the searched text occurs in one of the texts.
func (d *describer) finds(texts ...string) bool {
	for _, t := range texts {
		if strings.Contains(foldASCII(t), d.search) {
			return true
		}
	}
	return false
}

func (d *describer) findsProperty(props []*schema.Property) bool {
	for _, p := range describeVisible(props) {
		if d.finds(p.Name, p.Description) {
			return true
		}
	}
	return false
}

func describeVisible(props []*schema.Property) []*schema.Property {
	out := make([]*schema.Property, 0, len(props))
	for _, p := range props {
		if !p.Hidden {
			out = append(out, p)
		}
	}
	return out
}

func (d *describer) label(l *schema.Label, expand bool) graph.NodeTypeInfo {
	info := graph.NodeTypeInfo{Name: l.Name}
	if !expand {
		return info
	}
	info.Description = l.Description
	props := []graph.PropertyInfo{}
	for _, p := range describeVisible(l.Properties) {
		props = append(props, describeProperty(p))
	}
	info.Properties = &props
	info.Relationships = &graph.RelationshipSides{
		Outgoing: describeTypes(d.schema.Outgoing(l)),
		Incoming: describeTypes(d.schema.Incoming(l)),
	}
	return info
}

// describeTypes names the types of pairs, which come by type, each once.
func describeTypes(pairs []*schema.Pair) []string {
	var names []string
	for _, p := range pairs {
		names = append(names, p.Type.Name)
	}
	return slices.Compact(names)
}

func (d *describer) relationship(t *schema.RelationshipType, expand bool) graph.RelTypeInfo {
	info := graph.RelTypeInfo{Name: t.Name}
	if len(t.Pairs) == 1 {
		info.From, info.To = t.Pairs[0].From.Name, t.Pairs[0].To.Name
	} else {
		info.Pairs = describePairs(t.Pairs)
	}
	if expand {
		info.Description = t.Description
		props := describeUnion(t)
		info.Properties = &props
	}
	return info
}

// describeUnion lists the properties of all pairs of a type, in the order in
// which they first occur. One that not all pairs have says which do. It is
// called never null, or not filterable, as a step over all its pairs finds it:
// never null where no pair has it nullable, filterable where it is on every
// pair.
func describeUnion(t *schema.RelationshipType) []graph.PropertyInfo {
	props := []graph.PropertyInfo{}
	var having [][]*schema.Pair
	for _, pair := range t.Pairs {
		for _, p := range describeVisible(pair.Properties) {
			i := slices.IndexFunc(props, func(have graph.PropertyInfo) bool { return have.Name == p.Name })
			if i < 0 {
				props = append(props, describeProperty(p))
				having = append(having, []*schema.Pair{pair})
				continue
			}
			having[i] = append(having[i], pair)
			if p.Nullable || masked(p) {
				props[i].Nullable = nil
			}
			if shownOnly(p) {
				props[i].Filterable = new(bool)
			}
			if props[i].Description == "" {
				props[i].Description = p.Description
			}
		}
	}
	for i, pairs := range having {
		if len(pairs) < len(t.Pairs) {
			props[i].Pairs = describePairs(pairs)
		}
	}
	return props
}

func describePairs(pairs []*schema.Pair) [][2]string {
	out := make([][2]string, len(pairs))
	for i, p := range pairs {
		out[i] = [2]string{p.From.Name, p.To.Name}
	}
	return out
}

func describeProperty(p *schema.Property) graph.PropertyInfo {
	info := graph.PropertyInfo{Name: p.Name, Type: p.Type.String(), Description: p.Description}
	if p.Type == schema.Enum && !masked(p) {
		info.Values = p.EnumNames()
	}
	if masked(p) && p.Masked != "null" && p.Masked != schema.MaskMembers {
		info.Type = schema.String.String()
	}
	if !p.Nullable && (!masked(p) || p.Masked == schema.MaskMembers) {
		info.Nullable = new(bool)
	}
	if shownOnly(p) {
		info.Filterable = new(bool)
	}
	return info
}
