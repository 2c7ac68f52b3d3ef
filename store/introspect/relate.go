package introspect

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// foreignKeys maps the foreign keys of labels' tables.
func (d *drafter) foreignKeys() error {
	for _, l := range d.draft.labels {
		seen := map[string]schema.Table{}
		for _, fk := range l.table.Foreign {
			e, ok := d.target(fk)
			to := (*label)(nil)
			if ok {
				to = d.byTable[e.table.Name]
			}
			columns := strings.Join(fk.Columns, ", ")
			if to == nil || slices.ContainsFunc(fk.Columns, func(c string) bool { return !schema.IsStored(c) }) {
				l.remarks = append(l.remarks, fmt.Sprintf("left out: the foreign key %s to %s (%s)", columns, whole(fk.Table), d.unmapped(fk)))
				continue
			}
			if first, again := seen[columns]; again {
				if first != fk.Table {
					l.remarks = append(l.remarks, fmt.Sprintf("left out: the foreign key %s to %s (the same columns refer to %s)", columns, whole(fk.Table), whole(first)))
				}
				continue
			}
			seen[columns] = fk.Table
			d.reference(l, to, fk, e)
		}
	}
	return nil
}

// unmapped says why a foreign key leads nowhere in the graph.
func (d *drafter) unmapped(fk ForeignKey) string {
	t, refers := d.catalog.references(fk)
	switch {
	case t == nil:
		return "this table is not among those that are read"
	case d.keys[t] == nil:
		return "this table is left out"
	case !sameSet(refers, d.keys[t]):
		return "it does not refer to the key by which the rows are nodes, " + strings.Join(d.keys[t], ", ")
	}
	return "a column's name is too long or has control characters, or is there twice"
}

// reference adds the relationship of a foreign key.
func (d *drafter) reference(l, to *label, fk ForeignKey, e end) {
	_, refers := d.catalog.references(fk)
	for _, c := range fk.Columns {
		l.told[c] = true
	}
	base := subject(fk.Columns, refers)
	if base == "" {
		base = to.table.Name.Name
	}
	r := &relationship{
		candidates: []string{upperName(base), upperName(fk.Columns[len(fk.Columns)-1]), upperName(l.def.Label + "_" + base)},
		pair:       schema.PairDefinition{From: l.def.Label, To: to.def.Label, ForeignKey: &schema.ForeignKey{Columns: e.columns}},
		ends:       [][2]string{{l.def.Label, to.def.Label}},
		table:      l.table,
	}
	r.remarks = doubts(fk)
	if l.table.alone(fk.Columns) {
		r.pair.Unique = "to"
	}
	if c := l.table.column(fk.Columns[0]); c != nil && len(fk.Columns) == 1 {
		r.description = description(c.Comment)
	}
	d.draft.types = append(d.draft.types, r)
}

// doubts tells why foreign keys may lead nowhere.
func doubts(list ...ForeignKey) (out []string) {
	for _, fk := range list {
		if fk.Doubt != "" {
			out = append(out, fmt.Sprintf("the foreign key %s to %s may lead nowhere: %s", strings.Join(fk.Columns, ", "), whole(fk.Table), fk.Doubt))
		}
	}
	return out
}

// settle names the relationship types. Foreign keys of one name are pairs of
// one type, if their labels differ; a join table is a type by itself. What is
// only inferred is named last, so that it takes no name from what is declared.
func (d *drafter) settle() {
	taken := namer{}
	pairs := map[string]map[[2]string]bool{}
	use := func(r *relationship, name string) {
		r.name = name
		taken[strings.ToLower(name)] = true
		if pairs[name] == nil {
			pairs[name] = map[[2]string]bool{}
		}
		for _, e := range r.ends {
			pairs[name][e] = true
		}
	}
	closed := map[string]bool{}
	shares := func(r *relationship, name string) bool {
		return !closed[name] && !slices.ContainsFunc(r.ends, func(e [2]string) bool { return pairs[name][e] })
	}
	for _, pass := range []func(*relationship) bool{
		func(r *relationship) bool { return r.alone && r.inferred == nil },
		func(r *relationship) bool { return !r.alone && r.inferred == nil },
		func(r *relationship) bool { return r.inferred != nil },
	} {
		for _, r := range d.draft.types {
			switch {
			case !pass(r):
			case r.alone || r.inferred != nil:
				name := taken.free(r.candidates...)
				use(r, name)
				closed[name] = true
			default:
				i := slices.IndexFunc(r.candidates, func(name string) bool { return shares(r, name) })
				if i < 0 {
					use(r, taken.free(r.candidates...))
				} else {
					use(r, r.candidates[i])
				}
			}
		}
	}
	slices.SortStableFunc(d.draft.types, func(a, b *relationship) int { return strings.Compare(a.name, b.name) })
}

// define makes the definition of what was found.
func (d *drafter) define() {
	def := &d.draft.Definition
	slices.SortFunc(d.draft.labels, func(a, b *label) int { return strings.Compare(a.def.Label, b.def.Label) })
	for _, l := range d.draft.labels {
		l.remarks = append(l.remarks, remarksOf(l.shown())...)
		def.Nodes = append(def.Nodes, l.def)
	}
	byName := map[string]int{}
	for _, r := range d.draft.types {
		if r.inferred != nil {
			r.inferred.Type = r.name
			d.draft.Inferred = append(d.draft.Inferred, *r.inferred)
			continue
		}
		i, ok := byName[r.name]
		if !ok {
			i = len(def.Relationships)
			byName[r.name] = i
			def.Relationships = append(def.Relationships, schema.RelationshipDefinition{Type: r.name, Description: r.description})
		}
		rel := &def.Relationships[i]
		if rel.Description != r.description {
			rel.Description = "" // of several columns, none is all
		}
		rel.Pairs = append(rel.Pairs, r.pair)
	}
	slices.SortStableFunc(d.draft.Omitted, func(a, b Omitted) int { return compareTables(a.Table, b.Table) })
}

// shown are the columns that no relationship tells of, and those of the key.
func (l *label) shown() []*Column {
	return slices.DeleteFunc(slices.Clone(l.table.Columns), func(c *Column) bool { return l.told[c.Name] && !slices.Contains(l.key, c.Name) })
}

// sortedKeys are the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
