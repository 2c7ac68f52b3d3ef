package native

import (
	"math"
	"slices"
)

// An arg is what a leaf of a test compares with in one run.
type arg struct {
	// lo and hi bound the values that fulfil a range, both included; there are
	// none where lo is over hi. Values are integers in the column's order: see
	// column.number.
	lo, hi int64
	list   []int64  // sorted
	rows   []uint32 // ascending
	texts  []string
	// first and words are where the run's bits have a set of codes.
	first, words int
}

// forget lets go of the values of a call.
func (a *arg) forget() {
	clear(a.texts)
	*a = arg{list: a.list[:0], rows: a.rows[:0], texts: a.texts[:0]}
}

func (a *arg) none() { a.lo, a.hi = 1, 0 }

// number is the value of a row that is not null as an integer in the column's
// order. Columns of texts without a dictionary have none.
func (c *column) number(row uint32) int64 {
	switch c.kind {
	case smallColumn:
		return int64(c.Small[row])
	case largeColumn:
		return c.Large[row]
	case floatColumn:
		return orderedFloat(c.Large[row])
	case codeColumn:
		return int64(c.Codes[row])
	case boolColumn:
		if bit(c.Set, row) {
			return 1
		}
	}
	return 0
}

// orderedFloat turns the bits of a float into an integer that compares as the
// float does.
func orderedFloat(bits int64) int64 { return bits ^ int64(uint64(bits>>63)>>1) }

func orderedOf(f float64) int64 { return orderedFloat(int64(math.Float64bits(f))) }

// numberTest is rangeTest for booleans.
type numberTest struct {
	column *column
	arg    int
	invert bool
}

func (t numberTest) holds(r *run, row uint32) bool {
	a := &r.args[t.arg]
	v := t.column.number(row)
	return (a.lo <= v && v <= a.hi) != t.invert && !t.column.null(row)
}

func (t numberTest) narrow(r *run, rows []uint32) []uint32 {
	return keep(rows, func(row uint32) bool { return t.holds(r, row) })
}

// listTest holds where a number is one of the arg's list.
type listTest struct {
	comparison
	arg int
}

func (t listTest) holds(r *run, row uint32) bool {
	if t.column.null(row) {
		return false
	}
	_, found := slices.BinarySearch(r.args[t.arg].list, t.column.number(row))
	return found != t.invert
}

func (t listTest) narrow(r *run, rows []uint32) []uint32 {
	list := r.args[t.arg].list
	return t.column.valued(keep(rows, func(row uint32) bool {
		_, found := slices.BinarySearch(list, t.column.number(row))
		return found != t.invert
	}))
}

// codeTest holds where a code is in the arg's set.
type codeTest struct {
	column *column
	arg    int
	invert bool
}

func (t codeTest) holds(r *run, row uint32) bool {
	a := &r.args[t.arg]
	return bit(r.bits[a.first:a.first+a.words], t.column.Codes[row]) != t.invert && !t.column.null(row)
}

func (t codeTest) narrow(r *run, rows []uint32) []uint32 {
	a := &r.args[t.arg]
	set, codes, invert, n := r.bits[a.first:a.first+a.words], t.column.Codes, t.invert, 0
	for _, row := range rows {
		rows[n] = row
		if bit(set, codes[row]) != invert {
			n++
		}
	}
	return t.column.valued(rows[:n])
}
