package introspect

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// clickhouseType finds the property type of a column, and whether it may be null.
func clickhouseType(c *Column, scale int) {
	declared := c.Declared
	if inner, ok := within(declared, "LowCardinality"); ok {
		declared = inner
	}
	if inner, ok := within(declared, "Nullable"); ok {
		c.Nullable, declared = true, inner
	}
	kind, arguments, _ := strings.Cut(declared, "(")
	switch kind {
	case "Int8", "Int16", "Int32", "UInt16":
		c.Type, c.Others = schema.Int32, []schema.Type{schema.Enum}
	case "UInt8":
		c.Type, c.Others = schema.Int32, []schema.Type{schema.Bool, schema.Enum}
	case "Int64", "UInt32":
		c.Type, c.Others = schema.Int64, []schema.Type{schema.Enum}
	case "UInt64":
		c.Type, c.Others, c.Remark = schema.Int64, []schema.Type{schema.Enum}, "values over 9223372036854775807 do not fit an int64"
	case "Float32", "Float64":
		c.Type = schema.Float
	case "Bool":
		c.Type = schema.Bool
	case "String":
		c.Type, c.Others = schema.String, []schema.Type{schema.Enum, schema.JSON}
	case "FixedString":
		c.Why = "shorter texts have zero bytes after them: map a view with toStringCutToZero(…)"
	case "Enum8", "Enum16":
		c.Type, c.Native, c.Values = schema.Enum, true, clickhouseEnum(arguments)
	case "Date", "Date32":
		c.Type = schema.Date
	case "DateTime":
		c.Type = schema.DateTime
	case "DateTime64":
		c.Type, c.Others = schema.DateTime, []schema.Type{schema.Date}
		if digits, err := strconv.Atoi(clickhouseDigits.FindString(arguments)); err == nil && digits > 6 {
			c.Remark = "digits after the sixth are not shown"
		}
	case "Decimal":
		decimal(c, scale)
		if c.Type == schema.Decimal && clickhouseWide(arguments, scale) {
			c.Type, c.Why = 0, "a decimal has 46 digits before the point at most"
		}
	case "UUID":
		c.Type = schema.UUID
	default:
		c.Why = noType
	}
}

// clickhouseSigned finds the integers that have a sign, in whatever they are in.
var clickhouseSigned = regexp.MustCompile(`(^|\()Int[0-9]+\)*$`)

// clickhouseComparable reports whether columns of two types can be joined: no type
// holds a UInt64 and numbers below zero.
func clickhouseComparable(a, b string) bool {
	wide := func(t string) bool { return strings.Contains(t, "UInt64") }
	return !(wide(a) && clickhouseSigned.MatchString(b) || wide(b) && clickhouseSigned.MatchString(a))
}

// within takes a type out of one that is made of it, as String out of
// Nullable(String).
func within(declared, kind string) (string, bool) {
	rest, ok := strings.CutPrefix(declared, kind+"(")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(rest, ")")
}

var clickhouseDigits = regexp.MustCompile(`^[0-9]+`)

// clickhouseWide reports whether a decimal has more digits before the point than
// statements compare.
func clickhouseWide(arguments string, scale int) bool {
	precision, err := strconv.Atoi(clickhouseDigits.FindString(arguments))
	return err == nil && precision-scale > 46
}

// clickhouseEnum reads the values of 'a' = 1, 'b' = 2.
func clickhouseEnum(arguments string) (out []string) {
	for text := arguments; strings.HasPrefix(text, "'"); {
		value, size, ok := quoted(text, true)
		if !ok {
			return nil
		}
		out = append(out, value)
		_, text, _ = strings.Cut(text[size:], ", ")
	}
	return out
}
