package native

import (
	"github.com/trellisgraph/trellis/store/memory"
	"slices"
)

// The two sides of a search.
const (
	forward = iota
	backward
)

// A pathSearch goes out from both ends level by level, until the two sides meet
// or have gone as far as is asked for. Whether a path exists, and how long the
// shortest are, is known from the levels alone; paths are listed only inside
// what lies on some path, in their order.
type pathSearch struct {
	*run
	*paths
	ends   [2]node
	levels [2][]*marks
	seen   [2]*marks
	left   int // of the budget
	spent  bool
	// to are the nodes by the least hops from them to the end.
	to []*marks
	// exact says that to has only what shortest paths go over.
	exact bool

	found []walk
	most  int
	path  []node
	// nodeSpace and relSpace have what the paths found go over.
	nodeSpace []node
	relSpace  []rel
}

// search takes the run's search for paths between two nodes.
func (p *paths) search(r *run, from, to node) *pathSearch {
	s := &r.search
	s.run, s.paths, s.ends = r, p, [2]node{from, to}
	s.left, s.spent, s.exact = r.plan.Limits.Budget, false, false
	for side, end := range s.ends {
		s.seen[side] = r.takeMarks()
		first := r.takeMarks()
		s.seen[side].add(end)
		first.add(end)
		s.levels[side] = append(s.levels[side][:0], first)
	}
	return s
}

// free gives back what the search took, once what it found is written.
func (s *pathSearch) free() {
	for _, m := range s.to[min(len(s.to), len(s.levels[backward])):] {
		s.giveMarks(m)
	}
	for side := range s.levels {
		s.giveMarks(s.seen[side])
		for _, m := range s.levels[side] {
			s.giveMarks(m)
		}
		s.levels[side] = s.levels[side][:0]
	}
	clear(s.found)
	clear(s.relSpace)
	s.to, s.found, s.nodeSpace, s.relSpace = s.to[:0], s.found[:0], s.nodeSpace[:0], s.relSpace[:0]
	s.run, s.paths = nil, nil
}

func (s *pathSearch) depth(side int) int { return len(s.levels[side]) - 1 }

func (s *pathSearch) frontier(side int) []node { return s.levels[side][s.depth(side)].touched }

func (s *pathSearch) step(side int) *expansion {
	if side == backward {
		return s.back
	}
	return s.forward
}

// spend takes relationships from the budget, and reports whether it had them.
func (s *pathSearch) spend(n int) bool {
	if s.left -= n; s.left < 0 {
		s.spent = true
	}
	return !s.spent
}

// expand takes a side one level further.
func (s *pathSearch) expand(side int) {
	e, other := s.step(side), s.ends[1-side]
	next := s.takeMarks()
	for _, n := range s.frontier(side) {
		hops := e.hops[n.label]
		for i := range hops {
			h := &hops[i]
			a, first, end := h.Span(n.row)
			if first == end {
				continue
			}
			if !s.tick(int(end-first)) || s.spent {
				break
			}
			label := uint32(h.far.number)
			ends := e.ends[label]
			seen := s.seen[side].words(label, h.far.count)
			walked := 0
			open := h.rel == nil && h.target == nil && s.scale == nil
			for i, row := range a.Ends[first:end] {
				if !open && !s.usable(h, a, first+uint32(i)) {
					continue
				}
				walked++
				if seen[row>>6]&(1<<(row&63)) != 0 {
					continue
				}
				to := node{label, row}
				if to != other && (ends == nil || !holds(s.run, ends.test, row)) {
					continue
				}
				seen[row>>6] |= 1 << (row & 63)
				s.seen[side].touched = append(s.seen[side].touched, to)
				next.add(to)
			}
			s.spend(walked)
		}
	}
	s.levels[side] = append(s.levels[side], next)
}

// usable reports whether a path may go over a relationship.
func (s *pathSearch) usable(h *hop, a *memory.Adjacency, at uint32) bool {
	return h.allows(s.run, a, at) && (s.scale == nil || !s.scale.of[h.links].null(a.Number(at)))
}

// all lists paths of any length, the shorter first, at most so many.
func (s *pathSearch) all(most int) []walk {
	if !s.surround() {
		return nil
	}
	s.most = most
	for length := 1; length <= s.forward.most && len(s.found) < most && !s.spent && s.err == nil; length++ {
		s.list(length)
	}
	return s.found
}

