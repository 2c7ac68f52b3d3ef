package graph

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Kind says what a Value holds.
type Kind uint8

// The kinds of values. KindNumber is a number as a caller wrote it: its digits
// are kept, so that nothing is lost before the property's type is known.
const (
	KindNull Kind = iota
	KindBool
	KindInt      // int64
	KindFloat    // float64, finite
	KindNumber   // an untyped number, as text
	KindDecimal  // a decimal, as text with its scale
	KindString   // text, also the label of an enum value
	KindDate     // days, 0001-01-01 to 9999-12-31
	KindDateTime // an instant in UTC, to the microsecond
	KindUUID     // 36 lower-case characters
	KindJSON     // a JSON document, compact
	KindList     // values
	KindInvalid  // a Go value that Trellis has no kind for
)

var kindNames = [...]string{"null", "bool", "int", "float", "number", "decimal", "string", "date", "datetime", "uuid", "json", "list", "invalid"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// A Value is one typed value: an argument of a query, or a property in an
// answer. The zero Value is null. Values are immutable and may be compared with
// Equal.
type Value struct {
	kind Kind
	num  int64 // bool, int, float bits, days since 0001-01-01, microseconds since 1970
	text string
	list []Value
}

// Null is the null value.
func Null() Value { return Value{} }

// Bool returns a boolean.
func Bool(b bool) Value {
	v := Value{kind: KindBool}
	if b {
		v.num = 1
	}
	return v
}

// Int returns an integer.
func Int(i int64) Value { return Value{kind: KindInt, num: i} }

// Float returns a floating-point number; -0 becomes 0. NaN and the infinities
// have no place in a graph and become an invalid value.
func Float(f float64) Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Value{kind: KindInvalid, text: strconv.FormatFloat(f, 'g', -1, 64)}
	}
	if f == 0 {
		f = 0 // drops the sign of -0
	}
	return Value{kind: KindFloat, num: int64(math.Float64bits(f))}
}

// Number returns a number whose type is not known yet, as it was written.
func Number(literal string) Value { return Value{kind: KindNumber, text: literal} }

// Decimal returns an exact decimal number, such as "12.50"; the caller
// guarantees its form.
func Decimal(text string) Value { return Value{kind: KindDecimal, text: text} }

// String returns a text.
func String(s string) Value { return Value{kind: KindString, text: s} }

// Date returns the calendar day of t, in t's own location.
func Date(t time.Time) Value {
	y, m, d := t.Date()
	return Value{kind: KindDate, num: time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400}
}

// DateTime returns the instant t, cut to whole microseconds.
func DateTime(t time.Time) Value { return Value{kind: KindDateTime, num: t.UnixMicro()} }

// UUID returns a UUID in its lower-case text form; the caller guarantees its form.
func UUID(text string) Value { return Value{kind: KindUUID, text: text} }

// JSON returns a JSON document; the caller guarantees that it is valid and compact.
func JSON(text string) Value { return Value{kind: KindJSON, text: text} }

// List returns a list of values.
func List(values ...Value) Value { return Value{kind: KindList, list: values} }

// Of returns the Value of a Go value: nil, booleans, integers, floats, strings,
// time.Time (an instant), json.Number, Value, and slices and pointers of these,
// nested up to 32 deep. Anything else becomes an invalid value, which every
// query refuses with INVALID_TYPE.
func Of(v any) Value { return of(v, 32) }

