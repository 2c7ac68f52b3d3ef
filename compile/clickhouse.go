package compile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// ClickHouse is the dialect of ClickHouse 25.8 and newer. Columns are expected
// in these types, each of them Nullable or LowCardinality where that suits it:
//
//   - a date is a Date, a Date32, or a DateTime64 at midnight in UTC, which alone
//     holds years before 1900 and after 2299
//   - a datetime is a DateTime or a DateTime64
//   - a uuid is a UUID
//   - a decimal is a Decimal of up to 46 digits before the point
//   - a bool is a Bool or a UInt8 of 0 and 1
//   - an enum is a String or an Enum8 or Enum16, or an integer
//   - json is a String
//
// Arguments are the server's own typed parameters: their text is never a part of
// the statement's.
func ClickHouse() *Dialect {
	instant := [2]string{"fromUnixTimestamp64Micro(", ", 'UTC')"}
	wide := func(*schema.Property) string { return "toDateTime64(@, 6, 'UTC')" }
	return &Dialect{
		name: "clickhouse", executed: "clickhouse",
		// What a statement means must not depend on the server's settings.
		setup: " SETTINGS max_execution_time = @, timeout_overflow_mode = 'throw', enable_analyzer = 1, join_use_nulls = 1, transform_null_in = 0," +
			" union_default_mode = 'DISTINCT', aggregate_functions_null_for_empty = 1, count_distinct_implementation = 'uniqExact'," +
			" join_default_strictness = 'ALL', any_join_distinct_right_table_keys = 0, prefer_column_name_to_alias = 1, precise_float_parsing = 1",
		trailing: true,
		quote:    '`', escapedNames: true, explain: "EXPLAIN ",
		types: map[schema.Type]string{
			0:            "String", // the fixed columns of shared tables
			schema.Int32: "Int64", schema.Int64: "Int64", schema.Float: "Float64", schema.Bool: "Bool", schema.String: "String",
			schema.Enum: "String", schema.Date: "Int64", schema.DateTime: "Int64", schema.UUID: "String",
			schema.Decimal: "Decimal(76, 30)", schema.JSON: "String",
		},
		once: true,
		// As a number of microseconds an instant may be of any year.
		casts:     map[schema.Type][2]string{schema.Date: instant, schema.DateTime: instant},
		nullsLast: true, uncorrelated: true,
		fold:     "lower(@)",
		contains: "position(@, #) > 0",
		starts:   "startsWith(@, #)",
		ends:     "endsWith(@, #)",
		text:     "toString(@)",
		listRows: true,
		// An index serves what is compared as it is stored.
		listForm: map[schema.Type]string{schema.UUID: "@", schema.Date: "@"},
		listColumn: func(p *schema.Property, part, parts int) string {
			value := "JSONExtractString(e)"
			if parts > 1 {
				value = fmt.Sprintf("JSONExtractString(e, %d)", part+1)
			}
			switch p.Type {
			case schema.Int32, schema.Int64:
				value = "toInt64(" + value + ")"
			case schema.UUID:
				value = "toUUID(" + value + ")"
			case schema.Date:
				value = clickhouseDate(value)
			}
			return value + " AS " + keyAlias(part)
		},
		listTail: "FROM (SELECT arrayJoin(JSONExtractArrayRaw(@)) AS e))",
		// Lists are compared in the type of what stands before them, and a UUID
		// comes in another order than its text.
		inOrder: map[schema.Type]func(*schema.Property) string{
			schema.Date: wide, schema.DateTime: wide,
			schema.Decimal: func(*schema.Property) string { return "toDecimal256(@, 30)" },
			schema.UUID:    func(*schema.Property) string { return "toString(@)" },
		},
		// The driver knows the years 1677 to 2262.
		micros:     clickhouseMicros,
		inOrderArg: func(_ *schema.Property, v graph.Value) any { return encodeClickHouse(v) },
		average:    func(*schema.Property) string { return averageOfFloats },
		inParts: func(f graph.Function, p *schema.Property) *parts {
			if f != graph.Avg || p.Type == schema.Float {
				return nil
			}
			// A divisor that is never zero: also what is null is divided. A text is rounded
			// but once.
			return wideInteger{
				digits: 76, constant: "toInt256('@')", sum: clickhouseSum(p), units: "toInt256(#1 * @)", count: "toInt256(greatest(#2, 1)) * @",
				float:    "toFloat64(toString(@))",
				quotient: "toFloat64(concat(toString(intDiv(@, #4)), if(@ % #4 = 0, '', '.5')))",
			}.average(p)
		},
		sum:       clickhouseSum,
		leastBool: "MIN", greatestBool: "MAX",
		truncate: map[graph.TimeUnit]string{
			graph.Minute:  clickhouseFloor("60000000", "0"),
			graph.Hour:    clickhouseFloor("3600000000", "0"),
			graph.Day:     clickhouseFloor("86400000000", "0"),
			graph.Week:    clickhouseFloor("604800000000", "259200000000"), // day 0 was a Thursday
			graph.Month:   clickhouseStart("toDayOfMonth($)"),
			graph.Quarter: clickhouseStart("toInt32($) - toInt32(makeDate32(toYear($), 3 * toQuarter($) - 2, 1)) + 1"),
			graph.Year:    clickhouseStart("toInt32($) - toInt32(makeDate32(toYear($), 1, 1)) + 1"),
		},
		encode: encodeClickHouse,
	}
}

