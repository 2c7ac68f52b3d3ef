package native

import (
	"slices"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
)

// A groupColumn is a column that nodes are grouped by: of the nodes themselves,
// or of those that a chain leads to.
type groupColumn struct {
	table  *table
	column *column // nil for the whole key
	chain  int     // -1 for the node's own
	unit   graph.TimeUnit
}

func (a *aggregate) groupColumn(g compile.Group) groupColumn {
	c := groupColumn{table: a.nodes.table, chain: g.Chain, unit: g.Truncate}
	if g.Chain >= 0 {
		c.table = a.chains[g.Chain].end
	}
	if !g.Key {
		c.column = c.table.column(g.Property)
	}
	return c
}

// numbering returns the numbering of the column's values. Keys of one part are
// their rows.
func (c *groupColumn) numbering(r *run) *dense {
	if c.column == nil || len(c.table.key) == 1 && c.table.key[0] == c.column && c.unit == "" {
		return &dense{size: int(c.table.count)}
	}
	return r.tables.denses.of(r, c.column, c.unit)
}

// A groupChain leads from nodes to those whose values are group keys, in single
// hops.
type groupChain struct {
	hops [][]chainHop // by step
	end  *table
}

// A chainHop is a hop, and the test of the node at which it ends.
type chainHop struct {
	hop
	end test
}

func (lw *lowering) groupChain(steps []*compile.Expand) *groupChain {
	c := &groupChain{}
	for _, x := range steps {
		e := lw.expansion(x)
		var hops []chainHop
		for _, list := range e.hops {
			for _, h := range list {
				if end := e.ends[h.far.number]; end != nil {
					hops = append(hops, chainHop{h, end.test})
					c.end = h.far
				}
			}
		}
		c.hops = append(c.hops, hops)
	}
	return c
}

// A grouping is the groups of one run. They are numbered as they are met.
type grouping struct {
	*aggregate
	r       *run
	numbers []*dense
	// Where there is one column, first finds a group, and one, by its code.
	// Else more finds it: by the first two codes, then by what was found and the
	// next code.
	first []uint32
	more  []map[uint64]uint32
	// codes has the groups' codes, as many for each as there are columns.
	codes []uint32
	count int
	nodes []int64  // counted in each group
	last  []uint32 // the last node counted in each group, and one
	state []figureState
	ends  []chainEnds
	tuple []uint32
	// direct has, for the nodes after the first hop of a plain chain, the group
	// that they lead to, and two: 1 for none, 0 where that is not known. With
	// byEnds it has how many nodes lead there.
	direct  []uint32
	byEnds  bool // see ahead
	plainly bool // the nodes' only ends are known for a plain chain
}

// begin makes the groups of a run: none yet, or the one of all nodes where
// there are no columns.
func (a *aggregate) begin(r *run) *grouping {
	g := &r.grouping
	g.aggregate, g.r, g.count = a, r, 0
	g.state, g.ends, g.tuple = grown(g.state, len(a.kept)), grown(g.ends, len(a.chains)), grown(g.tuple, len(a.groups))
	for i, f := range a.kept {
		g.state[i].begin(r, a.figures[f])
	}
	for i := range a.groups {
		g.numbers = append(g.numbers, a.groups[i].numbering(r))
	}
	for i := range a.chains {
		g.ends[i].begin(r, a.chains[i])
	}
	g.direct, g.byEnds = g.direct[:0], false
	if g.plainly = a.plain && oneEnd(a.chains[0].hops, 0).byRow() != nil; g.plainly {
		g.direct = grown(g.direct, int(a.chains[0].hops[0][0].far.count))
		clear(g.direct)
	}
	switch len(a.groups) {
	case 0:
		g.newGroup()
	case 1:
		g.first = grown(g.first, g.numbers[0].size)
		clear(g.first)
	default:
		g.more = make([]map[uint64]uint32, len(a.groups)-1)
		for i := range g.more {
			g.more[i] = map[uint64]uint32{}
		}
	}
	return g
}

