package native

import "github.com/trellisgraph/trellis/store/memory"

// byDegrees returns the hop whose degrees are the counts of groups: of nodes
// that are only counted, and grouped by the one hop that leads to what they are
// grouped by.
func (a *aggregate) byDegrees() *chainHop {
	if len(a.groups) != 1 || len(a.chains) != 1 || len(a.chains[0].hops) != 1 || a.groups[0].unit != "" || len(a.kept) > 0 {
		return nil
	}
	hops := a.chains[0].hops[0]
	if h := &hops[0]; len(hops) == 1 && h.links.pair.Key == nil {
		return h
	}
	return nil
}

// mostLookedAt is how many times more nodes there may be than those among which
// the set's are, for counting from the ends to pay.
const mostLookedAt = 4

// countDegrees makes the groups from the ends, without grouping a node: a group
// is an end, and counts as many nodes as relationships lead to it. It reports
// false where two ends may be one group, or few nodes are counted.
func (g *grouping) countDegrees() bool {
	r, h, d := g.r, g.degrees, g.numbers[0]
	if !d.own(g.groups[0].table) {
		return false
	}
	var counted []uint64
	if g.aggregate.nodes.test != nil {
		var ok bool
		if counted, ok = g.counted(); !ok {
			return false
		}
	}
	back := &h.links.in
	if !h.out {
		back = &h.links.out
	}
	allowed := conjunction(h.target, h.end)
	all := counted == nil && h.rel == nil
	for row := uint32(0); row < h.far.count && r.tick(1); row++ {
		first, end := back.Span(row)
		n := int64(end - first)
		if bit(h.far.dead, row) {
			continue
		}
		if n > 0 && !all {
			n = h.degree(r, back, row, counted)
		}
		if n > 0 && (allowed == nil || allowed.holds(r, row)) {
			g.codes, g.nodes = append(g.codes, d.code(row)), append(g.nodes, n)
		}
	}
	g.count = len(g.nodes)
	return true
}

// counted is the set's nodes as a bitmap; ok is false where they are few.
func (g *grouping) counted() (bits []uint64, ok bool) {
	s, r := g.aggregate.nodes, g.r
	c := s.candidates(r, false, position{})
	defer c.giveBack(r)
	if c.count()*mostLookedAt < int(s.table.count) {
		return nil, false
	}
	s.prepare(r, c.count())
	first := len(r.bits)
	for range (s.table.count + 63) / 64 {
		r.bits = append(r.bits, 0)
	}
	s.scan(r, c, func(rows []uint32) bool {
		bits := r.bits[first:] // semi-joins that get ready meanwhile may move it
		for _, row := range rows {
			bits[row>>6] |= 1 << (row & 63)
		}
		return true
	})
	return r.bits[first:], true
}

// degree is how many nodes the hop leads to a row from: of those counted, or of
// all if that is nil, and by relationships that fulfil the hop's test.
func (h *hop) degree(r *run, back *memory.Adjacency, row uint32, counted []uint64) int64 {
	first, end := back.Span(row)
	r.tick(int(end - first))
	n := int64(0)
	for at := first; at < end; at++ {
		if near := back.Ends[at]; counted != nil && counted[near>>6]&(1<<(near&63)) == 0 {
			continue
		}
		if h.rel == nil || h.rel.holds(r, back.Number(at)) {
			n++
		}
	}
	return n
}
