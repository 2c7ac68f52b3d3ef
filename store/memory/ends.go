package memory

import (
	"fmt"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// endCells appends the key of the node that a field names, and says what is
// wrong with it, or nothing. A composite key is a list, or the compact JSON
// array of its parts as text.
func endCells(dst []cell, f *field, l *schema.Label) (key []cell, fault string) {
	if f.fault != "" {
		return dst, f.fault
	}
	if f.state == absent || f.state == asValue && f.value.IsNull() {
		return dst, "missing"
	}
	if len(l.Key) == 1 {
		c, fault := f.cell(l.Key[0], true)
		return append(dst, c), fault
	}
	parts := f.value.List()
	if f.state == asText || f.value.Kind() == graph.KindString || f.value.Kind() == graph.KindJSON {
		text := f.text
		if f.state == asValue {
			text = []byte(f.value.Text())
		}
		v, fault := decodeJSON(text, 1)
		if fault != "" || v.Kind() != graph.KindList {
			return dst, fmt.Sprintf("%s is not the JSON array of a key of %d parts", quote(text), len(l.Key))
		}
		parts = v.List()
	} else if f.value.Kind() != graph.KindList {
		return dst, fmt.Sprintf("a %s where the key of %s has %d parts", describe(f.value), l.Name, len(l.Key))
	}
	if len(parts) != len(l.Key) {
		return dst, fmt.Sprintf("the key of %s has %d parts, not %d", l.Name, len(l.Key), len(parts))
	}
	for i, v := range parts {
		var c cell
		if v.Kind() == graph.KindString && l.Key[i].Type != schema.String {
			c, fault = parseText(l.Key[i], []byte(v.Text()))
		} else {
			c, fault = valueCell(l.Key[i], v, true)
		}
		if fault != "" {
			return dst, l.Key[i].Name + ": " + fault
		}
		dst = append(dst, c)
	}
	return dst, ""
}
