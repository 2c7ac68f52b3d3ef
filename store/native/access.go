package native

import (
	"slices"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
)

// access is a condition on the first part of the key, in whose order the rows
// stand, and by which they can be found.
type access struct {
	comparison
	table *table
	// key says that the property is the whole key, and is compared for equality;
	// ordered that rows stand in its order, and arg is its range then.
	key, ordered bool
	arg          int
	// ranged says that the property is the first of the key, in whose order rows
	// stand without being numbers.
	ranged bool
}

// paths lists the conditions of a set that must hold and by which its rows can
// be found, by key and by index. covered says that there are no other conditions
// than those of the indexes.
func (lw *lowering) paths(t *table, s *compile.NodeSet) (list []access, spans []*span, covered bool) {
	covered = true
	var collect func(c compile.Cond)
	collect = func(c compile.Cond) {
		switch c := c.(type) {
		case nil:
			return
		case compile.And:
			for _, part := range c {
				collect(part)
			}
			return
		case compile.Const:
			if c {
				return
			}
		case compile.Compare:
			if a, ok := lw.byKey(t, c); ok {
				list = append(list, a)
				break
			}
			var ok bool
			if spans, ok = lw.span(spans, t, c); ok {
				return
			}
		}
		covered = false
	}
	collect(s.Cond)
	collect(s.Guard())
	return list, spans, covered
}

// byKey is the access by a condition on the key, or its first part.
func (lw *lowering) byKey(t *table, c compile.Compare) (access, bool) {
	a := access{table: t, comparison: comparison{column: t.column(c.Property), op: c.Op, slot: c.Slot, n: 1}}
	if c.Op == graph.In {
		a.n = listClass(c.N)
	}
	if len(t.key) == 0 || t.key[0] != a.column {
		return a, false
	}
	a.key = len(t.key) == 1 && (c.Op == graph.Eq || c.Op == graph.In && c.N > 0)
	switch c.Op {
	case graph.Eq, graph.Lt, graph.Lte, graph.Gt, graph.Gte:
		switch {
		case a.key:
		case a.column.kind <= codeColumn && a.column.kind != floatColumn:
			a.ordered, a.arg = true, lw.rangeOf(a.comparison)
		case a.column.kind >= textColumn:
			a.ranged = true
		default:
			return a, false
		}
		return a, true
	}
	return a, a.key
}

// limit restricts candidates to those that fulfil the access's condition, where
// that is cheap.
func (a *access) limit(r *run, c *candidates) {
	if a.op == graph.In {
		a.listed(r, c)
		return
	}
	if a.key {
		row, ok := r.tables.graph.Find(a.table.label, r.params[a.slot:a.slot+1])
		switch {
		case !ok:
			c.narrow(0, 0, 0, 0)
		case row < a.table.ordered:
			c.narrow(row, row+1, 0, 0)
		default:
			at := a.table.lateAt(row)
			c.narrow(0, 0, at, at+1)
		}
		return
	}
	if a.ordered {
		lo, hi := r.args[a.arg].lo, r.args[a.arg].hi
		first := a.table.search(func(row uint32) bool { return a.column.number(row) >= lo })
		end := a.table.search(func(row uint32) bool { return a.column.number(row) > hi })
		c.narrow(first.row, end.row, first.late, end.late)
		return
	}
	at := r.params[a.slot : a.slot+1]
	var lo, hi []graph.Value
	if a.op == graph.Eq || a.op == graph.Gt || a.op == graph.Gte {
		lo = at
	}
	if a.op == graph.Eq || a.op == graph.Lt || a.op == graph.Lte {
		hi = at
	}
	first, end, late := r.tables.graph.KeyRange(a.table.label, lo, hi)
	before := 0
	if len(late) > 0 {
		before = a.table.lateAt(late[0])
	}
	c.narrow(first, end, before, before+len(late))
}

// listed restricts candidates to the rows with one of several keys.
func (a *access) listed(r *run, c *candidates) {
	own := r.list()
	for i := range a.n {
		if row, ok := r.tables.graph.Find(a.table.label, r.params[int(a.slot)+i:][:1]); ok {
			own = append(own, row)
		}
		if (len(own))*listedPays > c.count() {
			r.giveList(own)
			return
		}
	}
	slices.Sort(own) // a list is filled up with its last value
	own = slices.Compact(own)
	c.giveBack(r)
	c.list, c.listed, c.owned = own, true, own
}
