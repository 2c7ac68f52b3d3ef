package storetest

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
)

// interference makes the same calls of two stores that differ only in what the
// caller may not see, and compares all bytes of what comes back.
func interference(t *testing.T, open Opener, opts IsolationOptions) {
	doubled := 0
	opts.graphs(t, opts.Pairs, everyOther, func(t *testing.T, w *world, d dice, calls int) (made int) {
		scope := pickOne(d, w.scopes)
		before, err := w.viewer(scope, w.limits)
		require.NoError(t, err, "%s\n%s", scopeJSON(scope), w.schema.yaml())
		if len(before.ref.vertices) == 0 {
			return 0
		}
		double := d.chance(30)
		changed, after := w.changed(d, scope, before, double)
		if changed == nil {
			return 0
		}
		if double {
			doubled++
		}
		for id, list := range after.ref.strangers {
			before.ref.strangers[id] = append(before.ref.strangers[id], list...)
		}
		keys := compile.RandomCursorKeys()
		var callers [2]*Caller
		for i, side := range []*world{w, changed} {
			g, err := side.build()
			require.NoError(t, err)
			st := open(t, g)
			defer func() { require.NoError(t, st.Close()) }()
			callers[i] = side.caller(st, g.Schema(), keys, w.limits).As(scope)
		}
		for range calls {
			tool, args := before.call(d, w)
			if tool == "" {
				continue
			}
			made++
			if a, b := callers[0].document(tool, args), callers[1].document(tool, args); a != b {
				t.Errorf("a change to what the caller may not see changes an answer\nscope %s\ncall %s\n%s\n%s\n\nbefore:\n%s\nafter:\n%s", scopeJSON(scope), tool, args,
					diff([]string{a}, []string{b}), counterexample{world: w}.files(), counterexample{world: changed}.files())
				return made
			}
		}
		return made
	})
	t.Logf("%d graphs of other tenants were doubled", doubled)
}

// changed is a world in which things are different that a caller may not see:
// values, nodes and relationships, those between what is visible and what is
// not included. It returns nil if no such change was found.
func (w *world) changed(d dice, scope *graph.Scope, before *viewer, double bool) (*world, *viewer) {
	for range 8 {
		c := &changer{dice: d, world: w.clone(), made: 1000}
		hidden := func() bool { return c.find(before) }
		if !hidden() {
			return nil, nil
		}
		if double {
			c.double()
		}
		for range 1 + d.IntN(12) {
			if hidden() {
				c.change()
			}
		}
		after, err := c.world.viewer(scope, w.limits)
		if err != nil || !sameWorld(before.world, after.world) {
			continue // what was changed can be seen, by way of a policy that walks
		}
		return c.world, after
	}
	return nil, nil
}

func sameWorld(a, b *world) bool {
	return counterexample{world: a}.files() == counterexample{world: b}.files()
}

// A changer changes what a caller may not see.
type changer struct {
	dice
	world *world
	nodes []int // that are hidden
	made  int   // keys
}

// find finds the hidden nodes, and reports whether there are any.
func (c *changer) find(v *viewer) bool {
	c.nodes = c.nodes[:0]
	for i, n := range c.world.nodes {
		if v.ref.vertex(n.label, c.world.idOf(n).ID) == nil {
			c.nodes = append(c.nodes, i)
		}
	}
	return len(c.nodes) > 0
}

func (c *changer) change() {
	at := pickOne(c.dice, c.nodes)
	n := c.world.nodes[at]
	l := c.world.schema.label(n.label)
	switch c.IntN(5) {
	case 0: // another value
		n.values = maps.Clone(n.values)
		p := pickOne(c.dice, l.props)
		switch {
		case l.isKey(p.name):
		case !p.required && c.chance(20):
			delete(n.values, p.name)
		default:
			if v := c.value(p); !p.unique || !c.world.has(n.label, p.name, v) {
				n.values[p.name] = v
			}
		}
		c.world.nodes[at] = n
	case 1: // one node less, with what hangs on it
		id := nodeText(c.world.idOf(n))
		c.world.nodes = slices.Delete(c.world.nodes, at, at+1)
		c.world.rels = slices.DeleteFunc(c.world.rels, func(r relSpec) bool { return nodeText(r.from) == id || nodeText(r.to) == id })
	case 2: // one more
		c.copyNode(n)
	default:
		c.relate(c.world.idOf(n))
	}
}

// copyNode adds a copy of a node with a key of its own.
func (c *changer) copyNode(n nodeSpec) graph.NodeID {
	l := c.world.schema.label(n.label)
	n.values = maps.Clone(n.values)
	last := l.key[len(l.key)-1]
	c.made++
	n.values[last] = c.key(l.prop(last), c.made)
	for _, p := range l.props {
		if p.unique && !l.isKey(p.name) {
			delete(n.values, p.name)
			if v := c.key(p, c.made); p.required || !c.world.has(n.label, p.name, v) {
				n.values[p.name] = v
			}
		}
	}
	c.world.nodes = append(c.world.nodes, n)
	return c.world.idOf(n)
}

// double adds a second copy of everything that is hidden.
func (c *changer) double() {
	copies := map[string]graph.NodeID{}
	for _, i := range slices.Clone(c.nodes) {
		copies[nodeText(c.world.idOf(c.world.nodes[i]))] = c.copyNode(c.world.nodes[i])
	}
	for _, r := range slices.Clone(c.world.rels) {
		from, okFrom := copies[nodeText(r.from)]
		to, okTo := copies[nodeText(r.to)]
		if !okFrom || !okTo {
			continue
		}
		r.from, r.to = from, to
		c.add(r)
	}
}

// relate adds a relationship between a hidden node and any node.
func (c *changer) relate(id graph.NodeID) {
	typ := pickOne(c.dice, c.world.schema.types)
	pair := pickOne(c.dice, typ.pairs)
	other := func(label string) (graph.NodeID, bool) {
		for range 20 {
			if n := pickOne(c.dice, c.world.nodes); n.label == label {
				return c.world.idOf(n), true
			}
		}
		return id, false
	}
	r := relSpec{typ: typ.name, from: id, to: id, values: map[string]graph.Value{}}
	ok := false
	switch {
	case pair.from == id.Label && c.chance(50):
		r.to, ok = other(pair.to)
	case pair.to == id.Label:
		r.from, ok = other(pair.from)
	}
	if !ok || r.from.Label != pair.from || r.to.Label != pair.to {
		return
	}
	c.made++
	c.fill(&r, pair, c.made)
	c.add(r)
}

// add adds a relationship if its mapping has room for it.
func (c *changer) add(r relSpec) {
	pair := c.world.pair(r)
	room := room{pair: pair, taken: map[string]bool{}, have: map[string]bool{}}
	for _, o := range c.world.rels {
		if o.typ == r.typ && (c.world.pair(o) == pair || pair.form == polymorphic) {
			room.take(o.from, o.to)
		}
	}
	if pair.key != "" {
		r.values = maps.Clone(r.values)
		c.made++
		r.values[pair.key] = c.key(propNamed(pair.props, pair.key), c.made)
	}
	if room.take(r.from, r.to) {
		c.world.rels = append(c.world.rels, r)
	}
}
