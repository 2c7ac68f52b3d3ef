package store

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// Decode gives what a driver returned for a field of a statement its type. What
// does not fit is an error that does not repeat the value.
func Decode(f compile.Field, raw any) (graph.Value, error) { return decode(f, raw) }

// decode gives what a driver returned the type of its field. Drivers differ
// widely in what they return for one column type, so every form that keeps the
// value exact is taken.
func decode(f compile.Field, raw any) (graph.Value, error) {
	p := f.Type
	if raw == nil {
		if p.Name != "" && !p.Nullable {
			return graph.Value{}, fmt.Errorf("property %q: null where none may be", p.Name)
		}
		return graph.Null(), nil
	}
	switch v := raw.(type) {
	case []byte:
		if raw = string(v); p.Type == schema.UUID && len(v) == 16 {
			raw = [16]byte(v)
		}
	case fmt.Stringer: // a driver's own type, of numbers that none of Go's holds
		if p.Type.Numeric() {
			raw = v.String()
		}
	}
	if f.Ordinal {
		n, ok := integer(raw)
		if !ok || n < 0 || n >= int64(len(p.Values)) {
			return graph.Value{}, errValue(p, raw)
		}
		return graph.String(p.Values[n].Name), nil
	}
	if f.Micros {
		us, ok := integer(raw)
		if !ok {
			return graph.Value{}, errValue(p, raw)
		}
		raw = time.UnixMicro(us)
	}
	v, ok := decodeType(p, raw)
	if !ok && f.Orders && p.Type == schema.Enum {
		return graph.String("\x00"), nil // which no declared value is
	}
	if !ok {
		return graph.Value{}, errValue(p, raw)
	}
	return v, nil
}

func decodeType(p *schema.Property, raw any) (graph.Value, bool) {
	switch p.Type {
	case schema.Int32, schema.Int64:
		n, ok := integer(raw)
		return graph.Int(n), ok && (p.Type == schema.Int64 || n == int64(int32(n)))
	case schema.Float:
		f, ok := float(raw)
		v := graph.Float(f)
		return v, ok && v.Kind() == graph.KindFloat
	case schema.Bool:
		return boolean(raw)
	case schema.String:
		s, ok := raw.(string)
		return graph.String(s), ok && utf8.ValidString(s)
	case schema.Enum:
		return enum(p, raw)
	case schema.UUID:
		s, ok := uuid(raw)
		return graph.UUID(s), ok
	case schema.Date:
		t, ok := wallClock(raw)
		return graph.Date(t), ok && years(t)
	case schema.DateTime:
		t, ok := wallClock(raw)
		return graph.DateTime(t), ok && years(t)
	case schema.Decimal:
		return decimal(p, raw)
	case schema.JSON:
		switch n := raw.(type) { // SQLite's JSON columns make numbers of such texts
		case int64:
			return graph.JSON(strconv.FormatInt(n, 10)), true
		case float64:
			raw = strconv.FormatFloat(n, 'g', -1, 64)
		}
		s, ok := raw.(string)
		if !ok {
			return graph.Value{}, false
		}
		s, ok = graph.CanonicalJSON(s)
		return graph.JSON(s), ok
	}
	return graph.Value{}, false
}

func years(t time.Time) bool { return t.Year() >= 1 && t.Year() <= 9999 }

func integer(raw any) (int64, bool) {
	switch n := raw.(type) {
	case int64:
		return n, true
	case int32:
		return int64(n), true
	case int16:
		return int64(n), true
	case int8:
		return int64(n), true
	case int:
		return int64(n), true
	case uint64:
		return int64(n), n <= math.MaxInt64
	case uint:
		return int64(n), uint64(n) <= math.MaxInt64
	case uint32:
		return int64(n), true
	case uint16:
		return int64(n), true
	case uint8:
		return int64(n), true
	case bool:
		if n {
			return 1, true
		}
		return 0, true
	case big.Int: // ClickHouse's sums
		return n.Int64(), n.IsInt64()
	case float64: // sums, where an engine has no other type for them
		return int64(n), n == math.Trunc(n) && math.Abs(n) <= 1<<53
	case string:
		if whole, fraction, ok := strings.Cut(n, "."); ok && strings.Trim(fraction, "0") == "" {
			n = whole
		}
		i, err := strconv.ParseInt(n, 10, 64)
		return i, err == nil
	}
	return 0, false
}

