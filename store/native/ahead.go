package native

// ahead is how nodes are counted that are grouped by what their one relationship
// leads to: for each end of it how many there are, before the rest of the way
// is gone once for each end.
type ahead struct {
	hop *chainHop
	// nodes are those to count, but for the semi-joins that ask about the ends
	// of the same relationship: these are folded.
	nodes  *nodeSet
	folded []folded
}

// folded is a semi-join as what it asks of the end: that a test holds, or with
// none that it does not.
type folded struct {
	semi *semi
	test test
	none bool
}

// mostEnds is how many times more ends than nodes there may be for counting by
// ends to pay.
const mostEnds = 4

// goAhead readies the grouping to count so many nodes by ends, if that pays.
func (g *grouping) goAhead(nodes int) {
	if g.ahead == nil || nodes*mostEnds < int(g.ahead.hop.far.count) || g.ahead.hop.byRow() == nil {
		return
	}
	g.byEnds = true
	g.direct = grown(g.direct, int(g.ahead.hop.far.count))
	clear(g.direct)
	for _, f := range g.ahead.folded { // not asked
		g.r.sets[f.semi.number].ready = true
	}
}

// countAhead returns how to count nodes by their first relationship's end; nil
// where they are more than counted, or may have no such relationship or several.
func (a *aggregate) countAhead() *ahead {
	if len(a.groups) != 1 || len(a.chains) != 1 || len(a.kept) > 0 {
		return nil
	}
	h := a.chains[0].oneEnd()
	if h == nil {
		return nil
	}
	rest := *a.nodes
	rest.related = nil
	out := &ahead{hop: h, nodes: &rest}
	for _, s := range a.nodes.related {
		if same := s.oneHop(); same != nil && same.links == h.links && same.out == h.out {
			f := folded{semi: s, test: never{}, none: s.none}
			if ends := s.steps[0].ends[h.far.number]; ends != nil {
				f.test = conjunction(same.target, ends.test)
			}
			out.folded = append(out.folded, f)
		} else {
			rest.related = append(rest.related, s)
		}
	}
	return out
}

// oneEnd is the first hop of the chain, if that is one relationship of each
// node without conditions on it; nil of other chains.
func (c *groupChain) oneEnd() *chainHop {
	hops := c.hops[0]
	if len(hops) != 1 || hops[0].only == nil || hops[0].rel != nil {
		return nil
	}
	return &hops[0]
}

// countEnds counts nodes for the ends of their relationship.
func (g *grouping) countEnds(rows []uint32) {
	ends, direct := g.ahead.hop.byRow(), g.direct
	for _, row := range rows {
		direct[ends[row]]++
	}
}

// goOn counts in the groups what was counted for the ends.
func (g *grouping) goOn() {
	r, h := g.r, g.ahead.hop
	allowed, batch := conjunction(h.target, h.end), r.list()
	for end, n := range g.direct {
		if n > 0 {
			batch = append(batch, uint32(end))
		}
		if len(batch) < batchRows && end < len(g.direct)-1 {
			continue
		}
		if !r.tick(len(batch)) {
			break
		}
		g.countBatch(g.ahead.narrow(r, narrow(r, allowed, batch)))
		batch = batch[:0]
	}
	r.giveList(batch)
}

// countBatch counts the nodes of some ends.
func (g *grouping) countBatch(ends []uint32) {
	r, e := g.r, &g.ends[0]
	switch hops := e.chain.hops; {
	case len(hops) == 1:
		for _, end := range ends {
			g.countFor(end, int64(g.direct[end]))
		}
		return
	case len(hops) == 2 && e.chain.leadsOn():
		next := hops[1][0].byRow()
		for _, end := range ends {
			g.countFor(next[end], int64(g.direct[end]))
		}
		return
	}
	for _, end := range ends {
		e.list = e.step(r, 1, end, e.list[:0])
		for _, last := range e.list {
			g.tuple[0] = g.numbers[0].code(last)
			if group := g.group(); g.last[group] != end+1 { // once in each group
				g.last[group] = end + 1
				g.nodes[group] += int64(g.direct[end])
			}
		}
	}
}

// countFor counts so many nodes more in the group of a node that a chain ends
// at.
func (g *grouping) countFor(last uint32, n int64) {
	code := g.numbers[0].code(last)
	group := g.first[code]
	if group == 0 {
		g.tuple[0] = code
		group = g.group() + 1
	}
	g.nodes[group-1] += n
}

// leadsOn reports whether the second hop is one relationship of each node, to
// nodes that all count.
func (c *groupChain) leadsOn() bool {
	if len(c.hops[1]) != 1 {
		return false
	}
	h := &c.hops[1][0]
	return h.rel == nil && h.target == nil && h.end == nil && h.byRow() != nil
}

// narrow keeps the rows for which the folded semi-joins hold of nodes whose
// relationship leads there.
func (a *ahead) narrow(r *run, rows []uint32) []uint32 {
	for i := range a.folded {
		if f := &a.folded[i]; f.none {
			rows = keep(rows, func(row uint32) bool { return !holds(r, f.test, row) })
		} else {
			rows = narrow(r, f.test, rows)
		}
	}
	return rows
}
