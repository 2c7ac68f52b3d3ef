package store

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/schema"
)

// sqlite checks what sessions of the store may do, and how values are stored.
// Text forms are told with every digit as 0, so that no stored value shows.
func (c *check) sqlite() {
	c.sqliteConnection()
	whole := c.missing(c.sqliteColumns, func() []string {
		return c.texts("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'view', 'virtual') AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY 1")
	})
	for l := range c.schema.Labels() {
		if whole[l.Table] {
			c.sqliteProperties(l.Table, l.Properties)
		}
	}
	for t := range c.schema.Relationships() {
		for _, p := range t.Pairs {
			if whole[p.Table] {
				c.sqliteProperties(p.Table, p.Properties)
			}
		}
	}
}

// sqliteColumns are the columns of a table, and the names that every row has for
// its number.
func (c *check) sqliteColumns(t schema.Table) ([]string, bool) {
	columns := c.texts("SELECT name FROM pragma_table_xinfo(?)", sqliteName(t))
	return append(columns, "rowid", "oid", "_rowid_"), len(columns) > 0
}

// sqliteName is the name of a table, of which that of its schema is a part.
func sqliteName(t schema.Table) string {
	if t.Schema == "" {
		return t.Name
	}
	return t.Schema + "." + t.Name
}

func (c *check) sqliteConnection() {
	c.sqliteWrites()
	for _, name := range c.texts("SELECT name FROM pragma_database_list WHERE name NOT IN ('main', 'temp')") {
		c.report(ReadsMore, "the database %q is attached to the connection: open a connection of the store's own", name)
	}
	for _, encoding := range c.texts("SELECT encoding FROM pragma_encoding WHERE encoding <> 'UTF-8'") {
		c.report(Unfit, "the database's encoding is %s, in which texts are in another order: only UTF-8 is", encoding)
	}
}

// sqliteWrites tries to begin to write as a session of the store would, and leaves
// the connection as it was: it is the host's.
func (c *check) sqliteWrites() {
	before := c.texts("PRAGMA query_only")
	if c.failed != nil {
		return
	}
	if len(before) != 1 || before[0] != "1" {
		defer c.restored(c.conn, "PRAGMA query_only = 0")
	}
	if _, err := c.conn.ExecContext(c.ctx, compile.SQLite().SessionSetup(0)); err != nil {
		c.failed = err
		return
	}
	if _, err := c.conn.ExecContext(c.ctx, "BEGIN IMMEDIATE"); err == nil {
		c.restored(c.conn, "ROLLBACK")
		c.report(Writes, "the connection can write, although the session may only read: open the database with mode=ro")
	}
}

// A storedForm is how values of a type must be stored to be compared rightly:
// typeof and the value as a text.
type storedForm struct {
	pattern *regexp.Regexp
	want    string
}

// storedForms are those of the types that more than one form is usual for.
func storedForms(p *schema.Property) (storedForm, bool) {
	form := func(pattern, want string) (storedForm, bool) {
		return storedForm{regexp.MustCompile("^(?:" + pattern + ")$"), want}, true
	}
	switch p.Type {
	case schema.Int32, schema.Int64:
		return form(`integer .*`, "an INTEGER")
	case schema.Float:
		return form(`(real|integer) .*`, "a REAL")
	case schema.Bool:
		return form(`integer [01]`, "0 or 1")
	case schema.String:
		return form(`(?s)text .*`, "a TEXT")
	case schema.Date:
		return form(`text \d{4}-\d\d-\d\d`, "the text 2026-11-21")
	case schema.DateTime:
		return form(`text \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?`, "the text 2026-11-21 09:30:00 in UTC, with up to six digits after a point")
	case schema.UUID:
		return form(`text [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, "a text in lower case")
	case schema.Decimal:
		fraction := ""
		if p.Scale > 0 {
			fraction = fmt.Sprintf(`\.\d{%d}`, p.Scale)
		}
		return form(`(real|integer) .*|text -?\d+`+fraction, fmt.Sprintf("a number, or a text with %d digits after the point", p.Scale))
	}
	return storedForm{}, false
}

// sqliteProperties checks the first values of each.
func (c *check) sqliteProperties(t schema.Table, list []*schema.Property) {
	name := sqliteName(t)
	for _, p := range list {
		form, ok := storedForms(p)
		if !ok || c.failed != nil {
			continue
		}
		column := quoted(p.Column)
		for _, value := range c.texts("SELECT DISTINCT typeof(v) || ' ' || CAST(v AS TEXT) FROM (SELECT " + column + " AS v FROM " + quoted(name) + " LIMIT 1000) WHERE v IS NOT NULL LIMIT 10") {
			if !form.pattern.MatchString(value) {
				c.report(Unfit, "column %q of table %q holds %s, but a %s is expected as %s: rewrite it, or map a view that does", p.Column, name, shape(value), p.Type, form.want)
				break
			}
		}
	}
}

func quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// shape is a stored value without what it says: its type and, of a short one
// that is no mere text, its form.
func shape(value string) string {
	kind, text, _ := strings.Cut(value, " ")
	if kind == "text" && len(text) > 0 && len(text) <= 40 && '0' <= text[0] && text[0] <= '9' {
		return "a text such as " + regexp.MustCompile(`\d`).ReplaceAllString(regexp.MustCompile(`[a-z]`).ReplaceAllString(text, "x"), "0")
	}
	return "a value of type " + kind
}
