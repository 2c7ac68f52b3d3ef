package native

import (
	"slices"
	"sort"
)

// candidates are the rows among which those of a set are: the living ones of a
// list, or of all from first on and before end, and of the table's late rows
// those at the positions from late on and before lateEnd.
type candidates struct {
	list       []uint32
	listed     bool
	first, end uint32
	owned      []uint32 // a list to give back
	// total is how many rows the set has, where that is known; otherwise -1.
	total int

	table         *table // nil where there are neither dead nor late rows to see to
	late, lateEnd int
	// byKey says that rows are wanted in the order of keys. anchor is the first
	// row of the range behind the next late row then, once anchored.
	byKey, anchored bool
	anchor          uint32
}

// all are all rows of a table.
func (n *table) all() candidates {
	c := candidates{end: n.ordered, lateEnd: len(n.late), total: -1}
	if n.dead != nil || n.late != nil {
		c.table = n
	}
	return c
}

// A position is where a page begins in the order of keys: at a row, and at a
// position among the late ones.
type position struct {
	row  uint32
	late int
}

// search returns the first position of which a function holds that holds of all
// after it too.
func (n *table) search(holds func(row uint32) bool) position {
	p := position{row: uint32(sort.Search(int(n.ordered), func(i int) bool { return holds(uint32(i)) }))}
	if n.late != nil {
		p.late = sort.Search(len(n.late), func(i int) bool { return holds(n.late[i]) })
	}
	return p
}

// lateAt is where a late row stands among them, or would.
func (n *table) lateAt(row uint32) int {
	i, _ := slices.BinarySearchFunc(n.late, row, n.compare)
	return i
}

// count is how many candidates there are, dead ones of a range included.
func (c *candidates) count() int {
	if c.listed {
		return len(c.list)
	}
	return int(c.end-c.first) + c.lateEnd - c.late
}

// narrow leaves out what is not in a range of keys too.
func (c *candidates) narrow(first, end uint32, late, lateEnd int) {
	c.first = max(c.first, first)
	c.end = max(c.first, min(c.end, end))
	c.late = max(c.late, late)
	c.lateEnd = max(c.late, min(c.lateEnd, lateEnd))
}

// has reports whether a row lies within the ranges.
func (c *candidates) has(n *table, row uint32) bool {
	if row < n.ordered {
		return c.first <= row && row < c.end
	}
	at := n.lateAt(row)
	return c.late <= at && at < c.lateEnd
}

// part is the ith of n equal parts of the candidates, which keep the list.
func (c *candidates) part(i, n int) candidates {
	p := *c
	p.owned = nil
	if c.listed {
		p.list = c.list[len(c.list)*i/n : len(c.list)*(i+1)/n]
		return p
	}
	count := int(c.end - c.first)
	p.first, p.end = c.first+uint32(count*i/n), c.first+uint32(count*(i+1)/n)
	if i < n-1 {
		p.lateEnd = p.late
	}
	return p
}

// giveBack gives back the list, if it is the run's.
func (c *candidates) giveBack(r *run) {
	if c.owned != nil {
		r.giveList(c.owned)
		c.owned = nil
	}
}

// next appends the next rows, at most so many; none at the end.
func (c *candidates) next(batch []uint32, most int) []uint32 {
	if c.listed {
		return c.nextListed(batch, most)
	}
	if c.table != nil {
		return c.nextLiving(batch, most)
	}
	n := min(uint32(most), c.end-c.first)
	for i := range n {
		batch = append(batch, c.first+i)
	}
	c.first += n
	return batch
}

// nextListed is next for lists.
func (c *candidates) nextListed(batch []uint32, most int) []uint32 {
	for len(batch) == 0 && c.count() > 0 {
		n := min(most, len(c.list))
		batch = append(batch, c.list[:n]...)
		c.list = c.list[n:]
		if c.table != nil {
			batch = c.table.alive(batch)
		}
	}
	return batch
}

// alive keeps the rows that are nodes.
func (n *table) alive(rows []uint32) []uint32 {
	if n.dead == nil {
		return rows
	}
	return keep(rows, func(row uint32) bool { return !bit(n.dead, row) })
}

// nextLiving is next where rows may be dead, or late.
func (c *candidates) nextLiving(batch []uint32, most int) []uint32 {
	dead := c.table.dead
	most += len(batch)
	for {
		stop := c.end
		if c.byKey && c.late < c.lateEnd {
			stop = c.behind(c.table.late[c.late])
		}
		for ; c.first < stop && len(batch) < most; c.first++ {
			if !bit(dead, c.first) {
				batch = append(batch, c.first)
			}
		}
		if len(batch) == most || c.late == c.lateEnd {
			return batch
		}
		batch = append(batch, c.table.late[c.late])
		c.late, c.anchored = c.late+1, false
	}
}

// behind is the first row of the range that comes after a late row.
func (c *candidates) behind(late uint32) uint32 {
	if !c.anchored {
		c.anchored = true
		c.anchor = c.first + uint32(sort.Search(int(c.end-c.first), func(i int) bool { return c.table.compare(c.first+uint32(i), late) > 0 }))
	}
	return c.anchor
}

// candidates chooses where to look for the rows of the set; those before a
// position are not wanted.
func (s *nodeSet) candidates(r *run, ordered bool, from position) candidates {
	c := s.chosen(r)
	s.settle(r, &c, ordered, from)
	return c
}

// chosen are the fewest candidates, in any order.
func (s *nodeSet) chosen(r *run) candidates {
	c := s.table.all()
	if s.keys >= 0 {
		c.list, c.listed = r.args[s.keys].rows, true
		return c
	}
	for i := range s.access {
		s.access[i].limit(r, &c)
	}
	s.choose(r, &c)
	return c
}

// settle brings the candidates into order, without those before a position.
func (s *nodeSet) settle(r *run, c *candidates, ordered bool, from position) {
	t := s.table
	c.byKey = ordered
	c.narrow(from.row, t.ordered, from.late, len(t.late))
	if !c.listed {
		return
	}
	whole := c.first == 0 && c.end == t.ordered && c.late == 0 && c.lateEnd == len(t.late)
	if whole && (!ordered || t.late == nil && slices.IsSorted(c.list)) {
		return
	}
	own := c.owned
	if own == nil {
		own = append(r.list(), c.list...)
	}
	own = t.alive(own)
	if !whole {
		own = keep(own, func(row uint32) bool { return c.has(t, row) })
	}
	if ordered {
		t.sort(r, own)
	}
	c.list, c.owned = own, own
}
