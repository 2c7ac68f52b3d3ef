package native

import (
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
)

// A test says of rows of one label or pair whether a condition is true. What it
// compares with are the run's args. A nil test holds for all rows.
type test interface {
	holds(r *run, row uint32) bool
	// narrow keeps the rows that hold, in their order and in the same slice.
	narrow(r *run, rows []uint32) []uint32
}

// narrow keeps the rows for which a test holds, nil included.
func narrow(r *run, t test, rows []uint32) []uint32 {
	if t == nil || len(rows) == 0 {
		return rows
	}
	return t.narrow(r, rows)
}

func holds(r *run, t test, row uint32) bool { return t == nil || t.holds(r, row) }

// keep keeps the rows for which a function holds.
func keep(rows []uint32, holds func(row uint32) bool) []uint32 {
	n := 0
	for _, row := range rows {
		if holds(row) {
			rows[n] = row
			n++
		}
	}
	return rows[:n]
}

// allOf holds where all its tests do.
type allOf []test

func (t allOf) holds(r *run, row uint32) bool {
	for _, part := range t {
		if !part.holds(r, row) {
			return false
		}
	}
	return true
}

func (t allOf) narrow(r *run, rows []uint32) []uint32 {
	for _, part := range t {
		if len(rows) == 0 {
			break
		}
		rows = part.narrow(r, rows)
	}
	return rows
}

// anyOf holds where one of its tests does.
type anyOf []test

func (t anyOf) holds(r *run, row uint32) bool {
	for _, part := range t {
		if part.holds(r, row) {
			return true
		}
	}
	return false
}

func (t anyOf) narrow(r *run, rows []uint32) []uint32 {
	return keep(rows, func(row uint32) bool { return t.holds(r, row) })
}

// never holds nowhere.
type never struct{}

func (never) holds(*run, uint32) bool               { return false }
func (never) narrow(_ *run, rows []uint32) []uint32 { return rows[:0] }

// nullTest holds where a column is null, or where it is not.
type nullTest struct {
	column *column
	null   bool
}

func (t nullTest) holds(_ *run, row uint32) bool { return t.column.null(row) == t.null }

func (t nullTest) narrow(r *run, rows []uint32) []uint32 {
	if t.column.Nulls == nil {
		if t.null {
			return rows[:0]
		}
		return rows
	}
	return keep(rows, func(row uint32) bool { return t.holds(r, row) })
}

// with adds a test, to that of another bound of the same column where there is
// one.
func (t allOf) with(part test) allOf {
	if b, ranged := part.(joinable); ranged {
		for i, have := range t {
			if both := b.and(have); both != nil {
				t[i] = both
				return t
			}
		}
	}
	return append(t, part)
}

// A joinable test can be one with another.
type joinable interface {
	// and returns the test that both hold; nil where that is no test of its kind.
	and(other test) test
}

// lowering turns the conditions and node sets of a plan into those of a program.
type lowering struct {
	*tables
	semis  []*semi
	binds  []bindFunc
	guards map[*table]test
	// shared are the args that a comparison makes in one of its ways, since what
	// tests it may also look for it in an index.
	shared map[sharedArg]int
}

type sharedArg struct {
	comparison
	way byte
}

// A bindFunc makes an arg of the values of a call.
type bindFunc func(r *run, a *arg)

// arg reserves an arg, which bind makes at the begin of every run.
func (lw *lowering) arg(bind bindFunc) int {
	lw.binds = append(lw.binds, bind)
	return len(lw.binds) - 1
}

// argOf is arg for a comparison, which has one for each of the ways to bind it.
func (lw *lowering) argOf(c comparison, way byte, bind bindFunc) int {
	c.invert = false
	key := sharedArg{c, way}
	n, known := lw.shared[key]
	if !known {
		n = lw.arg(bind)
		lw.shared[key] = n
	}
	return n
}

func (lw *lowering) rangeOf(c comparison) int { return lw.argOf(c, 'r', c.bindRange) }
func (lw *lowering) listOf(c comparison) int  { return lw.argOf(c, 'l', c.bindList) }
func (lw *lowering) textsOf(c comparison) int { return lw.argOf(c, 't', c.bindTexts) }

// test returns the test that a condition is true, or, with want false, that it
// is false. Neither holds where it is unknown.
func (lw *lowering) test(o owner, c compile.Cond, want bool) test {
	switch c := c.(type) {
	case nil:
		if want {
			return nil
		}
		return never{}
	case compile.And:
		return lw.joined(o, c, want, want)
	case compile.Or:
		return lw.joined(o, c, want, !want)
	case compile.Not:
		return lw.test(o, c.Cond, !want)
	case compile.Const:
		if bool(c) == want {
			return nil
		}
		return never{}
	case compile.Search:
		return lw.search(o, c, want)
	case compile.Compare:
		return lw.compare(o, c, want)
	case compile.Exists:
		s := lw.exists(o.table, c.Steps)
		s.none = !want
		return semiTest{s}
	}
	return never{}
}

