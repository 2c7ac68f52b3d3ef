package native

import "math/bits"

// countAll counts nodes that are not grouped without looking at them: all there
// are, or those that a semi-join has marked. It reports false where that is not
// known.
func (g *grouping) countAll() bool {
	a := g.aggregate
	if len(a.groups) > 0 || len(a.chains) > 0 || len(a.kept) > 0 {
		return false
	}
	s, r := a.nodes, g.r
	if s.test == nil {
		g.nodes[0] = int64(s.table.living)
		return true
	}
	if s.keys >= 0 || len(s.related) != 1 {
		return false
	}
	semi := s.related[0]
	if s.plain != nil && (!s.bare || semi.none) { // what is marked fulfils the guard
		return false
	}
	semi.prepare(r, int(s.table.count))
	st := &r.sets[semi.number]
	if !st.marked {
		return false
	}
	n := 0
	if s.table.number < len(st.reached.bits) {
		for _, word := range st.reached.bits[s.table.number] {
			n += bits.OnesCount64(word)
		}
	}
	if semi.none {
		n = int(s.table.living) - n
	}
	g.nodes[0] = int64(n)
	return true
}

// number is add for nodes that are only counted, in groups by a property of
// their own or in one.
func (g *grouping) number(rows []uint32) {
	if len(g.groups) == 0 {
		g.nodes[0] += int64(len(rows))
		return
	}
	numbers := g.numbers[0]
	for _, row := range rows {
		code := numbers.code(row)
		n := g.first[code]
		if n == 0 {
			g.tuple[0] = code
			n = g.group() + 1
		}
		g.nodes[n-1]++
	}
}
