package native

import (
	"math"
	"math/bits"
	"slices"
)

// A page by its offset is found in the same pass that counts what there is. In
// the order of keys, rows are counted and those of the page are kept. In another
// order the first of it are kept, as many as end with the page; where these are
// many, all rows are, and what stands before the page and behind it is parted from
// it without being sorted. An order that has an index needs none of this: see
// inorder.go.

// page returns the rows of a page, at most so many, in order, and how many rows
// there are in all.
func (f *find) page(r *run, offset, most int) ([]ranked, int64) {
	if f.order.byRow {
		return f.pageByKey(r, offset, most)
	}
	c := f.nodes.candidates(r, false, position{})
	defer c.giveBack(r)
	if offset >= c.count() || c.total >= 0 && offset >= c.total { // beyond the end: there is nothing to sort
		f.nodes.prepare(r, c.count())
		return nil, f.count(r, c)
	}
	if found, total, ok := f.pageInOrder(r, c, offset, most); ok {
		return found, total
	}
	parted := offset+most > mostKept
	wanted := offset + most
	if parted {
		wanted = math.MaxInt
	}
	t, total := f.first(r, c, wanted)
	var found []ranked
	if parted {
		found = t.part(offset, most)
	} else {
		found = t.sorted()[min(offset, len(t.heap)):]
	}
	if cap(r.ranked) > mostRanked {
		r.ranked = nil
	}
	return found, total
}

// mostKept is how many of the first rows are kept in their order; of more of them
// it is faster to part them.
const mostKept = 1024

// mostRanked is how many entries of an order a run keeps memory for.
const mostRanked = 1 << 16

// part returns the entries from a position on, at most so many, in order, of a
// top that keeps all. The others are left as they come.
func (t *top) part(from, most int) []ranked {
	from = min(from, len(t.heap))
	to := min(from+most, len(t.heap))
	t.split(t.heap, from)
	t.split(t.heap[from:], to-from)
	page := t.heap[from:to]
	slices.SortFunc(page, t.order)
	return page
}

// split brings the first n entries of a list before the others: quickselect, with
// the median of three as its pivot. Where that goes wrong too often, it sorts.
func (t *top) split(list []ranked, n int) {
	for tries := 2 * bits.Len(uint(len(list))); len(list) > 12 && n > 0 && n < len(list); tries-- {
		if tries == 0 {
			break
		}
		a, b, c := list[0], list[len(list)/2], list[len(list)-1]
		if t.order(a, b) > 0 {
			a, b = b, a
		}
		if t.order(b, c) > 0 {
			if b = c; t.order(a, b) > 0 {
				b = a
			}
		}
		i, j := 0, len(list)-1
		for i <= j {
			for t.order(list[i], b) < 0 {
				i++
			}
			for t.order(list[j], b) > 0 {
				j--
			}
			if i <= j {
				list[i], list[j] = list[j], list[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case n <= j:
			list = list[:j+1]
		case n >= i:
			list, n = list[i:], n-i
		default:
			return
		}
	}
	if n > 0 && n < len(list) {
		slices.SortFunc(list, t.order)
	}
}

// pageByKey is page in the order of keys.
func (f *find) pageByKey(r *run, offset, most int) ([]ranked, int64) {
	if f.nodes.whole() {
		return f.pageOfAll(r, offset, most)
	}
	c := f.nodes.inOrder(r, offset+most)
	defer c.giveBack(r)
	found, seen := r.ranked[:0], 0
	if c.total < 0 || offset < c.total {
		f.nodes.prepare(r, c.count())
		if c.total < 0 {
			c.total = f.nodes.total(r)
		}
		f.nodes.scan(r, c, func(rows []uint32) bool {
			if first := max(0, offset-seen); first < len(rows) {
				for _, row := range rows[first:min(len(rows), first+most-len(found))] {
					found = append(found, ranked{row: row})
				}
			}
			seen += len(rows)
			return c.total < 0 || len(found) < most
		})
	}
	r.ranked = found
	if c.total >= 0 {
		seen = c.total
	}
	return found, int64(seen)
}

// inOrder are the candidates in the order of keys, of which so many rows are
// wanted. Where it is known how many there are, most of them need not be looked
// at: then those of an index are not brought into order, if a scan is likely to
// find enough sooner.
func (s *nodeSet) inOrder(r *run, wanted int) candidates {
	c := s.chosen(r)
	if t := s.table; c.listed && c.total > 0 && wanted*int(t.count)/c.total < c.total {
		c.giveBack(r)
		total := c.total
		c = t.all()
		c.total = total
	}
	s.settle(r, &c, true, position{})
	return c
}

// pageOfAll is pageByKey of all nodes of the label, whose number is known.
func (f *find) pageOfAll(r *run, offset, most int) ([]ranked, int64) {
	t := f.nodes.table
	found, total := r.ranked[:0], int(t.living)
	if offset >= total {
		return nil, int64(total)
	}
	c := t.all()
	c.byKey = true
	if c.table == nil {
		c.first += uint32(offset)
		offset = 0
	}
	batch := r.list()
	for r.tick(len(batch)) && len(found) < most && c.count() > 0 {
		batch = c.next(batch[:0], batchRows)
		passed := min(offset, len(batch))
		offset -= passed
		for _, row := range batch[passed:min(len(batch), passed+most-len(found))] {
			found = append(found, ranked{row: row})
		}
	}
	r.giveList(batch)
	r.ranked = found
	return found, int64(total)
}

// whole reports whether the set has all nodes of its label.
func (s *nodeSet) whole() bool { return s.keys < 0 && s.plain == nil && len(s.related) == 0 }

// count counts the rows of the set among candidates, with the semi-joins ready.
func (f *find) count(r *run, c candidates) int64 {
	if c.total < 0 {
		c.total = f.nodes.total(r)
	}
	if c.total >= 0 {
		return int64(c.total)
	}
	n := workers(&c)
	if n == 1 {
		r.matched = f.countOf(r, c)
		return r.matched
	}
	r.prepareAll(c.count())
	total := int64(0)
	for i, w := range r.inParallel(n, func(r *run, i int) { r.matched = f.countOf(r, c.part(i, n)) }) {
		total += w.matched
		if i > 0 {
			r.join(w)
		}
	}
	return total
}

// countOf is count on one processor.
func (f *find) countOf(r *run, c candidates) (total int64) {
	f.nodes.scan(r, c, func(rows []uint32) bool {
		total += int64(len(rows))
		return true
	})
	return total
}