// surround expands both sides until they cover every path, and reports whether
// there is any.
func (s *pathSearch) surround() bool {
	most := s.forward.most
	for s.depth(forward)+s.depth(backward) < most && !s.spent && s.err == nil {
		side := forward
		if s.depth(backward) < s.depth(forward) {
			side = backward
		}
		s.expand(side)
	}
	if s.spent || s.err != nil {
		return false
	}
	s.measure(most)
	return s.within(s.ends[forward], 0, most)
}

// measure finds the least hops to the end of all nodes that paths of at most so
// many hops go over. Those that the backward side has met are known; the others
// lie within the forward side.
func (s *pathSearch) measure(most int) {
	s.to = append(s.to[:0], s.levels[backward]...)
	known := s.takeMarks()
	defer s.giveMarks(known)
	for _, level := range s.to {
		for _, n := range level.touched {
			known.add(n)
		}
	}
	for k := len(s.to); k <= most; k++ {
		next := s.takeMarks()
		for _, n := range s.to[k-1].touched {
			if !s.near(n, most-k+1) {
				continue
			}
			hops := s.back.hops[n.label]
			for i := range hops {
				h := &hops[i]
				a, first, end := h.Span(n.row)
				if !s.tick(int(end - first)) {
					break
				}
				for at := first; at < end; at++ {
					to := node{uint32(h.far.number), a.Ends[at]}
					if s.near(to, most-k) && !known.has(to) && s.usable(h, a, at) {
						known.add(to)
						next.add(to)
					}
				}
			}
		}
		s.to = append(s.to, next)
	}
}

// near reports whether a node is at most so many hops from the start.
func (s *pathSearch) near(n node, hops int) bool {
	if !s.seen[forward].has(n) {
		return false
	}
	for _, level := range s.levels[forward][:min(hops+1, len(s.levels[forward]))] {
		if level.has(n) {
			return true
		}
	}
	return false
}

// within reports whether the end is at least and at most so many hops from a
// node.
func (s *pathSearch) within(n node, least, most int) bool {
	for i := least; i <= most && i < len(s.to); i++ {
		if s.to[i].has(n) {
			return true
		}
	}
	return false
}

// list adds the paths of one length, by the sequence of their nodes.
func (s *pathSearch) list(length int) {
	if s.within(s.ends[forward], 0, length) {
		s.path = append(s.path[:0], s.ends[forward])
		s.extend(length)
	}
}

func (s *pathSearch) extend(hops int) {
	if hops == 0 {
		s.take()
		return
	}
	next := s.onward(s.path[len(s.path)-1], hops-1)
	for _, to := range next {
		if len(s.found) == s.most || !s.spend(1) || !s.tick(1) {
			break
		}
		s.path = append(s.path, to)
		s.extend(hops - 1)
		s.path = s.path[:len(s.path)-1]
	}
	s.giveNodes(next)
}

// onward lists, in order, the nodes to which the path may go on from its last,
// with so many hops left after that. Of a search for one shortest path the first
// is enough: whichever it is leads to the end.
func (s *pathSearch) onward(n node, hops int) []node {
	next := s.nodeList()
	steps := s.forward.hops[n.label]
	sorted := len(steps) == 1 && s.tables.flat // the ends of one hop are in order
	least := 0
	if s.exact {
		least = hops
	}
	for i := range steps {
		h := &steps[i]
		a, first, end := h.Span(n.row)
		if !s.tick(int(end - first)) {
			break
		}
		label := uint32(h.far.number)
		for at := first; at < end; at++ {
			to := node{label, a.Ends[at]}
			if !s.within(to, least, hops) || (to == s.ends[backward]) != (hops == 0) || slices.Contains(s.path, to) || !s.usable(h, a, at) {
				continue
			}
			next = append(next, to)
			if sorted && s.exact && s.most == 1 {
				return next
			}
		}
	}
	if !sorted {
		slices.SortFunc(next, s.tables.compareNodes)
	}
	return slices.Compact(next)
}

// take keeps the path.
func (s *pathSearch) take() {
	nodes, rels := len(s.nodeSpace), len(s.relSpace)
	s.nodeSpace = append(s.nodeSpace, s.path...)
	for i, to := range s.path[1:] {
		s.relSpace = append(s.relSpace, s.forward.leastRel(s.run, s.path[i], to))
	}
	s.found = append(s.found, walk{nodes: slices.Clip(s.nodeSpace[nodes:]), rels: slices.Clip(s.relSpace[rels:])})
}
