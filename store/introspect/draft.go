package introspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// A Draft is a schema of a database, for review.
type Draft struct {
	// Definition is the schema without what is only inferred.
	Definition schema.Definition
	// Inferred are relationships that nothing declares, by the table and column.
	Inferred []Inferred
	// Omitted is what is left out, by table and column.
	Omitted []Omitted

	engine  string
	remarks []string // of the whole database
	labels  []*label
	types   []*relationship
}

// An Inferred relationship is suggested by names and values: of a column, of the
// two columns of a join table, or of a reference to several tables.
type Inferred struct {
	Type         string
	From         string   // a label
	To           []string // labels, several of a reference to several tables
	Columns      []string // that hold it, the column that names the table first
	Confidence   float64  // from 0 to 1
	Found, Asked int      // of so many values so many are keys of To
}

// An Omitted table or column cannot be mapped.
type Omitted struct {
	Table  schema.Table
	Column string // empty for the table
	Reason string
}

// A label is a table that is mapped to one.
type label struct {
	table *Table
	key   []string // columns
	def   schema.NodeDefinition
	// told are columns that a relationship tells of.
	told map[string]bool
	// remarks become comments above the label.
	remarks []string
	omitted []Omitted
}

// A relationship is one pair, or those of a polymorphic reference.
type relationship struct {
	candidates  []string // names, the best first
	name        string
	description string
	pair        schema.PairDefinition
	ends        [][2]string
	alone       bool // the type has no other pairs
	table       *Table
	remarks     []string
	inferred    *Inferred
}

// An ask answers what only the values of a database tell.
type ask func(question) (answer, error)

// A question is about the values of a column: which there are, or, with a
// target, how many of some are keys of it.
type question struct {
	table  schema.Table
	column string
	order  []string // the key of the table, by which the values are taken
	target schema.Table
	key    string
	// where is a column of texts, if not empty: of the rows that hold value there.
	where, value string
}

// An answer holds the values, or how many of those asked about were found.
type answer struct {
	values       []string
	more         bool // there are more values than are read
	found, asked int
	failed       bool // the database did not answer
}

// A drafter makes a draft of a catalog.
type drafter struct {
	catalog *Catalog
	opts    Options
	ask     ask
	draft   *Draft
	byTable map[schema.Table]*label
	joins   []*join
	keys    map[*Table][]string
	index   index
	guesses map[*Table][]guess
}

// draft maps a catalog. The draft depends on the catalog and the answers alone.
func draft(c *Catalog, opts Options, ask ask) (*Draft, error) {
	c.sort()
	d := &drafter{catalog: c, opts: opts, ask: ask, draft: &Draft{engine: c.Engine}, byTable: map[schema.Table]*label{}, keys: map[*Table][]string{}, guesses: map[*Table][]guess{}}
	d.tables()
	d.names()
	d.index = indexOf(d.draft.labels)
	for _, step := range []func() error{d.foreignKeys, d.joinTables, d.polymorphic, d.infer, d.inferJoins} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	for _, l := range d.draft.labels {
		d.properties(l)
	}
	d.settle()
	if len(d.draft.labels) == 0 {
		return nil, fmt.Errorf("introspect: nothing to map: %s", d.nothing())
	}
	d.define()
	d.remark()
	return d.draft, nil
}

// remark tells what a person should know of the whole database. Collations are many
// columns' and mostly of little harm, so each is told once.
func (d *drafter) remark() {
	if d.catalog.Remark != "" {
		d.draft.remarks = append(d.draft.remarks, d.catalog.Remark)
	}
	loose := map[string][]string{}
	for _, t := range d.catalog.Tables {
		if d.byTable[t.Name] == nil && !slices.ContainsFunc(d.joins, func(j *join) bool { return j.table == t }) {
			continue
		}
		for _, c := range t.Columns {
			if c.Loose != "" && c.Type == schema.String {
				loose[c.Loose] = append(loose[c.Loose], t.Name.String()+"."+c.Name)
			}
		}
	}
	for _, name := range sortedKeys(loose) {
		columns := strings.Join(loose[name][:min(len(loose[name]), 2)], ", ")
		if more := len(loose[name]) - 2; more > 0 {
			columns += fmt.Sprintf(" and %d more", more)
		}
		d.draft.remarks = append(d.draft.remarks, fmt.Sprintf("collation %s: some texts that differ are the same to the database, none to calls (%s)", name, columns))
	}
}