// joined returns the test that all, or that one of some conditions are what is
// wanted.
func (lw *lowering) joined(o owner, list []compile.Cond, want, all bool) test {
	var parts []test
	for _, c := range list {
		t := lw.test(o, c, want)
		switch {
		case t == nil && !all:
			return nil
		case t == nil:
		default:
			parts = append(parts, t)
		}
	}
	if all {
		return conjunction(parts...)
	}
	if len(parts) == 0 {
		return never{}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return anyOf(parts)
}

// conjunction returns the test that all of some tests hold; nil ones do.
func conjunction(list ...test) test {
	var parts allOf
	for _, t := range list {
		switch t := t.(type) {
		case nil:
		case allOf:
			for _, part := range t {
				parts = parts.with(part)
			}
		default:
			parts = parts.with(t)
		}
	}
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	return parts
}

// opposite is the operator that is true where another is false.
var opposite = map[graph.Op]graph.Op{
	graph.Eq: graph.Ne, graph.Ne: graph.Eq, graph.Lt: graph.Gte, graph.Gte: graph.Lt,
	graph.Gt: graph.Lte, graph.Lte: graph.Gt, graph.In: graph.NotIn, graph.NotIn: graph.In,
}

// compare returns the test of one comparison.
func (lw *lowering) compare(o owner, c compile.Compare, want bool) test {
	col := o.column(c.Property)
	if c.Op == graph.IsNull {
		return nullTest{col, c.Null == want}
	}
	op, invert := c.Op, false
	if !want {
		if op = opposite[c.Op]; op == "" { // a pattern
			op, invert = c.Op, true
		}
	}
	if op == graph.Ne {
		op, invert = graph.Eq, true
	}
	if op == graph.NotIn {
		op, invert = graph.In, true
	}
	n := 1
	if op == graph.In {
		n = listClass(c.N)
	}
	return lw.comparison(comparison{column: col, op: op, invert: invert, slot: c.Slot, n: n})
}

// listClass is how many slots a list of n values takes: the next power of two,
// filled up with its last value, so that one program serves all of a class.
func listClass(n int) int {
	if n == 0 {
		return 0
	}
	class := 1
	for class < n {
		class *= 2
	}
	return class
}

// A comparison compares a column with n slots. Its operator is none of ne and
// not_in; invert turns it round instead. Null fulfils neither.
type comparison struct {
	column *column
	op     graph.Op
	invert bool
	slot   compile.Slot
	n      int
}

func (lw *lowering) comparison(c comparison) test {
	col := c.column
	pattern := c.op == graph.Contains || c.op == graph.EndsWith || c.op == graph.StartsWith
	switch {
	case col.lexicon != nil && c.op == graph.In:
		return codeTest{column: col, invert: c.invert, arg: lw.arg(c.bindCodes)}
	case col.lexicon != nil && c.op == graph.Eq:
		return rangeTest[uint32]{col, col.Codes, bounds{lw.rangeOf(c), -1, c.invert}}
	case col.lexicon != nil && len(col.Dict) <= smallDict:
		return codeTest{column: col, invert: c.invert, arg: lw.arg(c.bindWords)}
	case col.kind == textColumn, col.kind == numberColumn, pattern && col.kind == codeColumn && !c.ranged() && len(col.Dict) > smallDict:
		return textTest{comparison: c, arg: lw.textsOf(c)}
	case c.op == graph.In && col.kind == codeColumn, pattern && !c.ranged():
		return codeTest{column: col, invert: c.invert, arg: lw.arg(c.bindCodes)}
	case c.op == graph.In:
		return listTest{comparison: c, arg: lw.listOf(c)}
	}
	arg := lw.rangeOf(c)
	switch col.kind {
	case smallColumn:
		return rangeTest[int32]{col, col.Small, bounds{arg, -1, c.invert}}
	case codeColumn:
		return rangeTest[uint32]{col, col.Codes, bounds{arg, -1, c.invert}}
	case floatColumn:
		return floatTest{col, bounds{arg, -1, c.invert}}
	case largeColumn:
		return rangeTest[int64]{col, col.Large, bounds{arg, -1, c.invert}}
	}
	return numberTest{column: col, arg: arg, invert: c.invert}
}

// smallDict is the size up to which a pattern is matched with every text of a
// dictionary beforehand.
const smallDict = 4096

// ranged reports whether the values that fulfil the comparison stand side by
// side in the column's order.
func (c *comparison) ranged() bool {
	switch c.op {
	case graph.In, graph.Contains, graph.EndsWith:
		return false
	case graph.StartsWith:
		return c.column.kind == codeColumn && c.column.Dict != nil
	}
	return true
}
