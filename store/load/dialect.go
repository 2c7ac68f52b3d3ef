package load

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// A dialect is what tells databases apart where tables are made and filled.
type dialect struct {
	quote string // around names, doubled within them
	// backslash says that names double backslashes, too.
	backslash bool
	// options end CREATE TABLE; makeSchema makes a table's schema.
	options, makeSchema string
	types               map[schema.Type]string
	text                func(t *table, c *column) string
	// keyFirst makes a table with its primary key. Elsewhere the key is added
	// when the table is full, as indexes are everywhere.
	keyFirst bool
	// analyze refreshes what the planner knows of a table.
	analyze string
	// single says that indexes of several columns do not serve for the first of
	// them, so that indexes are made of first columns alone.
	single bool
	// nullable makes a type of @ that may be null; empty where each may.
	nullable string
	// rowKey is the type of an integer that is the key of a label by itself; empty where
	// it is that of any.
	rowKey string
	// farDate is the type of dates of which some are before 1900 or after 2299;
	// empty where they need none of their own.
	farDate string
	// inCreate ends CREATE TABLE with all keys and indexes; nil where they are made
	// when the table is full.
	inCreate func(d *dialect, t *table) string
	// stateless says that there are no transactions, and nothing to prepare.
	stateless bool
	// flat says that tables have no schemas: a name contains that of the schema.
	flat bool
	// keyOptions end CREATE TABLE with a primary key, where options do not.
	keyOptions func(t *table) string
	// addIndex writes the statement that makes an index, of the kind INDEX or
	// UNIQUE INDEX; nil where none is made of a full table.
	addIndex func(d *dialect, t *table, kind string, columns []*column, list string) string
	// indexed writes a list of columns to index and whether it holds for
	// whole values, as a primary key must.
	indexed func(d *dialect, columns []*column) (list string, whole bool)
	// declares says when foreign keys are declared, and deferred ends one. refers
	// reports whether a column of one type can refer to one of another; nil where
	// values of the same kind always can.
	declares declaring
	deferred string
	refers   func(from, to string) bool
	// ownNames says that a constraint's name is its table's own, and forcing has
	// rows come and go; nil where there are no foreign keys.
	ownNames bool
	forcing  forcing
	// mayReplace reports what of the tables that are there could not be replaced;
	// nil where swap does, or the database itself.
	mayReplace func(ctx context.Context, db queryer, tables []*table) error
	// swap has tables that were made beside others take their places; nil where
	// all are made in one transaction.
	swap swapper
	fill filler
}

func (t Target) dialect() (*dialect, bool) {
	switch t {
	case MariaDB:
		return mysqlDialect("utf8mb4_nopad_bin"), true
	case MySQL:
		return mysqlDialect("utf8mb4_0900_bin"), true
	case Postgres:
		return postgresDialect(), true
	case SQLite:
		return sqliteDialect(), true
	case DuckDB:
		return duckdbDialect(), true
	case ClickHouse:
		return clickhouseDialect(), true
	}
	return nil, false
}

func mysqlDialect(collation string) *dialect {
	return &dialect{
		quote:      "`",
		options:    " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=" + collation,
		makeSchema: "CREATE DATABASE IF NOT EXISTS ",
		types: map[schema.Type]string{
			schema.Int32: "INT", schema.Int64: "BIGINT", schema.Float: "DOUBLE", schema.Bool: "BOOLEAN", schema.Date: "DATE",
			schema.DateTime: "DATETIME(6)", schema.UUID: "CHAR(36)", schema.JSON: "JSON", schema.Decimal: "DECIMAL(38,%d)",
		},
		text:     mysqlText,
		keyFirst: true,
		analyze:  "ANALYZE TABLE ",
		addIndex: func(d *dialect, t *table, kind string, _ []*column, list string) string {
			return "ALTER TABLE " + d.table(t) + " ADD " + kind + " (" + list + ")"
		},
		indexed:  mysqlIndexed,
		declares: whenFull, forcing: mysqlForcing{},
		refers: func(from, to string) bool {
			return from == to || strings.HasPrefix(from, "VARCHAR") && strings.HasPrefix(to, "VARCHAR")
		},
		swap: &mysqlSwap{},
		fill: placeholders{1000, 65_000}, // below the 65,535 that the protocol counts
	}
}

const (
	// shortText and longText are the numbers of characters that VARCHAR
	// columns take: with shortText four columns still fit an index.
	shortText, longText = 191, 768
	// indexBytes is the number of bytes that an index of InnoDB takes, with
	// four for each character.
	indexBytes = 3072
)

// manyColumns is the number of columns up to which short texts that are in no
// index are VARCHAR, too, which sorts and groups faster than TEXT; a row has
// room for 85 of them.
const manyColumns = 64

func mysqlText(t *table, c *column) string {
	indexed := t.inIndex(c)
	switch {
	case c.runes <= shortText && (indexed || len(t.columns) <= manyColumns):
		return "VARCHAR(" + strconv.Itoa(shortText) + ")"
	case c.runes <= longText && indexed:
		return "VARCHAR(" + strconv.Itoa(c.runes) + ")"
	case c.bytes < 1<<16:
		return "TEXT"
	}
	return "LONGTEXT"
}

// mysqlIndexed indexes the first characters of texts that are too long.
func mysqlIndexed(d *dialect, columns []*column) (list string, whole bool) {
	texts, bytes := 0, 0
	for _, c := range columns {
		switch c.typ.kind {
		case schema.String:
			texts++
			bytes += 4 * min(max(c.runes, shortText), longText+1)
		case schema.UUID:
			bytes += 4 * 36
		case schema.Decimal:
			bytes += 20
		default:
			bytes += 8
		}
	}
	whole = bytes <= indexBytes
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = d.name(c.name)
		if c.typ.kind == schema.String && c.runes > longText {
			whole = false
		}
	}
	if !whole {
		// 144 bytes are enough for any column that is not a text.
		prefix := (indexBytes/4 - 36*(len(columns)-texts)) / max(texts, 1)
		for i, c := range columns {
			if c.typ.kind == schema.String && prefix < max(c.runes, shortText) {
				names[i] += "(" + strconv.Itoa(max(prefix, 1)) + ")"
			}
		}
	}
	return strings.Join(names, ", "), whole
}