// nothing says why there is no label.
func (d *drafter) nothing() string {
	if len(d.draft.Omitted) == 0 {
		return "there are no tables"
	}
	var list []string
	for _, o := range d.draft.Omitted[:min(len(d.draft.Omitted), 5)] {
		list = append(list, fmt.Sprintf("%s: %s", whole(o.Table), o.Reason))
	}
	if more := len(d.draft.Omitted) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, "; ")
}

func (d *drafter) omit(t *Table, column, format string, args ...any) {
	d.draft.Omitted = append(d.draft.Omitted, Omitted{t.Name, column, fmt.Sprintf(format, args...)})
}

// tables finds the tables that become labels, and those that join two of them.
func (d *drafter) tables() {
	for _, t := range d.catalog.Tables {
		if key, why := d.usable(t); why != "" {
			d.omit(t, "", "%s", why)
		} else {
			d.keys[t] = key
		}
	}
	for _, t := range d.catalog.Tables {
		if d.keys[t] == nil {
			continue
		}
		if j := d.join(t); j != nil {
			d.joins = append(d.joins, j)
			continue
		}
		l := &label{table: t, key: d.keys[t], told: map[string]bool{}}
		d.draft.labels, d.byTable[t.Name] = append(d.draft.labels, l), l
	}
}

// keyTypes are the property types that a label's key may have.
var keyTypes = []schema.Type{schema.Int32, schema.Int64, schema.String, schema.UUID, schema.Date}

// usable finds the key by which a table's rows are nodes, or says why there is
// none.
func (d *drafter) usable(t *Table) (key []string, why string) {
	candidates := append([][]string{t.Primary}, t.Unique...)
	switch {
	case !schema.IsStored(t.Name.Name) || t.Name.Schema != "" && !schema.IsStored(t.Name.Schema):
		return nil, fmt.Sprintf("its name is longer than %d bytes or has control characters", schema.MaxStored)
	case t.View:
		given, ok := d.opts.Views[t.Name.String()]
		if !ok {
			return nil, "a view is mapped when its key is given"
		}
		candidates = [][]string{given}
	}
	none := cmp.Or(t.NoKey, "it has no primary key")
	why = none
	for _, key := range candidates {
		if len(key) == 0 {
			continue
		}
		bad := ""
		for i, name := range key {
			switch c := t.column(name); {
			case slices.ContainsFunc(key[:i], func(k string) bool { return sameName(k, name) }):
				bad = fmt.Sprintf("the names of its key's columns differ in case alone: %q", shown(name))
			case c == nil:
				bad = fmt.Sprintf("its key has the column %q, which is not there", shown(name))
			case !schema.IsStored(name):
				bad = fmt.Sprintf("the name of its key's column %q is too long or has control characters", shown(name))
			case !slices.Contains(keyTypes, keyType(c)):
				bad = fmt.Sprintf("its key %q is of type %s, which no key can be", shown(name), shown(c.Declared))
			}
		}
		if bad == "" {
			return key, ""
		}
		if why == none {
			why = bad
		}
	}
	return nil, why
}

// keyType is the type that a column has as a part of a key: an enum is a text
// there, if it compares with texts.
func keyType(c *Column) schema.Type {
	if c.Type == schema.Enum && !c.Native {
		return schema.String
	}
	return c.Type
}

