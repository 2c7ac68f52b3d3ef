package store

import (
	"cmp"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A web is what connects the starts of a traversal with its targets: nodes and
// relationships, each once.
type web struct {
	run   *run
	nodes map[graph.NodeKey]*webNode
	rels  []webRel
	known map[webKey]bool // those of rels
	// Of the path that is taken in.
	ids  []graph.NodeKey
	keys [][]graph.Value
}

type webNode struct {
	*graph.Node
	label *schema.Label
	key   []graph.Value
}

// webKey identifies a relationship: by its ends, and by its own key where its
// pair has one.
type webKey struct {
	pair          *schema.Pair
	from, to, key string
}

type webRel struct {
	graph.Relationship
	pair           *schema.Pair
	fromKey, toKey []graph.Value
	key            graph.Value
}

func (r *run) newWeb() *web {
	return &web{run: r, nodes: map[graph.NodeKey]*webNode{}, known: map[webKey]bool{}}
}

// add takes in the path that a row holds. Of the relationships it keeps those
// that an answer may show, and a few more.
func (w *web) add(f *compile.PathFields, row []graph.Value) {
	ids, keys := w.ids[:0], w.keys[:0]
	for i := range f.Nodes {
		n := &f.Nodes[i]
		keys = append(keys, w.run.keyOf(n, row))
		ids = append(ids, graph.NodeKey{Label: n.Label.Name, ID: graph.KeyText(keys[i])})
		if _, known := w.nodes[ids[i]]; !known && i < len(f.Nodes)-1 {
			w.nodes[ids[i]] = &webNode{Node: w.run.node(n, keys[i], row), label: n.Label, key: keys[i]}
		}
	}
	for i, rel := range f.Rels {
		from, to := i, i+1
		if rel.Incoming {
			from, to = to, from
		}
		k := webKey{pair: rel.Pair, from: ids[from].ID, to: ids[to].ID}
		var key graph.Value
		if rel.Key >= 0 {
			key = row[rel.Key]
			k.key = key.Text()
		}
		if w.known[k] {
			continue
		}
		w.known[k] = true
		w.rels = append(w.rels, webRel{
			Relationship: graph.Relationship{Type: rel.Pair.Type.Name, From: ids[from], To: ids[to], Properties: w.run.properties(rel.Shown, row)},
			pair:         rel.Pair, fromKey: keys[from], toKey: keys[to], key: key,
		})
	}
	w.ids, w.keys = ids, keys
	if most := w.run.plan.Limits.Connections; len(w.rels) > 4*most+len(f.Rels) {
		w.prune(most + 1)
	}
}

// prune forgets all but the first relationships, and the nodes that these do
// not need.
func (w *web) prune(most int) {
	needed := make(map[graph.NodeKey]bool, 2*most)
	w.relationships()
	for i := range w.rels {
		if r := &w.rels[i]; i < most {
			needed[r.From], needed[r.To] = true, true
		} else {
			delete(w.known, r.webKey())
		}
	}
	clear(w.rels[most:])
	w.rels = w.rels[:most]
	for id := range w.nodes {
		if !needed[id] {
			delete(w.nodes, id)
		}
	}
}

func (r *webRel) webKey() webKey {
	k := webKey{pair: r.pair, from: r.From.ID, to: r.To.ID}
	if !r.key.IsNull() {
		k.key = r.key.Text()
	}
	return k
}

// relationships sorts the relationships by type, start, end and key.
func (w *web) relationships() []webRel {
	slices.SortFunc(w.rels, compareRels)
	return w.rels
}

// compareRels orders relationships as answers list them.
func compareRels(a, b webRel) int {
	return cmp.Or(
		strings.Compare(a.Type, b.Type),
		compareNodes(a.pair.From, b.pair.From, a.fromKey, b.fromKey),
		compareNodes(a.pair.To, b.pair.To, a.toKey, b.toKey),
		comparePart(a.pair.Key, a.key, b.key))
}

// compareNodes orders two nodes by label and key. The keys of two labels need
// not have the same number of parts. A label is known by its name: a program
// may serve plans of several schemas with the same content.
func compareNodes(l, m *schema.Label, a, b []graph.Value) int {
	if l.Name != m.Name {
		return strings.Compare(l.Name, m.Name)
	}
	return compareKeys(l, a, b)
}

// compareKeys orders two keys of a label.
func compareKeys(l *schema.Label, a, b []graph.Value) int {
	for i, p := range l.Key {
		if c := comparePart(p, a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

// comparePart orders two values of a property: an enum's by their declared
// order.
func comparePart(p *schema.Property, a, b graph.Value) int {
	if p != nil && p.Type == schema.Enum {
		return cmp.Compare(p.EnumIndex(a.Text()), p.EnumIndex(b.Text()))
	}
	return a.Compare(b)
}

// clip takes of sorted relationships, in order, as many as an answer may show
// and has room for, and the nodes at their ends that are not shown yet, by label
// and key.
func (r *run) clip(rels []webRel, w *web, shown map[graph.NodeKey]bool, fit *Fitter) ([]webRel, []*graph.Node) {
	if most := r.plan.Limits.Connections; len(rels) > most {
		rels = rels[:most]
		r.incomplete(graph.TruncatedRelationships)
	}
	var nodes []*webNode
	for i := range rels {
		p := Piece{Relationships: []*graph.Relationship{&rels[i].Relationship}}
		before := len(nodes)
		for _, id := range []graph.NodeKey{rels[i].From, rels[i].To} {
			if n := w.nodes[id]; n != nil && !shown[id] {
				shown[id] = true
				nodes = append(nodes, n)
				p.Nodes = append(p.Nodes, n.Node)
			}
		}
		if !fit.Fit(p) {
			for _, n := range nodes[before:] {
				delete(shown, graph.NodeKey{Label: n.Label, ID: n.ID})
			}
			rels, nodes = rels[:i], nodes[:before]
			r.incomplete(graph.TruncatedBytes)
			break
		}
	}
	slices.SortFunc(nodes, func(a, b *webNode) int {
		return compareNodes(a.label, b.label, a.key, b.key)
	})
	out := make([]*graph.Node, len(nodes))
	for i, n := range nodes {
		out[i] = n.Node
	}
	return rels, out
}

// incomplete notes that connecting relationships were left out. Where rows were
// left out as well, that is what the answer tells.
func (r *run) incomplete(by graph.Truncation) {
	if now := r.out.TruncatedBy; now == graph.Complete || now == graph.TruncatedRelationships {
		r.out.TruncatedBy = by
	}
}
