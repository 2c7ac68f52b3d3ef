package native

import (
	"math"
	"slices"
)

// rangeTest holds where a number lies in a range, or, inverted, where it does not.
type rangeTest[T int32 | int64 | uint32] struct {
	column *column
	values []T
	bounds
}

func (t rangeTest[T]) holds(r *run, row uint32) bool {
	lo, hi := t.bounds.of(r)
	v := int64(t.values[row])
	return (lo <= v && v <= hi) != t.invert && !t.column.null(row)
}

func (t rangeTest[T]) narrow(r *run, rows []uint32) []uint32 {
	lo, size, ok := t.circle(r)
	if !ok {
		return rows[:0]
	}
	n, values := 0, t.values
	for _, row := range rows {
		rows[n] = row
		if uint64(int64(values[row])-lo) <= size {
			n++
		}
	}
	return t.column.valued(rows[:n])
}

// fill appends the rows of [first, end) that hold: narrow of all of them.
func (t rangeTest[T]) fill(r *run, dst []uint32, first, end uint32) []uint32 {
	lo, size, ok := t.circle(r)
	if !ok || first >= end {
		return dst
	}
	values := t.values[first:end]
	dst = slices.Grow(dst, len(values))
	rows, n := dst[len(dst):][:len(values)], 0
	for i, v := range values {
		rows[n] = first + uint32(i)
		if uint64(int64(v)-lo) <= size {
			n++
		}
	}
	return dst[:len(dst)+len(t.column.valued(rows[:n]))]
}

func (t rangeTest[T]) and(other test) test {
	if o, same := other.(rangeTest[T]); same && t.column == o.column && t.bounds.join(o.bounds) {
		return t
	}
	return nil
}

// valued leaves out the rows whose value is null.
func (c *column) valued(rows []uint32) []uint32 {
	if c.Nulls == nil {
		return rows
	}
	return keep(rows, func(row uint32) bool { return !c.null(row) })
}

// bounds are the range of an arg, or of two args what lies in both; or, inverted,
// all that is outside the range of one.
type bounds struct {
	arg, second int // second is -1 for none
	invert      bool
}

// join makes bounds those of two conditions that both hold, and reports whether
// they can be.
func (b *bounds) join(o bounds) bool {
	if b.invert || o.invert || b.second >= 0 || o.second >= 0 {
		return false
	}
	b.second = o.arg
	return true
}

// of is the range in a run: there is nothing in it where lo is over hi.
func (b *bounds) of(r *run) (lo, hi int64) {
	a := &r.args[b.arg]
	if b.second < 0 {
		return a.lo, a.hi
	}
	s := &r.args[b.second]
	return max(a.lo, s.lo), min(a.hi, s.hi)
}

// circle is what is within the bounds, as the numbers v of which v-lo, which may
// wrap round, is at most size: one comparison. It reports false where no number
// is.
func (b *bounds) circle(r *run) (lo int64, size uint64, ok bool) {
	lo, hi := b.of(r)
	if lo > hi {
		return 0, math.MaxUint64, b.invert
	}
	size = uint64(hi - lo)
	if b.invert {
		return hi + 1, math.MaxUint64 - 1 - size, size < math.MaxUint64
	}
	return lo, size, true
}

// filler takes out of a conjunction a part that fills batches of rows, which
// saves to make them first; it is nil where there is none.
func filler(t test) (fill func(r *run, dst []uint32, first, end uint32) []uint32, rest test) {
	parts, several := t.(allOf)
	if !several {
		parts = allOf{t}
	}
	for i, part := range parts {
		switch part := part.(type) {
		case rangeTest[int32]:
			fill = part.fill
		case rangeTest[uint32]:
			fill = part.fill
		case rangeTest[int64]:
			fill = part.fill
		case floatTest:
			fill = part.fill
		default:
			continue
		}
		return fill, conjunction(slices.Delete(slices.Clone(parts), i, i+1)...)
	}
	return nil, t
}
