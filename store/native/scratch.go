package native

import "math/bits"

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

// addAll marks nodes of a label, which has so many rows.
func (m *marks) addAll(label, count uint32, rows []uint32) {
	words, touched := m.words(label, count), m.touched
	for _, row := range rows {
		word := &words[row>>6]
		if *word&(1<<(row&63)) == 0 {
			*word |= 1 << (row & 63)
			touched = append(touched, node{label, row})
		}
	}
	m.touched = touched
}

// setAll is addAll without listing the nodes, which pays where they are many.
func (m *marks) setAll(label, count uint32, rows []uint32) {
	words := m.words(label, count)
	m.unlisted = true
	for _, row := range rows {
		words[row>>6] |= 1 << (row & 63)
	}
}

// narrow keeps the rows of a label that are marked, or, with none, that are not.
func (m *marks) narrow(label uint32, rows []uint32, none bool) []uint32 {
	words := m.of(label)
	n := 0
	for _, row := range rows {
		rows[n] = row
		if i := int(row >> 6); (i < len(words) && words[i]&(1<<(row&63)) != 0) != none {
			n++
		}
	}
	return rows[:n]
}

// of is the bitmap of a label, which ends where none of its rows is marked any
// more.
func (m *marks) of(label uint32) []uint64 {
	if int(label) >= len(m.bits) {
		return nil
	}
	return m.bits[label]
}

// appendBits appends the rows of [first, end) that a bitmap has.
func appendBits(dst []uint32, words []uint64, first, end uint32) []uint32 {
	end = min(end, uint32(len(words))<<6)
	for first < end {
		at := first &^ 63
		word := words[first>>6] >> (first & 63) << (first & 63)
		if first = at + 64; first > end {
			word &= 1<<(end&63) - 1
		}
		for ; word != 0; word &= word - 1 {
			dst = append(dst, at+uint32(bits.TrailingZeros64(word)))
		}
	}
	return dst
}
