package introspect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// A Catalog is what a database says of its tables, in the terms of no database
// in particular.
type Catalog struct {
	// Engine names the database: mariadb, mysql, postgres, sqlite, duckdb or
	// clickhouse.
	Engine string
	// Remark is what a person should know of the whole database.
	Remark string
	// Tables are the tables and views, by schema and name.
	Tables []*Table
}

// A Table is a table or a view.
type Table struct {
	// Name has no schema where the table is in the connection's default one.
	Name    schema.Table
	Comment string
	// View is a view, or a table that shows the rows of others. It declares no key.
	View    bool
	Columns []*Column // in the order of the table
	// Primary are the columns of the primary key, and Unique those of each other
	// key that holds for all rows and has no nulls.
	Primary []string
	Unique  [][]string
	// Partly are other keys, of which rows with a null may be alike.
	Partly [][]string
	// NoKey says why there is no primary key, where more is to say than that.
	// Remark is what a person should know of the table.
	NoKey, Remark string
	Foreign       []ForeignKey
	// Indexed are columns that an index begins with, where the engine declares
	// fewer foreign keys than hold.
	Indexed []string
	// Checks are the conditions on rows, as the database words them.
	Checks []string
}

// A Column is a column of a table.
type Column struct {
	Name string
	// Declared is the type as the database words it.
	Declared string
	// Type is the property type that holds every value, 0 if there is none; Why
	// says then what is missing. Others are types that the column can hold as
	// well, if a person knows that it does.
	Type     schema.Type
	Why      string
	Others   []schema.Type
	Scale    int // of a decimal
	Nullable bool
	Comment  string
	// Values are those of an enum, in their order. Native says that the type is
	// one that does not compare with texts.
	Values []string
	Native bool
	// Allowed says in words which numbers checks allow.
	Allowed []string
	// Padded says that texts lose the spaces at their end.
	Padded bool
	// Loose is the collation of its texts, where it takes some for the same that
	// differ.
	Loose string
	// Remark is what a person should know of the column.
	Remark string
}

// remark adds to what a person should know of a column.
func (c *Column) remark(text string) {
	c.Remark = strings.TrimPrefix(c.Remark+"; "+text, "; ")
}

// A ForeignKey is a declared reference to another table.
type ForeignKey struct {
	Columns []string
	Table   schema.Table
	// Refers are the columns referred to, none for the primary key.
	Refers []string
	// Doubt says why rows may refer to none.
	Doubt string
}

// sort brings everything into an order that does not depend on the database's.
func (c *Catalog) sort() {
	slices.SortFunc(c.Tables, func(a, b *Table) int { return compareTables(a.Name, b.Name) })
	for _, t := range c.Tables {
		place := map[string]int{}
		for i, col := range t.Columns {
			place[col.Name] = i
		}
		slices.SortFunc(t.Unique, slices.Compare)
		slices.SortFunc(t.Partly, slices.Compare)
		slices.SortStableFunc(t.Foreign, func(a, b ForeignKey) int {
			for i := range min(len(a.Columns), len(b.Columns)) {
				if n := cmp.Compare(place[a.Columns[i]], place[b.Columns[i]]); n != 0 {
					return n
				}
			}
			return cmp.Or(cmp.Compare(len(a.Columns), len(b.Columns)), compareTables(a.Table, b.Table), slices.Compare(a.Refers, b.Refers))
		})
		slices.Sort(t.Checks)
	}
}

func compareTables(a, b schema.Table) int {
	return cmp.Or(strings.Compare(a.Schema, b.Schema), strings.Compare(a.Name, b.Name))
}

// table finds a table.
func (c *Catalog) table(name schema.Table) *Table {
	i, ok := slices.BinarySearchFunc(c.Tables, name, func(t *Table, n schema.Table) int { return compareTables(t.Name, n) })
	if !ok {
		return nil
	}
	return c.Tables[i]
}

func (t *Table) column(name string) *Column {
	for _, c := range t.Columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// enums makes enums of the columns whose texts a check lists, and tells of others
// which numbers a check allows them; it takes these checks off the lists. It makes
// texts of the enums whose values no schema takes.
func (c *Catalog) enums(backslash bool) {
	for _, t := range c.Tables {
		var rest []string
		for _, check := range t.Checks {
			if !t.enum(check, backslash) && !t.numbers(check, backslash) {
				rest = append(rest, check)
			}
		}
		t.Checks = rest
		for _, col := range t.Columns {
			if col.Type != schema.Enum {
				continue
			}
			if why := validValues(col.Values); why != "" && col.Native {
				col.Type, col.Why = 0, why
			} else if why != "" {
				col.Type = schema.String
				col.remark("not an enum, as " + why)
			}
		}
	}
}

// enum makes an enum of a column if a check lists its texts.
func (t *Table) enum(check string, backslash bool) bool {
	name, values, ok := oneOf(check, backslash)
	if !ok || validValues(values) != "" {
		return false
	}
	for _, col := range t.Columns {
		if sameName(col.Name, name) && col.Type == schema.String {
			col.Type, col.Values = schema.Enum, values
			col.Others = append(slices.Clone(col.Others), schema.String)
			return true
		}
	}
	return false
}

// unique reports whether no two rows have the same values in these columns, in
// whatever order they are named.
func (t *Table) unique(columns []string) bool {
	for _, key := range append([][]string{t.Primary}, t.Unique...) {
		if len(key) > 0 && sameSet(key, columns) {
			return true
		}
	}
	return false
}

// alone reports whether no two rows have the same values in these columns, but for
// those that have not all of them.
func (t *Table) alone(columns []string) bool {
	return slices.ContainsFunc(slices.Concat([][]string{t.Primary}, t.Unique, t.Partly), func(key []string) bool {
		return len(key) > 0 && !slices.ContainsFunc(key, func(c string) bool { return !slices.Contains(columns, c) })
	})
}

func sameSet(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}

// references returns the table and its columns that a foreign key refers to, in
// the order of the foreign key's columns.
func (c *Catalog) references(fk ForeignKey) (*Table, []string) {
	t := c.table(fk.Table)
	switch {
	case t == nil:
		return nil, nil
	case len(fk.Refers) == 0:
		return t, t.Primary
	}
	return t, fk.Refers
}

// holds reports whether a column can hold a type.
func (c *Column) holds(t schema.Type) bool { return c.Type == t || slices.Contains(c.Others, t) }