// encodeClickHouse writes a value as its parameter's type is written. The driver
// escapes what ends or bends a text.
func encodeClickHouse(v graph.Value) any {
	switch v.Kind() {
	case graph.KindNull:
		return nil
	case graph.KindFloat:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case graph.KindDate, graph.KindDateTime:
		return strconv.FormatInt(v.Time().UnixMicro(), 10)
	case graph.KindBool:
		return strconv.FormatBool(v.Bool())
	}
	return v.Text()
}

// clickhouseSum sums so wide that nothing overflows.
func clickhouseSum(p *schema.Property) string {
	switch p.Type {
	case schema.Float:
		return "SUM(@)"
	case schema.Decimal:
		return fmt.Sprintf("SUM(toDecimal256(@, %d))", p.Scale)
	}
	return "SUM(toInt128(@))"
}

// clickhouseMicros is a date or an instant as a number of microseconds.
const clickhouseMicros = "toUnixTimestamp64Micro(toDateTime64(@, 6, 'UTC'))"

// clickhouseFloor cuts an instant to a multiple of so many microseconds, counted
// from so many before 1970. The functions for that know no years before 1900; numbers without toInt64 would be unsigned.
func clickhouseFloor(unit, before string) string {
	return "fromUnixTimestamp64Micro(" + clickhouseMicros + " - positiveModulo(" + clickhouseMicros + " + " + before + ", toInt64(" + unit + ")), 'UTC')"
}

// clickhouseStart goes back from a day to the first of its month, quarter or
// year, whose number in it a template tells. Calendars repeat after 400 years, of
// which the server knows those from 1900 on: $ stands for the day of those years
// that has the same place.
func clickhouseStart(number string) string {
	const (
		day   = "intDiv(" + clickhouseMicros + " - positiveModulo(" + clickhouseMicros + ", toInt64(86400000000)), toInt64(86400000000))"
		alike = "toDate32(toInt32(positiveModulo(" + day + " + 25567, 146097) - 25567))" // 1900 began 25567 days before 1970
	)
	return "fromUnixTimestamp64Micro((" + day + " - (" + strings.ReplaceAll(number, "$", alike) + ") + 1) * 86400000000, 'UTC')"
}

// clickhouseDate reads a date of any year, by way of the years that the server
// reads.
func clickhouseDate(text string) string {
	year := "toInt32(substring(" + text + ", 1, 4))"
	alike := "(1900 + positiveModulo(" + year + " - 1900, 400))"
	return fmt.Sprintf("fromUnixTimestamp64Micro(toInt64(toInt32(toDate32(concat(toString(%[2]s), substring(%[1]s, 5)))) + intDiv(%[3]s - %[2]s, 400) * 146097) * 86400000000, 'UTC')",
		text, alike, year)
}
