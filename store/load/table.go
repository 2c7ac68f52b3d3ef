package load

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A table is a table to create and the rows to put into it.
type table struct {
	name    schema.Table
	fresh   schema.Table // where it is made; empty for under its name
	columns []*column
	// primary are the columns of the primary key, none if the table has none;
	// indexes are those of further indexes.
	primary []*column
	indexes [][]*column
	// uniques are the columns of further keys, of which rows with a null may be alike.
	uniques [][]*column
	// references are the foreign keys that hold for all rows.
	references []reference
	parts      []*part
	node       bool // rows are nodes
}

// A column is a column of a table.
type column struct {
	name string
	typ  columnType
	// required says that no row is without a value.
	required bool
	// runes and bytes are the length of the longest text.
	runes, bytes int
	values       int // rows with a value
	// far says that there are dates before 1900 or after 2299.
	far bool
}

// A columnType is what values a column holds: a property's type, or what an
// enum is stored as.
type columnType struct {
	kind  schema.Type // never Enum
	scale int
}

// A part is those rows of a table that are one label's or one pair's.
type part struct {
	rows   int
	values map[*column]func(row uint32) graph.Value
}

func (t *table) String() string { return t.name.String() }

func (t *table) rows() int {
	n := 0
	for _, p := range t.parts {
		n += p.rows
	}
	return n
}

// column returns the column of that name, which is made if it is not there.
// Columns to which two mappings give different types are refused, except for
// integers of both sizes.
func (t *table) column(name string, typ columnType) (*column, error) {
	for _, c := range t.columns {
		if c.name != name {
			continue
		}
		switch {
		case c.typ == typ || c.typ.kind == schema.Int64 && typ.kind == schema.Int32:
		case c.typ.kind == schema.Int32 && typ.kind == schema.Int64:
			c.typ = typ
		default:
			return nil, fmt.Errorf("load: column %q of table %q would be %s and %s", name, t, c.typ.kind, typ.kind)
		}
		return c, nil
	}
	c := &column{name: name, typ: typ}
	t.columns = append(t.columns, c)
	return c, nil
}

func (t *table) find(name string) *column {
	for _, c := range t.columns {
		if c.name == name {
			return c
		}
	}
	return nil
}

func (t *table) named(names []string) []*column {
	out := make([]*column, len(names))
	for i, n := range names {
		out[i] = t.find(n)
	}
	return out
}

// index adds an index unless there is one that begins with the same columns.
func (t *table) index(columns ...*column) {
	columns = distinct(columns)
	for _, have := range t.allIndexes() {
		if len(have) >= len(columns) && slices.Equal(have[:len(columns)], columns) {
			return
		}
	}
	t.indexes = append(t.indexes, columns)
}

func distinct(columns []*column) []*column {
	var out []*column
	for _, c := range columns {
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// measure finds how long the texts of the columns are and which columns always
// have a value.
func (t *table) measure() {
	for _, p := range t.parts {
		for c, value := range p.values {
			text := c.typ.kind == schema.String || c.typ.kind == schema.JSON
			for row := range uint32(p.rows) {
				v := value(row)
				if v.IsNull() {
					continue
				}
				c.values++
				if c.typ.kind == schema.Date {
					c.far = c.far || v.Time().Before(farFrom) || !v.Time().Before(farTo)
				}
				if text {
					s := v.Text()
					if c.bytes = max(c.bytes, len(s)); len(s) > c.runes {
						c.runes = max(c.runes, utf8.RuneCountInString(s))
					}
				}
			}
		}
	}
	for _, c := range t.columns {
		c.required = c.required && c.values == t.rows()
	}
	slices.SortStableFunc(t.indexes, func(a, b []*column) int { return cmp.Compare(a[0].name, b[0].name) })
}

// typeOf is how a property is stored.
func typeOf(p *schema.Property) columnType {
	switch p.Type {
	case schema.Enum:
		if len(p.Values) == 0 || !p.Values[0].IsInt {
			return columnType{kind: schema.String}
		}
		for _, v := range p.Values {
			if v.Int != int64(int32(v.Int)) {
				return columnType{kind: schema.Int64}
			}
		}
		return columnType{kind: schema.Int32}
	case schema.Decimal:
		return columnType{schema.Decimal, p.Scale}
	}
	return columnType{kind: p.Type}
}

// stored returns how a property's values are stored.
func stored(p *schema.Property, get func(uint32) graph.Value) func(uint32) graph.Value {
	if p.Type != schema.Enum || len(p.Values) == 0 || !p.Values[0].IsInt {
		return get
	}
	return func(row uint32) graph.Value {
		v := get(row)
		if i := p.EnumIndex(v.Text()); !v.IsNull() && i >= 0 {
			return graph.Int(p.Values[i].Int)
		}
		return graph.Null()
	}
}

// inIndex reports whether a column is in a key or in an index.
func (t *table) inIndex(c *column) bool {
	return slices.ContainsFunc(slices.Concat(t.allIndexes(), t.uniques), func(columns []*column) bool { return slices.Contains(columns, c) })
}

// firstColumns are indexes of one column each, for the first of every index but
// a primary key of one column.
func (t *table) firstColumns() [][]*column {
	var out [][]*column
	for i, columns := range t.allIndexes() {
		if i == 0 && len(columns) < 2 || slices.ContainsFunc(out, func(have []*column) bool { return have[0] == columns[0] }) ||
			len(t.primary) == 1 && t.primary[0] == columns[0] {
			continue
		}
		out = append(out, columns[:1])
	}
	return out
}

func (t *table) allIndexes() [][]*column { return append([][]*column{t.primary}, t.indexes...) }
