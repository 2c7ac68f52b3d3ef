package native

import "slices"

// floatTest is rangeTest for floats, whose bits are compared as integers.
type floatTest struct {
	column *column
	bounds
}

func (t floatTest) holds(r *run, row uint32) bool {
	lo, hi := t.bounds.of(r)
	v := orderedFloat(t.column.Large[row])
	return (lo <= v && v <= hi) != t.invert && !t.column.null(row)
}

func (t floatTest) narrow(r *run, rows []uint32) []uint32 {
	lo, size, ok := t.circle(r)
	if !ok {
		return rows[:0]
	}
	n, values := 0, t.column.Large
	for _, row := range rows {
		rows[n] = row
		if uint64(orderedFloat(values[row])-lo) <= size {
			n++
		}
	}
	return t.column.valued(rows[:n])
}

// fill appends the rows of [first, end) that hold: narrow of all of them.
func (t floatTest) fill(r *run, dst []uint32, first, end uint32) []uint32 {
	lo, size, ok := t.circle(r)
	if !ok || first >= end {
		return dst
	}
	values := t.column.Large[first:end]
	dst = slices.Grow(dst, len(values))
	rows, n := dst[len(dst):][:len(values)], 0
	for i, v := range values {
		rows[n] = first + uint32(i)
		if uint64(orderedFloat(v)-lo) <= size {
			n++
		}
	}
	return dst[:len(dst)+len(t.column.valued(rows[:n]))]
}

func (t floatTest) and(other test) test {
	if o, same := other.(floatTest); same && t.column == o.column && t.bounds.join(o.bounds) {
		return t
	}
	return nil
}
