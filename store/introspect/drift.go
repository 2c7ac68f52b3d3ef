package introspect

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// The kinds of drift.
const (
	MissingTable      = "missing_table"
	MissingColumn     = "missing_column"
	MissingForeignKey = "missing_foreign_key"
	// UnenforcedForeignKey: it is declared, and rows may refer to none.
	UnenforcedForeignKey = "unenforced_foreign_key"
	MissingUnique        = "missing_unique"
	OtherType            = "type"
	OtherNullability     = "nullability"
	OtherKey             = "key"
	OtherValues          = "enum_values"
	// UnkeptValues: the schema lists values, and the column takes any text.
	// UnkeptSpaces: the column keeps no spaces at the end of texts.
	UnkeptValues = "unkept_values"
	UnkeptSpaces = "unkept_spaces"
)

// A Drift is something that a schema says of its database and that does not
// hold.
type Drift struct {
	Kind string `json:"kind"`
	// Path points into the schema file, to the label, the property or the
	// relationship type.
	Path    string `json:"path"`
	Table   string `json:"table"`
	Column  string `json:"column,omitempty"`
	Message string `json:"message"`
}

// An Unmapped table or column is in the database and not in the schema, which
// may well be meant.
type Unmapped struct {
	Table  string `json:"table"`
	Column string `json:"column,omitempty"`
}

// A Report tells how a database and a schema differ.
type Report struct {
	// Drift is what the schema says and the database does not hold.
	Drift []Drift
	// Unkept is what may hold, though nothing in the database keeps it so: an enum
	// whose check or type was dropped, or that never had one, and texts in columns
	// of a fixed length. No statement of the database says whether a person knows of
	// it and means it.
	Unkept []Drift
	// Unmapped is what the schema leaves out: tables, and columns of the tables
	// that it maps.
	Unmapped []Unmapped
}

// Check compares a schema with the database that it describes: tables, columns,
// types, what may be null, keys, foreign keys, what is unique, the values of enums. It reads
// the database's description of itself and no rows, but on SQLite, which enforces
// foreign keys only where a connection says so, whether rows break them. Of the options, Schemas and
// Views do not matter, and Tables bounds what is reported as unmapped.
//
// A property may be nullable where the column is not, and wider than it. A
// reference to several tables, a table that several labels or types share, and
// a view declare no foreign keys, and none are missed there; nor are keys or foreign
// keys on ClickHouse, which has none. On DuckDB, which keeps rows from referring to
// later ones of their table, an index that begins with the column does instead. Nor
// is a key missed for what is unique of a part of the rows of a table. A column of texts
// may be an enum to a person who knows its values, and of a fixed length: that is told
// as unkept.
func Check(ctx context.Context, db *sql.DB, s *schema.Schema, opts Options) (*Report, error) {
	s = s.Base()
	found := map[string]bool{"": true}
	for l := range s.Labels() {
		found[l.Table.Schema] = true
	}
	for t := range s.Relationships() {
		for _, p := range t.Pairs {
			found[p.Table.Schema] = true
		}
	}
	tables := opts.Tables
	opts = Options{Schemas: sortedKeys(found), Undeclared: opts.Undeclared}
	e, err := detect(ctx, db)
	if err != nil {
		return nil, err
	}
	if e.flat {
		opts.Schemas = nil
	}
	_, c, err := open(ctx, db, opts)
	if err != nil {
		return nil, err
	}
	return compare(c, s, tables, opts.Undeclared || e.loose), nil
}

// A comparer compares a schema with a catalog.
type comparer struct {
	catalog    *Catalog
	byName     map[schema.Table]*Table
	undeclared bool
	used       map[*Table]map[string]bool // columns that the schema knows
	report     *Report
}

func compare(c *Catalog, s *schema.Schema, patterns []string, undeclared bool) *Report {
	k := &comparer{c, map[schema.Table]*Table{}, undeclared, map[*Table]map[string]bool{}, &Report{}}
	for _, t := range c.Tables {
		k.byName[t.Name] = t
	}
	for l := range s.Labels() {
		k.label(l)
	}
	for t := range s.Relationships() {
		for _, p := range t.Pairs {
			k.pair(p)
		}
	}
	for _, t := range c.Tables {
		used := k.used[t]
		if !wanted(t.Name, patterns) {
			continue
		}
		if used == nil {
			k.report.Unmapped = append(k.report.Unmapped, Unmapped{Table: t.Name.String()})
			continue
		}
		for _, col := range t.Columns {
			if !used[col.Name] {
				k.report.Unmapped = append(k.report.Unmapped, Unmapped{t.Name.String(), col.Name})
			}
		}
	}
	return k.report
}

func (k *comparer) add(kind, path string, t schema.Table, column, format string, args ...any) {
	k.note(&k.report.Drift, kind, path, t, column, format, args...)
}

// note adds to a list what is not there yet.
func (k *comparer) note(list *[]Drift, kind, path string, t schema.Table, column, format string, args ...any) {
	d := Drift{kind, path, t.String(), column, fmt.Sprintf(format, args...)}
	if !slices.Contains(*list, d) {
		*list = append(*list, d)
	}
}

