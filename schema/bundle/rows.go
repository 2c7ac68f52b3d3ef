package bundle

import (
	"iter"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// Rows are nodes of a label, or relationships of a type: what a builder of a
// graph takes. Columns name the values of each row. A row is good until the
// next one.
type Rows struct {
	Name    string
	Columns []string
	Each    iter.Seq2[[]graph.Value, error]
}

// Nodes are the nodes that bundles become together, label by label: entities in
// the order of their ids, and the values of lists that are filters. They fit the
// schema that Definition makes of the same bundles; of bundles of which it makes
// none there are none.
func Nodes(bundles ...*Bundle) []Rows {
	m, err := newMapping(bundles)
	if err != nil {
		return nil
	}
	var out []Rows
	for _, t := range m.types {
		out = append(out, m.entities(t))
	}
	for _, l := range m.values {
		out = append(out, Rows{l.label, []string{"value"}, l.distinct})
	}
	return out
}

// Relationships are the relationships that bundles become together, type by
// type. The columns are from and to, and from_label and to_label of a type that
// has several pairs.
func Relationships(bundles ...*Bundle) []Rows {
	m, err := newMapping(bundles)
	if err != nil {
		return nil
	}
	links := slices.Concat(m.references, m.values)
	slices.SortStableFunc(links, func(a, b *link) int { return strings.Compare(a.relationship, b.relationship) })
	var out []Rows
	for len(links) > 0 {
		n := 1
		for n < len(links) && links[n].relationship == links[0].relationship {
			n++
		}
		out = append(out, relationships(links[:n]))
		links = links[n:]
	}
	return out
}

// entities are the nodes of a type.
func (m *mapping) entities(t *Type) Rows {
	rows := Rows{Name: t.Name}
	for _, p := range t.Properties {
		rows.Columns = append(rows.Columns, p.Name)
	}
	rows.Columns = append(rows.Columns, m.documents[t])
	rows.Each = func(yield func([]graph.Value, error) bool) {
		row := make([]graph.Value, len(rows.Columns))
		for _, e := range t.Entities {
			for i, v := range e.Values {
				if v.Kind() == graph.KindList {
					v = graph.JSON(string(v.AppendJSON(nil)))
				}
				row[i] = v
			}
			row[len(e.Values)] = graph.JSON(string(e.Document))
			if !yield(row, nil) {
				return
			}
		}
	}
	return rows
}

// distinct are the different values of a list, as they come.
func (l *link) distinct(yield func([]graph.Value, error) bool) {
	seen := map[string]bool{}
	row := make([]graph.Value, 1)
	for _, e := range l.from.Entities {
		for _, v := range e.Values[l.property].List() {
			if key := v.Text(); !seen[key] {
				seen[key] = true
				if row[0] = v; !yield(row, nil) {
					return
				}
			}
		}
	}
}

// relationships are those of one type.
func relationships(links []*link) Rows {
	rows := Rows{Name: links[0].relationship, Columns: []string{"from", "to"}}
	if len(links) > 1 {
		rows.Columns = append(rows.Columns, "from_label", "to_label")
	}
	rows.Each = func(yield func([]graph.Value, error) bool) {
		for _, l := range links {
			if !l.each(make([]graph.Value, len(rows.Columns)), yield) {
				return
			}
		}
	}
	return rows
}

// each yields what the entities of a type are connected to by one property, each
// once.
func (l *link) each(row []graph.Value, yield func([]graph.Value, error) bool) bool {
	to := l.label
	var keys map[string]*Entity
	if l.to != nil {
		to, keys = l.to.Name, l.to.by(l.prop().Ref.Field)
	}
	if len(row) > 2 {
		row[2], row[3] = graph.String(l.from.Name), graph.String(to)
	}
	told := map[string]bool{}
	one := make([]graph.Value, 1)
	for _, e := range l.from.Entities {
		v := e.Values[l.property]
		list := v.List()
		if v.Kind() != graph.KindList {
			if list = nil; !v.IsNull() {
				one[0], list = v, one
			}
		}
		clear(told)
		for _, v := range list {
			if keys != nil {
				v = graph.String(keys[v.Text()].ID)
			}
			if key := v.Text(); len(list) > 1 && told[key] {
				continue
			} else if len(list) > 1 {
				told[key] = true
			}
			if row[0], row[1] = graph.String(e.ID), v; !yield(row, nil) {
				return false
			}
		}
	}
	return true
}

// by finds a type's entities by a property that tells them apart.
func (t *Type) by(field string) map[string]*Entity {
	if field == t.IDField {
		return t.byID
	}
	place := t.byName[field]
	m := make(map[string]*Entity, len(t.Entities))
	for _, e := range t.Entities {
		if v := e.Values[place]; !v.IsNull() {
			m[v.Text()] = e
		}
	}
	return m
}
