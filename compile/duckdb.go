package compile

import (
	"fmt"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// duckdbSetup refuses connections that package store/analytic/duckdb has not
// opened. Columns of TIMESTAMP WITH TIME ZONE are compared in the session's zone.
// From 1.5.1 to 1.5.5 the optimizer takes parts of a UNION for the same that are
// not, where they differ in the columns of a table joined to itself
// (duckdb/duckdb#25819).
const duckdbSetup = "SELECT CASE WHEN current_setting('TimeZone') NOT IN ('UTC', 'Etc/UTC') THEN error('the time zone is not UTC')" +
	" WHEN NOT list_contains(string_split(current_setting('disabled_optimizers'), ','), 'common_subplan') THEN error('the optimizer common_subplan is not disabled') END"

// DuckDB is the dialect of DuckDB 1.5. Decimals have up to 38 digits. Integers are
// summed in 128 bits: a sum is exact, and OUT_OF_RANGE if in the end it is no int64, as
// on all engines. A sum of decimals that on its way has more than 1.7e38 units of the
// last digit is OUT_OF_RANGE, and so is its average, where other engines answer if
// the end of it fits.
func DuckDB() *Dialect {
	truncate := map[graph.TimeUnit]string{
		graph.Minute: "date_trunc('minute', @)",
		graph.Hour:   "date_trunc('hour', @)",
	}
	for _, u := range []graph.TimeUnit{graph.Day, graph.Week, graph.Month, graph.Quarter, graph.Year} {
		truncate[u] = "CAST(date_trunc('" + string(u) + "', @) AS DATE)"
	}
	return &Dialect{
		name: "duckdb", executed: "duckdb",
		setup: duckdbSetup, inProcess: true, explain: "EXPLAIN ",
		// A column of a subquery's table that is called as the alias of the row around
		// it would hide that row.
		quote: '"', number: '$', nullsLast: true, uncorrelated: true, gathers: true, setJoins: true, writtenLimits: true, inTurn: true,
		casts: map[schema.Type][2]string{
			schema.Int32: {"", "::BIGINT"}, schema.Int64: {"", "::BIGINT"}, schema.Float: {"", "::DOUBLE"},
			schema.Bool: {"", "::BOOLEAN"}, schema.String: {"", "::VARCHAR"}, schema.Enum: {"", "::VARCHAR"},
			schema.Date: {"", "::DATE"}, schema.DateTime: {"", "::TIMESTAMP"}, schema.UUID: {"", "::UUID"},
			schema.Decimal: {"", "::DECIMAL(38,#)"}, schema.JSON: {"", "::VARCHAR"},
		},
		collate: ` COLLATE "binary"`, collated: true, collations: true, ownEnums: true,
		// lower() knows letters beyond ASCII.
		fold:     "translate(@, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')",
		text:     "CAST(@ AS VARCHAR)",
		listHead: "(SELECT ",
		listAny:  " IN (SELECT ",
		listColumn: func(p *schema.Property, part, parts int) string {
			value := "(e.v->>'$')"
			if parts > 1 {
				value = fmt.Sprintf("(e.v->>%d)", part)
			}
			return fmt.Sprintf("CAST(%s AS %s) AS %s", value, listedType(p), keyAlias(part))
		},
		listTail: `FROM unnest(from_json(@, '["JSON"]')) AS e(v))`, wholeLists: true,
		// A subquery cannot stand in every aggregate.
		listHas: func(p *schema.Property) string {
			return `list_contains(CAST(from_json(#, '["VARCHAR"]') AS ` + listedType(p) + "[]), @)"
		},
		// One that lies between two decimals of the column's scale is none of them.
		listForm: map[schema.Type]string{schema.Decimal: "CAST(@ AS VARCHAR)"},
		read:     map[schema.Type]string{schema.JSON: "CAST(@ AS VARCHAR)"}, // the driver reads it
		ranges: map[schema.Type]func(*schema.Property, graph.Value) (any, any){
			schema.Decimal: func(p *schema.Property, v graph.Value) (any, any) {
				least, greatest := aroundDecimal(v.Text(), p.Scale)
				return least, greatest
			},
		},
		average: func(p *schema.Property) string {
			if p.Type == schema.Float {
				return averageOfFloats
			}
			return "CAST(SUM(@) AS DOUBLE) / NULLIF(COUNT(@), 0)"
		},
		inParts:   duckdbParts,
		overflow:  "Overflow in HUGEINT",
		sum:       func(*schema.Property) string { return "SUM(@)" },
		leastBool: "bool_and", greatestBool: "bool_or",
		truncate: truncate,
		encode: func(v graph.Value) any {
			switch v.Kind() {
			case graph.KindDate:
				return v.Time().Format("2006-01-02")
			case graph.KindDateTime:
				return v.Time().Format("2006-01-02 15:04:05.999999")
			}
			return v.Any()
		},
	}
}

// listedType is the type of a list's items that a property is compared with.
func listedType(p *schema.Property) string {
	switch p.Type {
	case schema.Int32, schema.Int64:
		return "BIGINT"
	case schema.Float:
		return "DOUBLE"
	case schema.Bool:
		return "BOOLEAN"
	case schema.Date:
		return "DATE"
	case schema.DateTime:
		return "TIMESTAMP"
	case schema.UUID:
		return "UUID"
	case schema.Enum:
		if !textual(p) {
			return "BIGINT"
		}
	}
	return "VARCHAR"
}

// decimalDigits is how many digits a decimal has at most.
const decimalDigits = 38

// aroundDecimal returns the least decimal of a scale that is not below a number
// and the greatest that is not above it. What more digits would be needed for is
// as far from zero as a decimal can be.
func aroundDecimal(text string, scale int) (least, greatest string) {
	digits, negative := strings.CutPrefix(text, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	whole = strings.TrimLeft(whole, "0")
	between := strings.Trim(fraction[min(scale, len(fraction)):], "0") != ""
	near := withScale(whole, fraction, scale)
	if len(whole) > decimalDigits-scale {
		near, between = withScale(strings.Repeat("9", decimalDigits-scale), strings.Repeat("9", scale), scale), false
	}
	far := near
	if more := oneMore(near); between && (len(more) == len(near) || len(whole) < decimalDigits-scale) {
		far = more
	}
	if negative {
		return "-" + near, "-" + far
	}
	return far, near
}

// scaled is a decimal with all the digits of a scale, and none more but such as
// it differs by.
func scaled(text string, scale int) string {
	digits, negative := strings.CutPrefix(text, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	fraction = strings.TrimRight(fraction, "0")
	out := withScale(strings.TrimLeft(whole, "0"), fraction, max(scale, len(fraction)))
	if negative && strings.Trim(out, "0.") != "" {
		return "-" + out
	}
	return out
}

// withScale writes a decimal with so many digits after the point.
func withScale(whole, fraction string, scale int) string {
	if whole == "" {
		whole = "0"
	}
	if scale == 0 {
		return whole
	}
	fraction += strings.Repeat("0", max(0, scale-len(fraction)))
	return whole + "." + fraction[:scale]
}

// oneMore adds one to the last digit of a decimal that is not below zero.
func oneMore(decimal string) string {
	b := []byte(decimal)
	for i := len(b) - 1; i >= 0; i-- {
		switch b[i] {
		case '.':
		case '9':
			b[i] = '0'
		default:
			b[i]++
			return string(b)
		}
	}
	return "1" + string(b)
}
