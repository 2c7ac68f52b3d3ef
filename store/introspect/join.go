package introspect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// A join is a table whose rows do nothing but relate the rows of two others.
type join struct {
	table    *Table
	from, to end
	key      string // the column that tells parallel relationships apart
	why      string // in words
}

// An end of a relationship: a table, and the columns that hold its key, in the
// order of its key.
type end struct {
	table   *Table
	columns []string
}

// target resolves a foreign key that refers to the key of a mapped table.
func (d *drafter) target(fk ForeignKey) (end, bool) {
	t, refers := d.catalog.references(fk)
	if t == nil || d.keys[t] == nil || len(refers) != len(fk.Columns) {
		return end{}, false
	}
	key := d.keys[t]
	if len(key) != len(refers) {
		return end{}, false
	}
	columns := make([]string, len(key))
	for i, k := range key {
		j := slices.IndexFunc(refers, func(r string) bool { return r == k })
		if j < 0 || slices.Contains(columns, fk.Columns[j]) {
			return end{}, false
		}
		columns[i] = fk.Columns[j]
	}
	return end{t, columns}, true
}

// join decides whether a table is nothing but a join: with a key of two foreign
// keys, or with a key of its own and nothing for which it would be a thing by
// itself.
func (d *drafter) join(t *Table) *join {
	if t.View || d.referred(t) {
		return nil
	}
	ends, ok := d.ends(t)
	if !ok || len(ends) != 2 {
		return nil
	}
	return d.joinOf(t, ends[0], ends[1], "foreign keys")
}

// ends are where the foreign keys of a table lead, each once; false if one leads to
// no key of a mapped table.
func (d *drafter) ends(t *Table) (ends []end, ok bool) {
	for _, fk := range t.Foreign {
		e, ok := d.target(fk)
		if !ok {
			return nil, false
		}
		if !slices.ContainsFunc(ends, func(o end) bool { return o.table == e.table && slices.Equal(o.columns, e.columns) }) {
			ends = append(ends, e)
		}
	}
	return ends, true
}

// joinOf decides whether a table is nothing but a join of these two, which are
// foreign keys or references of another kind.
func (d *drafter) joinOf(t *Table, from, to end, kind string) *join {
	both := append(slices.Clone(from.columns), to.columns...)
	for i, name := range both {
		if c := t.column(name); c == nil || c.Nullable || slices.Contains(both[:i], name) || !schema.IsStored(name) {
			return nil
		}
	}
	key := d.keys[t]
	switch {
	case t.unique(both):
		j := &join{table: t, from: from, to: to, why: "its key is two " + kind}
		if !sameSet(key, both) {
			j.why = "no two rows join the same"
			if single(t, key, both) {
				j.key = key[0]
			}
		}
		return j
	case len(t.Columns) == len(both) && (t.unique(from.columns) || t.unique(to.columns)):
		return &join{table: t, from: from, to: to, why: "it has nothing but two " + kind}
	case t.unique(apart(key, both)):
		return &join{t, from, to, apart(key, both)[0], "its key is two " + kind + " and a column without the same value twice"}
	case !single(t, key, both):
		return nil
	case len(t.Columns) == len(both)+1:
		return &join{t, from, to, key[0], "it has nothing but two " + kind + " and a key"}
	case namedAfter(t, from, to):
		return &join{t, from, to, key[0], "it is named after the two that it joins"}
	}
	return nil
}

// apart is what a key has beside the columns of both ends, if all of them are in
// it and it is one column.
func apart(key, both []string) []string {
	rest := slices.DeleteFunc(slices.Clone(key), func(c string) bool { return slices.Contains(both, c) })
	if len(rest) != 1 || len(key) != len(both)+1 {
		return nil
	}
	return rest
}