// table finds a table by the name that the schema has.
func (k *comparer) table(path string, name schema.Table) *Table {
	at := name
	switch k.catalog.Engine {
	case "sqlite":
		at = meantTable(k.byName, schema.Table{Name: name.String()})
	case "mariadb", "mysql":
		at = meantTable(k.byName, name)
	}
	t := k.byName[at]
	if t == nil {
		all := make([]string, len(k.catalog.Tables))
		for i, other := range k.catalog.Tables {
			all[i] = other.Name.String()
		}
		k.add(MissingTable, path, name, "", "the table %q is not there%s", name, nearest(name.String(), all))
	} else if k.used[t] == nil {
		k.used[t] = map[string]bool{}
	}
	return t
}

// same compares the names of columns as the database does.
func (k *comparer) same(a, b string) bool {
	return a == b || k.catalog.Engine != "postgres" && k.catalog.Engine != "clickhouse" && sameName(a, b)
}

func nearest(name string, all []string) string {
	if near := schema.Suggest(name, all); len(near) > 0 {
		return fmt.Sprintf("; did you mean %q?", near[0])
	}
	return ""
}

// column finds a column.
func (k *comparer) column(path string, t *Table, name string) *Column {
	all := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		if all[i] = c.Name; k.same(c.Name, name) {
			k.used[t][c.Name] = true
			return c
		}
	}
	k.add(MissingColumn, path, t.Name, name, "the table %q has no column %q%s", t.Name, name, nearest(name, all))
	return nil
}

func (k *comparer) label(l *schema.Label) {
	path := "/nodes/" + l.Name
	t := k.table(path, l.Table)
	if t == nil {
		return
	}
	for _, p := range l.Properties {
		k.property(path, t, p, l.IsKey(p))
	}
	var key []string
	for _, p := range l.Key {
		key = append(key, p.Column)
	}
	k.unique(path, t, key, l.Match, "the label's key")
	for _, p := range l.Properties {
		if p.Unique && len(l.Match) == 0 {
			k.alone(path+"/properties/"+p.Name, t, []string{p.Column}, "no two nodes have the same")
		}
	}
}

// alone reports columns of which rows may have the same values, though the schema
// says that they do not.
func (k *comparer) alone(path string, t *Table, columns []string, says string) {
	if k.undeclared || t.View || k.catalog.Engine == "clickhouse" || k.keyed(t, columns, t.Partly...) {
		return
	}
	k.add(MissingUnique, path, t.Name, strings.Join(columns, ", "), "%s, and the table %q may hold the same %s twice", says, t.Name, strings.Join(columns, ", "))
}

// keyed reports whether some columns contain a key, or one of further ones.
func (k *comparer) keyed(t *Table, columns []string, more ...[]string) bool {
	within := func(c string) bool {
		return slices.ContainsFunc(columns, func(o string) bool { return k.same(c, o) })
	}
	return slices.ContainsFunc(slices.Concat([][]string{t.Primary}, t.Unique, more), func(key []string) bool {
		return len(key) > 0 && !slices.ContainsFunc(key, func(c string) bool { return !within(c) })
	})
}

// unique reports columns that do not tell rows apart.
func (k *comparer) unique(path string, t *Table, columns []string, match []schema.Match, what string) {
	for _, m := range match {
		if k.column(path, t, m.Column) == nil {
			return
		}
		columns = append(slices.Clone(columns), m.Column)
	}
	if t.View || k.catalog.Engine == "clickhouse" || k.keyed(t, columns) { // ClickHouse has no unique keys
		return
	}
	k.add(OtherKey, path, t.Name, "", "%s is %s, of which the table %q may hold the same values twice", what, strings.Join(columns, ", "), t.Name)
}

// property compares a property with its column.
func (k *comparer) property(path string, t *Table, p *schema.Property, key bool) {
	path += "/properties/" + p.Name
	c := k.column(path, t, p.Column)
	if c == nil {
		return
	}
	typ := p.Type
	if key && typ == schema.String && c.Type == schema.Enum && !c.Native {
		typ = schema.Enum
	}
	switch {
	case c.holds(typ), c.Type == schema.Int32 && typ == schema.Int64:
	default:
		k.add(OtherType, path, t.Name, c.Name, "the column %q is %s, which holds no %s", c.Name, shown(c.Declared), p.Type)
		return
	}
	if p.Type == schema.Decimal && c.Type == schema.Decimal && p.Scale != c.Scale {
		k.add(OtherType, path, t.Name, c.Name, "the column %q is %s, which has another scale than %d", c.Name, shown(c.Declared), p.Scale)
	}
	if !p.Nullable && c.Nullable && !t.View {
		k.add(OtherNullability, path, t.Name, c.Name, "the column %q may be null, and the property may not", c.Name)
	}
	switch {
	case p.Type == schema.Enum && len(c.Values) > 0 && !p.Values[0].IsInt:
		k.values(path, t, p, c)
	case p.Type == schema.Enum && !p.Values[0].IsInt && !t.View:
		k.note(&k.report.Unkept, UnkeptValues, path, t.Name, c.Name, "the column %q takes any text: no type or check keeps it to the values that the schema lists", c.Name)
	case p.Type == schema.String && c.Padded:
		k.note(&k.report.Unkept, UnkeptSpaces, path, t.Name, c.Name, "the column %q is %s, which keeps no spaces at the end of texts, nor longer ones", c.Name, shown(c.Declared))
	}
}

