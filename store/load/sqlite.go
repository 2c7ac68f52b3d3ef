package load

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// sqliteDialect stores what SQLite has no type for as compile.SQLite expects
// it. The types are those of columns that keep a value as it is: the word TEXT or INT in
// them says so to SQLite, the other to whoever reads the tables. None is one by which
// drivers make a time of a text.
func sqliteDialect() *dialect {
	return &dialect{
		quote: "`", // double quotes around a name that does not exist make a text of it
		types: map[schema.Type]string{
			schema.Int32: "INT32", schema.Int64: "INTEGER", schema.Float: "REAL", schema.Bool: "BOOLEAN INTEGER", schema.Date: "DATE TEXT",
			schema.DateTime: "DATETIME TEXT", schema.UUID: "UUID TEXT", schema.JSON: "JSON TEXT", schema.Decimal: "DECIMAL TEXT(38,%d)",
		},
		rowKey:     "INTEGER",
		text:       func(*table, *column) string { return "TEXT" },
		keyFirst:   true,
		keyOptions: sqliteKey,
		flat:       true,
		analyze:    "ANALYZE ",
		addIndex:   sqliteIndex,
		indexed:    sqliteIndexed,
		declares:   whenMade,
		forcing:    &sqliteForcing{},
		mayReplace: sqliteMayReplace,
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
func sqliteIndex(d *dialect, t *table, kind string, columns []*column, list string) string {
	parts := []string{t.String()}
	for _, c := range columns {
		parts = append(parts, c.name)
	}
	return "CREATE " + kind + " " + d.name(strings.Join(parts, " ")+" index") + " ON " + d.table(t) + " (" + list + ")"
}

// sqliteMayReplace reports foreign keys of other tables that lead to those that are
// there, which would refer to rows of others or to none, and triggers, which would be
// lost.
func sqliteMayReplace(ctx context.Context, db queryer, tables []*table) error {
	own := func(name string) bool {
		return slices.ContainsFunc(tables, func(t *table) bool { return strings.EqualFold(t.String(), name) })
	}
	find := func(text string) ([][2]string, error) {
		rows, err := db.QueryContext(ctx, text)
		if err != nil {
			return nil, fmt.Errorf("load: looking for what depends on tables: %w", err)
		}
		return pairs(rows)
	}
	foreign, err := find(`SELECT DISTINCT m.name, f."table" FROM sqlite_master AS m JOIN pragma_foreign_key_list(m.name) AS f WHERE m.type = 'table' ORDER BY 1, 2`)
	if err != nil {
		return err
	}
	for _, f := range foreign {
		if own(f[1]) && !own(f[0]) {
			return fmt.Errorf("load: making table %s: a foreign key of table %s leads to the one that is there", f[1], f[0])
		}
	}
	triggers, err := find(`SELECT t.name, t.tbl_name FROM sqlite_master AS t JOIN sqlite_master AS m ON m.name = t.tbl_name COLLATE NOCASE AND m.type = 'table' WHERE t.type = 'trigger' ORDER BY 1, 2`)
	if err != nil {
		return err
	}
	for _, t := range triggers {
		if own(t[1]) {
			return wouldLose(t[1], "the trigger "+t[0])
		}
	}
	return nil
}
