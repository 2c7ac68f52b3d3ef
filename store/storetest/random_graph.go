package storetest

import (
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// A world is a schema and the content of its graph.
type world struct {
	schema *schemaSpec
	nodes  []nodeSpec
	rels   []relSpec
	limits graph.Limits // of the calls
}

type nodeSpec struct {
	label  string
	values map[string]graph.Value
}

type relSpec struct {
	typ      string
	from, to graph.NodeID
	values   map[string]graph.Value
}

// build makes the graph. It fails where the schema does not allow it, as may
// be while a world is made smaller.
func (w *world) build() (*memory.Graph, error) {
	s, err := schema.Parse("schema.yaml", []byte(w.schema.yaml()))
	if err != nil {
		return nil, err
	}
	b := memory.NewBuilder(s)
	for _, n := range w.nodes {
		b.Node(n.label, anyValues(n.values))
	}
	for _, r := range w.rels {
		b.Relationship(r.typ, r.from, r.to, anyValues(r.values))
	}
	return b.Build()
}

func anyValues(values map[string]graph.Value) memory.Values {
	out := memory.Values{}
	for name, v := range values {
		out[name] = v
	}
	return out
}

// randomWorld makes a schema and a graph of up to some forty nodes: with loops,
// cycles, parallel relationships, hubs, nulls, equal names.
func randomWorld(seed uint64) *world {
	d := newDice(seed, 1)
	w := &world{schema: randomSchema(d)}
	if d.chance(30) {
		w.limits.Connections = pickOne(d, []int{1, 4, 12})
	}
	ids := map[string][]graph.NodeID{}
	for _, l := range w.schema.labels {
		n := 2 + d.IntN(9)
		switch {
		case d.chance(8):
			n = 0
		case d.chance(5):
			n = 25 + d.IntN(15) // more than a page
		}
		for i := range n {
			node := nodeSpec{label: l.name, values: map[string]graph.Value{}}
			var key []graph.Value
			for _, p := range l.props {
				switch {
				case len(l.key) > 1 && p.name == l.key[0]:
					node.values[p.name] = d.key(p, i/3)
				case len(l.key) > 1 && p.name == l.key[1]:
					node.values[p.name] = d.key(p, i%3)
				case l.isKey(p.name):
					node.values[p.name] = d.key(p, i)
				case p.required || d.chance(75):
					node.values[p.name] = d.value(p)
				}
			}
			for _, k := range l.key {
				key = append(key, node.values[k])
			}
			id := graph.NodeID{Label: l.name, ID: key[0]}
			if len(key) > 1 {
				id.ID = graph.List(key...)
			}
			ids[l.name] = append(ids[l.name], id)
			w.nodes = append(w.nodes, node)
		}
	}
	for _, t := range w.schema.types {
		taken := map[string]bool{} // rows of polymorphic references
		for _, p := range t.pairs {
			w.relationships(d, t, p, ids[p.from], ids[p.to], taken)
		}
	}
	return w
}

// relationships adds those of one pair, as many as its mapping can hold.
func (w *world) relationships(d dice, t *typeSpec, p *pairSpec, from, to []graph.NodeID, taken map[string]bool) {
	if len(from) == 0 || len(to) == 0 {
		return
	}
	count := 1 + d.IntN(2*max(len(from), len(to)))
	hubFrom, hubTo := pickOne(d, from), pickOne(d, to)
	hub := d.chance(30)
	have := map[string]bool{}
	for range count {
		a, b := pickOne(d, from), pickOne(d, to)
		switch {
		case hub && d.chance(50):
			a = hubFrom
		case hub && d.chance(30):
			b = hubTo
		case p.from == p.to && d.chance(15):
			b = a
		}
		var once string // what this mapping holds once
		switch p.form {
		case keyOnFrom, polymorphic:
			once = a.Label + a.ID.String()
		case keyOnTo:
			once = b.Label + b.ID.String()
		default:
			once = a.ID.String() + ">" + b.ID.String()
		}
		if p.form == polymorphic {
			if taken[once] {
				continue
			}
			taken[once] = true
		}
		if have[once] && p.key == "" {
			continue
		}
		have[once] = true
		r := relSpec{typ: t.name, from: a, to: b, values: map[string]graph.Value{}}
		for _, prop := range p.props {
			switch {
			case prop.name == p.key:
				r.values[prop.name] = d.key(prop, len(w.rels))
			case prop.name == "w" && (prop.required || d.chance(80)):
				r.values[prop.name] = d.weight(prop.typ)
			case prop.name != "w" && (prop.required || d.chance(75)):
				r.values[prop.name] = d.value(prop)
			}
		}
		w.rels = append(w.rels, r)
	}
}

func (w *world) clone() *world {
	c := *w
	c.nodes, c.rels = slices.Clone(w.nodes), slices.Clone(w.rels)
	return &c
}
