package compile

import (
	"fmt"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// Postgres is the dialect of PostgreSQL 14 and newer.
func Postgres() *Dialect {
	truncate := map[graph.TimeUnit]string{
		graph.Minute: "date_trunc('minute', @)",
		graph.Hour:   "date_trunc('hour', @)",
	}
	for _, u := range []graph.TimeUnit{graph.Day, graph.Week, graph.Month, graph.Quarter, graph.Year} {
		truncate[u] = "CAST(date_trunc('" + string(u) + "', @) AS date)"
	}
	return &Dialect{
		name: "postgres", executed: "postgres",
		// A plan for all parameters would be one for those of which most rows are.
		setup: "SELECT set_config('TimeZone', 'UTC', true), set_config('client_encoding', 'UTF8', true), set_config('statement_timeout', '@s', true), set_config('plan_cache_mode', 'force_custom_plan', true)",
		own: "SELECT set_config('TimeZone', 'UTC', false), set_config('client_encoding', 'UTF8', false), set_config('statement_timeout', '@s', false), set_config('plan_cache_mode', 'force_custom_plan', false)," +
			" set_config('default_transaction_read_only', 'on', false)",
		export: "SELECT pg_export_snapshot()", adopt: "SET TRANSACTION SNAPSHOT '@'",
		quote: '"', explain: "EXPLAIN ", number: '$', nullsLast: true, correlated: true, semiJoins: true, gathers: true, fence: " OFFSET 0",
		casts: map[schema.Type][2]string{
			schema.Int32: {"", "::bigint"}, schema.Int64: {"", "::bigint"}, schema.Float: {"", "::double precision"},
			schema.Bool: {"", "::boolean"}, schema.String: {"", "::text"}, schema.Enum: {"", "::text"},
			schema.Date: {"", "::date"}, schema.DateTime: {"", "::timestamptz"}, schema.UUID: {"", "::uuid"},
			schema.Decimal: {"", "::numeric"}, schema.JSON: {"", "::json"},
		},
		collate: ` COLLATE "C"`, ownEnums: true, padded: "BPCHAR",
		// In the C collation lower() knows ASCII only.
		fold:     `lower(@ COLLATE "C")`,
		text:     "CAST(@ AS text)",
		listHead: "(SELECT ",
		listAny:  " = ANY(ARRAY(SELECT ", listAnyEnd: ")",
		// e.v and not e, which a column of the table around may be called.
		listColumn: func(p *schema.Property, part, parts int) string {
			value := "(e.v #>> '{}')"
			if parts > 1 {
				value = fmt.Sprintf("(e.v ->> %d)", part)
			}
			typ := "text"
			switch p.Type {
			case schema.Int32, schema.Int64:
				typ = "bigint"
			case schema.Date:
				typ = "date"
			case schema.UUID:
				typ = "uuid"
			}
			return fmt.Sprintf("CAST(%s AS %s) AS %s", value, typ, keyAlias(part))
		},
		listTail: "FROM json_array_elements(@) AS e(v))",
		average: func(p *schema.Property) string {
			if p.Type == schema.Float {
				return postgresSum + " / NULLIF(COUNT(@), 0)"
			}
			// With so many digits a quotient that lies half way between two floats has all
			// of its own, and none that does not is rounded to one that does.
			return fmt.Sprintf("CAST(CAST(SUM(@) AS numeric(1000,%d)) / NULLIF(COUNT(@), 0) AS double precision)", 120+4*p.Scale)
		},
		sum: func(p *schema.Property) string {
			if p.Type == schema.Float {
				return postgresSum
			}
			return "SUM(@)"
		},
		leastBool: "bool_and", greatestBool: "bool_or",
		truncate: truncate,
		encode: func(v graph.Value) any {
			switch v.Kind() {
			case graph.KindDate:
				return v.Time().Format("2006-01-02")
			}
			return v.Any()
		},
	}
}

// postgresSum adds floats of 32 bits, too, as those of 64 that they are.
const postgresSum = "SUM(CAST(@ AS double precision))"
