package introspect

import (
	"database/sql"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// readMySQL reads the information schema of MariaDB and MySQL.
func readMySQL(r *rows, schemas []string) *Catalog {
	var own sql.NullString
	r.each(func() {}, "SELECT DATABASE()", nil, &own)
	schemas = orOwn(schemas, own.String)
	if slices.Contains(schemas, "") {
		r.fail("the connection has no database, and no schema is named")
	}
	args := make([]any, len(schemas))
	for i, s := range schemas {
		args[i] = s
	}
	in := " IN (" + strings.TrimSuffix(strings.Repeat("?, ", len(schemas)), ", ") + ")"
	name := func(namespace, table string) schema.Table {
		if namespace == own.String {
			namespace = ""
		}
		return schema.Table{Schema: namespace, Name: table}
	}

	c := &Catalog{}
	tables := map[schema.Table]*Table{}
	var namespace, table, kind, comment string
	r.each(func() {
		t := &Table{Name: name(namespace, table), Comment: comment, View: strings.Contains(kind, "VIEW")}
		if t.View {
			t.Comment = "" // it says VIEW
		}
		tables[t.Name], c.Tables = t, append(c.Tables, t)
	}, `SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, TABLE_COMMENT FROM information_schema.TABLES
		WHERE TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW') AND TABLE_SCHEMA`+in, args, &namespace, &table, &kind, &comment)

	find := func(namespace, table string) *Table { return tableOf(tables, name(namespace, table)) }
	var column, declared, nullable, charset, collation string
	var scale sql.NullInt64
	r.each(func() {
		col := &Column{Name: column, Declared: declared, Nullable: nullable == "YES", Comment: comment}
		mysqlType(col, strings.ToLower(kind), strings.ToLower(declared), int(scale.Int64))
		if col.Type == 0 && col.Why == "" {
			col.Why = noType
		}
		mysqlText(col, charset, collation)
		t := find(namespace, table)
		t.Columns = append(t.Columns, col)
	}, `SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, NUMERIC_SCALE, IS_NULLABLE, COLUMN_COMMENT,
			COALESCE(CHARACTER_SET_NAME, ''), COALESCE(COLLATION_NAME, '') FROM information_schema.COLUMNS
		WHERE TABLE_SCHEMA`+in+` ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION`,
		args, &namespace, &table, &column, &kind, &declared, &scale, &nullable, &comment, &charset, &collation)

	mysqlKeys(r, in, args, find)
	mysqlForeign(r, in, args, name, tables)
	mysqlChecks(r, in, args, find)
	return c
}

// mysqlKeys reads unique indexes of whole columns.
func mysqlKeys(r *rows, in string, args []any, find func(namespace, table string) *Table) {
	var namespace, table, index, last string
	var at *Table
	var columns []string
	whole := true
	flush := func() {
		if whole && len(columns) > 0 {
			at.addKey(strings.HasSuffix(last, "\x00PRIMARY"), columns)
		}
		columns, whole = nil, true
	}
	var column sql.NullString // null for an expression
	var part sql.NullInt64
	r.each(func() {
		if id := namespace + "\x00" + table + "\x00" + index; id != last {
			flush()
			at, last = find(namespace, table), id
		}
		columns = append(columns, column.String)
		whole = whole && column.Valid && !part.Valid
	}, `SELECT TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, COLUMN_NAME, SUB_PART FROM information_schema.STATISTICS
		WHERE NON_UNIQUE = 0 AND TABLE_SCHEMA`+in+` ORDER BY TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX`,
		args, &namespace, &table, &index, &column, &part)
	flush()
}

// mysqlForeign reads foreign keys.
func mysqlForeign(r *rows, in string, args []any, name func(namespace, table string) schema.Table, tables map[schema.Table]*Table) {
	var namespace, table, constraint, column, toSchema, toTable, toColumn, last string
	r.each(func() {
		t := tableOf(tables, name(namespace, table))
		if id := namespace + "\x00" + table + "\x00" + constraint; id != last {
			last = id
			t.Foreign = append(t.Foreign, ForeignKey{Table: meantTable(tables, name(toSchema, toTable))})
		}
		fk := &t.Foreign[len(t.Foreign)-1]
		fk.Columns, fk.Refers = append(fk.Columns, column), append(fk.Refers, toColumn)
	}, `SELECT TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME
		FROM information_schema.KEY_COLUMN_USAGE WHERE REFERENCED_TABLE_NAME IS NOT NULL AND TABLE_SCHEMA`+in+`
		ORDER BY TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION`,
		args, &namespace, &table, &constraint, &column, &toSchema, &toTable, &toColumn)
}

// meantTable finds a table whose name a reference may write in another case.
func meantTable(tables map[schema.Table]*Table, name schema.Table) schema.Table {
	if tables[name] != nil {
		return name
	}
	found := name
	for t := range tables {
		if strings.EqualFold(t.Name, name.Name) && strings.EqualFold(t.Schema, name.Schema) {
			if found != name {
				return name // which of them is not said
			}
			found = t
		}
	}
	return found
}

// mysqlChecks reads checks, where the server has them. MariaDB's name their
// table; what says that a text is JSON is its way to have a JSON type.
func mysqlChecks(r *rows, in string, args []any, find func(namespace, table string) *Table) {
	var table string
	has := map[string]bool{}
	r.each(func() { has[strings.ToUpper(table)] = true },
		`SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'information_schema' AND TABLE_NAME = 'CHECK_CONSTRAINTS'`, nil, &table)
	statement := `SELECT c.CONSTRAINT_SCHEMA, t.TABLE_NAME, c.CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS c JOIN information_schema.TABLE_CONSTRAINTS t
		ON t.CONSTRAINT_SCHEMA = c.CONSTRAINT_SCHEMA AND t.CONSTRAINT_NAME = c.CONSTRAINT_NAME AND t.CONSTRAINT_TYPE = 'CHECK' WHERE c.CONSTRAINT_SCHEMA` + in
	switch {
	case len(has) == 0:
		return
	case has["TABLE_NAME"]:
		statement = `SELECT CONSTRAINT_SCHEMA, TABLE_NAME, CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS WHERE CONSTRAINT_SCHEMA` + in
	}
	var namespace, check string
	r.each(func() {
		t := find(namespace, table)
		check := check
		if !has["TABLE_NAME"] {
			check = strings.ReplaceAll(check, `\'`, `'`) // so MySQL quotes the quotes of texts
		}
		if list, ok := tokens(check, true); ok && len(list) == 4 && is(list, "json_valid", "(") {
			if col := t.column(list[2].text); col != nil && col.Type == schema.String {
				col.Type = schema.JSON
				return
			}
		}
		t.Checks = append(t.Checks, check)
	}, statement, args, &namespace, &table, &check)
}

// mysqlType finds the property type of a column.
func mysqlType(c *Column, kind, declared string, scale int) {
	unsigned := strings.Contains(declared, "unsigned")
	switch kind {
	case "tinyint", "smallint", "mediumint", "year":
		c.Type, c.Others = schema.Int32, []schema.Type{schema.Int64, schema.Bool, schema.Enum}
		if declared == "tinyint(1)" {
			c.Type, c.Others = schema.Bool, []schema.Type{schema.Int32, schema.Int64, schema.Enum}
		}
	case "int", "integer":
		c.Type, c.Others = schema.Int32, []schema.Type{schema.Int64, schema.Enum}
		if unsigned {
			c.Type, c.Others = schema.Int64, []schema.Type{schema.Enum}
		}
	case "bigint":
		c.Type, c.Others = schema.Int64, []schema.Type{schema.Enum}
		if unsigned {
			c.Remark = "values over 9223372036854775807 do not fit an int64"
		}
	case "float", "double":
		c.Type = schema.Float
	case "decimal", "numeric":
		decimal(c, scale)
	case "char", "varchar", "tinytext", "text", "mediumtext", "longtext":
		c.Type, c.Others = schema.String, []schema.Type{schema.UUID, schema.Enum, schema.JSON}
		c.Padded = kind == "char"
	case "enum":
		c.Type, c.Values, c.Others = schema.Enum, enumValues(c.Declared), []schema.Type{schema.String}
	case "date":
		c.Type = schema.Date
	case "datetime", "timestamp":
		c.Type = schema.DateTime
	case "json":
		c.Type = schema.JSON
	case "uuid":
		c.Type = schema.UUID
	}
}

// mysqlText notes how a column compares texts. Those of another character set than
// utf8mb4 have no collation that compares them byte by byte with the texts of calls.
func mysqlText(c *Column, charset, collation string) {
	if charset != "" && charset != "utf8mb4" {
		c.remark("its texts are " + charset + ", and calls compare those of utf8mb4 alone: " +
			"ALTER TABLE … CONVERT TO CHARACTER SET utf8mb4, or map a view with CONVERT(… USING utf8mb4)")
	}
	if strings.Contains(collation, "_ci") || strings.Contains(collation, "_ai") {
		c.Loose = collation
	}
}

// enumValues reads the values of enum('a','b'), in which quotes and backslashes
// are doubled.
func enumValues(declared string) (out []string) {
	const start = "enum("
	if len(declared) < len(start) || !strings.EqualFold(declared[:len(start)], start) {
		return nil
	}
	for text := declared[len(start):]; strings.HasPrefix(text, "'"); {
		value, size, ok := quoted(text, true)
		if !ok {
			return nil
		}
		out = append(out, value)
		text = strings.TrimPrefix(text[size:], ",")
	}
	return out
}