// names settles what labels are called.
func (d *drafter) names() {
	taken := namer{}
	// Those keep their name who have it already, whoever comes first.
	for _, exact := range []bool{true, false} {
		for _, l := range d.draft.labels {
			t := l.table.Name
			name := lowerName(t.Name)
			if exact == (t.Schema == "" && name == t.Name) {
				candidates := []string{name}
				if t.Schema != "" {
					candidates = append(candidates, asName(lowerName(t.Schema)+"_"+name))
				}
				l.def.Label = taken.free(candidates...)
			}
		}
	}
}

// properties maps the columns that no relationship tells of.
func (d *drafter) properties(l *label) {
	t := l.table
	l.def.Table, l.def.Description = t.Name, description(t.Comment)
	names := map[string]string{}
	l.def.Properties = d.columns(l, t, l.shown(), l.key, nil, names)
	for _, k := range l.key {
		l.def.Key = append(l.def.Key, names[k])
	}
	if t.Remark != "" {
		l.remarks = append(l.remarks, t.Remark)
	}
	for _, check := range t.Checks {
		l.remarks = append(l.remarks, "check: "+bare(check))
	}
}

// bare takes the parentheses around a whole condition away.
func bare(check string) string {
	for {
		list, ok := tokens(check, false)
		if !ok || len(list) < 2 || list[0].kind != '(' || list[len(list)-1].kind != ')' {
			return strings.TrimSpace(check)
		}
		depth := 0
		for i, t := range list {
			switch t.kind {
			case '(':
				depth++
			case ')':
				depth--
			}
			if depth == 0 && i < len(list)-1 {
				return strings.TrimSpace(check)
			}
		}
		check = check[list[0].end:list[len(list)-1].start]
	}
}

// columns maps columns to properties, the key's first of all names. Names notes
// what each column is called.
func (d *drafter) columns(l *label, t *Table, columns []*Column, key, reserved []string, names map[string]string) []schema.PropertyDefinition {
	taken, stored := namer{}, map[string]bool{}
	for _, r := range reserved {
		taken.take(r)
	}
	omit := func(c *Column, why string) {
		o := Omitted{t.Name, c.Name, why}
		d.draft.Omitted = append(d.draft.Omitted, o)
		if l != nil {
			l.omitted = append(l.omitted, o)
		}
	}
	var fine []*Column
	inKey := func(c *Column) bool { return slices.Contains(key, c.Name) }
	for _, first := range []bool{true, false} {
		for _, c := range columns {
			switch low := strings.ToLower(c.Name); {
			case inKey(c) != first:
			case !schema.IsStored(c.Name):
				omit(c, "its name is too long or has control characters")
			case c.Type == 0:
				omit(c, fmt.Sprintf("%s: %s", shown(c.Declared), c.Why))
			case stored[low]:
				omit(c, "its name differs from another column's in case alone")
			default:
				stored[low] = true
				fine = append(fine, c)
			}
		}
	}
	for _, exact := range []bool{true, false} {
		for _, c := range fine {
			if name := lowerName(c.Name); exact == (name == c.Name) {
				names[c.Name] = taken.free(name, asName(name+"_value"))
			}
		}
	}
	slices.SortStableFunc(fine, func(a, b *Column) int { return slices.Index(t.Columns, a) - slices.Index(t.Columns, b) })
	out := make([]schema.PropertyDefinition, len(fine))
	for i, c := range fine {
		out[i] = property(c, names[c.Name], inKey(c))
		out[i].Unique = l != nil && slices.Contains(keyTypes, out[i].Type) && !(len(key) == 1 && inKey(c)) && t.alone([]string{c.Name})
	}
	return out
}

// property maps a column.
func property(c *Column, name string, key bool) schema.PropertyDefinition {
	p := schema.PropertyDefinition{Name: name, Type: c.Type, Column: c.Name, Description: c.described(), Required: key || !c.Nullable}
	switch {
	case key:
		p.Type = keyType(c)
	case c.Type == schema.Enum:
		for _, v := range c.Values {
			p.Values = append(p.Values, schema.EnumValue{Name: v})
		}
	}
	if p.Type == schema.Decimal {
		p.Scale = c.Scale
	}
	return p
}
