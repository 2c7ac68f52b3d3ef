package storetest

import (
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// renamed asks the same of the graph and of one in which every node has
// another id.
func renamed(m *metamorph, v *vertex) error {
	free := slices.DeleteFunc(slices.Clone(v.label.Properties), v.label.IsKey)
	from := graph.NodePattern{Label: v.label.Name}
	if len(free) > 0 && m.chance(60) {
		b := v.bearer()
		from.Filter = m.filter(free, &b)
	}
	steps, end := m.chain(v, 1+m.IntN(2), 4, false)
	for i := range steps {
		steps[i].To = nil
	}
	if len(steps) == 0 {
		return errOther
	}
	q := &graph.Traverse{From: from, Relationships: steps, To: graph.NodePattern{Label: end.label.Name}, OmitConnections: true}
	here, err := m.set(q)
	if err != nil {
		return err
	}
	one := &scope{TB: m.t}
	defer one.close()
	other := newMetamorph(one, m.open, rename(m.world))
	defer other.store.Close()
	there, err := other.set(q)
	if err != nil {
		return err
	}
	want := map[string]bool{}
	for _, v := range m.ref.vertices {
		if here[v.label.Name+" "+v.id] {
			key := slices.Clone(v.key)
			for i, p := range v.label.Key {
				key[i] = renameValue(p.Type, key[i])
			}
			want[v.label.Name+" "+graph.KeyText(key)] = true
		}
	}
	return equalSets(want, there)
}

// rename gives every node another id.
func rename(w *world) *world {
	out := w.clone()
	for i, n := range out.nodes {
		l := w.schema.label(n.label)
		values := map[string]graph.Value{}
		for name, v := range n.values {
			if l.isKey(name) {
				v = renameValue(l.prop(name).typ, v)
			}
			values[name] = v
		}
		out.nodes[i].values = values
	}
	for i := range out.rels {
		r := &out.rels[i]
		r.from.ID = renameID(w.schema.label(r.from.Label), r.from.ID)
		r.to.ID = renameID(w.schema.label(r.to.Label), r.to.ID)
	}
	return out
}

func renameID(l *labelSpec, id graph.Value) graph.Value {
	if len(l.key) == 1 {
		return renameValue(l.prop(l.key[0]).typ, id)
	}
	parts := slices.Clone(id.List())
	for i, name := range l.key {
		parts[i] = renameValue(l.prop(name).typ, parts[i])
	}
	return graph.List(parts...)
}

// renameValue gives different keys different new ones.
func renameValue(t schema.Type, v graph.Value) graph.Value {
	switch t {
	case schema.Int32, schema.Int64:
		return graph.Int(-v.Int())
	case schema.UUID:
		return graph.UUID("e" + v.Text()[1:8] + v.Text()[8:24] + v.Text()[24:])
	}
	return graph.String("~" + v.Text() + "~")
}
