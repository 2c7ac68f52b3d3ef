package store

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// A textColumn is a column of a table that texts are compared in.
type textColumn struct {
	table  schema.Table
	column string
}

// textColumns are those of the graph's properties, each once.
func (c *check) textColumns() []textColumn {
	var out []textColumn
	add := func(t schema.Table, list []*schema.Property) {
		for _, p := range list {
			text := p.Type == schema.String || p.Type == schema.Enum && len(p.Values) > 0 && !p.Values[0].IsInt
			if at := (textColumn{t, p.Column}); text && !slices.Contains(out, at) {
				out = append(out, at)
			}
		}
	}
	for l := range c.schema.Labels() {
		add(l.Table, l.Properties)
	}
	for t := range c.schema.Relationships() {
		for _, p := range t.Pairs {
			add(p.Table, p.Properties)
		}
	}
	return out
}

// mysqlTexts reports columns whose character set has no byte-exact collation that
// statements could name.
func (c *check) mysqlTexts() {
	here := append(c.texts("SELECT COALESCE(DATABASE(), '')"), "")[0]
	own := c.textColumns()
	var found []string
	for _, row := range c.texts("SELECT CONCAT_WS(CHAR(0), TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, CHARACTER_SET_NAME) FROM information_schema.COLUMNS" +
		" WHERE CHARACTER_SET_NAME <> 'utf8mb4' AND TABLE_SCHEMA NOT IN ('information_schema', 'performance_schema', 'mysql', 'sys') ORDER BY 1") {
		part := strings.SplitN(row, "\x00", 4)
		if len(part) == 4 && slices.ContainsFunc(own, func(o textColumn) bool {
			return o.table.Name == part[1] && strings.EqualFold(o.column, part[2]) && (o.table.Schema == part[0] || o.table.Schema == "" && part[0] == here)
		}) {
			found = append(found, part[1]+"."+part[2]+" ("+part[3]+")")
		}
	}
	if len(found) > 0 {
		c.report(Unfit, "texts are compared byte by byte in utf8mb4 only, which these columns are not: %s; "+
			"convert them (ALTER TABLE … CONVERT TO CHARACTER SET utf8mb4), or map a view with CONVERT(… USING utf8mb4)", some(found))
	}
}

// postgresTexts reports columns in which = and GROUP BY take different texts for
// the same.
func (c *check) postgresTexts() {
	var list [][2]string
	for _, o := range c.textColumns() {
		list = append(list, [2]string{postgresName(o.table), o.column})
	}
	if len(list) == 0 {
		return
	}
	own, err := json.Marshal(list)
	if err != nil {
		c.failed = err // no text fails
		return
	}
	found := c.unsure("whether texts are compared byte by byte", `SELECT DISTINCT (own.v ->> 0) || '.' || a.attname FROM json_array_elements($1::json) AS own(v)
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = pg_catalog.to_regclass(own.v ->> 0) AND a.attname = own.v ->> 1 AND NOT a.attisdropped
JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid LEFT JOIN pg_catalog.pg_collation AS c ON c.oid = a.attcollation
WHERE t.typname = 'citext' OR NOT c.collisdeterministic ORDER BY 1`, string(own))
	if len(found) > 0 {
		c.report(Unfit, "equal texts may differ in these columns, which are of the type citext or have a collation that is not deterministic: %s; "+
			`map a view with CAST(… AS text) COLLATE "C"`, some(found))
	}
}

// postgresName is a table's name as to_regclass reads it.
func postgresName(t schema.Table) string {
	quote := func(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
	if t.Schema == "" {
		return quote(t.Name)
	}
	return quote(t.Schema) + "." + quote(t.Name)
}
