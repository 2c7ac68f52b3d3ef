package verify

import (
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// shown are the properties that everybody sees.
func shown(list []*schema.Property) []*schema.Property {
	var out []*schema.Property
	for _, p := range list {
		if !p.Hidden && p.Masked == "" && p.VisibleIf == "" {
			out = append(out, p)
		}
	}
	return out
}

func usable(list []*schema.Property) []*schema.Property {
	var out []*schema.Property
	for _, p := range shown(list) {
		if !p.NotFilterable && p.Type != schema.JSON {
			out = append(out, p)
		}
	}
	return out
}

// pattern asks for nodes of a label, in so many of a hundred cases by filters
// that the node fulfils, mostly.
func (m *maker) pattern(s spot, label string, filtered int) object {
	o := object{label: s.label.Name}
	if m.chance(10) {
		o["ids"] = []any{m.id(s)}
	}
	list := usable(s.label.Properties)
	if !m.chance(filtered) || len(list) == 0 {
		return o
	}
	filters := object{}
	for range 1 + m.IntN(2) {
		p := one(m, list)
		filters[p.Name] = m.comparison(p, m.g.Value(s.label, s.row, p), s)
	}
	o["filters"] = filters
	return o
}

// comparison is a condition on a property about a value that it has.
func (m *maker) comparison(p *schema.Property, v graph.Value, s spot) object {
	if v.IsNull() || m.chance(5) {
		return object{"is_null": v.IsNull() != m.chance(10)}
	}
	ops := []string{"eq", "ne", "lt", "lte", "gt", "gte", "in", "not_in"}
	switch p.Type {
	case schema.Bool, schema.Enum, schema.UUID:
		ops = []string{"eq", "ne", "in", "not_in"}
	case schema.String:
		if !p.NoPatterns {
			ops = append(ops, "contains", "starts_with", "ends_with")
		}
	}
	switch op := one(m, ops); op {
	case "in", "not_in":
		// Beside the node's own value, another node's.
		other := m.g.Value(s.label, m.Uint32N(uint32(m.g.NodeCount(s.label))), p)
		if other.IsNull() || other.Equal(v) {
			return object{op: []any{v}}
		}
		return object{op: []any{v, other}}
	case "contains", "starts_with", "ends_with":
		return object{op: m.part(v.Text(), op)}
	default:
		return object{op: v}
	}
}

// part is a part of a text, of up to eight characters.
func (m *maker) part(text, op string) string {
	r := []rune(text)
	if len(r) == 0 {
		return text
	}
	n := 1 + m.IntN(min(len(r), 8))
	switch op {
	case "starts_with":
		return string(r[:n])
	case "ends_with":
		return string(r[len(r)-n:])
	}
	at := m.IntN(len(r) - n + 1)
	return string(r[at : at+n])
}

func (m *maker) order(l *schema.Label) []object {
	list := usable(l.Properties)
	if len(list) == 0 {
		return nil
	}
	return []object{{"property": one(m, list).Name, "direction": one(m, []string{"asc", "desc"})}}
}
