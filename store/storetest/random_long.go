package storetest

import (
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// lengthen makes some texts long, and the room for an answer small.
func (w *world) lengthen(d dice) {
	w.limits.Bytes = pickOne(d, []int{300, 1500, 4000, 9000, 20_000, 40_000})
	w.limits.PatternBytes, w.limits.WhereBytes, w.limits.ArgumentBytes = longCalls.PatternBytes, longCalls.WhereBytes, longCalls.ArgumentBytes
	some := func(values map[string]graph.Value, p *propSpec) {
		if v := values[p.name]; p.typ == schema.String && v.Kind() == graph.KindString && d.chance(50) {
			unit := pickOne(d, []string{"x", "é", "日本", "😀", `"`, "a\\"})
			values[p.name] = graph.String(v.Text() + strings.Repeat(unit, pickOne(d, []int{60, 200, 300, 1100, 5000})/len(unit)))
		}
	}
	for _, l := range w.schema.labels {
		for _, n := range w.nodes {
			for _, p := range l.props {
				if n.label == l.name && !l.isKey(p.name) {
					some(n.values, p)
				}
			}
		}
	}
	for _, t := range w.schema.types {
		for _, p := range t.pairs {
			for _, r := range w.rels {
				for _, prop := range p.props {
					if r.typ == t.name && r.from.Label == p.from && r.to.Label == p.to && prop.name != p.key {
						some(r.values, prop)
					}
				}
			}
		}
	}
}

// longCalls have room for long texts.
var longCalls = graph.Limits{PatternBytes: 1 << 16, WhereBytes: 1 << 18, ArgumentBytes: 1 << 20}
