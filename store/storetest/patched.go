package storetest

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// Patched returns a graph that holds what a dense one does, and came to it by
// random batches: it starts with a part of the nodes and relationships, some of
// them with other values; others come and go; what is missing is added, in any
// order, and what is wrong is changed. The same seed makes the same batches. A
// store over it must answer as one over g does, byte for byte.
func Patched(t testing.TB, g *memory.Graph, seed uint64) *memory.Graph {
	t.Helper()
	p := &patching{t: t, dice: newDice(seed, 20), schema: g.Schema(), keys: map[string]bool{}}
	p.read(g)
	p.live = memory.NewLive(p.base())
	p.disturb()
	p.add()
	p.mend()
	require.NoError(t, p.apply())
	return p.live.Graph()
}

// A patching is a graph on its way to a content.
type patching struct {
	dice
	t      testing.TB
	schema *schema.Schema
	nodes  []piece
	rels   []piece
	keys   map[string]bool // of all nodes, and of those that come and go
	live   *memory.Live
	batch  *memory.Batch
	guests []graph.NodeID // nodes that are to go
}

// A piece is a node or a relationship.
type piece struct {
	label    *schema.Label // of a node
	pair     *schema.Pair  // of a relationship
	id       graph.NodeID
	from, to graph.NodeID
	values   memory.Values
	there    bool // it is in the graph, maybe with other values
	right    bool // it has its values
}

func idOf(l *schema.Label, values memory.Values) graph.NodeID {
	if len(l.Key) == 1 {
		return graph.NodeID{Label: l.Name, ID: values[l.Key[0].Name].(graph.Value)}
	}
	var parts []graph.Value
	for _, p := range l.Key {
		parts = append(parts, values[p.Name].(graph.Value))
	}
	return graph.NodeID{Label: l.Name, ID: graph.List(parts...)}
}

func (p *patching) read(g *memory.Graph) {
	ids := map[*schema.Label][]graph.NodeID{}
	for l := range p.schema.Labels() {
		for row := range g.RowCount(l) {
			n := piece{label: l, values: memory.Values{}}
			for _, prop := range l.Properties {
				n.values[prop.Name] = g.Value(l, row, prop)
			}
			n.id = idOf(l, n.values)
			ids[l] = append(ids[l], n.id)
			p.nodes = append(p.nodes, n)
			p.keys[l.Name+n.id.ID.String()] = true
		}
	}
	for typ := range p.schema.Relationships() {
		for _, pair := range typ.Pairs {
			out := g.Outgoing(pair)
			for row := range g.RowCount(pair.From) {
				in, at, end := out.Span(row)
				for ; at < end; at++ {
					r := piece{pair: pair, from: ids[pair.From][row], to: ids[pair.To][in.Ends[at]], values: memory.Values{}}
					for _, prop := range pair.Properties {
						r.values[prop.Name] = g.RelValue(pair, in.Number(at), prop)
					}
					p.rels = append(p.rels, r)
				}
			}
		}
	}
	p.Shuffle(len(p.nodes), func(i, j int) { p.nodes[i], p.nodes[j] = p.nodes[j], p.nodes[i] })
	p.Shuffle(len(p.rels), func(i, j int) { p.rels[i], p.rels[j] = p.rels[j], p.rels[i] })
}

// base builds the graph to begin with: a part of all; none of it where the
// schema's tables do not hold the part without the rest.
func (p *patching) base() *memory.Graph {
	g, err := p.part(pickOne(p.dice, []int{50, 80, 95}))
	if err != nil {
		g, err = p.part(0)
	}
	require.NoError(p.t, err)
	return g
}

// part builds a graph of about so many of a hundred nodes and relationships.
func (p *patching) part(share int) (*memory.Graph, error) {
	b := memory.NewBuilder(p.schema)
	there := map[string]bool{}
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.there = p.chance(share); n.there {
			n.right = p.chance(70)
			b.Node(n.label.Name, p.valuesOf(n))
			there[n.label.Name+n.id.ID.String()] = true
		}
	}
	for i := range p.rels {
		r := &p.rels[i]
		if r.there = there[r.from.Label+r.from.ID.String()] && there[r.to.Label+r.to.ID.String()] && p.chance(share); r.there {
			r.right = p.chance(70)
			b.Relationship(r.pair.Type.Name, r.from, r.to, p.valuesOf(r))
		}
	}
	return b.Build()
}

// valuesOf are the values of a piece, or, if it is not to be right, some of
// them those of others, or texts that nobody has.
func (p *patching) valuesOf(x *piece) memory.Values {
	if x.right {
		return x.values
	}
	out := memory.Values{}
	for name, v := range x.values {
		out[name] = v
	}
	list, props, keys := p.nodes, []*schema.Property(nil), []*schema.Property(nil)
	if x.pair != nil {
		list, props, keys = p.rels, x.pair.Properties, []*schema.Property{x.pair.Key}
	} else {
		props, keys = x.label.Properties, x.label.Key
	}
	for range 5 {
		other := &list[p.IntN(len(list))]
		if other.label != x.label || other.pair != x.pair {
			continue
		}
		for _, prop := range props {
			switch {
			case slices.Contains(keys, prop):
			case prop.Type == schema.String && p.chance(20):
				out[prop.Name] = graph.String(pickOne(p.dice, strange) + "#")
			case p.chance(50):
				out[prop.Name] = other.values[prop.Name]
			}
		}
	}
	return out
}