// end lets go of what the groups were made of, and keeps the memory.
func (g *grouping) end() {
	for i := range g.ends {
		g.ends[i].end(g.r)
	}
	clear(g.state)
	clear(g.ends)
	clear(g.numbers)
	g.numbers, g.more, g.aggregate, g.r = g.numbers[:0], nil, nil, nil
	g.codes, g.nodes, g.last = g.codes[:0], g.nodes[:0], g.last[:0]
}

// newGroup adds a group with the codes of the tuple.
func (g *grouping) newGroup() uint32 {
	g.codes = append(g.codes, g.tuple...)
	g.nodes, g.last = append(g.nodes, 0), append(g.last, 0)
	g.count++
	for i := range g.state {
		g.state[i].grow()
	}
	return uint32(g.count - 1)
}

// group finds the group of the tuple.
func (g *grouping) group() uint32 {
	switch len(g.tuple) {
	case 0:
		return 0
	case 1:
		slot := &g.first[g.tuple[0]]
		if *slot == 0 {
			*slot = g.newGroup() + 1
		}
		return *slot - 1
	}
	at := g.tuple[0]
	for i, code := range g.tuple[1:] {
		key := uint64(at)<<32 | uint64(code)
		next, ok := g.more[i][key]
		if !ok {
			if i == len(g.more)-1 {
				next = g.newGroup()
			} else {
				next = uint32(len(g.more[i]))
			}
			g.more[i][key] = next
		}
		at = next
	}
	return at
}

// add counts nodes in their groups.
func (g *grouping) add(rows []uint32) {
	switch {
	case g.byEnds:
		g.countEnds(rows)
		return
	case g.plainly:
		g.addPlainly(rows)
		return
	case len(g.chains) == 0 && len(g.kept) == 0 && len(g.groups) < 2:
		g.number(rows)
		return
	}
	for _, row := range rows {
		for i := range g.groups {
			if g.groups[i].chain < 0 {
				g.tuple[i] = g.numbers[i].code(row)
			}
		}
		if len(g.chains) == 0 {
			g.put(g.group(), row)
		} else {
			g.follow(0, row)
		}
	}
}

// isPlain reports whether nodes lead to one node, and that to what they are
// grouped by: a chain of several hops, of which the first is one relationship
// of each node, without conditions on that.
func (a *aggregate) isPlain() bool {
	if len(a.groups) != 1 || len(a.chains) != 1 || len(a.chains[0].hops) < 2 {
		return false
	}
	return oneEnd(a.chains[0].hops, 0) != nil
}

// several says that a node leads to more than one group.
const several = ^uint32(0)

// addPlainly is add for plain chains: what a node counts for is known from the
// node that its first hop leads to.
func (g *grouping) addPlainly(rows []uint32) {
	ends := g.chains[0].hops[0][0].byRow()
	if !g.r.tick(len(rows)) {
		return
	}
	for _, row := range rows {
		to := ends[row]
		n := g.direct[to]
		switch n {
		case 0:
			g.direct[to] = g.only(row)
			fallthrough
		case several:
			g.follow(0, row)
		case 1:
		default:
			g.nodes[n-2]++
			for i := range g.state {
				g.state[i].add(g.r, n-2, row)
			}
		}
	}
}

// only is what direct holds for the node to which a node leads.
func (g *grouping) only(row uint32) uint32 {
	ends := g.ends[0].of(g.r, row)
	switch len(ends) {
	case 0:
		return 1
	case 1:
		g.tuple[0] = g.numbers[0].code(ends[0])
		return g.group() + 2
	}
	return several
}

