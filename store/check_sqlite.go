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
	for l := range c.schema.Labels() {
		c.sqliteProperties(l.Table, l.Properties)
	}
	for t := range c.schema.Relationships() {
		for _, p := range t.Pairs {
			c.sqliteProperties(p.Table, p.Properties)
		}
	}
}

func (c *check) sqliteConnection() {
	if _, err := c.conn.ExecContext(c.ctx, compile.SQLite().SessionSetup(0)); err != nil {
		c.failed = err
		return
	}
	if _, err := c.conn.ExecContext(c.ctx, "BEGIN IMMEDIATE"); err == nil {
		_, _ = c.conn.ExecContext(c.ctx, "ROLLBACK")
		c.report(Writes, "the connection can write, although the session may only read: open the database with mode=ro")
	}
	for _, name := range c.texts("SELECT name FROM pragma_database_list WHERE name NOT IN ('main', 'temp')") {
		c.report(ReadsMore, "the database %q is attached to the connection: open a connection of the store's own", name)
	}
	for _, encoding := range c.texts("SELECT encoding FROM pragma_encoding WHERE encoding <> 'UTF-8'") {
		c.report(Unfit, "the database's encoding is %s, in which texts are in another order: only UTF-8 is", encoding)
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
	name := t.Name
	if t.Schema != "" {
		name = t.Schema + "." + name
	}
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