// values compares the values of an enum with those that a column can have.
func (k *comparer) values(path string, t *Table, p *schema.Property, c *Column) {
	declared := p.EnumNames()
	for _, diff := range []struct {
		of, in []string
		text   string
	}{{c.Values, declared, "the column %q can be %s, which the schema does not list"}, {declared, c.Values, "the column %q can no longer be %s"}} {
		var list []string
		for _, v := range diff.of {
			if !slices.Contains(diff.in, v) {
				list = append(list, fmt.Sprintf("%q", shown(v)))
			}
		}
		if len(list) > 0 {
			k.add(OtherValues, path, t.Name, c.Name, diff.text, c.Name, strings.Join(list, ", "))
		}
	}
}

// pair compares a relationship with its table.
func (k *comparer) pair(p *schema.Pair) {
	path := "/relationships/" + p.Type.Name
	t := k.table(path, p.Table)
	if t == nil {
		return
	}
	whole := true
	for _, name := range slices.Concat(p.FromColumns, p.ToColumns) {
		whole = k.column(path, t, name) != nil && whole
	}
	for _, m := range p.Match {
		whole = k.column(path, t, m.Column) != nil && whole
	}
	for _, prop := range p.Properties {
		k.property(path, t, prop, prop == p.Key)
	}
	if !whole || k.undeclared || t.View {
		return
	}
	shared := p.Holder == nil && len(p.Match) > 0 || p.Holder != nil && len(p.Match) > len(p.Holder.Match)
	for _, e := range []struct {
		label   *schema.Label
		columns []string
		own     bool
	}{{p.From, p.FromColumns, p.Holder != nil && !p.HolderIsTo}, {p.To, p.ToColumns, p.Holder != nil && p.HolderIsTo}} {
		if !e.own && !shared && len(e.label.Match) == 0 {
			k.foreign(path, t, e.label, e.columns)
		}
	}
	for _, e := range []struct {
		unique, own bool
		columns     []string
		says        string
	}{
		{p.UniqueFrom, p.Holder != nil && !p.HolderIsTo, p.FromColumns, "a node starts one at most"},
		{p.UniqueTo, p.Holder != nil && p.HolderIsTo, p.ToColumns, "a node ends one at most"},
	} {
		if e.unique && !e.own && len(p.Match) == 0 {
			k.alone(path, t, e.columns, e.says)
		}
	}
	switch {
	case p.Holder != nil:
	case p.Key != nil:
		k.unique(path, t, append(slices.Concat(p.FromColumns, p.ToColumns), p.Key.Column), p.Match, "what identifies a relationship")
	default:
		k.unique(path, t, slices.Concat(p.FromColumns, p.ToColumns), p.Match, "the pair of ends")
	}
}

// indexed reports whether an index, or the key, begins with a column, on engines
// where that is all that tells of some relationships.
func (k *comparer) indexed(t *Table, column string) bool {
	return len(t.Indexed) > 0 && slices.ContainsFunc(slices.Concat(t.Indexed, t.Primary[:min(1, len(t.Primary))]), func(c string) bool { return k.same(c, column) })
}

// foreign reports an end that no foreign key keeps from leading nowhere.
func (k *comparer) foreign(path string, t *Table, to *schema.Label, columns []string) {
	target := k.table("/nodes/"+to.Name, to.Table)
	if target == nil || target.View {
		return
	}
	doubt := ""
	for _, fk := range t.Foreign {
		at, refers := k.catalog.references(fk)
		if at != target || len(fk.Columns) != len(columns) || len(refers) != len(columns) {
			continue
		}
		same := true
		for i, c := range columns {
			j := slices.IndexFunc(fk.Columns, func(o string) bool { return k.same(o, c) })
			same = same && j >= 0 && k.same(refers[j], to.Key[i].Column)
		}
		if same && fk.Doubt == "" {
			return
		}
		if same {
			doubt = fk.Doubt
		}
	}
	if doubt != "" {
		k.add(UnenforcedForeignKey, path, t.Name, strings.Join(columns, ", "), "the foreign key of the columns %s of %q to %q may lead nowhere: %s", strings.Join(columns, ", "), t.Name, target.Name, doubt)
		return
	}
	if k.indexed(t, columns[0]) {
		return
	}
	k.add(MissingForeignKey, path, t.Name, strings.Join(columns, ", "), "the columns %s of %q have no foreign key to %q", strings.Join(columns, ", "), t.Name, target.Name)
}
