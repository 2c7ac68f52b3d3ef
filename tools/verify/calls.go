package verify

import (
	"maps"
	"math/rand/v2"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// An object is a JSON object of a call's arguments.
type object map[string]any

// with is the object with another member.
func (o object) with(name string, v any) object {
	out := maps.Clone(o)
	out[name] = v
	return out
}

// A maker makes random calls about the nodes of a graph.
type maker struct {
	*rand.Rand
	g      *memory.Graph
	labels []*schema.Label // that have nodes
	hops   map[*schema.Label][]hop
}

// A hop is a way from a label over a pair.
type hop struct {
	pair     *schema.Pair
	incoming bool
	to       *schema.Label
}

func newMaker(g *memory.Graph, r *rand.Rand) *maker {
	g = g.Dense()
	m := &maker{Rand: r, g: g, hops: map[*schema.Label][]hop{}}
	for l := range g.Schema().Labels() {
		if g.NodeCount(l) > 0 {
			m.labels = append(m.labels, l)
		}
	}
	for t := range g.Schema().Relationships() {
		for _, p := range t.Pairs {
			m.hops[p.From] = append(m.hops[p.From], hop{p, false, p.To})
			m.hops[p.To] = append(m.hops[p.To], hop{p, true, p.From})
		}
	}
	return m
}

func (m *maker) chance(percent int) bool { return m.IntN(100) < percent }

func one[T any](m *maker, list []T) T { return list[m.IntN(len(list))] }

// A spot is a node.
type spot struct {
	label *schema.Label
	row   uint32
}

func (m *maker) spot() spot {
	l := one(m, m.labels)
	return spot{l, m.Uint32N(uint32(m.g.NodeCount(l)))}
}

func (m *maker) id(s spot) any {
	key := make([]graph.Value, len(s.label.Key))
	for i, p := range s.label.Key {
		key[i] = m.g.Value(s.label, s.row, p)
	}
	if len(key) == 1 {
		return key[0]
	}
	return graph.KeyText(key)
}

// step goes from a node over one of its relationships, if one that it tries has
// any.
func (m *maker) step(from spot) (h hop, to spot, ok bool) {
	ways := m.hops[from.label]
	for range min(2*len(ways), 8) {
		h = one(m, ways)
		a := m.g.Outgoing(h.pair)
		if h.incoming {
			a = m.g.Incoming(h.pair)
		}
		if in, first, end := a.Span(from.row); end > first {
			return h, spot{h.to, in.Ends[first+m.Uint32N(end-first)]}, true
		}
	}
	return h, spot{}, false
}

func (h hop) direction() string {
	if h.incoming {
		return "incoming"
	}
	return "outgoing"
}

// call makes a call; it reports false where the graph has no nodes.
func (m *maker) call() (tool string, args object, ok bool) {
	if len(m.labels) == 0 {
		return "", nil, false
	}
	s := m.spot()
	switch n := m.IntN(100); {
	case n < 25:
		tool, args = graph.ToolFindNodes, m.find(s)
	case n < 55:
		tool = graph.ToolTraverse
		if args = m.traverse(s); args == nil { // a node without relationships
			tool, args = graph.ToolFindNodes, m.find(s)
		}
	case n < 67:
		tool, args = graph.ToolNeighbors, m.neighbors(s)
	case n < 80:
		tool, args = graph.ToolPaths, m.paths(s)
	default:
		tool, args = graph.ToolAggregate, m.aggregate(s)
	}
	if m.chance(50) && tool != graph.ToolAggregate {
		args["limit"] = one(m, []int{1, 2, 3, 10, 30})
	}
	return tool, args, true
}

func (m *maker) find(s spot) object {
	o := m.pattern(s, "node_label", 70)
	if m.chance(50) {
		o["order_by"] = m.order(s.label)
	}
	if m.chance(30) {
		var names []string
		for _, p := range shown(s.label.Properties) {
			if m.chance(50) {
				names = append(names, p.Name)
			}
		}
		o["properties"] = append([]string{}, names...)
	}
	return o
}

// traverse follows relationships that the node has; nil if it has none.
func (m *maker) traverse(s spot) object {
	at, steps := s, []object{}
	for range one(m, []int{1, 1, 2, 2, 3}) {
		h, to, ok := m.step(at)
		if !ok {
			break
		}
		step := object{"type": h.pair.Type.Name, "direction": h.direction()}
		if h.pair.From == h.pair.To && m.chance(20) {
			step["direction"] = "both"
		}
		if h.pair.From == h.pair.To && m.chance(30) {
			step["max_hops"] = 2
		}
		steps, at = append(steps, step), to
	}
	if len(steps) == 0 {
		return nil
	}
	o := object{"from": m.pattern(s, "label", 40), "relationships": steps, "to": m.pattern(at, "label", 30)}
	if m.chance(60) {
		o["from"] = object{"label": s.label.Name, "ids": []any{m.id(s)}}
	}
	if m.chance(40) {
		o["order_by"] = m.order(at.label)
	}
	if m.chance(30) {
		o["connections"] = false
	}
	return o
}

func (m *maker) node(s spot) object { return object{"label": s.label.Name, "node_id": m.id(s)} }

func (m *maker) around(o object, types []string) object {
	if m.chance(50) {
		o["direction"] = one(m, []string{"outgoing", "incoming", "both"})
	}
	if m.chance(40) && len(types) > 0 {
		o["relationship_types"] = types
	}
	return o
}

func (m *maker) neighbors(s spot) object {
	var types []string
	if h, _, ok := m.step(s); ok {
		types = []string{h.pair.Type.Name}
	}
	return m.around(object{"start_node": m.node(s), "max_hops": 1 + m.IntN(2)}, types)
}

// paths asks for those between a node and one some steps away.
func (m *maker) paths(s spot) object {
	at := s
	var types []string
	for range 1 + m.IntN(3) {
		h, to, ok := m.step(at)
		if !ok {
			break
		}
		if !strings.Contains(" "+strings.Join(types, " ")+" ", " "+h.pair.Type.Name+" ") {
			types = append(types, h.pair.Type.Name)
		}
		at = to
	}
	o := object{"from": m.node(s), "to": m.node(at), "max_hops": 1 + m.IntN(4)}
	if m.chance(30) {
		o["mode"] = "all"
	}
	return m.around(o, types)
}

func (m *maker) aggregate(s spot) object {
	o := m.pattern(s, "node_label", 40)
	list := []object{{"function": "count", "as": "n"}}
	for _, p := range shown(s.label.Properties) {
		functions := []string{"count_distinct"}
		switch p.Type {
		case schema.Int32, schema.Int64, schema.Float, schema.Decimal:
			functions = []string{"sum", "avg", "min", "max", "count_distinct"}
		case schema.Date, schema.DateTime, schema.String:
			functions = []string{"min", "max", "count_distinct"}
		case schema.JSON:
			continue
		}
		if m.chance(30) && len(list) < 4 {
			list = append(list, object{"function": one(m, functions), "property": p.Name, "as": "a" + string(rune('0'+len(list)))})
		}
	}
	o["aggregations"] = list
	if groups := shown(s.label.Properties); len(groups) > 0 && m.chance(60) {
		if p := one(m, groups); p.Type != schema.JSON && p.Type != schema.Float {
			o["group_by"] = []object{{"property": p.Name}}
		}
	}
	return o
}