func of(v any, depth int) Value {
	switch x := v.(type) {
	case nil:
		return Null()
	case Value:
		return x
	case string:
		return String(x)
	case bool:
		return Bool(x)
	case int:
		return Int(int64(x))
	case int64:
		return Int(x)
	case float64:
		return Float(x)
	case json.Number:
		return Number(x.String())
	case time.Time:
		return DateTime(x)
	}
	rv := reflect.ValueOf(v)
	if depth == 0 { // it may hold itself
		return Value{kind: KindInvalid, text: fmt.Sprintf("%T", v)}
	}
	switch rv.Kind() {
	case reflect.Bool:
		return Bool(rv.Bool())
	case reflect.String:
		return String(rv.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return Int(rv.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return Number(strconv.FormatUint(rv.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		return Float(rv.Float())
	case reflect.Pointer:
		if rv.IsNil() {
			return Null()
		}
		return of(rv.Elem().Interface(), depth-1)
	case reflect.Slice, reflect.Array:
		list := make([]Value, rv.Len())
		for i := range list {
			list[i] = of(rv.Index(i).Interface(), depth-1)
		}
		return List(list...)
	}
	return Value{kind: KindInvalid, text: fmt.Sprintf("%T", v)}
}

// Kind says what v holds.
func (v Value) Kind() Kind { return v.kind }

// IsNull reports whether v is null.
func (v Value) IsNull() bool { return v.kind == KindNull }

// Bool returns a boolean's value; false for other kinds.
func (v Value) Bool() bool { return v.kind == KindBool && v.num != 0 }

// Int returns an integer's value; 0 for other kinds.
func (v Value) Int() int64 {
	if v.kind != KindInt {
		return 0
	}
	return v.num
}

// Float returns the value of a float or an integer; 0 for other kinds.
func (v Value) Float() float64 {
	switch v.kind {
	case KindFloat:
		return math.Float64frombits(uint64(v.num))
	case KindInt:
		return float64(v.num)
	}
	return 0
}

// Time returns the instant of a date (its midnight) or a datetime, in UTC; the
// zero time for other kinds.
func (v Value) Time() time.Time {
	switch v.kind {
	case KindDate:
		return time.Unix(v.num*86400, 0).UTC()
	case KindDateTime:
		return time.UnixMicro(v.num).UTC()
	}
	return time.Time{}
}

// Micros returns a datetime in microseconds since 1970; 0 for other kinds.
func (v Value) Micros() int64 {
	if v.kind != KindDateTime {
		return 0
	}
	return v.num
}

// Days returns a date in days since 1970-01-01; 0 for other kinds.
func (v Value) Days() int64 {
	if v.kind != KindDate {
		return 0
	}
	return v.num
}

// DateFromDays returns the date that lies that many days after 1970-01-01.
func DateFromDays(days int64) Value { return Value{kind: KindDate, num: days} }

// DateTimeFromMicros returns the instant that many microseconds after 1970.
func DateTimeFromMicros(us int64) Value { return Value{kind: KindDateTime, num: us} }

// List returns a list's values, nil for other kinds. It must not be modified.
func (v Value) List() []Value { return v.list }

// Text returns the value as text, as an id shows it: text as it is, numbers in
// decimal, dates in ISO 8601, a list as compact JSON. Null is the empty text.
func (v Value) Text() string {
	switch v.kind {
	case KindString, KindNumber, KindDecimal, KindUUID, KindJSON, KindInvalid:
		return v.text
	case KindNull:
		return ""
	case KindInt:
		return strconv.FormatInt(v.num, 10)
	case KindList:
		return string(v.AppendJSON(nil))
	}
	b := v.AppendJSON(nil)
	if len(b) > 1 && b[0] == '"' {
		b = b[1 : len(b)-1]
	}
	return string(b)
}

// Equal reports whether two values have the same kind and content.
func (v Value) Equal(w Value) bool {
	if v.kind != w.kind || v.num != w.num || v.text != w.text || len(v.list) != len(w.list) {
		return false
	}
	for i := range v.list {
		if !v.list[i].Equal(w.list[i]) {
			return false
		}
	}
	return true
}

// Any returns the value as a Go value: nil, bool, int64, float64, string,
// time.Time, json.RawMessage or []any.
func (v Value) Any() any {
	switch v.kind {
	case KindNull:
		return nil
	case KindBool:
		return v.num != 0
	case KindInt:
		return v.num
	case KindFloat:
		return v.Float()
	case KindDate, KindDateTime:
		return v.Time()
	case KindJSON:
		return json.RawMessage(v.text)
	case KindList:
		out := make([]any, len(v.list))
		for i := range out {
			out[i] = v.list[i].Any()
		}
		return out
	}
	return v.text
}

// MarshalJSON writes the value as an answer shows it.
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

// String describes the value as it would stand in a JSON document.
func (v Value) String() string { return string(v.AppendJSON(nil)) }

// AppendJSON appends the value in the form that answers use: decimals, dates,
// instants (UTC, `Z`, microseconds without trailing zeros) and UUIDs as
// strings, integers with all digits, floats in the shortest form that reads
// back.
func (v Value) AppendJSON(b []byte) []byte {
	switch v.kind {
	case KindNull:
		return append(b, "null"...)
	case KindBool:
		return strconv.AppendBool(b, v.num != 0)
	case KindInt:
		return strconv.AppendInt(b, v.num, 10)
	case KindFloat:
		return appendFloat(b, v.Float())
	case KindJSON:
		return append(b, v.text...)
	case KindNumber:
		if !json.Valid([]byte(v.text)) { // made in Go, of something else
			return AppendJSONString(b, v.text)
		}
		return append(b, v.text...)
	case KindDate:
		return AppendJSONDate(b, v.num)
	case KindDateTime:
		return AppendJSONDateTime(b, v.num)
	case KindList:
		b = append(b, '[')
		for i := range v.list {
			if i > 0 {
				b = append(b, ',')
			}
			b = v.list[i].AppendJSON(b)
		}
		return append(b, ']')
	}
	return AppendJSONString(b, v.text)
}

// appendFloat follows ECMAScript's number format, as encoding/json does.
func appendFloat(b []byte, f float64) []byte {
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	b = strconv.AppendFloat(b, f, format, -1, 64)
	if format == 'e' {
		// e-09 to e-9
		if n := len(b); n >= 4 && b[n-4] == 'e' && (b[n-3] == '-' || b[n-3] == '+') && b[n-2] == '0' {
			b[n-2] = b[n-1]
			b = b[:n-1]
		}
	}
	return b
}

// KeyText returns the id that a key is known by: the text of its one part, or,
// for a composite key, the compact JSON array of its parts' texts.
func KeyText(parts []Value) string {
	if len(parts) == 1 {
		return parts[0].Text()
	}
	b := []byte{'['}
	for i, p := range parts {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendJSONString(b, p.Text())
	}
	return string(append(b, ']'))
}

// Compare orders two values of one kind as answers are ordered: numbers by
// size, texts by code point, false before true, dates and instants by time,
// lists item by item. It returns -1, 0 or 1. Null comes after everything. A
// Number has no type yet, and so no size: it is compared as a text.
func (v Value) Compare(w Value) int {
	switch {
	case v.kind == KindNull || w.kind == KindNull:
		return cmp.Compare(boolInt(v.kind == KindNull), boolInt(w.kind == KindNull))
	case v.kind == KindFloat && w.kind == KindFloat:
		return cmp.Compare(v.Float(), w.Float())
	case v.kind == KindDecimal && w.kind == KindDecimal:
		a, okA := new(big.Rat).SetString(v.text)
		b, okB := new(big.Rat).SetString(w.text)
		if okA && okB {
			return a.Cmp(b)
		}
	case v.kind == KindList && w.kind == KindList:
		return slices.CompareFunc(v.list, w.list, Value.Compare)
	}
	if c := cmp.Compare(v.num, w.num); c != 0 {
		return c
	}
	return strings.Compare(v.text, w.text)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