// next gives the batch at hand an operation, and applies it every so often.
// Where tables could not hold the graph after that, as where a column is both a
// property and a foreign key, the batch goes on.
func (p *patching) next(operation func(b *memory.Batch)) {
	if p.batch == nil {
		p.batch = memory.NewBatch(p.schema)
	}
	operation(p.batch)
	if p.chance(15) {
		_ = p.apply()
	}
}

// apply applies the batch at hand, which stays if it is refused.
func (p *patching) apply() error {
	if p.batch == nil {
		return nil
	}
	before := p.live.Graph()
	if _, err := p.live.Apply(p.batch); err != nil {
		var refused *memory.LoadError
		require.True(p.t, errors.As(err, &refused), "%v", err)
		require.Same(p.t, before, p.live.Graph())
		return err
	}
	p.batch = nil
	return nil
}

// disturb lets nodes and relationships come and go.
func (p *patching) disturb() {
	for range len(p.nodes) / 5 {
		p.guest(pickOne(p.dice, p.nodes))
	}
	for range len(p.rels) / 4 {
		p.visit(pickOne(p.dice, p.rels))
	}
	for i := range p.nodes {
		if n := &p.nodes[i]; n.there && p.chance(15) {
			n.there = false
			p.next(func(b *memory.Batch) { b.DeleteNode(n.id) })
			for j := range p.rels {
				if r := &p.rels[j]; sameNode(r.from, n.id) || sameNode(r.to, n.id) {
					r.there = false
				}
			}
		}
	}
	for i := range p.rels {
		if r := &p.rels[i]; r.there && p.chance(15) {
			r.there = false
			p.next(func(b *memory.Batch) { p.remove(b, r) })
		}
	}
	p.Shuffle(len(p.guests), func(i, j int) { p.guests[i], p.guests[j] = p.guests[j], p.guests[i] })
	for _, id := range p.guests {
		p.next(func(b *memory.Batch) { b.DeleteNode(id) })
	}
}

func sameNode(a, b graph.NodeID) bool { return a.Label == b.Label && a.ID.Equal(b.ID) }

func (p *patching) remove(b *memory.Batch, r *piece) {
	var key any
	if r.pair.Key != nil {
		key = r.values[r.pair.Key.Name]
	}
	b.DeleteRelationship(r.pair.Type.Name, r.from, r.to, key)
}

// guest adds a node of which nothing is to stay, like another but for its key.
func (p *patching) guest(like piece) {
	n := like
	n.right = false
	n.values = p.valuesOf(&n)
	free := false
	for _, k := range n.label.Key {
		v := n.values[k.Name].(graph.Value)
		switch k.Type {
		case schema.Int32, schema.Int64:
			if free = v.Int() < 1<<30; free {
				n.values[k.Name] = graph.Int(v.Int() + 1 + int64(p.IntN(3)))
			}
		case schema.String:
			n.values[k.Name], free = graph.String(v.Text()+pickOne(p.dice, []string{"!", "a", "~"})), true
		}
	}
	id := idOf(n.label, n.values)
	if name := n.label.Name + id.ID.String(); free && !p.keys[name] {
		p.keys[name] = true
		p.guests = append(p.guests, id)
		p.next(func(b *memory.Batch) { b.Node(n.label.Name, n.values) })
	}
}

// visit adds a relationship of which nothing is to stay, like another but for
// an end, and removes it, unless it leads to a guest and goes with that. Where
// the graph has no room for it, it must be refused.
func (p *patching) visit(like piece) {
	r := like
	if r.pair.Key != nil { // the same key is the same relationship
		return
	}
	var ends []graph.NodeID
	for _, id := range p.guests {
		if id.Label == r.to.Label {
			ends = append(ends, id)
		}
	}
	if len(ends) == 0 {
		return
	}
	r.to = pickOne(p.dice, ends)
	if p.apply() != nil {
		return
	}
	p.batch = memory.NewBatch(p.schema)
	p.batch.Relationship(r.pair.Type.Name, r.from, r.to, r.values)
	if p.apply() != nil {
		p.batch = nil
		return
	}
	if p.chance(50) {
		p.next(func(b *memory.Batch) { p.remove(b, &r) })
	}
}

// add adds the missing nodes, some of them with other values.
func (p *patching) add() {
	for i := range p.nodes {
		if n := &p.nodes[i]; !n.there {
			n.there, n.right = true, p.chance(70)
			p.next(func(b *memory.Batch) { b.Node(n.label.Name, p.valuesOf(n)) })
		}
	}
}

// mend corrects all values, and adds the missing relationships.
func (p *patching) mend() {
	p.Shuffle(len(p.rels), func(i, j int) { p.rels[i], p.rels[j] = p.rels[j], p.rels[i] })
	for i := range p.rels {
		r := &p.rels[i]
		if !r.there || p.chance(20) {
			r.there, r.right = true, p.chance(70)
			p.next(func(b *memory.Batch) { b.Relationship(r.pair.Type.Name, r.from, r.to, p.valuesOf(r)) })
		}
	}
	for i := range p.nodes {
		if n := &p.nodes[i]; !n.right {
			n.right = true
			p.next(func(b *memory.Batch) { b.Node(n.label.Name, n.values) })
		}
	}
	for i := range p.rels {
		if r := &p.rels[i]; !r.right {
			r.right = true
			p.next(func(b *memory.Batch) { b.Relationship(r.pair.Type.Name, r.from, r.to, r.values) })
		}
	}
}
