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
	// scopes are the callers of a schema with policies; it has policies if
	// there are any. asking is the one whose call is judged.
	scopes []*graph.Scope
	asking *graph.Scope
	// negated are the callers' lists that a policy asks for under a negation.
	negated map[string]bool
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
	w := randomWorldOf(newDice(seed, 1), 1)
	if long := newDice(seed, 6); long.chance(35) {
		w.lengthen(long)
	}
	return w
}

// randomWorldOf makes a world of some times as many nodes.
func randomWorldOf(d dice, times int) *world {
	w := &world{schema: randomSchema(d)}
	if d.chance(30) {
		w.limits.Connections = pickOne(d, []int{1, 4, 12})
	}
	ids := map[string][]graph.NodeID{}
	for _, l := range w.schema.labels {
		n := (2 + d.IntN(9)) * times
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
				case p.unique && p.required:
					node.values[p.name] = d.key(p, i)
				case p.required || d.chance(75):
					if v := d.value(p); !p.unique || !w.has(l.name, p.name, v) {
						node.values[p.name] = v
					}
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

// has reports whether a node of a label has a value.
func (w *world) has(label, property string, v graph.Value) bool {
	return slices.ContainsFunc(w.nodes, func(n nodeSpec) bool {
		have, ok := n.values[property]
		return ok && n.label == label && have.Equal(v)
	})
}

// keepUnique takes values away that nodes may not have twice. Where each must
// have one, the property is not unique any more.
func (w *world) keepUnique() {
	for _, l := range w.schema.labels {
		for _, p := range l.props {
			seen := map[string]bool{}
			for _, n := range w.nodes {
				v, ok := n.values[p.name]
				switch {
				case !p.unique || n.label != l.name || !ok:
				case !seen[v.Text()]:
					seen[v.Text()] = true
				case p.required:
					p.unique = false
				default:
					delete(n.values, p.name)
				}
			}
		}
	}
}

// relationships adds those of one pair, as many as its mapping can hold.
func (w *world) relationships(d dice, t *typeSpec, p *pairSpec, from, to []graph.NodeID, taken map[string]bool) {
	if len(from) == 0 || len(to) == 0 {
		return
	}
	count := 1 + d.IntN(2*max(len(from), len(to)))
	hubFrom, hubTo := pickOne(d, from), pickOne(d, to)
	hub := d.chance(30)
	room := room{pair: p, taken: taken, have: map[string]bool{}}
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
		if !room.take(a, b) {
			continue
		}
		r := relSpec{typ: t.name, from: a, to: b, values: map[string]graph.Value{}}
		d.fill(&r, p, len(w.rels))
		w.rels = append(w.rels, r)
	}
}

// fill gives a pair's nth relationship random values.
func (d dice) fill(r *relSpec, p *pairSpec, n int) {
	for _, prop := range p.props {
		switch {
		case prop.name == p.key:
			r.values[prop.name] = d.key(prop, n)
		case prop.name == "w" && (prop.required || d.chance(80)):
			r.values[prop.name] = d.weight(prop.typ)
		case prop.name != "w" && (prop.required || d.chance(75)):
			r.values[prop.name] = d.value(prop)
		}
	}
}

// A room tells which relationships of a pair its mapping can still hold.
type room struct {
	pair  *pairSpec
	taken map[string]bool // rows of polymorphic references, of all pairs of the type
	have  map[string]bool
}

// take reports whether there is room for a relationship, and fills it.
func (r room) take(from, to graph.NodeID) bool {
	var once string // what this mapping holds once
	switch r.pair.form {
	case keyOnFrom, polymorphic:
		once = from.Label + from.ID.String()
	case keyOnTo:
		once = to.Label + to.ID.String()
	default:
		once = from.ID.String() + ">" + to.ID.String()
	}
	var ends []string // what the schema says to be there once
	if r.pair.unique == "from" || r.pair.unique == "both" {
		ends = append(ends, "from "+from.ID.String())
	}
	if r.pair.unique == "to" || r.pair.unique == "both" {
		ends = append(ends, "to "+to.ID.String())
	}
	if r.have[once] && r.pair.key == "" || r.pair.form == polymorphic && r.taken[once] ||
		slices.ContainsFunc(ends, func(end string) bool { return r.have[end] }) {
		return false
	}
	r.have[once] = true
	if r.pair.form == polymorphic {
		r.taken[once] = true
	}
	for _, end := range ends {
		r.have[end] = true
	}
	return true
}

func (w *world) clone() *world {
	c := *w
	c.nodes, c.rels = slices.Clone(w.nodes), slices.Clone(w.rels)
	return &c
}
