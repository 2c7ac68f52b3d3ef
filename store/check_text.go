package store

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// A textColumn is a column of a table that texts are compared in.
type textColumn struct {
	table  schema.Table
	column string
}

// textColumns are those of the graph's properties and of references to keys, each once.
func (c *check) textColumns() []textColumn {
	var out []textColumn
	add := func(t schema.Table, p *schema.Property, column string) {
		if at := (textColumn{t, column}); isText(p) && !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	for l := range c.schema.Labels() {
		for _, p := range l.Properties {
			add(l.Table, p, p.Column)
		}
	}
	for t := range c.schema.Relationships() {
		for _, p := range t.Pairs {
			for _, own := range p.Properties {
				add(p.Table, own, own.Column)
			}
		}
	}
	for _, r := range c.references() {
		add(r.from.table, r.key, r.from.column)
	}
	return out
}

func isText(p *schema.Property) bool {
	return p.Type == schema.String || p.Type == schema.Enum && len(p.Values) > 0 && !p.Values[0].IsInt
}

// A reference is a column that holds a part of a label's key, and that part.
type reference struct {
	from, to textColumn
	key      *schema.Property
}

// references are those of texts.
func (c *check) references() []reference {
	var out []reference
	end := func(p *schema.Pair, l *schema.Label, columns []string) {
		for i, key := range l.Key {
			if r := (reference{textColumn{p.Table, columns[i]}, textColumn{l.Table, key.Column}, key}); isText(key) && r.from != r.to {
				out = append(out, r)
			}
		}
	}
	for t := range c.schema.Relationships() {
		for _, p := range t.Pairs {
			end(p, p.From, p.FromColumns)
			end(p, p.To, p.ToColumns)
		}
	}
	return out
}

// matchColumns are those that say which rows of a shared table are a label's, or of a
// type.
func (c *check) matchColumns() []textColumn {
	var out []textColumn
	for l := range c.schema.Labels() {
		for _, m := range l.Match {
			out = append(out, textColumn{l.Table, m.Column})
		}
	}
	for t := range c.schema.Relationships() {
		for _, p := range t.Pairs {
			for _, m := range p.Match {
				out = append(out, textColumn{p.Table, m.Column})
			}
		}
	}
	return out
}

// mysqlTexts reports columns whose character set has no byte-exact collation that
// statements could name.
func (c *check) mysqlTexts() {
	here := append(c.texts("SELECT COALESCE(DATABASE(), '')"), "")[0]
	own := c.textColumns()
	collation := map[textColumn]string{}
	var found []string
	for _, row := range c.texts("SELECT CONCAT_WS(CHAR(0), TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, CHARACTER_SET_NAME, COLLATION_NAME) FROM information_schema.COLUMNS" +
		" WHERE CHARACTER_SET_NAME IS NOT NULL AND TABLE_SCHEMA NOT IN ('information_schema', 'performance_schema', 'mysql', 'sys') ORDER BY 1") {
		part := strings.SplitN(row, "\x00", 5)
		if len(part) != 5 {
			continue
		}
		for _, o := range own {
			if o.table.Name == part[1] && strings.EqualFold(o.column, part[2]) && (o.table.Schema == part[0] || o.table.Schema == "" && part[0] == here) {
				collation[o] = part[4]
				if name := part[1] + "." + part[2] + " (" + part[3] + ")"; part[3] != "utf8mb4" && !slices.Contains(found, name) {
					found = append(found, name)
				}
			}
		}
	}
	if len(found) > 0 {
		c.report(Unfit, "texts are compared byte by byte in utf8mb4 only, which these columns are not: %s; "+
			"convert them (ALTER TABLE … CONVERT TO CHARACTER SET utf8mb4), or map a view with CONVERT(… USING utf8mb4)", some(found))
		return
	}
	for _, r := range c.references() {
		a, b := collation[r.from], collation[r.to]
		binary := func(name string) bool { return strings.HasSuffix(name, "_bin") }
		if a != "" && b != "" && a != b && binary(a) == binary(b) {
			found = append(found, fmt.Sprintf("%s.%s (%s) and %s.%s (%s)", r.from.table.Name, r.from.column, a, r.to.table.Name, r.to.column, b))
		}
	}
	if len(found) > 0 {
		c.report(Unfit, "the server does not compare columns of these collations, of which one refers to the other: %s; give both the same", some(slices.Compact(found)))
	}
}

// postgresTexts reports columns in which = and GROUP BY take different texts for
// the same.
func (c *check) postgresTexts() {
	for _, encoding := range c.unsure("whether texts are UTF-8", "SELECT current_setting('server_encoding')") {
		if encoding != "UTF8" {
			c.report(Unfit, "the database's encoding is %s, in which texts are in another order, and not every one can be asked for: only UTF8 is", encoding)
		}
	}
	var list [][2]string
	for _, o := range append(c.textColumns(), c.matchColumns()...) {
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
JOIN LATERAL (WITH RECURSIVE base AS (SELECT oid, typtype, typbasetype, typname FROM pg_catalog.pg_type WHERE oid = a.atttypid
  UNION ALL SELECT t.oid, t.typtype, t.typbasetype, t.typname FROM base JOIN pg_catalog.pg_type AS t ON t.oid = base.typbasetype WHERE base.typtype = 'd')
  SELECT typname FROM base WHERE typtype <> 'd') AS t ON true LEFT JOIN pg_catalog.pg_collation AS c ON c.oid = a.attcollation
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
