package verify

import (
	"bytes"
	"encoding/json"
	"math"
)

// said is what a document says of the graph: of an answer all but where it was
// executed, of a refusal the codes and places of its errors.
func said(document []byte) (map[string]any, error) {
	doc, err := decoded(document)
	if err != nil {
		return nil, err
	}
	list, refused := doc["errors"].([]any)
	if !refused {
		delete(doc, "executed")
		delete(doc, "statements")
		return doc, nil
	}
	var errors []any
	for _, e := range list {
		if e, ok := e.(map[string]any); ok {
			errors = append(errors, map[string]any{"code": e["code"], "path": e["path"]})
		}
	}
	return map[string]any{"errors": errors}, nil
}

// decoded reads an object whose numbers stay as they are written.
func decoded(text []byte) (doc map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&doc)
	return doc, err
}

// nearly is how far sums of floats may be apart, as a part of their size.
const nearly = 1e-12

// same compares what two documents say. With sums, numbers that have a fraction
// or an exponent may differ a little.
func same(a, b any, sums bool) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, v := range a {
			w, ok := b[name]
			// A cursor holds the last row's values, sums among them.
			if !ok || !same(v, w, sums) && (!sums || name != "next_cursor" || v == nil || w == nil) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !same(a[i], b[i], sums) {
				return false
			}
		}
		return true
	case json.Number:
		b, ok := b.(json.Number)
		if !ok || a == b || !sums {
			return ok && a == b
		}
		x, err := a.Float64()
		y, err2 := b.Float64()
		_, whole := a.Int64()
		_, whole2 := b.Int64()
		if whole == nil && whole2 == nil { // integers are exact
			return false
		}
		return err == nil && err2 == nil && math.Abs(x-y) <= nearly*math.Max(math.Abs(x), math.Abs(y))
	}
	return a == b
}
