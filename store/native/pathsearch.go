package native

import (
	"cmp"
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

	found []walk
	most  int
	path  []node
}

func (p *paths) search(r *run, from, to node) *pathSearch {
	s := &pathSearch{run: r, paths: p, ends: [2]node{from, to}, left: r.plan.Limits.Budget}
	for side, end := range s.ends {
		s.seen[side] = r.takeMarks()
		first := r.takeMarks()
		s.seen[side].add(end)
		first.add(end)
		s.levels[side] = []*marks{first}
	}
	return s
}

// free gives back what the search took.
func (s *pathSearch) free() {
	for side := range s.levels {
		s.giveMarks(s.seen[side])
		for _, m := range s.levels[side] {
			s.giveMarks(m)
		}
	}
	for _, m := range s.to[min(len(s.to), len(s.levels[backward])):] {
		s.giveMarks(m)
	}
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

// expand takes a side one level further, and reports whether it met the other.
func (s *pathSearch) expand(side int) (met bool) {
	e, other := s.step(side), s.ends[1-side]
	next := s.takeMarks()
	for _, n := range s.frontier(side) {
		hops := e.hops[n.label]
		for i := range hops {
			h := &hops[i]
			first, end := h.span(n.row)
			if !s.tick(int(end-first)) || s.spent {
				break
			}
			for at := first; at < end; at++ {
				to := node{uint32(h.far.number), h.Ends[at]}
				if !s.usable(h, at) {
					continue
				}
				if !s.spend(1) {
					break
				}
				if s.seen[side].has(to) || to != other && !e.mayEnd(s.run, to) {
					continue
				}
				s.seen[side].add(to)
				next.add(to)
				met = met || s.seen[1-side].has(to)
			}
		}
	}
	s.levels[side] = append(s.levels[side], next)
	return met
}

// usable reports whether a path may go over a relationship.
func (s *pathSearch) usable(h *hop, at uint32) bool {
	return h.allows(s.run, at) && (s.scale == nil || !s.scale.of[h.links].null(h.number(at)))
}

// meet expands the smaller side until the two have met, and returns the length
// of the shortest paths; 0 where there is none of at most so many hops.
func (s *pathSearch) meet(most int) int {
	for s.depth(forward)+s.depth(backward) < most && !s.spent && s.err == nil {
		// Of two frontiers of one size, that which has gone less far: two
		// neighbours of a hub then meet at it, and never look around from it.
		side := forward
		if cmp.Or(cmp.Compare(len(s.frontier(backward)), len(s.frontier(forward))), cmp.Compare(s.depth(backward), s.depth(forward))) < 0 {
			side = backward
		}
		if len(s.frontier(side)) == 0 {
			return 0
		}
		if s.expand(side) {
			return s.depth(forward) + s.depth(backward)
		}
	}
	return 0
}

// shortest lists the first of the paths of least length, at most so many.
func (s *pathSearch) shortest(most int) []walk {
	if length := s.meet(s.forward.most); length > 0 {
		s.measure(length)
		s.most = most
		s.list(length)
	}
	return s.found
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
	return s.within(s.ends[forward], most)
}

// measure finds the least hops to the end of all nodes that paths of at most so
// many hops go over. Those that the backward side has met are known; the others
// lie within the forward side.
func (s *pathSearch) measure(most int) {
	s.to = slices.Clone(s.levels[backward])
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
				first, end := h.span(n.row)
				if !s.tick(int(end - first)) {
					break
				}
				for at := first; at < end; at++ {
					to := node{uint32(h.far.number), h.Ends[at]}
					if s.near(to, most-k) && !known.has(to) && s.usable(h, at) {
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

// within reports whether the end is at most so many hops from a node.
func (s *pathSearch) within(n node, hops int) bool {
	for _, level := range s.to[:min(hops+1, len(s.to))] {
		if level.has(n) {
			return true
		}
	}
	return false
}

// list adds the paths of one length, by the sequence of their nodes.
func (s *pathSearch) list(length int) {
	if s.within(s.ends[forward], length) {
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
		if !s.spend(1) || !s.tick(1) || len(s.found) == s.most {
			break
		}
		s.path = append(s.path, to)
		s.extend(hops - 1)
		s.path = s.path[:len(s.path)-1]
	}
	s.giveNodes(next)
}

// onward lists, in order, the nodes to which the path may go on from its last,
// with so many hops left after that.
func (s *pathSearch) onward(n node, hops int) []node {
	next := s.nodeList()
	steps := s.forward.hops[n.label]
	for i := range steps {
		h := &steps[i]
		first, end := h.span(n.row)
		if !s.tick(int(end - first)) {
			break
		}
		for at := first; at < end; at++ {
			to := node{uint32(h.far.number), h.Ends[at]}
			if (to == s.ends[backward]) == (hops == 0) && s.within(to, hops) && !slices.Contains(s.path, to) && s.usable(h, at) {
				next = append(next, to)
			}
		}
	}
	slices.SortFunc(next, s.tables.compareNodes)
	return slices.Compact(next)
}

// take keeps the path.
func (s *pathSearch) take() {
	w := walk{nodes: slices.Clone(s.path)}
	for i, to := range w.nodes[1:] {
		w.rels = append(w.rels, s.forward.leastRel(s.run, w.nodes[i], to))
	}
	s.found = append(s.found, w)
}
