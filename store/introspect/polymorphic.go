package introspect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// maxTargets is the most values of a type column that are read: a column with
// more names no tables.
const maxTargets = 50

// polymorphic maps pairs of columns such as noteable_type and noteable_id, of
// which one names the table that the other refers to. No database declares that,
// nor keeps such a reference from leading nowhere.
func (d *drafter) polymorphic() error {
	for _, l := range d.draft.labels {
		if l.table.View {
			continue
		}
		for _, typeColumn := range l.table.Columns {
			idColumn := d.partner(l, typeColumn)
			if idColumn == nil {
				continue
			}
			values := typeColumn.Values
			if typeColumn.Type != schema.Enum {
				found, err := d.ask(question{table: l.table.Name, column: typeColumn.Name})
				if err != nil {
					return err
				}
				pair := fmt.Sprintf("%s and %s look like a reference to several tables, but ", typeColumn.Name, idColumn.Name)
				switch {
				case found.failed:
					l.remarks = append(l.remarks, pair+"the values could not be read")
					continue
				case found.more:
					l.remarks = append(l.remarks, fmt.Sprintf("%sthere are more than %d values", pair, maxTargets))
					continue
				case len(found.values) == 0:
					l.remarks = append(l.remarks, pair+"there are no values yet")
					continue
				}
				values = found.values
			}
			if err := d.named(l, typeColumn, idColumn, values); err != nil {
				return err
			}
		}
	}
	return nil
}

// partner finds the id column of a type column: noteable_id of noteable_type,
// noteableId of noteableType.
func (d *drafter) partner(l *label, typeColumn *Column) *Column {
	list := words(typeColumn.Name)
	last := len(list) - 1
	if last < 1 || !strings.EqualFold(list[last], "type") || typeColumn.Type != schema.String && typeColumn.Type != schema.Enum ||
		!schema.IsStored(typeColumn.Name) || d.foreign(l.table, typeColumn.Name) {
		return nil
	}
	for _, c := range l.table.Columns {
		id := words(c.Name)
		if len(id) != len(list) || !equalWords(id[:last], list[:last]) || !slices.Contains([]string{"id", "uuid", "key"}, strings.ToLower(id[last])) {
			continue
		}
		if slices.Contains(keyTypes, c.Type) && schema.IsStored(c.Name) && !d.foreign(l.table, c.Name) {
			return c
		}
	}
	return nil
}

// foreign reports whether a column is part of a foreign key.
func (d *drafter) foreign(t *Table, column string) bool {
	return slices.ContainsFunc(t.Foreign, func(fk ForeignKey) bool { return slices.Contains(fk.Columns, column) })
}

