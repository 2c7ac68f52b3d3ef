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
		if st := &g.r.sets[f.semi.number]; !st.ready { // forks, which share it, find it so
			st.ready = true
		}
	}
}

// countAhead returns how to count nodes by their first relationship's end; nil
// where they are more than counted, or may have no such relationship or several.
func (a *aggregate) countAhead() *ahead {
	if len(a.groups) != 1 || len(a.chains) != 1 || len(a.kept) > 0 {
		return nil
	}
	h := oneEnd(a.chains[0].hops, 0)
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

// oneEnd is the ith of a chain's hops, if that is one relationship of each node
// without conditions on it; nil of other hops, and where there is none.
func oneEnd(hops [][]chainHop, i int) *chainHop {
	if i >= len(hops) || len(hops[i]) != 1 || hops[i][0].only == nil || hops[i][0].rel != nil {
		return nil
	}
	return &hops[i][0]
}

// countEnds counts nodes for the ends of their relationship.
func (g *grouping) countEnds(rows []uint32) {
	ends, direct := g.ahead.hop.byRow(), g.direct
	for _, row := range rows {
		direct[ends[row]]++
	}
}

// goOn counts in the groups what was counted for the ends: hop by hop, as long
// as each end leads to one other.
func (g *grouping) goOn() {
	r, hops, counts := g.r, g.chains[0].hops, g.direct
	for i := 0; r.err == nil; i++ {
		h, onward := &hops[i][0], oneEnd(hops, i+1)
		var next, to []uint32
		if onward != nil {
			to = onward.byRow()
		}
		if to != nil {
			next = grown(r.list(), int(onward.far.count))
			clear(next)
		}
		allowed, batch := conjunction(h.target, h.end), r.list()
		for end, n := range counts {
			if n > 0 {
				batch = append(batch, uint32(end))
			}
			if len(batch) < batchRows && end < len(counts)-1 {
				continue
			}
			if !r.tick(len(batch)) {
				break
			}
			ends := narrow(r, allowed, batch)
			if i == 0 {
				ends = g.ahead.narrow(r, ends)
			}
			if to == nil {
				g.countBatch(i, ends, counts)
			} else {
				for _, end := range ends {
					next[to[end]] += counts[end]
				}
			}
			batch = batch[:0]
		}
		r.giveList(batch)
		if i > 0 {
			r.giveList(counts)
		}
		if counts = next; to == nil {
			return
		}
	}
}

// countBatch counts in the groups the nodes of some ends of the ith hop.
func (g *grouping) countBatch(i int, ends, counts []uint32) {
	e := &g.ends[0]
	if i == len(e.chain.hops)-1 {
		for _, end := range ends {
			g.countFor(end, int64(counts[end]))
		}
		return
	}
	for _, end := range ends {
		e.list = e.step(g.r, i+1, end, e.list[:0])
		for _, last := range e.list {
			g.tuple[0] = g.numbers[0].code(last)
			if group := g.group(); g.last[group] != end+1 { // once in each group
				g.last[group] = end + 1
				g.nodes[group] += int64(counts[end])
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
