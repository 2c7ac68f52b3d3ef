package native

import "math/bits"

// A sweep finds all that a step of one to several hops leads to from a set of
// nodes, level by level. It goes on from the nodes of the last level, or looks
// back from those that are not reached yet, whichever looks at fewer
// relationships: S. Beamer, K. Asanović, D. Patterson, Direction-Optimizing
// Breadth-First Search (2012).
type sweep struct {
	*expansion
	r    *run
	seen *marks
	// level are the nodes of the last level: seen.touched from first to end.
	first, end int
	// at has the nodes of the level, once a hop has been looked back along.
	at *marks
	// listed says that the nodes found now are wanted in seen.touched.
	listed bool
	// closed has the nodes that may not be walked to of the labels in shut, whose
	// numbers are its bits: they are marked as seen, so that nobody asks.
	closed *marks
	shut   uint64
}

// sweeps reports whether a sweep finds what the step leads to: whatever a walk
// of so few hops or fewer reaches from a node, a path does too, but for that
// node itself.
func (e *expansion) sweeps() bool { return e.least == 1 && e.most > 1 }

// sweep marks in to, which is empty, all nodes at which the step may end that
// starts at one of those in from. Unless listed, to.touched need not have them.
func (e *expansion) sweep(r *run, from, to *marks, listed bool) {
	for _, ends := range e.ends {
		listed = listed || ends != nil && ends.test != nil
	}
	for _, start := range from.touched {
		to.add(start)
	}
	s := sweep{expansion: e, r: r, seen: to, at: r.takeMarks(), listed: true}
	for hops := 1; hops <= e.most && r.err == nil; hops++ {
		s.first, s.end = s.end, len(to.touched)
		if s.first == s.end {
			break
		}
		if hops == e.most {
			s.listed = listed
		}
		s.next(hops == e.most)
	}
	r.giveMarks(s.at)
	s.reopen()
	e.leaveEnds(r, to, from)
	for _, start := range from.touched {
		if e.mayEnd(r, start) && e.arrivesAt(r, start, from) {
			to.add(start)
		}
	}
}

// next marks the nodes of the next level, of the last those at which the step
// may end, as far as labels say that.
func (s *sweep) next(last bool) {
	s.at.clear()
	for label := range s.hops {
		for i := range s.hops[label] {
			h := &s.hops[label][i]
			if last && s.ends[h.far.number] == nil {
				continue
			}
			walk := s.degrees(h)
			if walk > int(h.far.count)/shutPays {
				s.close(h)
			}
			if walk > s.backward(h, walk) {
				s.pull(h)
			} else if walk > 0 {
				s.push(h)
			}
		}
	}
}

// degrees counts the relationships by which a hop leaves the level.
func (s *sweep) degrees(h *hop) int {
	n := 0
	for _, from := range s.seen.touched[s.first:s.end] {
		if int(from.label) == h.near.number {
			_, first, end := h.Span(from.row)
			n += int(end - first)
		}
	}
	return n
}

// backward estimates how many relationships are looked at to find by which
// nodes a hop with so many relationships from the level arrives.
func (s *sweep) backward(h *hop, walk int) int {
	if walk == 0 || h.far.count == 0 {
		return walk
	}
	mean := h.links.count/int(h.far.count) + 1
	return int(h.far.count)/64 + (int(h.far.count)-s.reached(h))*min(mean, h.links.count/walk+1)
}

// reached is about how many nodes that a hop could lead to are seen already.
func (s *sweep) reached(h *hop) int { return min(len(s.seen.touched), int(h.far.count)) }

// push marks what a hop leads to from the level.
func (s *sweep) push(h *hop) {
	label, words := uint32(h.far.number), s.seen.words(uint32(h.far.number), h.far.count)
	open := s.open(h)
	touched := s.seen.touched
	for _, from := range touched[s.first:s.end] {
		if int(from.label) != h.near.number {
			continue
		}
		a, first, end := h.Span(from.row)
		if !s.r.tick(int(end - first + 1)) {
			break
		}
		if open && !s.listed {
			for _, row := range a.Ends[first:end] {
				words[row>>6] |= 1 << (row & 63)
			}
			continue
		}
		for at := first; at < end; at++ {
			row := a.Ends[at]
			if words[row>>6]&(1<<(row&63)) != 0 || !open && !h.allows(s.r, a, at) {
				continue
			}
			words[row>>6] |= 1 << (row & 63)
			if s.listed {
				touched = append(touched, node{label, row})
			}
		}
	}
	s.seen.touched = touched
	s.seen.unlisted = s.seen.unlisted || !s.listed
}

