package native

import (
	"math"
	"slices"
)

// rangeTest holds where a number lies in the arg's range, or, inverted, where it
// does not.
type rangeTest[T int32 | int64 | uint32] struct {
	column *column
	values []T
	arg    int
	invert bool
}

func (t rangeTest[T]) holds(r *run, row uint32) bool {
	a := &r.args[t.arg]
	v := int64(t.values[row])
	return (a.lo <= v && v <= a.hi) != t.invert && !t.column.null(row)
}

func (t rangeTest[T]) narrow(r *run, rows []uint32) []uint32 {
	lo, size, ok := r.args[t.arg].circle(t.invert)
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
	return t.valued(rows[:n])
}

// fill appends the rows of [first, end) that hold: narrow of all of them.
func (t rangeTest[T]) fill(r *run, dst []uint32, first, end uint32) []uint32 {
	lo, size, ok := r.args[t.arg].circle(t.invert)
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
	return dst[:len(dst)+len(t.valued(rows[:n]))]
}

// valued leaves out the rows whose value is null.
func (t rangeTest[T]) valued(rows []uint32) []uint32 {
	if t.column.Nulls == nil {
		return rows
	}
	return keep(rows, func(row uint32) bool { return !t.column.null(row) })
}

// circle is the arg's range, or all that is outside it, as the numbers v of which
// v-lo, which may wrap round, is at most size: one comparison. It reports false
// where no number is.
func (a *arg) circle(invert bool) (lo int64, size uint64, ok bool) {
	if a.lo > a.hi {
		return 0, math.MaxUint64, invert
	}
	lo, size = a.lo, uint64(a.hi-a.lo)
	if invert {
		return a.hi + 1, math.MaxUint64 - 1 - size, size < math.MaxUint64
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
		default:
			continue
		}
		return fill, conjunction(slices.Delete(slices.Clone(parts), i, i+1)...)
	}
	return nil, t
}
