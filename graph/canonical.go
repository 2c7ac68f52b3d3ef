package graph

import (
	"bytes"
	"encoding/json"
	"io"
	"sort"
	"strconv"
)

// CanonicalJSON returns a JSON document in the one form that answers show,
// whatever store it was kept in: compact, the members of objects by name,
// integers of 64 bits with all digits, other numbers as floats in the shortest
// form that reads back. It reports whether text is one JSON document.
func CanonicalJSON(text string) (string, bool) {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return "", false
	}
	if _, err := d.Token(); err != io.EOF {
		return "", false
	}
	return string(appendCanonical(nil, v)), true
}

func appendCanonical(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case string:
		return AppendJSONString(b, v)
	case json.Number:
		return appendNumber(b, v.String())
	case []any:
		b = append(b, '[')
		for i, e := range v {
			b = comma(b, i)
			b = appendCanonical(b, e)
		}
		return append(b, ']')
	case map[string]any:
		names := make([]string, 0, len(v))
		for n := range v {
			names = append(names, n)
		}
		sort.Strings(names)
		b = append(b, '{')
		for i, n := range names {
			b = comma(b, i)
			b = AppendJSONString(b, n)
			b = append(b, ':')
			b = appendCanonical(b, v[n])
		}
		return append(b, '}')
	}
	return b
}

func appendNumber(b []byte, s string) []byte {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return strconv.AppendInt(b, n, 10)
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return append(b, s...) // beyond a float: as it stands
	}
	if f == 0 {
		f = 0
	}
	return appendFloat(b, f)
}