// pull is push from the other side: it looks from every node that is not seen
// for one of the level.
func (s *sweep) pull(h *hop) {
	if len(s.at.touched) == 0 {
		for _, n := range s.seen.touched[s.first:s.end] {
			s.at.add(n)
		}
	}
	s.seen.unlisted = s.seen.unlisted || !s.listed // from now on, also where it ends early
	label, back := uint32(h.far.number), h.reversed()
	if s.open(h) {
		back.target = nil
	}
	words, level := s.seen.words(label, h.far.count), s.at.words(uint32(h.near.number), h.near.count)
	for i := range words {
		rest := ^words[i]
		if left := int(h.far.count) - i<<6; left < 64 {
			if left <= 0 {
				break
			}
			rest &= 1<<left - 1
		}
		if i < len(h.far.dead) {
			rest &^= h.far.dead[i]
		}
		if !s.r.tick(bits.OnesCount64(rest)) {
			return
		}
		for ; rest != 0; rest &= rest - 1 {
			row := uint32(i<<6 + bits.TrailingZeros64(rest))
			if !s.arrives(&back, row, level) {
				continue
			}
			words[i] |= 1 << (row & 63)
			if s.listed {
				s.seen.touched = append(s.seen.touched, node{label, row})
			}
		}
	}
}

// arrives reports whether a hop, of which back is the reverse, leads to a row
// from one of the level.
func (s *sweep) arrives(back *hop, row uint32, level []uint64) bool {
	a, first, end := back.Span(row)
	if first == end || back.target != nil && !back.target.holds(s.r, row) {
		return false
	}
	s.r.work += int(end-first) / 4 // tick looks at that
	for at, near := range a.Ends[first:end] {
		if level[near>>6]&(1<<(near&63)) != 0 && (back.rel == nil || back.rel.holds(s.r, a.Number(first+uint32(at)))) {
			return true
		}
	}
	return false
}

// reversed is the hop with its relationships by the node that it leads to. Its
// tests stay what they are.
func (h *hop) reversed() hop {
	b := *h
	if b.Adjacency = h.links.in; !h.out {
		b.Adjacency = h.links.out
	}
	return b
}

// leaveEnds unmarks the nodes from which a sweep started, and all at which the
// step may not end.
func (e *expansion) leaveEnds(r *run, m, starts *marks) {
	kept := m.touched[:0]
	for _, n := range m.touched {
		if !starts.has(n) && e.mayEnd(r, n) {
			kept = append(kept, n)
		} else {
			m.bits[n.label][n.row>>6] &^= 1 << (n.row & 63)
		}
	}
	m.touched = kept
}

// arrivesAt reports whether the step leads to a node from one of starts: by one
// hop from itself, or from another one. It looks back from the node.
func (e *expansion) arrivesAt(r *run, to node, starts *marks) bool {
	seen := r.takeMarks()
	defer r.giveMarks(seen)
	seen.add(to)
	level, most := 0, e.most
	if len(starts.touched) == 1 {
		most = 1 // there is no other
	}
	for range most {
		for end := len(seen.touched); level < end; level++ {
			if e.arrivesFrom(r, seen.touched[level], level == 0, starts, seen) {
				return true
			}
		}
	}
	return false
}

// arrivesFrom reports whether a hop leads to a node from one of starts, and
// marks where hops lead to it from. Those that are marked do not count, but for
// the node itself with loops.
func (e *expansion) arrivesFrom(r *run, to node, loops bool, starts, seen *marks) bool {
	for label := range e.hops {
		for i := range e.hops[label] {
			h := &e.hops[label][i]
			if h.far.number != int(to.label) || h.target != nil && !h.target.holds(r, to.row) {
				continue
			}
			back := h.reversed()
			a, first, end := back.Span(to.row)
			if !r.tick(int(end - first + 1)) {
				return false
			}
			for at := first; at < end; at++ {
				n := node{uint32(label), a.Ends[at]}
				if n == to && !loops || n != to && seen.has(n) || h.rel != nil && !h.rel.holds(r, a.Number(at)) {
					continue
				}
				if starts.has(n) {
					return true
				}
				seen.add(n)
			}
		}
	}
	return false
}
