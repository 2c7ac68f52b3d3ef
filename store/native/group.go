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
func (c *groupColumn) numbering(d *denses) *dense {
	if c.column == nil || len(c.table.key) == 1 && c.table.key[0] == c.column && c.unit == "" {
		return &dense{size: int(c.table.count)}
	}
	return d.of(c.column, c.unit)
}

// A groupChain leads from nodes to those whose values are group keys, in single
// hops.
type groupChain struct {
	steps []*expansion
	end   *table
}

func (lw *lowering) groupChain(steps []*compile.Expand) *groupChain {
	c := &groupChain{}
	for _, x := range steps {
		c.steps = append(c.steps, lw.expansion(x))
	}
	last := steps[len(steps)-1]
	c.end = lw.label(last.Ends[0].Label())
	return c
}

// A grouping is the groups of one run. They are numbered as they are met.
type grouping struct {
	*aggregate
	r       *run
	numbers []*dense
	// slots find a group: by the code of the first column, and from then on by
	// what was found so far and the code of the next.
	first []uint32 // group and one, where there is one column
	more  []map[uint64]uint32
	// codes has the groups' codes, as many for each as there are columns.
	codes []uint32
	count int
	nodes []int64  // counted in each group
	last  []uint32 // the last node counted in each group, and one
	state []figureState
	ends  []chainEnds
	tuple []uint32
}

// begin makes the groups of a run: none yet, or the one of all nodes where
// there are no columns.
func (a *aggregate) begin(r *run) *grouping {
	g := &grouping{aggregate: a, r: r, state: make([]figureState, len(a.figures)), ends: make([]chainEnds, len(a.chains))}
	for i, f := range a.figures {
		g.state[i].begin(r, f)
	}
	for i := range a.groups {
		g.numbers = append(g.numbers, a.groups[i].numbering(&r.tables.denses))
	}
	g.tuple = make([]uint32, len(a.groups))
	switch len(a.groups) {
	case 0:
		g.newGroup()
	case 1:
		g.first = grown(r.list(), g.numbers[0].size)
		clear(g.first)
	default:
		g.more = make([]map[uint64]uint32, len(a.groups)-1)
		for i := range g.more {
			g.more[i] = map[uint64]uint32{}
		}
	}
	for i := range a.chains {
		g.ends[i].begin(r, a.chains[i])
	}
	return g
}

// end gives back what the groups were made in.
func (g *grouping) end() {
	if g.first != nil {
		g.r.giveList(g.first)
	}
	for i := range g.ends {
		g.ends[i].end(g.r)
	}
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
	if len(g.chains) == 0 {
		for _, row := range rows {
			for i := range g.tuple {
				g.tuple[i] = g.numbers[i].code(row)
			}
			g.put(g.group(), row)
		}
		return
	}
	for _, row := range rows {
		for i := range g.groups {
			if g.groups[i].chain < 0 {
				g.tuple[i] = g.numbers[i].code(row)
			}
		}
		g.follow(0, row)
	}
}

// follow counts a node in the group of every tuple of ends that the chains,
// from one on, lead to.
func (g *grouping) follow(chain int, row uint32) {
	if chain == len(g.chains) {
		n := g.group()
		if g.last[n] != row+1 { // once in each group
			g.last[n] = row + 1
			g.put(n, row)
		}
		return
	}
	ends := &g.ends[chain]
	list := ends.of(g.r, row)
	for i := range list {
		end := list[i]
		for c := range g.groups {
			if g.groups[c].chain == chain {
				g.tuple[c] = g.numbers[c].code(end)
			}
		}
		g.follow(chain+1, row)
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
	for _, s := range c.steps[1:] {
		rows := uint32(0)
		for _, hops := range s.hops {
			for i := range hops {
				rows = max(rows, hops[i].near.count)
			}
		}
		kept := grown(r.list(), int(rows))
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
	e.list = e.step(r, 0, row, e.list[:0])
	return e.list
}

// step appends the ends to which the steps from i on lead from a row.
func (e *chainEnds) step(r *run, i int, row uint32, dst []uint32) []uint32 {
	s := e.chain.steps[i]
	for _, hops := range s.hops {
		for j := range hops {
			h := &hops[j]
			ends := s.ends[h.far.number]
			if ends == nil {
				continue
			}
			first, end := h.span(row)
			if !r.tick(int(end - first + 1)) {
				return dst
			}
			for at := first; at < end; at++ {
				to := h.Ends[at]
				if !h.allows(r, at) || !holds(r, ends.test, to) {
					continue
				}
				if i == len(e.chain.steps)-1 {
					dst = append(dst, to)
				} else {
					dst = append(dst, e.after(r, i+1, to)...)
				}
			}
		}
	}
	return dst
}

// after returns the ends to which the steps from i on lead from a row, each
// once.
func (e *chainEnds) after(r *run, i int, row uint32) []uint32 {
	if at := e.kept[i-1][row]; at > 0 {
		n := e.found[at-1]
		return e.found[at : at+n]
	}
	list := e.step(r, i, row, r.list())
	slices.Sort(list)
	list = slices.Compact(list)
	at := len(e.found)
	e.found = append(append(e.found, uint32(len(list))), list...)
	e.kept[i-1][row] = uint32(at) + 1
	r.giveList(list)
	return e.found[at+1 : at+1+len(list)]
}

// byDegrees returns the hop whose degrees are the counts of groups: nodes
// without any condition, grouped by the one hop that leads to what they are
// grouped by, and only counted.
func (a *aggregate) byDegrees() *hop {
	if a.nodes.test != nil || len(a.groups) != 1 || len(a.chains) != 1 || len(a.chains[0].steps) != 1 || a.groups[0].unit != "" {
		return nil
	}
	for _, f := range a.figures {
		if f.function != graph.Count || f.cond != nil {
			return nil
		}
	}
	var only *hop
	for _, hops := range a.chains[0].steps[0].hops {
		for i := range hops {
			if only != nil {
				return nil
			}
			only = &hops[i]
		}
	}
	if only == nil || only.rel != nil || only.links.pair.Key != nil {
		return nil
	}
	return only
}

// countDegrees makes the groups from degrees. It reports false where nodes of
// one group may have other ends in it, too.
func (g *grouping) countDegrees() bool {
	h, d := g.degrees, g.numbers[0]
	if !d.own(g.groups[0].table.count) {
		return false
	}
	back := h.links.in.First
	if !h.out {
		back = h.links.out.First
	}
	allowed := conjunction(h.target, g.chains[0].steps[0].ends[h.far.number].test)
	for row := 0; row+1 < len(back); row++ {
		n := back[row+1] - back[row]
		if n == 0 || !holds(g.r, allowed, uint32(row)) {
			continue
		}
		if !g.r.tick(1) {
			break
		}
		g.tuple[0] = d.code(uint32(row))
		g.nodes[g.newGroup()] = int64(n)
	}
	return true
}
