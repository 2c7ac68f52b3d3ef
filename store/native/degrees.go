package native

import (
	"cmp"

	"github.com/trellisgraph/trellis/store/memory"
)

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
// false where the counts are no degrees, two ends may be one group, or few nodes
// are counted.
func (g *grouping) countDegrees() bool {
	r, h := g.r, g.degrees
	if h == nil || !g.numbers[0].own(g.groups[0].table) {
		return false
	}
	g.numbers[0] = &dense{} // an end is its own group then
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
	floor := g.floor()
	counts := r.list()
	for row := range h.far.count {
		i := row % batchRows
		if i == 0 {
			if !r.tick(batchRows) {
				break
			}
			counts = back.Degrees(counts[:0], row, min(row+batchRows, h.far.count))
		}
		n := int64(counts[i])
		if n == 0 || floor.under(n) || h.far.dead != nil && bit(h.far.dead, row) {
			continue
		}
		if !all {
			if n = h.degree(r, back, row, counted); n == 0 || floor.under(n) {
				continue
			}
		}
		if allowed == nil || allowed.holds(r, row) {
			floor.take(n)
			g.codes, g.nodes = append(g.codes, row), append(g.nodes, n)
		}
	}
	r.giveList(counts)
	r.ranked = floor.heap
	g.count = len(g.nodes)
	return true
}

// A floor is what a group must count to be on a page of those that count most.
type floor struct {
	top
	least int64
}

// floor returns the floor of the page; one that no group is under where groups
// are not ordered so, or other things keep them off the page.
func (g *grouping) floor() floor {
	f := floor{top: top{heap: g.r.ranked[:0]}}
	p := g.page
	if len(p.order) == 0 || !p.order[0].Desc || p.order[0].Column < len(g.groups) || p.seek != nil || len(g.having) > 0 {
		return f
	}
	f.least = int64(g.aggregate.least)
	f.most = int(g.r.params[p.limit].Int()) + 1
	f.compare = func(a, b ranked) int { return cmp.Compare(a.first, b.first) }
	return f
}

func (f *floor) under(n int64) bool { return n < f.least }

// take notes that there is a group that counts so many.
func (f *floor) take(n int64) {
	if f.most == 0 {
		return
	}
	if f.offer(ranked{first: -n}); len(f.heap) == f.most {
		f.least = -f.heap[0].first
	}
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
	a, first, end := back.Span(row)
	r.tick(int(end - first))
	n := int64(0)
	if h.rel == nil {
		for _, near := range a.Ends[first:end] {
			n += int64(counted[near>>6] >> (near & 63) & 1)
		}
		return n
	}
	for at := first; at < end; at++ {
		if near := a.Ends[at]; counted != nil && counted[near>>6]&(1<<(near&63)) == 0 {
			continue
		}
		if h.rel == nil || h.rel.holds(r, a.Number(at)) {
			n++
		}
	}
	return n
}
