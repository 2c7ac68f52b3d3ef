package schema

import (
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// A claim is what a host put into a scope: a text, true or false, a number, or
// a list or map of claims, in whatever Go type. What is none of these counts as
// missing.

// A caller is a scope as policies see it: a map of claims. No claim has this
// type.
type caller graph.Scope

// claimField returns a member of a map, or a claim of a caller.
func claimField(v any, name string) (any, bool) {
	switch m := v.(type) {
	case *caller:
		text := ""
		switch name {
		case "tenant":
			text = m.Tenant
		case "principal":
			text = m.Principal
		case "token_id":
			text = m.TokenID
		default:
			f, ok := m.Claims[name]
			return f, ok
		}
		return text, text != ""
	case map[string]any:
		f, ok := m[name]
		return f, ok
	case nil:
		return nil, false
	}
	m := reflect.ValueOf(v)
	if m.Kind() != reflect.Map || m.Type().Key().Kind() != reflect.String {
		return nil, false
	}
	f := m.MapIndex(reflect.ValueOf(name).Convert(m.Type().Key()))
	if !f.IsValid() {
		return nil, false
	}
	return f.Interface(), true
}

// claimIsMap reports whether a claim can have members.
func claimIsMap(v any) bool {
	switch v.(type) {
	case *caller, map[string]any:
		return true
	case nil:
		return false
	}
	t := reflect.TypeOf(v)
	return t.Kind() == reflect.Map && t.Key().Kind() == reflect.String
}

// claimLen returns the number of a list's items; not ok for what is no list.
func claimLen(v any) (n int, ok bool) {
	switch list := v.(type) {
	case []any:
		return len(list), true
	case []string:
		return len(list), true
	case nil, string, bool, float64, int, map[string]any, *caller:
		return 0, false
	}
	list := reflect.ValueOf(v)
	if k := list.Kind(); k != reflect.Slice && k != reflect.Array {
		return 0, false
	}
	return list.Len(), true
}

// claimAt returns an item of a list.
func claimAt(v any, i int) any {
	switch list := v.(type) {
	case []any:
		return list[i]
	case []string:
		return list[i]
	}
	return reflect.ValueOf(v).Index(i).Interface()
}

// claimValue returns a claim that is neither list nor map. Whole numbers are
// integers, however they came: JSON decoded into Go makes floats of them.
func claimValue(v any) (graph.Value, bool) {
	switch x := v.(type) {
	case nil:
		return graph.Null(), true
	case string:
		return graph.String(x), true
	case bool:
		return graph.Bool(x), true
	case int:
		return graph.Int(int64(x)), true
	case float64:
		return claimFloat(x)
	case json.Number:
		return claimNumber(string(x))
	}
	rv := reflect.ValueOf(v)
	switch rv.Kind() {
	case reflect.String:
		return graph.String(rv.String()), true
	case reflect.Bool:
		return graph.Bool(rv.Bool()), true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return graph.Int(rv.Int()), true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return claimNumber(strconv.FormatUint(rv.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		return claimFloat(rv.Float())
	}
	return graph.Value{}, false
}

func claimFloat(f float64) (graph.Value, bool) {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return graph.Int(int64(f)), true
	}
	v := graph.Float(f)
	return v, v.Kind() == graph.KindFloat
}

// claimNumber reads a number as JSON writes it, of at most 400 characters and
// within the range of a double.
func claimNumber(s string) (graph.Value, bool) {
	if len(s) > 400 || !decimalText(s) {
		return graph.Value{}, false
	}
	if at := strings.IndexAny(s, "eE"); at >= 0 {
		if exp, err := strconv.Atoi(s[at+1:]); err != nil || exp > 308 || exp < -308 {
			return graph.Value{}, false
		}
	}
	if r, ok := new(big.Rat).SetString(s); ok && r.IsInt() && r.Num().IsInt64() {
		return graph.Int(r.Num().Int64()), true
	}
	return graph.Number(s), true
}

// appendClaims appends what policies read of a claim, so that different claims
// never make the same bytes: every part says its kind and length. ok is false
// if a list is too long, or all together.
func appendClaims(b []byte, v any, t *claimTree) (_ []byte, ok bool) {
	if len(b) > maxClaimBytes {
		return b, false
	}
	if n, list := claimLen(v); list {
		b = append(b, 'l')
		if t.items == nil {
			return b, true
		}
		if n > maxClaimItems {
			return b, false
		}
		b = strconv.AppendInt(b, int64(n), 10)
		for i := range n {
			if b, ok = appendClaims(b, claimAt(v, i), t.items); !ok {
				return b, false
			}
		}
		return b, true
	}
	if claimIsMap(v) {
		b = append(b, 'o')
		for i, name := range t.names {
			f, there := claimField(v, name)
			if !there {
				b = append(b, '-')
			} else if b, ok = appendClaims(b, f, t.fields[i]); !ok {
				return b, false
			}
		}
		return b, true
	}
	value, known := claimValue(v)
	if !known {
		return append(b, '?'), true
	}
	switch value.Kind() {
	case graph.KindNull:
		return append(b, 'n'), true
	case graph.KindBool:
		if value.Bool() {
			return append(b, 't'), true
		}
		return append(b, 'f'), true
	case graph.KindInt:
		b = append(b, 'i')
		b = strconv.AppendInt(b, value.Int(), 10)
		return append(b, ';'), true
	case graph.KindString:
		b = append(b, 's')
	default:
		b = append(b, 'd')
	}
	text := value.Text()
	b = strconv.AppendInt(b, int64(len(text)), 10)
	b = append(b, ':')
	return append(b, text...), true
}
