package compile

import (
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A chain is one way to walk the steps of a traversal: one move for each hop.
// A traversal whose steps have fixed lengths and one move each is one chain;
// others are the union of several.
type chain struct {
	from  *NodeSet
	moves []*Move
	// ends[i] is what the node after hop i must fulfil where a step ends
	// there; nil within a step.
	ends []*NodeSet
	// first[i] is the hop that begins the step of hop i.
	first []int
	// loose[i] says that the step of hop i has several hops here and may have
	// any smaller number elsewhere.
	loose []bool
}

// length is the number of hops.
func (c *chain) length() int { return len(c.moves) }

// label is the label of node i; node 0 is the start.
func (c *chain) label(i int) *schema.Label {
	if i == 0 {
		return c.from.label
	}
	return c.moves[i-1].Target.label
}

// ref is the guarded reference to node i's table.
func (c *chain) ref(i int) NodeRef {
	if i == 0 {
		return c.from.NodeRef
	}
	return c.moves[i-1].Target
}

// set is what node i must fulfil; nil within a step.
func (c *chain) set(i int) *NodeSet {
	if i == 0 {
		return c.from
	}
	return c.ends[i-1]
}

// maxChains bounds the statements that a traversal over many types becomes.
const maxChains = 64

// chains lists every way to walk a traversal.
func (t *Traverse) chains() ([]*chain, error) { return chainsOf(t.From, t.Steps) }

// chainsOf lists every way to walk some steps from a set of nodes.
func chainsOf(from *NodeSet, steps []*Expand) ([]*chain, error) {
	most := 0
	for _, x := range steps {
		most += x.Max
	}
	w := chainWalk{steps: steps, at: newChain(from, most)}
	if !w.walk(0, 0, from.label) {
		return nil, errTooManyWays()
	}
	return w.out, nil
}

// newChain returns a chain with room for so many hops, which for short ones is
// one piece of memory.
func newChain(from *NodeSet, hops int) *chain {
	if hops > shortChain {
		return &chain{from: from, moves: make([]*Move, 0, hops), ends: make([]*NodeSet, 0, hops), first: make([]int, 0, hops), loose: make([]bool, 0, hops)}
	}
	room := &struct {
		chain
		moves [shortChain]*Move
		ends  [shortChain]*NodeSet
		first [shortChain]int
		loose [shortChain]bool
	}{}
	room.chain = chain{from: from, moves: room.moves[:0], ends: room.ends[:0], first: room.first[:0], loose: room.loose[:0]}
	return &room.chain
}

const shortChain = 4

// A chainWalk walks steps in every way.
type chainWalk struct {
	steps []*Expand
	at    *chain // as far as the walk has come
	out   []*chain
}

// walk goes on from a label, in a step that began with the hop first. It reports
// false where there are too many ways.
func (w *chainWalk) walk(step, first int, at *schema.Label) bool {
	c := w.at
	if step == len(w.steps) {
		if len(w.out) == maxChains {
			return false
		}
		found := newChain(c.from, c.length())
		found.moves, found.ends, found.first = append(found.moves, c.moves...), append(found.ends, c.ends...), append(found.first, c.first...)
		found.loosen(w.steps)
		w.out = append(w.out, found)
		return true
	}
	x := w.steps[step]
	for _, m := range x.Moves {
		if m.Source() != at {
			continue
		}
		hop := len(c.moves)
		c.moves, c.ends, c.first = append(c.moves, m), append(c.ends, nil), append(c.first, first)
		if n := hop + 1 - first; n >= x.Min {
			for _, e := range x.Ends {
				if e.label != m.Target.label {
					continue
				}
				c.ends[hop] = e
				if !w.walk(step+1, hop+1, e.label) {
					return false
				}
			}
			c.ends[hop] = nil
		}
		if hop+1-first < x.Max && !w.walk(step, first, m.Target.label) {
			return false
		}
		c.moves, c.ends, c.first = c.moves[:hop], c.ends[:hop], c.first[:hop]
	}
	return true
}

// besideSet is where a chain starts whose first node stands beside it, under
// conditions of its own: nothing is written of it here.
func besideSet(l *schema.Label) *NodeSet {
	return &NodeSet{NodeRef: NodeRef{label: l}, Keys: Keys{N: -1}}
}

// loosen notes which of the chain's hops belong to steps that may be shorter.
func (c *chain) loosen(steps []*Expand) {
	c.loose = c.loose[:0]
	step := 0
	for i := range c.moves {
		last := c.stepEnd(i+1) - 1
		c.loose = append(c.loose, steps[step].Min == 1 && last > c.first[i])
		if i == last {
			step++
		}
	}
}

func errTooManyWays() error {
	return &graph.Error{Code: graph.TooCostly,
		Message: "the steps can be walked in too many ways",
		Hint:    "name fewer relationship types, a direction, labels on the way, or fewer hops"}
}

// holdsNear and holdsFar say whether a move's pair is kept in the table of the
// node before it, or after it.
func (m *Move) holdsNear() bool {
	return m.Rel.pair.Holder != nil && m.Rel.pair.HolderIsTo == m.Incoming
}
func (m *Move) holdsFar() bool {
	return m.Rel.pair.Holder != nil && m.Rel.pair.HolderIsTo != m.Incoming
}

// nearColumns and farColumns hold the keys of the nodes before and after a move.
func (m *Move) nearColumns() []string {
	if m.Incoming {
		return m.Rel.pair.ToColumns
	}
	return m.Rel.pair.FromColumns
}

func (m *Move) farColumns() []string {
	if m.Incoming {
		return m.Rel.pair.FromColumns
	}
	return m.Rel.pair.ToColumns
}

// leadsToOne reports whether a node has at most one after it, and comesFromOne
// whether it has at most one before it, each by one relationship.
func (m *Move) leadsToOne() bool {
	if m.Incoming {
		return m.Rel.pair.UniqueTo
	}
	return m.Rel.pair.UniqueFrom
}

func (m *Move) comesFromOne() bool {
	if m.Incoming {
		return m.Rel.pair.UniqueFrom
	}
	return m.Rel.pair.UniqueTo
}

// functional reports whether a start leads by the chain to one end at most.
func (c *chain) functional() bool {
	return !slices.ContainsFunc(c.moves, func(m *Move) bool { return !m.leadsToOne() })
}

// once reports whether no two rows of the chain have the same start and the same
// end: the first hops lead to one node each, the last ones come from one, and
// between these is at most one hop, of which two nodes have one relationship.
// Conditions and guards only take rows away.
func (c *chain) once() bool {
	first, last := 0, len(c.moves)
	for first < len(c.moves) && c.moves[first].leadsToOne() {
		first++
	}
	for last > 0 && c.moves[last-1].comesFromOne() {
		last--
	}
	return first >= last || first == last-1 && c.moves[first].Rel.pair.Key == nil
}

// unique reports whether no target is reached by two rows of the chain.
func (c *chain) unique() bool { return c.from.Keys.N == 1 && c.once() }