// single reports whether a key is one column that is none of these and can tell
// relationships apart.
func single(t *Table, key, of []string) bool {
	if len(key) != 1 || slices.Contains(of, key[0]) {
		return false
	}
	return slices.Contains([]schema.Type{schema.Int32, schema.Int64, schema.String, schema.UUID, schema.Date}, keyType(t.column(key[0])))
}

// referred reports whether a foreign key of another table, or of this one,
// leads to a table.
func (d *drafter) referred(t *Table) bool {
	for _, other := range d.catalog.Tables {
		for _, fk := range other.Foreign {
			if fk.Table == t.Name && d.keys[other] != nil {
				return true
			}
		}
	}
	return false
}

// namedAfter reports whether a table's name is made of two others'.
func namedAfter(t *Table, from, to end) bool {
	list := words(t.Name.Name)
	for i := 1; i < len(list); i++ {
		a, b := strings.Join(list[:i], "_"), strings.Join(list[i:], "_")
		for _, pair := range [][2]end{{from, to}, {to, from}} {
			if namesTable(a, pair[0].table) && namesTable(b, pair[1].table) {
				return true
			}
		}
	}
	return false
}

// namesTable reports whether a word, in the plural or not, is a table's name.
func namesTable(word string, t *Table) bool {
	forms := singulars(joined(t.Name.Name))
	return slices.ContainsFunc(singulars(strings.ToLower(word)), func(w string) bool { return slices.Contains(forms, w) })
}

// joinTables maps the tables that join.
func (d *drafter) joinTables() error {
	for _, j := range d.joins {
		r := d.joined(j)
		r.alone = true
		r.remarks = slices.Concat([]string{"a join table: " + j.why}, doubts(j.table.Foreign...), r.remarks)
		d.draft.types = append(d.draft.types, r)
	}
	return nil
}

// joined is the relationship of a join table.
func (d *drafter) joined(j *join) *relationship {
	t, from, to := j.table, d.byTable[j.from.table.Name], d.byTable[j.to.table.Name]
	both := append(slices.Clone(j.from.columns), j.to.columns...)
	var columns []*Column
	for _, c := range t.Columns {
		if !slices.Contains(both, c.Name) {
			columns = append(columns, c)
		}
	}
	r := &relationship{
		candidates: []string{upperName(t.Name.Name)}, table: t, description: description(t.Comment),
		ends: [][2]string{{from.def.Label, to.def.Label}},
		pair: schema.PairDefinition{
			From: from.def.Label, To: to.def.Label, Table: t.Name, FromColumns: j.from.columns, ToColumns: j.to.columns, Unique: j.unique(),
		},
	}
	if t.Name.Schema != "" {
		r.candidates = append(r.candidates, upperName(t.Name.Schema+"_"+t.Name.Name))
	}
	var key []string
	if j.key != "" {
		key = []string{j.key}
	}
	names := map[string]string{}
	before := len(d.draft.Omitted)
	r.pair.Properties = d.columns(nil, t, columns, key, []string{"from", "to", "from_label", "to_label"}, names)
	for _, o := range d.draft.Omitted[before:] {
		r.remarks = append(r.remarks, omittedColumn(o))
	}
	r.pair.Key = names[j.key]
	for _, check := range t.Checks {
		r.remarks = append(r.remarks, "check: "+bare(check))
	}
	r.remarks = append(r.remarks, remarksOf(columns)...)
	return r
}

// unique is at which ends a row has its columns alone.
func (j *join) unique() string {
	switch from, to := j.table.unique(j.from.columns), j.table.unique(j.to.columns); {
	case from && to:
		return "both"
	case from:
		return "from"
	case to:
		return "to"
	}
	return ""
}

func omittedColumn(o Omitted) string { return fmt.Sprintf("left out: %s (%s)", o.Column, o.Reason) }

// remarksOf are what a person should know of columns.
func remarksOf(columns []*Column) (out []string) {
	for _, c := range columns {
		if c.Remark != "" && c.Type != 0 {
			out = append(out, c.Name+": "+c.Remark)
		}
	}
	return out
}
