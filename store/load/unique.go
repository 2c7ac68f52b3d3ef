package load

import (
	"slices"
	"strings"
)

// uniques finds what the schema says to be unique, where it holds for all rows of a
// table: the properties of labels, and the ends of pairs. A graph in memory keeps to
// it, but a column may have values where there is no relationship.
func (p *planner) uniques() {
	for l := range p.graph.Schema().Labels() {
		t := p.table(l.Table)
		for _, prop := range l.Properties {
			if prop.Unique && len(l.Match) == 0 {
				t.unique(t.find(prop.Column))
			}
		}
	}
	for typ := range p.graph.Schema().Relationships() {
		for _, pair := range typ.Pairs {
			t := p.table(pair.Table)
			for _, end := range []struct {
				unique, own bool
				columns     []string
			}{
				{pair.UniqueFrom, pair.Holder != nil && !pair.HolderIsTo, pair.FromColumns},
				{pair.UniqueTo, pair.Holder != nil && pair.HolderIsTo, pair.ToColumns},
			} {
				if columns := t.named(end.columns); end.unique && !end.own && len(pair.Match) == 0 && t.whole(columns) == p.graph.RelCount(pair) {
					t.unique(columns...)
				}
			}
		}
	}
}

// unique adds a key, unless the table has rows of others or it is one without.
func (t *table) unique(columns ...*column) {
	if len(t.parts) > 1 {
		return
	}
	columns = distinct(columns)
	for _, key := range append([][]*column{t.primary}, t.uniques...) {
		if len(key) > 0 && !slices.ContainsFunc(key, func(c *column) bool { return !slices.Contains(columns, c) }) {
			return
		}
	}
	t.uniques = append(t.uniques, columns)
}

// uniques are the keys of a table that the database makes, beside its primary one,
// and the names of the columns of those that it cannot make.
func (d *dialect) uniques(t *table) (keys [][]*column, unkept []string) {
	if d.addIndex == nil {
		return nil, nil
	}
	for _, columns := range t.uniques {
		if _, whole := d.indexed(d, columns); whole {
			keys = append(keys, columns)
			continue
		}
		names := make([]string, len(columns))
		for i, c := range columns {
			names[i] = c.name
		}
		unkept = append(unkept, strings.Join(names, ", "))
	}
	return keys, unkept
}

func holds(list [][]*column, columns []*column) bool {
	return slices.ContainsFunc(list, func(have []*column) bool { return slices.Equal(have, columns) })
}
