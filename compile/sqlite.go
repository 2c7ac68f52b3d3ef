package compile

import (
	"fmt"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// SQLite is the dialect of SQLite 3.35 and newer, in a database whose encoding
// is UTF-8. What it has no type for is expected in these forms:
//
//   - a date is the text 2026-11-21
//   - a datetime is a text in UTC without a zone, 2026-11-21 09:30:00, with up to
//     six digits behind a point: what CURRENT_TIMESTAMP writes, and so do most
//     programs. A table with others is mapped through a view that rewrites them.
//   - a bool is 0 or 1
//   - a uuid is a text in lower case
//   - a decimal is a text with all the digits of its scale, or a number of a
//     NUMERIC column, which holds 15 digits
//   - json is a text
//
// Tables are read from the one file: of a table with a schema the name is
// schema.table.
func SQLite() *Dialect {

	return &Dialect{
		name: "sqlite", executed: "sqlite",
		setup:     "PRAGMA query_only = 1",
		state:     "SELECT 'PRAGMA query_only = ' || query_only FROM pragma_query_only",
		inProcess: true,
		explain:   "EXPLAIN QUERY PLAN ",
		// Double quotes around a name that does not exist make a text of it.
		quote:  '`',
		number: '?', once: true,
		collate: " COLLATE BINARY", collated: true, looseReferences: true,
		nullsLast: true, correlated: true, flat: true, gathers: true, looksNear: true, inTurn: true, looksUp: true,
		fold: "lower(@)",
		// LIKE ignores case. As bytes texts are cut where they end, though one may be
		// empty, of which an engine makes null.
		contains: "instr(@, #) > 0",
		starts:   "instr(@, #) = 1",
		ends:     "substr(CAST(@ || '!' AS BLOB), -length(CAST(# || '!' AS BLOB))) = CAST(# || '!' AS BLOB)",
		text:     "CAST(@ AS TEXT)",
		listHead: "(SELECT ",
		listJoin: " CROSS JOIN ", // which keeps the order
		listAny:  " IN (SELECT ", unindexed: "+",
		listColumn: func(p *schema.Property, part, parts int) string {
			value := "e.value"
			if parts > 1 {
				value = fmt.Sprintf("json_extract(e.value, '$[%d]')", part)
			}
			typ := "TEXT"
			if p.Type == schema.Int32 || p.Type == schema.Int64 {
				typ = "INTEGER"
			}
			return fmt.Sprintf("CAST(%s AS %s) AS %s", value, typ, keyAlias(part))
		},
		listTail: "FROM json_each(@) AS e)",
		ranges: map[schema.Type]func(*schema.Property, graph.Value) (any, any){
			schema.DateTime: func(_ *schema.Property, v graph.Value) (any, any) {
				return encodeMySQL(v), v.Time().Format(latestSpelling)
			},
		},
		inOrder:    map[schema.Type]func(*schema.Property) string{schema.Decimal: decimalInOrder},
		inOrderArg: func(p *schema.Property, v graph.Value) any { return orderedDecimal(v.Text(), p.Scale) },
		least: map[schema.Type]func(*schema.Property) string{
			schema.Decimal: func(p *schema.Property) string { return extremeDecimal("MIN", p) },
		},
		greatest: map[schema.Type]func(*schema.Property) string{
			schema.Decimal: func(p *schema.Property) string { return extremeDecimal("MAX", p) },
		},
		average: func(*schema.Property) string { return "AVG(@)" },
		sum:     func(*schema.Property) string { return "SUM(@)" },
		inParts: sqliteParts, materialized: true,
		leastBool: "MIN", greatestBool: "MAX",
		truncate: map[graph.TimeUnit]string{
			graph.Minute: "substr(@, 1, 16) || ':00'",
			graph.Hour:   "substr(@, 1, 13) || ':00:00'",
			graph.Day:    "substr(@, 1, 10)",
			// Back first: there is no Monday after the last days that can be told.
			graph.Week:    "ifnull(date(substr(@, 1, 10), '-6 days', 'weekday 1'), substr(@, 1, 10))",
			graph.Month:   "substr(@, 1, 8) || '01'",
			graph.Quarter: "substr(@, 1, 5) || printf('%02d', (substr(@, 6, 2) - 1) / 3 * 3 + 1) || '-01'",
			graph.Year:    "substr(@, 1, 5) || '01-01'",
		},
		encode: encodeMySQL,
	}
}
