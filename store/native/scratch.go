package native

// scratch is memory that the operators of a run take and give back, so that a
// call allocates nothing that another call has allocated before.
type scratch struct {
	lists  [][]uint32
	nodes  [][]node
	marks  []*marks
	layers []*layer
}

// A node is a row of the label of that number.
type node struct {
	label uint32
	row   uint32
}

// list takes an empty list of rows.
func (r *run) list() []uint32 {
	s := &r.scratch
	if n := len(s.lists); n > 0 {
		l := s.lists[n-1]
		s.lists = s.lists[:n-1]
		return l[:0]
	}
	return make([]uint32, 0, batchRows)
}

func (r *run) giveList(l []uint32) { r.scratch.lists = append(r.scratch.lists, l) }

// nodeList takes an empty list of nodes.
func (r *run) nodeList() []node {
	s := &r.scratch
	if n := len(s.nodes); n > 0 {
		l := s.nodes[n-1]
		s.nodes = s.nodes[:n-1]
		return l[:0]
	}
	return make([]node, 0, 64)
}

func (r *run) giveNodes(l []node) { r.scratch.nodes = append(r.scratch.nodes, l) }

// marks are a set of nodes.
type marks struct {
	// bits has a bitmap for each label, as long as its last marked row needs.
	bits    [][]uint64
	touched []node
	// unlisted says that there are marked nodes that touched does not have.
	unlisted bool
}

// takeMarks takes an empty set.
func (r *run) takeMarks() *marks {
	s := &r.scratch
	if n := len(s.marks); n > 0 {
		m := s.marks[n-1]
		s.marks = s.marks[:n-1]
		return m
	}
	return &marks{}
}

// giveMarks empties a set and gives it back.
func (r *run) giveMarks(m *marks) {
	m.clear()
	r.scratch.marks = append(r.scratch.marks, m)
}

func (m *marks) clear() {
	if m.unlisted {
		for _, words := range m.bits {
			clear(words)
		}
		m.touched, m.unlisted = m.touched[:0], false
		return
	}
	for _, n := range m.touched {
		m.bits[n.label][n.row>>6] = 0
	}
	m.touched = m.touched[:0]
}

func (m *marks) has(n node) bool {
	return int(n.label) < len(m.bits) && bit(m.bits[n.label], n.row)
}

// words returns the bitmap of a label with room for so many rows. It is valid
// until the label is asked for more room.
func (m *marks) words(label, rows uint32) []uint64 {
	for int(label) >= len(m.bits) {
		m.bits = append(m.bits, nil)
	}
	n := int(rows+63) >> 6
	if words := m.bits[label]; n > len(words) {
		m.bits[label] = append(words, make([]uint64, n-len(words))...)
	}
	return m.bits[label]
}

// add marks a node, and reports whether it was not marked before.
func (m *marks) add(n node) bool {
	if int(n.label) >= len(m.bits) || int(n.row>>6) >= len(m.bits[n.label]) {
		m.words(n.label, max(n.row+1, 2*n.row))
	}
	word := &m.bits[n.label][n.row>>6]
	if *word&(1<<(n.row&63)) != 0 {
		return false
	}
	*word |= 1 << (n.row & 63)
	m.touched = append(m.touched, n)
	return true
}