// named adds the relationship of a polymorphic reference, to those of its values
// that name a label. It is certain if each value names one and a type or a check
// lists them, or if every id that is looked up is a key of the label that the value
// beside it names; else it is inferred. The confidence is for four tenths the share
// of values that name a label, for six that of the ids that are keys.
func (d *drafter) named(l *label, typeColumn, idColumn *Column, values []string) error {
	stem := words(typeColumn.Name)
	base := strings.Join(stem[:len(stem)-1], "_")
	r := &relationship{table: l.table, candidates: []string{upperName(base), upperName(l.def.Label + "_" + base)}}
	in := &Inferred{From: l.def.Label, Columns: []string{typeColumn.Name, idColumn.Name}}
	var list []schema.PolymorphicValue
	var lost, told []string
	failed, every := false, true
	for _, v := range values {
		to := d.meant(l, v, idColumn)
		switch {
		case to == nil, !schema.IsValue(v):
			lost = append(lost, shown(v))
			continue
		case slices.ContainsFunc(list, func(o schema.PolymorphicValue) bool { return o.Label == to.def.Label }):
			lost = append(lost, shown(v)+" (its table has another value already)")
			continue
		}
		list = append(list, schema.PolymorphicValue{Value: v, Label: to.def.Label})
		r.ends, in.To = append(r.ends, [2]string{l.def.Label, to.def.Label}), append(in.To, to.def.Label)
		found, err := d.ask(question{l.table.Name, idColumn.Name, l.key, to.table.Name, to.key[0], typeColumn.Name, v})
		if err != nil {
			return err
		}
		in.Found, in.Asked = in.Found+found.found, in.Asked+found.asked
		failed, every = failed || found.failed, every && found.asked > 0
		told = append(told, fmt.Sprintf("%s: %s", shown(v), evidence(found.failed, found.found, found.asked, to)))
	}
	unknown := fmt.Sprintf("%s values that name no table: %s", typeColumn.Name, strings.Join(lost, ", "))
	listed, found := typeColumn.Type == schema.Enum && len(lost) == 0, in.Found == in.Asked
	switch {
	case len(list) == 0:
		// Most columns that end in type are just types of something.
		if typeColumn.Type != schema.Enum {
			l.remarks = append(l.remarks, unknown)
		}
		return nil
	case !listed && 2*in.Found < in.Asked:
		l.remarks = append(l.remarks, fmt.Sprintf("%s and %s look like a reference to several tables, but most ids are not there (%s)", typeColumn.Name, idColumn.Name, strings.Join(told, "; ")))
		return nil
	}
	r.pair = schema.PairDefinition{From: l.def.Label, Polymorphic: &schema.Polymorphic{
		TypeColumn: typeColumn.Name, IDColumns: []string{idColumn.Name}, Values: list,
	}}
	switch {
	case listed && found:
		r.remarks = []string{fmt.Sprintf("a reference to several tables, going by the values that %s can have", typeColumn.Name)}
	case listed:
		r.remarks = append([]string{fmt.Sprintf("a reference to several tables, going by the values that %s can have; some may lead nowhere", typeColumn.Name)}, told...)
	case len(lost) == 0 && found && every && !failed:
		r.remarks = []string{fmt.Sprintf("a reference to several tables, going by the values of %s: all of %d ids are keys of what they name", typeColumn.Name, in.Asked)}
	default:
		in.Confidence = confidence(float64(len(list))/float64(len(values)), in.Found, in.Asked)
		r.inferred = in
		r.remarks = append([]string{in.surety("") + ": a reference to several tables, going by the values of " + typeColumn.Name}, told...)
		if len(lost) > 0 {
			r.remarks = append(r.remarks, unknown)
		}
	}
	if r.inferred == nil {
		r.remarks = append(r.remarks, remarksOf([]*Column{typeColumn, idColumn})...)
		l.told[typeColumn.Name], l.told[idColumn.Name] = true, true
	}
	d.draft.types = append(d.draft.types, r)
	return nil
}

// meant finds the one label that a value names: Issue and issues the table
// issues, or gl_issue; Admin::User the table admin_users, or users.
func (d *drafter) meant(l *label, value string, idColumn *Column) *label {
	last := value
	if i := strings.LastIndexAny(value, `:\./`); i >= 0 {
		last = value[i+1:]
	}
	for _, word := range []string{value, last} {
		for _, whole := range []bool{true, false} {
			if to := d.like(l.table, word, whole, idColumn); to != nil {
				return to
			}
		}
	}
	return nil
}

// joined is a stored name as words in lower case.
func joined(name string) string { return strings.ToLower(strings.Join(words(name), "_")) }

// An index finds labels by what their tables are called, in the singular and in
// the plural: by the whole name, or by its end, as issue of gl_issues.
type index struct{ whole, end map[string][]*label }

func indexOf(labels []*label) index {
	x := index{map[string][]*label{}, map[string][]*label{}}
	add := func(m map[string][]*label, form string, l *label) {
		if !slices.Contains(m[form], l) {
			m[form] = append(m[form], l)
		}
	}
	for _, l := range labels {
		for _, form := range singulars(joined(l.table.Name.Name)) {
			add(x.whole, form, l)
			for i := range form {
				if form[i] == '_' {
					add(x.end, form[i+1:], l)
				}
			}
		}
	}
	return x
}

// like finds the one label whose table is called like a word, by its whole name
// or the end of it, and whose key has the column's type.
func (d *drafter) like(t *Table, word string, whole bool, column *Column) *label {
	var found []*label
	for _, form := range singulars(joined(word)) {
		list := d.index.end[form]
		if whole {
			list = d.index.whole[form]
		}
		for _, to := range list {
			if len(to.key) == 1 && d.compares(column, to.table.column(to.key[0])) && !slices.Contains(found, to) {
				found = append(found, to)
			}
		}
	}
	// Of several, one in the same schema.
	if len(found) > 1 {
		found = slices.DeleteFunc(found, func(to *label) bool { return to.table.Name.Schema != t.Name.Schema })
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// compares reports whether a column's values may be keys in another.
func (d *drafter) compares(c, key *Column) bool {
	return sameKind(keyType(c), keyType(key)) && (d.catalog.Engine != "clickhouse" || clickhouseComparable(c.Declared, key.Declared))
}

// sameKind reports whether a value of one type may be a key of the other.
func sameKind(a, b schema.Type) bool { return a == b || a.Integer() && b.Integer() }