func postgresDialect() *dialect {
	return &dialect{
		quote:      `"`,
		makeSchema: "CREATE SCHEMA IF NOT EXISTS ",
		types: map[schema.Type]string{
			schema.Int32: "integer", schema.Int64: "bigint", schema.Float: "double precision", schema.Bool: "boolean", schema.Date: "date",
			schema.DateTime: "timestamptz", schema.UUID: "uuid", schema.JSON: "jsonb", schema.Decimal: "numeric(38,%d)",
		},
		text:     func(*table, *column) string { return `text COLLATE "C"` },
		analyze:  "ANALYZE ",
		addIndex: createIndex,
		indexed:  postgresIndexed,
		declares: whenFull, deferred: " DEFERRABLE", ownNames: true, forcing: postgresForcing{},
		swap: postgresSwap{},
		fill: arrays{},
	}
}

// postgresIndexed gives up on texts that a B-tree does not take.
func postgresIndexed(d *dialect, columns []*column) (list string, whole bool) {
	const most = 2600 // of the 2,704 bytes of an entry
	bytes := 0
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = d.name(c.name)
		bytes += 16 + c.bytes
	}
	if bytes <= most {
		return strings.Join(names, ", "), true
	}
	for i, c := range columns {
		if c.typ.kind == schema.String {
			names[i] = fmt.Sprintf("left(%s, %d)", names[i], most/4/len(columns))
		}
	}
	return strings.Join(names, ", "), false
}

// name quotes the name of a table or column.
func (d *dialect) name(n string) string {
	if d.backslash {
		n = strings.ReplaceAll(n, `\`, `\\`)
	}
	return d.quote + strings.ReplaceAll(n, d.quote, d.quote+d.quote) + d.quote
}

// table is where a table is made: beside its name, or there.
func (d *dialect) table(t *table) string {
	if t.fresh.Name != "" {
		return d.named(t.fresh)
	}
	return d.named(t.name)
}

func (d *dialect) named(t schema.Table) string {
	switch {
	case t.Schema == "":
		return d.name(t.Name)
	case d.flat:
		return d.name(t.Schema + "." + t.Name)
	}
	return d.name(t.Schema) + "." + d.name(t.Name)
}

func (d *dialect) typ(t *table, c *column) string {
	typ := d.bare(t, c)
	if d.nullable != "" && !c.required {
		return strings.ReplaceAll(d.nullable, "@", typ)
	}
	return typ
}

// bare is the type of a column's values, whether it may be null or not.
func (d *dialect) bare(t *table, c *column) string {
	switch c.typ.kind {
	case schema.Int32:
		if d.rowKey != "" && t.node && len(t.primary) == 1 && t.primary[0] == c {
			return d.rowKey
		}
	case schema.String:
		return d.text(t, c)
	case schema.Decimal:
		return strings.ReplaceAll(d.types[schema.Decimal], "%d", strconv.Itoa(c.typ.scale))
	case schema.Date:
		if c.far && d.farDate != "" {
			return d.farDate
		}
	}
	return d.types[c.typ.kind]
}

// create writes the statement that makes a table.
func (d *dialect) create(t *table) string {
	var b strings.Builder
	foreign := ""
	b.WriteString("CREATE TABLE " + d.table(t) + " (")
	for i, c := range t.columns {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(d.name(c.name) + " " + d.typ(t, c))
		if c.required && d.nullable == "" {
			b.WriteString(" NOT NULL")
		}
	}
	if d.inCreate != nil {
		return b.String() + d.inCreate(d, t)
	}
	if d.declares == whenMade {
		for _, key := range d.foreign(t) {
			foreign += ", " + key
		}
	}
	options := d.options
	if list, whole := d.indexed(d, t.primary); d.keyFirst && whole && len(t.primary) > 0 {
		b.WriteString(", PRIMARY KEY (" + list + ")")
		if d.keyOptions != nil {
			options = d.keyOptions(t)
		}
	}
	return b.String() + foreign + ")" + options
}

// finish writes the statements that make a full table's key and indexes.
func (d *dialect) finish(t *table) []string {
	if d.inCreate != nil {
		return nil
	}
	var out []string
	if len(t.primary) > 0 {
		switch list, whole := d.indexed(d, t.primary); {
		case !whole:
			out = append(out, d.addIndex(d, t, "INDEX", t.primary, list))
		case !d.keyFirst:
			out = append(out, "ALTER TABLE "+d.table(t)+" ADD PRIMARY KEY ("+list+")")
		}
	}
	indexes := t.indexes
	if d.single {
		indexes = t.firstColumns()
	}
	keys, _ := d.uniques(t)
	for _, columns := range keys {
		list, _ := d.indexed(d, columns)
		out = append(out, d.addIndex(d, t, "UNIQUE INDEX", columns, list))
	}
	for _, columns := range indexes {
		if list, _ := d.indexed(d, columns); !holds(keys, columns) {
			out = append(out, d.addIndex(d, t, "INDEX", columns, list))
		}
	}
	return append(out, d.analyze+d.table(t))
}

// createIndex leaves the name of the index to the database.
func createIndex(d *dialect, t *table, kind string, _ []*column, list string) string {
	return "CREATE " + kind + " ON " + d.table(t) + " (" + list + ")"
}
