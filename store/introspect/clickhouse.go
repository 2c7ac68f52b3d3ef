package introspect

import (
	"database/sql"
	"encoding/json"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// clickhouseOf bounds statements to the databases that are asked for. A driver
// binds texts only, so the list of them is one.
const clickhouseOf = ` WHERE database IN (SELECT arrayJoin(JSONExtract({p1:String}, 'Array(String)')))`

// clickhouseOthers are the engines whose tables show rows of other tables, and
// have no keys of their own.
var clickhouseOthers = map[string]bool{"Distributed": true, "Merge": true, "Buffer": true, "Dictionary": true, "Alias": true}

// readClickHouse reads the system tables of ClickHouse. It has no foreign keys,
// and of keys only the order in which a table's rows are kept.
func readClickHouse(r *rows, schemas []string) *Catalog {
	own := ""
	r.each(func() {}, "SELECT currentDatabase()", nil, &own)
	list, _ := json.Marshal(orOwn(schemas, own))
	args := []any{sql.Named("p1", string(list))}
	name := func(namespace, table string) schema.Table {
		if namespace == own {
			namespace = ""
		}
		return schema.Table{Schema: namespace, Name: table}
	}

	c := &Catalog{}
	tables := map[schema.Table]*Table{}
	sorted, engines := map[*Table]string{}, map[*Table]string{}
	var namespace, table, engine, comment, sorting, statement string
	r.each(func() {
		if strings.HasPrefix(table, ".inner") {
			return // what a materialized view keeps its rows in
		}
		t := &Table{Name: name(namespace, table), Comment: comment, View: strings.HasSuffix(engine, "View") || clickhouseOthers[engine]}
		if !t.View {
			t.Checks = clickhouseChecks(doubled(statement))
		}
		tables[t.Name], sorted[t], engines[t], c.Tables = t, doubled(sorting), engine, append(c.Tables, t)
	}, `SELECT database, name, engine, comment, sorting_key, create_table_query FROM system.tables`+clickhouseOf+` AND NOT is_temporary ORDER BY database, name`,
		args, &namespace, &table, &engine, &comment, &sorting, &statement)

	var column, declared, kind string
	var scale int64
	r.each(func() {
		col := &Column{Name: column, Declared: declared, Comment: comment}
		clickhouseType(col, int(scale))
		if kind == "EPHEMERAL" {
			col.Type, col.Others, col.Why = 0, nil, "it is not stored"
		}
		if t := tables[name(namespace, table)]; t != nil {
			t.Columns = append(t.Columns, col)
		}
	}, `SELECT database, table, name, type, default_kind, comment, toInt64(ifNull(numeric_scale, 0)) FROM system.columns`+clickhouseOf+` ORDER BY database, table, position`,
		args, &namespace, &table, &column, &declared, &kind, &comment, &scale)

	for _, t := range c.Tables {
		if !t.View {
			t.sortedBy(sorted[t], engines[t])
		}
	}
	return c
}

// doubled writes the names in backticks with doubled backticks and without escapes,
// which other databases do not have in names.
func doubled(text string) string {
	var b strings.Builder
	in := byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text):
			i++
			switch {
			case in != '`':
				b.WriteByte(c)
				b.WriteByte(text[i])
			case text[i] == '`':
				b.WriteString("``")
			default:
				b.WriteByte(unescaped(text[i]))
			}
			continue
		case in == 0 && (c == '`' || c == '\''):
			in = c
		case c == in:
			in = 0
		}
		b.WriteByte(c)
	}
	return b.String()
}

// sortedBy takes the columns by which a table's rows are in order for its primary
// key, and says what that is worth.
func (t *Table) sortedBy(key, engine string) {
	t.NoKey = "it has no sorting key"
	var columns []string
	for _, part := range partsOf(bare(key)) {
		if len(part) == 2 && (is(part[1:], "desc") || is(part[1:], "asc")) {
			part = part[:1]
		}
		if len(part) != 1 || part[0].kind != 'n' && part[0].kind != 'w' {
			t.NoKey = "its sorting key is not of columns alone: " + shown(key)
			return
		}
		col := t.column(part[0].text)
		switch {
		case col == nil:
			t.NoKey = "its sorting key is not of columns alone: " + shown(key)
			return
		case col.Nullable:
			t.NoKey = "its sorting key has the column " + shown(col.Name) + ", which may be null"
			return
		}
		columns = append(columns, col.Name)
	}
	t.Primary = columns
	t.Remark = "its key is no unique one: ClickHouse sorts rows by it, and takes the same values twice"
	if family, merges := strings.CutSuffix(engine, "MergeTree"); merges && strings.TrimPrefix(strings.TrimPrefix(family, "Shared"), "Replicated") != "" {
		t.Remark = "its key is no unique one: rows with the same values are there until " + shown(engine) + " has merged them; map a view with FINAL"
	}
}

// partsOf takes a list apart at its commas, nil if it is none. Backslashes in its
// texts are escapes.
func partsOf(text string) [][]token {
	list, ok := tokens(text, true)
	if !ok || len(list) == 0 {
		return nil
	}
	var out [][]token
	start, depth := 0, 0
	for i, t := range list {
		switch {
		case t.kind == '(' || t.kind == '[':
			depth++
		case t.kind == ')' || t.kind == ']':
			depth--
		case t.kind == ',' && depth == 0:
			out, start = append(out, list[start:i]), i+1
		}
	}
	return append(out, list[start:])
}

// clickhouseChecks finds the conditions of a CREATE TABLE statement, which stand
// without parentheses: CONSTRAINT name CHECK condition.
func clickhouseChecks(statement string) (out []string) {
	list, ok := tokens(statement, true)
	if !ok {
		return nil
	}
	for i := 0; i+3 < len(list); i++ {
		if !is(list[i:], "constraint") || !is(list[i+2:], "check") {
			continue
		}
		from, depth := i+3, 0
		for j := from; j < len(list); j++ {
			switch list[j].kind {
			case '(', '[':
				depth++
			case ')', ']':
				depth--
			}
			if depth < 0 || depth == 0 && list[j].kind == ',' {
				if j > from {
					out = append(out, statement[list[from].start:list[j-1].end])
				}
				i = j
				break
			}
		}
	}
	return out
}
