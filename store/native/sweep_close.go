package native

import "math"

// shutPays is how many times fewer relationships than nodes a hop may walk for a
// test of all nodes to pay.
const shutPays = 2

// close marks the nodes that a hop may not lead to as seen.
func (s *sweep) close(h *hop) {
	label := uint32(h.far.number)
	if h.target == nil || label >= 64 || s.shut&(1<<label) != 0 {
		return
	}
	if s.shut == 0 {
		s.closed = s.r.takeMarks()
		s.closed.unlisted = true
	}
	s.shut |= 1 << label
	closed := s.closed.words(label, h.far.count)[:(h.far.count+63)>>6]
	for i := range closed {
		closed[i] = math.MaxUint64
	}
	batch := s.r.list()
	for c := (candidates{end: h.far.count}); s.r.tick(len(batch)); {
		if batch = c.next(batch[:0], batchRows); len(batch) == 0 {
			break
		}
		for _, row := range h.target.narrow(s.r, batch) {
			closed[row>>6] &^= 1 << (row & 63)
		}
	}
	s.r.giveList(batch)
	words := s.seen.words(label, h.far.count)
	for i := range closed {
		closed[i] &^= words[i] // the start may be one of them
		words[i] |= closed[i]
	}
}

// reopen unmarks what close has marked.
func (s *sweep) reopen() {
	for label := uint32(0); s.shut>>label != 0; label++ {
		if s.shut&(1<<label) == 0 {
			continue
		}
		for i, word := range s.closed.bits[label] {
			if word != 0 {
				s.seen.bits[label][i] &^= word
			}
		}
	}
	if s.shut != 0 {
		s.r.giveMarks(s.closed)
	}
}

// open reports whether all nodes that a hop leads to, and that are not seen, may
// be walked to.
func (s *sweep) open(h *hop) bool {
	return h.rel == nil && (h.target == nil || h.far.number < 64 && s.shut&(1<<h.far.number) != 0)
}
