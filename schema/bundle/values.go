package bundle

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// values are those of an entity's properties, typed, but for the bad ones. What
// JSON Schema allows and a column cannot hold is reported.
func (r *reader) values(file string, t *Type, n *node, pointer string, bad map[string]bool) []graph.Value {
	out := make([]graph.Value, len(t.Properties))
	for i := range n.members {
		m := &n.members[i]
		place, ok := t.byName[m.name]
		if !ok || bad[m.name] || m.value.unread {
			continue
		}
		p := t.Properties[place]
		at := graph.Pointer(pointer, m.name)
		if !p.Array || m.value.kind == nullNode {
			out[place] = r.value(file, p, &m.value, at)
			continue
		}
		list := make([]graph.Value, len(m.value.items))
		for j := range m.value.items {
			list[j] = r.value(file, p, &m.value.items[j], item(at, j))
		}
		out[place] = graph.List(list...)
	}
	return out
}

// value gives a value the type of its property.
func (r *reader) value(file string, p *Property, n *node, at string) graph.Value {
	if n.kind == nullNode {
		return graph.Null()
	}
	fail := func(format string, args ...any) graph.Value {
		r.found.report(file, n, at, p.Name+": "+format, args...)
		return graph.Null()
	}
	switch p.Type {
	case schema.JSON:
		return graph.JSON(string(n.appendJSON(nil)))
	case schema.Bool:
		return graph.Bool(n.text == "true")
	case schema.Int64:
		i, ok := integer(n.text)
		if !ok {
			return fail("%s is out of the range of 64-bit integers", n.told())
		}
		return graph.Int(i)
	case schema.Float:
		f, err := strconv.ParseFloat(n.text, 64)
		if err != nil {
			return fail("%s is out of the range of float64", n.told())
		}
		return graph.Float(f)
	case schema.Date:
		d, ok := schema.ParseDate(n.text)
		if !ok {
			return fail("%s is no date; one is written 2026-11-21", n.told())
		}
		return d
	case schema.DateTime:
		d, ok := schema.ParseDateTime(n.text)
		if y := d.UTC().Year(); !ok || y < 1 || y > 9999 {
			return fail("%s is no instant; one is written 2026-11-21T09:30:00Z, with at most six digits of a second", n.told())
		}
		return graph.DateTime(d)
	case schema.UUID:
		if !isUUID(n.text) {
			return fail("%s is no UUID in lower case", n.told())
		}
		return graph.UUID(n.text)
	}
	return graph.String(n.text)
}

// integer reads an integer in any form that JSON has for one: 12, 12.0, 1.2e1.
func integer(text string) (int64, bool) {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i, true
	}
	r, ok := new(big.Rat).SetString(text) // exact; numberFault bounds what that takes
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return r.Num().Int64(), true
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case (c < '0' || c > '9') && (c < 'a' || c > 'f'):
			return false
		}
	}
	return true
}

// order sorts the members of a value: those that its schema lists first, as it
// lists them, then the others by name. So it does not matter how an entity was
// written.
func (n *node) order(s, root *node) {
	for range maxDepth {
		v := s.get("$ref")
		if v == nil || s.get("properties") != nil {
			break
		}
		s = refersTo(root, v.text)
	}
	switch n.kind {
	case listNode:
		items := s.get("items")
		for i := range n.items {
			n.items[i].order(items, root)
		}
	case objectNode:
		list := s.get("properties")
		place := func(name string) int {
			if list != nil {
				for i := range list.members {
					if list.members[i].name == name {
						return i
					}
				}
				return len(list.members)
			}
			return 0
		}
		compare := func(a, b member) int {
			if x, y := place(a.name), place(b.name); x != y {
				return x - y
			}
			return strings.Compare(a.name, b.name)
		}
		if !slices.IsSortedFunc(n.members, compare) {
			slices.SortFunc(n.members, compare)
		}
		for i := range n.members {
			m := &n.members[i]
			m.value.order(list.get(m.name), root)
		}
	}
}