// follow counts a node in the group of every tuple of ends that the chains,
// from one on, lead to.
func (g *grouping) follow(chain int, row uint32) {
	for _, end := range g.ends[chain].of(g.r, row) {
		for c := range g.groups {
			if g.groups[c].chain == chain {
				g.tuple[c] = g.numbers[c].code(end)
			}
		}
		if chain+1 < len(g.chains) {
			g.follow(chain+1, row)
			continue
		}
		if n := g.group(); g.last[n] != row+1 { // once in each group
			g.last[n] = row + 1
			g.put(n, row)
		}
	}
}

// merge takes in the groups of other nodes.
func (g *grouping) merge(other *grouping) {
	if g.byEnds {
		for end, n := range other.direct {
			g.direct[end] += n
		}
		return
	}
	n := len(g.groups)
	for from := range uint32(other.count) {
		copy(g.tuple, other.codes[int(from)*n:][:n])
		to := g.group()
		g.nodes[to] += other.nodes[from]
		for i := range g.state {
			g.state[i].merge(to, &other.state[i], from)
		}
	}
	for i := range g.state {
		g.state[i].mergeKnown(g, &other.state[i], other)
	}
}

// put counts a node in a group.
func (g *grouping) put(group, row uint32) {
	g.nodes[group]++
	for i := range g.state {
		g.state[i].add(g.r, group, row)
	}
}

// chainEnds finds the ends of a chain. What the nodes after the first hop lead
// to is kept, for many nodes come by them.
type chainEnds struct {
	chain *groupChain
	list  []uint32 // the ends of the node asked about
	// kept has, for each step but the first, where in found the ends of a row
	// stand, and one; 0 where they are not known.
	kept  [][]uint32
	found []uint32 // a number of ends, and the ends
}

func (e *chainEnds) begin(r *run, c *groupChain) {
	e.chain, e.list, e.found = c, r.list(), r.list()
	for _, hops := range c.hops[1:] {
		kept := grown(r.list(), int(hops[0].near.count))
		clear(kept)
		e.kept = append(e.kept, kept)
	}
}

func (e *chainEnds) end(r *run) {
	r.giveList(e.list)
	r.giveList(e.found)
	for _, l := range e.kept {
		r.giveList(l)
	}
}

// of returns the ends that a node leads to, some of them more than once. The
// list is valid until the next call.
func (e *chainEnds) of(r *run, row uint32) []uint32 {
	hops := e.chain.hops[0]
	if h := &hops[0]; len(hops) == 1 && len(e.chain.hops) > 1 { // mostly, to one node
		if a, first, end := h.Span(row); end == first+1 {
			to := a.Ends[first]
			if !h.allows(r, a, first) || h.end != nil && !h.end.holds(r, to) {
				return nil
			}
			return e.after(r, 1, to)
		}
	}
	e.list = e.step(r, 0, row, e.list[:0])
	return e.list
}

// step appends the ends to which the steps from i on lead from a row.
func (e *chainEnds) step(r *run, i int, row uint32, dst []uint32) []uint32 {
	for j := range e.chain.hops[i] {
		h := &e.chain.hops[i][j]
		a, first, end := h.Span(row)
		if !r.tick(int(end - first)) {
			return dst
		}
		for at := first; at < end; at++ {
			to := a.Ends[at]
			switch {
			case !h.allows(r, a, at) || h.end != nil && !h.end.holds(r, to):
			case i == len(e.chain.hops)-1:
				dst = append(dst, to)
			default:
				dst = append(dst, e.after(r, i+1, to)...)
			}
		}
	}
	return dst
}

// after returns the ends to which the steps from i on lead from a row, each
// once.
func (e *chainEnds) after(r *run, i int, row uint32) []uint32 {
	if at := e.kept[i-1][row]; at > 0 {
		return e.found[at : at+e.found[at-1]]
	}
	list := e.step(r, i, row, r.list())
	slices.Sort(list)
	list = slices.Compact(list)
	at := len(e.found)
	e.found = append(append(e.found, uint32(len(list))), list...)
	e.kept[i-1][row] = uint32(at) + 1
	r.giveList(list)
	return e.found[at+1:]
}
