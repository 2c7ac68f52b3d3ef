package native

import "math"

// shortest lists the first of the paths of least length, at most so many.
//
// Before a side is taken further it is asked whether one hop leads from its
// frontier to that of the other: then the search is over, and the last level,
// which would be the largest, is never made, nor spends any of the budget.
func (s *pathSearch) shortest(most int) []walk {
	length := s.meet(s.forward.most)
	if length == 0 || s.err != nil {
		return nil
	}
	s.narrow(length)
	s.most, s.exact = most, true
	s.path = append(s.path[:0], s.ends[forward])
	s.extend(length)
	return s.found
}

// meet takes the side further from whose frontier fewer relationships lead,
// until a hop leads from one side to the other, and returns the length of the
// shortest paths; 0 where there is none of at most so many hops. The nodes by
// their hops to the end are known then as far as the backward side has come, and
// for the forward side's frontier.
func (s *pathSearch) meet(most int) int {
	for {
		length := s.depth(forward) + s.depth(backward) + 1
		if length > most || s.spent || s.err != nil {
			return 0
		}
		side := forward
		ahead := s.forward.degrees(s.frontier(forward), math.MaxInt)
		back := s.back.degrees(s.frontier(backward), ahead+1)
		if back < ahead || back == ahead && s.depth(backward) < s.depth(forward) {
			side = backward
		}
		met := s.touch(side)
		if len(met.touched) > 0 {
			s.to = append(append(s.to[:0], s.levels[backward]...), met)
			return length
		}
		s.giveMarks(met)
		if length == most || len(s.frontier(side)) == 0 {
			return 0
		}
		s.expand(side)
	}
}

// touch returns the nodes of the forward side's frontier from which one hop
// leads to that of the backward side, looking from one of them.
func (s *pathSearch) touch(side int) *marks {
	met := s.takeMarks()
	e, others := s.step(side), s.levels[1-side][s.depth(1-side)]
	for _, n := range s.frontier(side) {
		hops := e.hops[n.label]
		for i := range hops {
			h := &hops[i]
			if label := h.far.number; label >= len(others.bits) {
				continue
			}
			a, first, end := h.Span(n.row)
			if !s.tick(int(end - first)) {
				return met
			}
			label, words := uint32(h.far.number), others.bits[h.far.number]
			for i, row := range a.Ends[first:end] {
				if !bit(words, row) || !s.usable(h, a, first+uint32(i)) {
					continue
				}
				if side == forward {
					met.add(n)
					break
				}
				met.add(node{label, row})
			}
		}
	}
	return met
}

// narrow leaves of the forward side, level by level, the nodes from which a path
// of the shortest length leads on.
func (s *pathSearch) narrow(length int) {
	for at := s.depth(forward) - 1; at > 0; at-- {
		next, into := s.takeMarks(), s.to[len(s.to)-1]
		for _, n := range s.levels[forward][at].touched {
			if s.leads(n, into) {
				next.add(n)
			}
		}
		s.to = append(s.to, next)
	}
}

// leads reports whether one hop leads from a node into a set.
func (s *pathSearch) leads(n node, into *marks) bool {
	hops := s.forward.hops[n.label]
	for i := range hops {
		h := &hops[i]
		if h.far.number >= len(into.bits) {
			continue
		}
		a, first, end := h.Span(n.row)
		if !s.tick(int(end - first)) {
			return false
		}
		words := into.bits[h.far.number]
		for i, row := range a.Ends[first:end] {
			if bit(words, row) && s.usable(h, a, first+uint32(i)) {
				return true
			}
		}
	}
	return false
}
