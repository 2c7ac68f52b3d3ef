package introspect

import (
	"database/sql"
	"regexp"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// sqliteTables are the tables and views of the file; not those of modules, such
// as full-text indexes.
const sqliteTables = `SELECT l.name AS name, l.type AS type, l.wr AS wr FROM pragma_table_list AS l WHERE l.schema = 'main' AND l.type IN ('table', 'view') AND l.name NOT LIKE 'sqlite!_%' ESCAPE '!'`

// readSQLite reads the pragmas of SQLite, and checks from the statements that
// made the tables.
func readSQLite(r *rows, schemas []string) *Catalog {
	for _, s := range schemas {
		if s != "main" {
			r.fail("there is no schema %q: SQLite has main alone", s)
		}
	}
	c := &Catalog{}
	encoding := ""
	r.each(func() {
		if encoding != "UTF-8" {
			c.Remark = "the file's encoding is " + encoding + ", in which texts are in another order: only UTF-8 is"
		}
	}, "SELECT encoding FROM pragma_encoding", nil, &encoding)
	tables := map[schema.Table]*Table{}
	var table, kind string
	r.each(func() {
		t := &Table{Name: schema.Table{Name: table}, View: kind == "view"}
		tables[t.Name], c.Tables = t, append(c.Tables, t)
	}, `SELECT name, type FROM (`+sqliteTables+`)`, nil, &table, &kind)
	find := func() *Table { return tableOf(tables, schema.Table{Name: table}) }

	var column, declared string
	var required, loose bool
	var place int
	keys := map[*Table][]string{}
	r.each(func() {
		t := find()
		col := &Column{Name: column, Declared: declared, Nullable: !required && place == 0}
		if loose {
			col.Remark = "SQLite takes rows without a value for it, though it is in the primary key: declare it NOT NULL"
		}
		sqliteType(col, strings.ToUpper(strings.TrimSpace(declared)))
		t.Columns = append(t.Columns, col)
		if place > 0 {
			for len(keys[t]) < place {
				keys[t] = append(keys[t], "")
			}
			keys[t][place-1] = column
		}
	}, `SELECT t.name, x.name, x.type, x."notnull", x.pk, x.pk > 0 AND NOT x."notnull" AND NOT t.wr
			AND NOT (upper(x.type) = 'INTEGER' AND (SELECT COUNT(*) FROM pragma_table_info(t.name) WHERE pk > 0) = 1) FROM (`+sqliteTables+`) AS t JOIN pragma_table_xinfo(t.name) AS x WHERE x.hidden <> 1 ORDER BY t.name, x.cid`,
		nil, &table, &column, &declared, &required, &place, &loose)
	for t, key := range keys {
		t.Primary = key
	}
	sqliteIndexes(r, &table, find)
	sqliteForeign(r, &table, find, tables)

	for _, t := range c.Tables {
		sqliteBroken(r, t)
	}

	var text sql.NullString
	r.each(func() {
		t := find()
		t.Checks = checksOf(text.String)
		t.collated(text.String)
	}, `SELECT name, sql FROM sqlite_master WHERE type = 'table'`, nil, &table, &text)
	return c
}

// sqliteIndexes reads unique indexes of whole columns.
func sqliteIndexes(r *rows, table *string, find func() *Table) {
	var index, last string
	var column sql.NullString // null for an expression
	var at *Table
	var columns []string
	whole := true
	flush := func() {
		if whole && len(columns) > 0 {
			at.addKey(false, columns)
		}
		columns, whole = nil, true
	}
	r.each(func() {
		if index != last {
			flush()
			at, last = find(), index
		}
		columns = append(columns, column.String)
		whole = whole && column.Valid
	}, `SELECT t.name, i.name, x.name FROM (`+sqliteTables+`) AS t JOIN pragma_index_list(t.name) AS i JOIN pragma_index_info(i.name) AS x
		WHERE i."unique" AND NOT i.partial AND i.origin <> 'pk' ORDER BY t.name, i.name, x.seqno`, nil, table, &index, &column)
	flush()
}

// sqliteForeign reads foreign keys, which may write names in another case than
// those that they mean.
func sqliteForeign(r *rows, table *string, find func() *Table, tables map[schema.Table]*Table) {
	var id int
	var to, column, last string
	var refers sql.NullString // null for the primary key
	r.each(func() {
		t := find()
		if key := *table + "\x00" + strconv.Itoa(id); key != last {
			last = key
			t.Foreign = append(t.Foreign, ForeignKey{Table: meantTable(tables, schema.Table{Name: to})})
		}
		fk := &t.Foreign[len(t.Foreign)-1]
		fk.Columns = append(fk.Columns, meantColumn(t, column))
		if refers.Valid {
			fk.Refers = append(fk.Refers, meantColumn(tables[fk.Table], refers.String))
		}
	}, `SELECT t.name, f.id, f."table", f."from", f."to" FROM (`+sqliteTables+`) AS t JOIN pragma_foreign_key_list(t.name) AS f ORDER BY t.name, f.id, f.seq`,
		nil, table, &id, &to, &column, &refers)
}

// sqliteBroken finds foreign keys that rows break: those that keep them are known
// to no file, but to connections.
func sqliteBroken(r *rows, t *Table) {
	if len(t.Foreign) == 0 || r.err != nil {
		return
	}
	broken := map[int]bool{}
	var id int // counts as the list of them does
	r.each(func() { broken[id] = true }, `SELECT DISTINCT fkid FROM pragma_foreign_key_check(?)`, []any{t.Name.Name}, &id)
	failed := r.err != nil && r.ctx.Err() == nil
	if failed {
		r.err = nil // a foreign key to columns that are no key
	}
	for i := range t.Foreign {
		switch {
		case failed:
			t.Foreign[i].Doubt = "SQLite cannot enforce the foreign keys of this table, as one of them refers to what is no key"
		case broken[i]:
			t.Foreign[i].Doubt = "there are rows that refer to none"
		}
	}
}

func meantColumn(t *Table, name string) string {
	if t != nil {
		for _, c := range t.Columns {
			if sameName(c.Name, name) {
				return c.Name
			}
		}
	}
	return name
}

// checksOf finds the conditions of a CREATE TABLE statement.
func checksOf(statement string) (out []string) {
	list, ok := tokens(statement, false)
	if !ok {
		return nil
	}
	for i := 0; i+1 < len(list); i++ {
		if !is(list[i:], "check", "(") {
			continue
		}
		depth := 0
		for j := i + 1; j < len(list); j++ {
			switch list[j].kind {
			case '(':
				depth++
			case ')':
				depth--
			}
			if depth == 0 {
				out = append(out, statement[list[i+1].start:list[j].end])
				i = j
				break
			}
		}
	}
	return out
}

// collated notes the collations that a CREATE TABLE statement gives to columns.
func (t *Table) collated(statement string) {
	list, ok := tokens(statement, false)
	if !ok {
		return
	}
	depth, column := 0, ""
	for i, at := range list {
		switch {
		case at.kind == '(':
			depth++
		case at.kind == ')':
			depth--
		case depth != 1:
		case at.kind == ',':
			column = ""
		case column == "":
			column = at.text
		case is(list[i:], "collate") && i+1 < len(list):
			name := strings.ToUpper(list[i+1].text)
			for i += 2; i+1 < len(list) && list[i].kind == '.'; i += 2 {
				name += "." + strings.ToUpper(list[i+1].text)
			}
			if c := t.column(meantColumn(t, column)); c != nil && name != "BINARY" && name != "C" && name != "POSIX" {
				c.Loose = name
			}
		}
	}
}

var sqliteScale = regexp.MustCompile(`^(?:DECIMAL|NUMERIC)(?: TEXT)?\s*\(\s*\d+\s*,\s*(\d{1,2})\s*\)$`)

// sqliteType finds the property type that a declared type means. SQLite itself
// holds any value in any column; what a column holds is checked when it is used
// as a store.
func sqliteType(c *Column, declared string) {
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(declared, p) {
				return true
			}
		}
		return false
	}
	texts := []schema.Type{schema.String, schema.Enum, schema.Date, schema.DateTime, schema.UUID, schema.JSON, schema.Decimal}
	switch m := sqliteScale.FindStringSubmatch(declared); {
	case m != nil:
		n, _ := strconv.Atoi(m[1])
		decimal(c, n)
	case has("BOOL"):
		c.Type, c.Others = schema.Bool, []schema.Type{schema.Int32, schema.Int64}
	case has("POINT"): // FLOATING POINT
		c.Type = schema.Float
	case declared == "INT32":
		c.Type, c.Others = schema.Int32, []schema.Type{schema.Int64, schema.Bool, schema.Enum}
	case has("INT"):
		c.Type, c.Others = schema.Int64, []schema.Type{schema.Int32, schema.Bool, schema.Enum}
	case has("DATETIME", "TIMESTAMP"):
		c.Type, c.Others = schema.DateTime, texts
	case declared == "DATE", declared == "DATE TEXT":
		c.Type, c.Others = schema.Date, texts
	case has("UUID", "GUID"):
		c.Type, c.Others = schema.UUID, texts
	case declared == "JSON", declared == "JSON TEXT":
		c.Type, c.Others = schema.JSON, texts
	case has("CHAR", "CLOB", "TEXT", "STRING"):
		c.Type, c.Others = schema.String, texts
	case has("REAL", "FLOA", "DOUB"):
		c.Type, c.Others = schema.Float, []schema.Type{schema.Decimal}
	case has("DECIMAL", "NUMERIC"):
		c.Why, c.Others = "it has no scale; with N digits at most after the point it is {type: decimal, scale: N}", []schema.Type{schema.Decimal}
	case declared == "":
		c.Declared, c.Why = "unknown", "any value may be in it"
	default:
		c.Why = noType
	}
}
