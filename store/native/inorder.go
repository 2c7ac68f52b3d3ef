package native

import (
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store/memory"
)

// Where a page is in the order of one indexed property, its rows are taken from
// the index, in that order and with the set's tests on the way, until the page
// ends. What there is in all is counted apart, without ordering it.

// walkPays is how many times fewer rows of the index are looked at, at most, than
// there are candidates: after so many the page is found in the other way.
const walkPays = 4

// An indexWalk goes through the rows of an index in the order of their values, or from
// the greatest down; rows of one value are in the order of keys in both.
type indexWalk struct {
	column *column
	desc   bool
	// rest are the rows to come. Downwards group are those of one value, of which
	// the rows come first.
	rest, group []uint32
	// ends says that no row of the set comes behind the index: those without a
	// value do, where no condition keeps them off.
	ends bool
}

// walk returns the walk through the index in the order's order, as far as the
// set's own conditions on the property leave it; false where there is no such
// index, or where the order has to be told of late rows too.
func (f *find) walk(r *run) (indexWalk, bool) {
	o := f.order
	if o.keys[0].column == nil || !o.keys[0].column.property.Index || o.seek != nil || o.table.late != nil {
		return indexWalk{}, false
	}
	w := indexWalk{column: o.keys[0].column, desc: o.keys[0].desc, ends: o.keys[0].column.Nulls == nil}
	for _, s := range f.nodes.spans {
		if s.column == w.column && s.parts[0].op != graph.In {
			w.rest, w.ends = s.within(r, s.rows), true
			return w, true
		}
	}
	rows, late, ok := r.tables.graph.RowParts(o.table.label, w.column.property, memory.Bound{}, memory.Bound{})
	w.rest = rows
	return w, ok && len(late) == 0
}

// next appends the next rows, at most so many; none at the end.
func (w *indexWalk) next(batch []uint32, most int) []uint32 {
	if !w.desc {
		n := min(most, len(w.rest))
		batch, w.rest = append(batch, w.rest[:n]...), w.rest[n:]
		return batch
	}
	for most > 0 {
		if len(w.group) == 0 {
			if len(w.rest) == 0 {
				break
			}
			first := w.first()
			w.rest, w.group = w.rest[:first], w.rest[first:]
		}
		n := min(most, len(w.group))
		batch, w.group, most = append(batch, w.group[:n]...), w.group[n:], most-n
	}
	return batch
}

// first is where the rows begin whose value is that of the last row: most values
// have few rows.
func (w *indexWalk) first() int {
	n := len(w.rest)
	return n - firstOf(n, func(i int) bool { return w.column.compareRows(w.rest[n-1-i], w.rest[n-1], false) != 0 })
}

// value takes all the rows of the next value; none at the end.
func (w *indexWalk) value() []uint32 {
	n := len(w.rest)
	if n == 0 {
		return nil
	}
	var rows []uint32
	if w.desc {
		first := w.first()
		w.rest, rows = w.rest[:first], w.rest[first:]
	} else {
		end := firstOf(n, func(i int) bool { return w.column.compareRows(w.rest[i], w.rest[0], false) != 0 })
		rows, w.rest = w.rest[:end], w.rest[end:]
	}
	return rows
}

// pageInOrder is page by the index on the property that orders it. It reports
// false where there is none, and where it would have to look at too much of it.
func (f *find) pageInOrder(r *run, c candidates, offset, most int) ([]ranked, int64, bool) {
	s := f.nodes
	if s.keys >= 0 {
		return nil, 0, false
	}
	w, ok := f.walk(r)
	if !ok {
		return nil, 0, false
	}
	if f.order.ties != nil {
		return f.pageByValues(r, w, c, offset, most)
	}
	left := c.count() / walkPays
	if s.whole() || s.exact != nil && s.exact.column == w.column {
		left = len(w.rest)
	}
	if left < offset+most && !(left == len(w.rest) && w.ends) {
		return nil, 0, false
	}
	s.prepare(r, c.count())
	found, seen := r.ranked[:0], 0
	batch := r.list()
	for size := 64; len(found) < most; size = min(2*size, batchRows) {
		batch = w.next(batch[:0], min(size, left))
		if !r.tick(len(batch)) || len(batch) == 0 {
			break
		}
		left -= len(batch)
		rows := s.semis(r, narrow(r, s.plain, s.table.alive(batch)), nil)
		if first := max(0, offset-seen); first < len(rows) {
			for _, row := range rows[first:min(len(rows), first+most-len(found))] {
				found = append(found, ranked{row: row})
			}
		}
		seen += len(rows)
	}
	r.giveList(batch)
	r.ranked = found
	if ended := len(w.rest)+len(w.group) == 0 && w.ends; len(found) < most && !ended {
		return nil, 0, false
	}
	return found, f.countAll(r, c), true
}

// countAll is count, also where the set is the whole label.
func (f *find) countAll(r *run, c candidates) int64 {
	if f.nodes.whole() {
		return int64(f.nodes.table.living)
	}
	return f.count(r, c)
}

// pageByValues is pageInOrder where the index orders by the first of several
// keys: the rows of one value after the other are ordered by the others.
func (f *find) pageByValues(r *run, w indexWalk, c candidates, offset, most int) ([]ranked, int64, bool) {
	s, left := f.nodes, c.count()
	if offset+most > mostKept {
		return nil, 0, false
	}
	s.prepare(r, left)
	found := r.ranked[:0]
	batch := r.list()
	for len(found) < most && r.err == nil {
		rows := w.value()
		if left -= len(rows); len(rows) == 0 || left < 0 {
			break
		}
		t := top{most: offset + most - len(found), by: f.order.ties, run: r, heap: r.tied[:0]}
		for len(rows) > 0 && r.tick(min(len(rows), batchRows)) {
			n := min(len(rows), batchRows)
			batch, rows = append(batch[:0], rows[:n]...), rows[n:]
			f.order.ties.offer(r, &t, s.semis(r, narrow(r, s.plain, s.table.alive(batch)), nil), 0)
		}
		first := t.sorted()
		passed := min(offset, len(first))
		for _, e := range first[passed:] {
			found = append(found, ranked{row: e.row})
		}
		offset, r.tied = offset-passed, t.heap
	}
	r.giveList(batch)
	r.ranked = found
	if len(found) < most && (left < 0 || len(w.rest) > 0 || !w.ends) {
		return nil, 0, false
	}
	return found, f.countAll(r, c), true
}
