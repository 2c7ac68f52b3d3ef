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
	if g.ahead == nil || nodes*mostEnds < int(g.ahead.hop.far.count) {
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
	if len(hops) != 1 || !hops[0].one || hops[0].rel != nil {
		return nil
	}
	return &hops[0]
}

// countEnds counts nodes for the ends of their relationship.
func (g *grouping) countEnds(rows []uint32) {
	ends, direct := g.ahead.hop.Ends, g.direct
	for _, row := range rows {
		direct[ends[row]]++
	}
}

// goOn counts in the groups what was counted for the ends.
func (g *grouping) goOn() {
	r, h, e := g.r, g.ahead.hop, &g.ends[0]
	allowed := conjunction(h.target, h.end)
	for end, n := range g.direct {
		if end%stride == 0 && !r.tick(stride) {
			return
		}
		to := uint32(end)
		if n == 0 || !holds(r, allowed, to) || !g.ahead.keeps(r, to) {
			continue
		}
		if e.list = e.list[:0]; len(e.chain.hops) > 1 {
			e.list = e.step(r, 1, to, e.list)
		} else {
			e.list = append(e.list, to)
		}
		for _, last := range e.list {
			g.tuple[0] = g.numbers[0].code(last)
			if group := g.group(); g.last[group] != to+1 { // once in each group
				g.last[group] = to + 1
				g.nodes[group] += int64(n)
			}
		}
	}
}

// keeps reports whether the folded semi-joins hold for nodes whose relationship
// leads to a row.
func (a *ahead) keeps(r *run, to uint32) bool {
	for i := range a.folded {
		if f := &a.folded[i]; holds(r, f.test, to) == f.none {
			return false
		}
	}
	return true
}
