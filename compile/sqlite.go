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
		collate: " COLLATE BINARY", collated: true,
		nullsLast: true, correlated: true, flat: true,
		fold: "lower(@)",
		// LIKE ignores case. As bytes texts are cut where they end, though one may be
		// empty, of which an engine makes null.
		contains: "instr(@, #) > 0",
		starts:   "instr(@, #) = 1",
		ends:     "substr(CAST(@ || '!' AS BLOB), -length(CAST(# || '!' AS BLOB))) = CAST(# || '!' AS BLOB)",
		text:     "CAST(@ AS TEXT)",
		listHead: "(SELECT ",
		listJoin: " CROSS JOIN ", // which keeps the order
		listAny:  " IN (SELECT ",
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
		average:   func(*schema.Property) string { return "AVG(@)" },
		sum:       func(*schema.Property) string { return "SUM(@)" },
		inParts:   sqliteParts,
		leastBool: "MIN", greatestBool: "MAX",
		truncate: map[graph.TimeUnit]string{
			graph.Minute: "substr(@, 1, 16) || ':00'",
			graph.Hour:   "substr(@, 1, 13) || ':00:00'",
			graph.Day:    "substr(@, 1, 10)",
			// Back first: there is no Monday after the last days that can be told.
			graph.Week:    "date(substr(@, 1, 10), '-6 days', 'weekday 1')",
			graph.Month:   "substr(@, 1, 8) || '01'",
			graph.Quarter: "substr(@, 1, 5) || printf('%02d', (substr(@, 6, 2) - 1) / 3 * 3 + 1) || '-01'",
			graph.Year:    "substr(@, 1, 5) || '01-01'",
		},
		encode: encodeMySQL,
	}
}

// sqliteParts are those of sums and averages of integers and decimals: SUM
// fails where any part of the way does not fit, and knows no decimals.
func sqliteParts(f graph.Function, p *schema.Property) *parts {
	switch {
	case f == graph.Sum && p.Type == schema.Int64:
		// What does not fit comes as a float, which is no integer.
		return &parts{halves, "CASE WHEN " + halvesFit + " THEN " + halvesSum + " ELSE #1 * 4294967296.0 + #2 END"}
	case f == graph.Avg && p.Type == schema.Int64:
		return &parts{append(halves[:2:2], "COUNT(@)"), "CASE WHEN " + halvesExact + " THEN CAST(" + halvesSum + " AS REAL) / #3 WHEN " + halvesFit +
			" THEN (" + halvesSum + ") / #3 + CAST((" + halvesSum + ") % #3 AS REAL) / #3 ELSE (#1 * 4294967296.0 + #2) / #3 END"}
	case f == graph.Sum && p.Type == schema.Decimal:
		return &parts{decimalSums(p), wholeDecimal(p)}
	case f == graph.Avg && p.Type == schema.Decimal:
		sums := decimalSums(p)
		return &parts{append(sums, "COUNT(@)"), averageDecimal(p, len(sums)+1)}
	}
	return nil
}

// halves are the sums of the upper and of the lower halves of integers, each
// far from overflowing.
var halves = []string{"SUM(@ >> 32)", "SUM(@ & 4294967295)"}

const (
	halvesFit = "#1 + (#2 >> 32) BETWEEN -2147483648 AND 2147483647"
	// A sum of at most 53 bits is the same as a float, so that it is divided once.
	halvesExact = "#1 + (#2 >> 32) BETWEEN -2097152 AND 2097151"
	halvesSum   = "((#1 + (#2 >> 32)) << 32) | (#2 & 4294967295)"
)
