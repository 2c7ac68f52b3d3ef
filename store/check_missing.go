package store

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/schema"
)

// A mappedTable is a table of the graph, and all columns that statements name.
type mappedTable struct {
	table   schema.Table
	columns []string
}

// mapped are the tables of the graph in the order of the schema.
func (c *check) mapped() []*mappedTable {
	var out []*mappedTable
	add := func(t schema.Table, columns ...string) {
		i := slices.IndexFunc(out, func(m *mappedTable) bool { return m.table == t })
		if i < 0 {
			i, out = len(out), append(out, &mappedTable{table: t})
		}
		for _, name := range columns {
			if !slices.Contains(out[i].columns, name) {
				out[i].columns = append(out[i].columns, name)
			}
		}
	}
	properties := func(t schema.Table, list []*schema.Property, match []schema.Match) {
		add(t)
		for _, p := range list {
			add(t, p.Column)
		}
		for _, m := range match {
			add(t, m.Column)
		}
	}
	for l := range c.schema.Labels() {
		properties(l.Table, l.Properties, l.Match)
	}
	for t := range c.schema.Relationships() {
		for _, p := range t.Pairs {
			properties(p.Table, p.Properties, p.Match)
			add(p.Table, slices.Concat(p.FromColumns, p.ToColumns)...)
		}
	}
	return out
}

// missing reports tables and columns that are not there: there tells the columns
// of a table, and false of one that is missing, others the tables that there are.
// Names of columns differ if they do in more than case, but on PostgreSQL. It tells which tables are whole.
func (c *check) missing(there func(schema.Table) ([]string, bool), others func() []string) (whole map[schema.Table]bool) {
	whole = map[schema.Table]bool{}
	folds := c.dialect.Name() != compile.Postgres().Name()
	var tables, lacking []string
	for _, m := range c.mapped() {
		columns, ok := there(m.table)
		switch {
		case c.failed != nil:
			return whole
		case !ok:
			tables = append(tables, fmt.Sprintf("%q%s", m.table, meant(m.table.String(), others())))
			continue
		}
		whole[m.table] = true
		for _, name := range m.columns {
			if !slices.ContainsFunc(columns, func(o string) bool { return o == name || folds && strings.EqualFold(o, name) }) {
				whole[m.table] = false
				lacking = append(lacking, fmt.Sprintf("%q of table %q%s", name, m.table, meant(name, columns)))
			}
		}
	}
	if len(tables) > 0 {
		c.report(Missing, "tables that the schema maps are not there: %s", some(tables))
	}
	if len(lacking) > 0 {
		c.report(Missing, "columns that the schema maps are not there: %s", some(lacking))
	}
	return whole
}

// columnsBy are the columns of a table by a statement that takes its schema, which
// is null for the connection's own, and its name.
func (c *check) columnsBy(statement string) func(schema.Table) ([]string, bool) {
	return func(t schema.Table) ([]string, bool) {
		columns := c.texts(statement, sql.NullString{String: t.Schema, Valid: t.Schema != ""}, t.Name)
		return columns, len(columns) > 0
	}
}

func meant(name string, all []string) string {
	if near := schema.Suggest(name, all); len(near) > 0 {
		return fmt.Sprintf(" (did you mean %q?)", near[0])
	}
	return ""
}
