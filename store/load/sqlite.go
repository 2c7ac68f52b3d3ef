package load

import (
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// sqliteDialect stores what SQLite has no type for as compile.SQLite expects
// it. The types are those of columns that keep a value as it is.
func sqliteDialect() *dialect {
	return &dialect{
		quote: "`", // double quotes around a name that does not exist make a text of it
		types: map[schema.Type]string{
			schema.Int32: "INTEGER", schema.Int64: "INTEGER", schema.Float: "REAL", schema.Bool: "INTEGER", schema.Date: "TEXT",
			schema.DateTime: "TEXT", schema.UUID: "TEXT", schema.JSON: "TEXT", schema.Decimal: "TEXT",
		},
		text:       func(*table, *column) string { return "TEXT" },
		keyFirst:   true,
		keyOptions: sqliteKey,
		flat:       true,
		analyze:    "ANALYZE ",
		addIndex:   sqliteIndex,
		indexed:    sqliteIndexed,
		fill:       placeholders{500, 32_000}, // below the 32,766 that a statement takes
	}
}

// sqliteIndexed takes columns of any length.
func sqliteIndexed(d *dialect, columns []*column) (list string, whole bool) {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = d.name(c.name)
	}
	return strings.Join(names, ", "), true
}

// sqliteKey keeps the rows of tables of relationships in their key's index:
// they are short, and all are found by an end.
func sqliteKey(t *table) string {
	if t.node {
		return ""
	}
	return " WITHOUT ROWID"
}

// sqliteIndex names the index after what it is on: the names are the
// database's own.
func sqliteIndex(d *dialect, t *table, columns []*column, list string) string {
	parts := []string{t.String()}
	for _, c := range columns {
		parts = append(parts, c.name)
	}
	return "CREATE INDEX " + d.name(strings.Join(parts, " ")+" index") + " ON " + d.table(t) + " (" + list + ")"
}
