package introspect

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// duckdbOf ends the statements about the schemas that are asked for.
const duckdbOf = ` WHERE database_name = current_database() AND schema_name IN (SELECT unnest(from_json($1::VARCHAR, '["VARCHAR"]')))`

// readDuckDB reads the functions in which DuckDB describes itself.
func readDuckDB(r *rows, schemas []string) *Catalog {
	own := ""
	r.each(func() {}, "SELECT current_schema()", nil, &own)
	list, _ := json.Marshal(orOwn(schemas, own))
	args := []any{string(list)}
	c := &Catalog{}
	tables := map[schema.Table]*Table{}
	var namespace, name, comment string
	var view bool
	key := func(name string) schema.Table {
		if namespace == own {
			return schema.Table{Name: name}
		}
		return schema.Table{Schema: namespace, Name: name}
	}
	r.each(func() {
		t := &Table{Name: key(name), Comment: comment, View: view}
		tables[t.Name], c.Tables = t, append(c.Tables, t)
	}, `SELECT schema_name, table_name, COALESCE(comment, ''), false FROM duckdb_tables()`+duckdbOf+` AND NOT internal AND NOT temporary
UNION ALL SELECT schema_name, view_name, COALESCE(comment, ''), true FROM duckdb_views()`+duckdbOf+` AND NOT internal AND NOT temporary ORDER BY 1, 2`,
		args, &namespace, &name, &comment, &view)

	var column, declared string
	var nullable bool
	var scale int
	r.each(func() {
		col := &Column{Name: column, Declared: declared, Nullable: nullable, Comment: comment}
		duckdbType(col, scale)
		t := tableOf(tables, key(name))
		t.Columns = append(t.Columns, col)
	}, `SELECT schema_name, table_name, column_name, data_type, is_nullable, COALESCE(comment, ''), COALESCE(numeric_scale, 0) FROM duckdb_columns()`+
		duckdbOf+` AND NOT internal ORDER BY schema_name, table_name, column_index`,
		args, &namespace, &name, &column, &declared, &nullable, &comment, &scale)

	var statement string
	r.each(func() { tableOf(tables, key(name)).collated(statement) },
		`SELECT schema_name, table_name, COALESCE(sql, '') FROM duckdb_tables()`+duckdbOf+` AND NOT internal AND NOT temporary`, args, &namespace, &name, &statement)

	var kind, check, columns, target, refers string
	r.each(func() {
		t := tableOf(tables, key(name))
		switch kind {
		case "PRIMARY KEY", "UNIQUE":
			t.addKey(kind == "PRIMARY KEY", names(columns))
		case "FOREIGN KEY":
			t.Foreign = append(t.Foreign, ForeignKey{Columns: names(columns), Table: key(target), Refers: names(refers)})
		case "CHECK":
			t.Checks = append(t.Checks, check)
		}
	}, `SELECT schema_name, table_name, constraint_type, COALESCE(expression, ''), COALESCE(CAST(to_json(constraint_column_names) AS VARCHAR), '[]'),
COALESCE(referenced_table, ''), COALESCE(CAST(to_json(referenced_column_names) AS VARCHAR), '[]') FROM duckdb_constraints()`+
		duckdbOf+` ORDER BY schema_name, table_name, constraint_index`,
		args, &namespace, &name, &kind, &check, &columns, &target, &refers)

	var expressions string
	var unique bool
	r.each(func() {
		t := tableOf(tables, key(name))
		list := indexedNames(expressions)
		if first := t.column(list[0]); first != nil {
			t.Indexed = append(t.Indexed, first.Name)
		}
		if unique && !slices.Contains(list, "") {
			t.addKey(false, list)
		}
	}, `SELECT schema_name, table_name, COALESCE(expressions, ''), is_unique FROM duckdb_indexes()`+duckdbOf+` ORDER BY schema_name, table_name, index_name`,
		args, &namespace, &name, &expressions, &unique)
	return c
}

// indexedNames are the columns of an index, as a list of expressions has them: [a],
// ['"b c"', a]. For another expression there is an empty name.
func indexedNames(expressions string) (out []string) {
	text, _ := strings.CutPrefix(expressions, "[")
	for _, part := range partsOf(strings.TrimSuffix(text, "]")) {
		if len(part) == 1 && part[0].kind == 't' {
			part, _ = tokens(part[0].text, false)
		}
		name := ""
		if len(part) == 1 && (part[0].kind == 'w' || part[0].kind == 'n') {
			name = part[0].text
		}
		out = append(out, name)
	}
	if len(out) == 0 {
		return []string{""}
	}
	return out
}

// enumValue is a value in the type of an enum.
var enumValue = regexp.MustCompile(`'((?:[^']|'')*)'`)

// duckdbType finds the property type of a declared type.
func duckdbType(c *Column, scale int) {
	switch {
	case strings.HasSuffix(c.Declared, "]"):
		c.Why = noType
		return
	case strings.HasPrefix(c.Declared, "ENUM("):
		c.Type, c.Native = schema.Enum, true
		for _, v := range enumValue.FindAllStringSubmatch(c.Declared, -1) {
			c.Values = append(c.Values, strings.ReplaceAll(v[1], "''", "'"))
		}
		return
	case strings.HasPrefix(c.Declared, "DECIMAL("):
		decimal(c, scale)
		return
	}
	switch c.Declared {
	case "TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT":
		c.Type, c.Others = schema.Int32, []schema.Type{schema.Enum}
	case "BIGINT", "UINTEGER":
		c.Type, c.Others = schema.Int64, []schema.Type{schema.Enum}
	case "FLOAT", "DOUBLE":
		c.Type = schema.Float
	case "BOOLEAN":
		c.Type = schema.Bool
	case "VARCHAR":
		c.Type, c.Others = schema.String, []schema.Type{schema.Enum}
	case "DATE":
		c.Type = schema.Date
	case "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "TIMESTAMP_S", "TIMESTAMP_MS":
		c.Type = schema.DateTime
	case "UUID":
		c.Type = schema.UUID
	case "JSON":
		c.Type = schema.JSON
	default:
		c.Why = noType
	}
}