func float(raw any) (float64, bool) {
	switch f := raw.(type) {
	case float64:
		return f, true
	case float32: // the number that conditions meet, not the shortest that reads back
		return float64(f), true
	case string:
		v, err := strconv.ParseFloat(f, 64)
		return v, err == nil
	}
	n, ok := integer(raw)
	return float64(n), ok
}

func boolean(raw any) (graph.Value, bool) {
	if b, ok := raw.(bool); ok {
		return graph.Bool(b), true
	}
	n, ok := integer(raw)
	return graph.Bool(n != 0), ok && (n == 0 || n == 1)
}

func enum(p *schema.Property, raw any) (graph.Value, bool) {
	if s, ok := raw.(string); ok && p.EnumIndex(s) >= 0 && !p.Values[0].IsInt {
		return graph.String(s), true
	}
	n, ok := integer(raw)
	for _, v := range p.Values {
		if ok && v.IsInt && v.Int == n {
			return graph.String(v.Name), true
		}
	}
	return graph.Value{}, false
}

func uuid(raw any) (string, bool) {
	switch u := raw.(type) {
	case string:
		u = strings.ToLower(u)
		return u, uuidText(u)
	case [16]byte:
		return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:]), true
	}
	return "", false
}

// uuidText reports whether s is a UUID in lower case.
func uuidText(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		hyphen := i == 8 || i == 13 || i == 18 || i == 23
		hex := '0' <= s[i] && s[i] <= '9' || 'a' <= s[i] && s[i] <= 'f'
		if hyphen != (s[i] == '-') || !hyphen && !hex {
			return false
		}
	}
	return true
}

var wallClockLayouts = []string{"2006-01-02 15:04:05.999999", "2006-01-02", time.RFC3339Nano}

// wallClock reads a date or an instant. A column without a zone is UTC, so
// what counts of a time without offset is its wall clock.
func wallClock(raw any) (time.Time, bool) {
	switch t := raw.(type) {
	case time.Time:
		return t.UTC(), true
	case string:
		for _, layout := range wallClockLayouts {
			if v, err := time.Parse(layout, t); err == nil {
				return v.UTC(), true
			}
		}
	}
	return time.Time{}, false
}

// decimal writes a number with its declared scale.
func decimal(p *schema.Property, raw any) (graph.Value, bool) {
	switch n := raw.(type) {
	case string:
		return DecimalText(n, p.Scale)
	case int64:
		return DecimalText(strconv.FormatInt(n, 10), p.Scale)
	case float64: // SQLite's numbers: 15 digits are what was stored, more may not be
		s := strconv.FormatFloat(n, 'f', p.Scale, 64)
		back, err := strconv.ParseFloat(s, 64)
		if err == nil && back == n && len(strings.Trim(s, "-0.")) <= 16 {
			return DecimalText(s, p.Scale)
		}
	}
	return graph.Value{}, false
}

// DecimalText returns a decimal with exactly scale digits after the point. It
// reports false where digits would be lost, or where s is no decimal.
func DecimalText(s string, scale int) (graph.Value, bool) {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	whole, fraction, _ := strings.Cut(s, ".")
	digits := whole + fraction
	if whole == "" || strings.Trim(digits, "0123456789") != "" {
		return graph.Value{}, false
	}
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if len(fraction) > scale {
		if strings.Trim(fraction[scale:], "0") != "" {
			return graph.Value{}, false
		}
		fraction = fraction[:scale]
	}
	fraction += strings.Repeat("0", scale-len(fraction))
	if strings.Trim(digits, "0") == "" {
		sign = ""
	}
	if scale == 0 {
		return graph.Decimal(sign + whole), true
	}
	return graph.Decimal(sign + whole + "." + fraction), true
}
