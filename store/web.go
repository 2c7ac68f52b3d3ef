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
	nodes map[graph.NodeKey]webNode
	rels  map[webKey]webRel
}

type webNode struct {
	graph.Node
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

func newWeb() *web {
	return &web{nodes: map[graph.NodeKey]webNode{}, rels: map[webKey]webRel{}}
}

// add takes in the path that a row holds.
func (w *web) add(f *compile.PathFields, row []graph.Value) {
	ids := make([]graph.NodeKey, len(f.Nodes))
	keys := make([][]graph.Value, len(f.Nodes))
	for i := range f.Nodes {
		n := &f.Nodes[i]
		keys[i] = keyOf(n, row)
		ids[i] = graph.NodeKey{Label: n.Label.Name, ID: graph.KeyText(keys[i])}
		if _, known := w.nodes[ids[i]]; !known && i < len(f.Nodes)-1 {
			w.nodes[ids[i]] = webNode{Node: node(n, row), label: n.Label, key: keys[i]}
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
		if _, known := w.rels[k]; known {
			continue
		}
		w.rels[k] = webRel{
			Relationship: graph.Relationship{Type: rel.Pair.Type.Name, From: ids[from], To: ids[to], Properties: properties(rel.Shown, row)},
			pair:         rel.Pair, fromKey: keys[from], toKey: keys[to], key: key,
		}
	}
}

// relationships returns the relationships by type, start, end and key.
func (w *web) relationships() []webRel {
	rels := make([]webRel, 0, len(w.rels))
	for _, r := range w.rels {
		rels = append(rels, r)
	}
	slices.SortFunc(rels, func(a, b webRel) int {
		return cmp.Or(
			strings.Compare(a.Type, b.Type),
			compareNodes(a.pair.From, b.pair.From, a.fromKey, b.fromKey),
			compareNodes(a.pair.To, b.pair.To, a.toKey, b.toKey),
			comparePart(a.pair.Key, a.key, b.key))
	})
	return rels
}

// compareNodes orders two nodes by label and key. The keys of two labels need
// not have the same number of parts.
func compareNodes(l, m *schema.Label, a, b []graph.Value) int {
	if l != m {
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

// context returns the nodes at the ends of the relationships that are not
// among the targets, by label and key.
func (w *web) context(rels []webRel, targets map[graph.NodeKey]bool) []*graph.Node {
	var nodes []webNode
	seen := map[graph.NodeKey]bool{}
	for _, r := range rels {
		for _, id := range []graph.NodeKey{r.From, r.To} {
			if n, ok := w.nodes[id]; ok && !targets[id] && !seen[id] {
				seen[id] = true
				nodes = append(nodes, n)
			}
		}
	}
	slices.SortFunc(nodes, func(a, b webNode) int {
		return compareNodes(a.label, b.label, a.key, b.key)
	})
	out := make([]*graph.Node, len(nodes))
	for i := range nodes {
		out[i] = &nodes[i].Node
	}
	return out
}
