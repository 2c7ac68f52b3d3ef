package native

import (
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/store/memory"
)

// An expansion is a step: where one may go from a node, in how many hops, and
// where the step may end. Paths of several hops repeat no node, their start
// included; a path of one hop may be a loop.
type expansion struct {
	least, most int
	// hops are the moves, by the label that they leave.
	hops [][]hop
	// ends are where the step may end, by label; nil where it may not.
	ends []*nodeSet
	// apart and fresh: see know.
	apart, fresh bool
	// degree is how many relationships a hop leads along from a node, the mean of
	// the label that has most; relations counts them all.
	degree, relations float64
}

// A hop is a move along the relationships of a pair, in one direction.
type hop struct {
	near, far *table
	memory.Adjacency
	links  *links
	out    bool  // in the stored direction
	only   *only // see byRow
	rel    test  // on the relationship, by number
	target test  // the guard of the node that it leads to
	move   *compile.Move
}

// expansion lowers a step.
func (lw *lowering) expansion(x *compile.Expand) *expansion {
	e := &expansion{least: x.Min, most: x.Max, hops: make([][]hop, len(lw.labels)+1), ends: make([]*nodeSet, len(lw.labels)+1)}
	for _, m := range x.Moves {
		l := lw.pair(m.Rel.Pair())
		o := owner{columns: l.columns}
		h := hop{near: l.from, far: l.to, Adjacency: l.out, links: l, out: true, only: l.outOnly, target: lw.guard(m.Target), move: m}
		h.rel = conjunction(lw.test(o, m.Cond, true), lw.test(o, m.Rel.Guard(), true))
		if m.Incoming {
			h.near, h.far, h.Adjacency, h.out, h.only = l.to, l.from, l.in, false, l.inOnly
		}
		e.hops[h.near.number] = append(e.hops[h.near.number], h)
	}
	for _, s := range x.Ends {
		n := lw.nodeSet(s)
		e.ends[n.table.number] = n
	}
	e.know(len(e.hops))
	return e
}

// reverse is the step walked from its ends to where it came from, which is
// where the walk may end.
func (lw *lowering) reverse(e *expansion, ends []*nodeSet) *expansion {
	back := &expansion{least: e.least, most: e.most, hops: make([][]hop, len(e.hops)), ends: ends}
	for _, hops := range e.hops {
		for _, h := range hops {
			b := h
			b.near, b.far, b.out, b.target = h.far, h.near, !h.out, lw.guards[h.near]
			b.Adjacency, b.only = h.links.in, h.links.inOnly
			if b.out {
				b.Adjacency, b.only = h.links.out, h.links.outOnly
			}
			back.hops[b.near.number] = append(back.hops[b.near.number], b)
		}
	}
	back.know(len(back.hops))
	return back
}

// allows reports whether the relationship at a position of a list, which Span
// told, and the node at its end, may be walked.
func (h *hop) allows(r *run, a *memory.Adjacency, at uint32) bool {
	return (h.rel == nil || h.rel.holds(r, a.Number(at))) && (h.target == nil || h.target.holds(r, a.Ends[at]))
}

// each calls visit with the nodes that one hop leads to from a node, as often
// as relationships do, until visit returns false.
func (e *expansion) each(r *run, from node, visit func(to node) bool) bool {
	hops := e.hops[from.label]
	for i := range hops {
		h := &hops[i]
		a, first, end := h.Span(from.row)
		if !r.tick(int(end - first + 1)) {
			return false
		}
		for at := first; at < end; at++ {
			if h.allows(r, a, at) && !visit(node{uint32(h.far.number), a.Ends[at]}) {
				return false
			}
		}
	}
	return true
}

// mayEnd reports whether the step may end at a node.
func (e *expansion) mayEnd(r *run, n node) bool {
	s := e.ends[n.label]
	return s != nil && holds(r, s.test, n.row)
}

// from calls visit with every node at which the step may end that starts at a
// node, each once, with the least number of hops, nearest first; until visit
// returns false.
func (e *expansion) from(r *run, start node, visit func(end node, hops int) bool) {
	switch {
	case e.most == 1:
		e.fromByOne(r, start, visit)
	case e.least == 1:
		e.fromBreadth(r, start, visit)
	case e.most == 2:
		e.fromTwo(r, start, visit)
	case e.most == 3:
		e.fromFar(r, start, visit)
	default:
		e.fromDeep(r, start, visit)
	}
}

// fromByOne is from for a single hop.
func (e *expansion) fromByOne(r *run, start node, visit func(end node, hops int) bool) {
	seen := r.takeMarks()
	defer r.giveMarks(seen)
	e.each(r, start, func(to node) bool {
		return !seen.add(to) || !e.mayEnd(r, to) || visit(to, 1)
	})
}

// fromBreadth is from for steps that may have one hop: whatever a walk reaches,
// a path reaches in as many hops or fewer.
func (e *expansion) fromBreadth(r *run, start node, visit func(end node, hops int) bool) {
	seen := r.takeMarks()
	defer r.giveMarks(seen)
	// The nodes of the last level are the last ones touched. The start is not
	// marked: the first hop may lead back to it.
	seen.touched = append(seen.touched, start)
	seen.words(start.label, start.row+1)
	level := 0
	for hops := 1; hops <= e.most && level < len(seen.touched); hops++ {
		end := len(seen.touched)
		for ; level < end; level++ {
			at := seen.touched[level]
			for i := range e.hops[at.label] {
				if !e.spread(r, &e.hops[at.label][i], at, start, seen, hops, visit) {
					return
				}
			}
		}
	}
}

// spread walks one hop from a node to all that are not seen yet.
func (e *expansion) spread(r *run, h *hop, from, start node, seen *marks, hops int, visit func(end node, hops int) bool) bool {
	a, first, end := h.Span(from.row)
	if first == end {
		return true
	}
	if !r.tick(int(end - first)) {
		return false
	}
	label := uint32(h.far.number)
	words := seen.words(label, h.far.count)
	ends := e.ends[label]
	for at := first; at < end; at++ {
		row := a.Ends[at]
		back := row == start.row && label == start.label && hops > 1
		if words[row>>6]&(1<<(row&63)) != 0 || back || !h.allows(r, a, at) {
			continue
		}
		words[row>>6] |= 1 << (row & 63)
		to := node{label, row}
		seen.touched = append(seen.touched, to)
		if ends != nil && holds(r, ends.test, row) && !visit(to, hops) {
			return false
		}
	}
	return true
}

// leads reports whether a single hop leads from a node to where the step may
// end.
func (e *expansion) leads(r *run, from node) bool {
	hops := e.hops[from.label]
	for i := range hops {
		h := &hops[i]
		ends := e.ends[h.far.number]
		if ends == nil {
			continue
		}
		a, first, end := h.Span(from.row)
		if !r.tick(int(end - first)) {
			return false
		}
		for at := first; at < end; at++ {
			if h.allows(r, a, at) && holds(r, ends.test, a.Ends[at]) {
				return true
			}
		}
	}
	return false
}
