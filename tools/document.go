package tools

import (
	"strconv"

	"github.com/trellisgraph/trellis/graph"
)

// A doc is a JSON object whose members keep their order, so that a reader of a
// schema meets what matters first: names and values in turn.
type doc []any

// appendJSON appends a document of docs, lists, texts, integers, booleans and
// values.
func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case doc:
		b = append(b, '{')
		for i := 0; i+1 < len(v); i += 2 {
			if i > 0 {
				b = append(b, ',')
			}
			b = graph.AppendJSONString(b, v[i].(string))
			b = append(b, ':')
			b = appendJSON(b, v[i+1])
		}
		return append(b, '}')
	case []any:
		return appendJSONList(b, v)
	case []string:
		return appendJSONList(b, v)
	case []doc:
		return appendJSONList(b, v)
	case string:
		return graph.AppendJSONString(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case bool:
		return strconv.AppendBool(b, v)
	}
	return graph.Of(v).AppendJSON(b)
}

func appendJSONList[T any](b []byte, list []T) []byte {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(b, v)
	}
	return append(b, ']')
}
