package native

import (
	"slices"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// access is a condition by which rows can be found: the first part of the key,
// in whose order the rows stand, or an indexed property.
type access struct {
	comparison
	table *table
	// key says that the property is the whole key, ordered that rows stand in
	// its order, and arg is its range then.
	key, ordered bool
	arg          int
	// ranged says that the property is the first of the key, in whose order rows
	// stand without being numbers.
	ranged bool
}

// paths lists the conditions of a set that must hold and by which its rows can
// be found.
func (lw *lowering) paths(t *table, s *compile.NodeSet) []access {
	var out []access
	var collect func(c compile.Cond)
	collect = func(c compile.Cond) {
		switch c := c.(type) {
		case compile.And:
			for _, part := range c {
				collect(part)
			}
		case compile.Compare:
			a := access{table: t, comparison: comparison{column: t.column(c.Property), op: c.Op, slot: c.Slot, n: listClass(c.N)}}
			switch c.Op {
			case graph.Eq, graph.Lt, graph.Lte, graph.Gt, graph.Gte:
				first := len(t.key) > 0 && t.key[0] == a.column
				switch {
				case first && len(t.key) == 1 && c.Op == graph.Eq:
					a.key = true
					out = append(out, a)
				case first && a.column.kind <= codeColumn && a.column.kind != floatColumn:
					a.ordered, a.arg = true, lw.arg(a.bindRange)
					out = append(out, a)
				case first && a.column.kind >= textColumn:
					a.ranged = true
					out = append(out, a)
				case a.column.property.Index && a.column.property.Type != schema.Decimal:
					out = append(out, a)
				}
			case graph.In:
				if a.column.property.Index && a.column.property.Type != schema.Decimal && c.N > 0 {
					out = append(out, a)
				}
			}
		}
	}
	collect(s.Cond)
	collect(s.Guard())
	return out
}

// listedPays is how many times fewer rows an index must find than a scan
// looks at.
const listedPays = 4

// limit restricts candidates to those that fulfil the access's condition, where
// that is cheap.
func (a *access) limit(r *run, c *candidates) {
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
	if a.op == graph.In {
		a.listed(r, c)
		return
	}
	g := r.tables.graph
	v := r.params[a.slot]
	if a.ranged {
		at := r.params[a.slot : a.slot+1]
		var lo, hi []graph.Value
		if a.op == graph.Eq || a.op == graph.Gt || a.op == graph.Gte {
			lo = at
		}
		if a.op == graph.Eq || a.op == graph.Lt || a.op == graph.Lte {
			hi = at
		}
		first, end, late := g.KeyRange(a.table.label, lo, hi)
		before := 0
		if len(late) > 0 {
			before = a.table.lateAt(late[0])
		}
		c.narrow(first, end, before, before+len(late))
		return
	}
	var lo, hi memory.Bound
	switch a.op {
	case graph.Eq:
		lo.Value, hi.Value = v, v
	case graph.Lt, graph.Lte:
		hi = memory.Bound{Value: v, Open: a.op == graph.Lt}
	default:
		lo = memory.Bound{Value: v, Open: a.op == graph.Gt}
	}
	rows, late, ok := g.RowParts(a.table.label, a.column.property, lo, hi)
	if ok && (len(rows)+len(late))*listedPays <= c.count() {
		c.giveBack(r)
		c.list, c.more, c.listed = rows, late, true
	}
}

// listed restricts candidates to the rows that have one of several values.
func (a *access) listed(r *run, c *candidates) {
	own := r.list()
	for i := range a.n {
		v := r.params[int(a.slot)+i]
		if i > 0 && v.Equal(r.params[int(a.slot)+i-1]) {
			continue // a list is filled up with its last value
		}
		only := memory.Bound{Value: v}
		rows, late, _ := r.tables.graph.RowParts(a.table.label, a.column.property, only, only)
		if (len(own)+len(rows)+len(late))*listedPays > c.count() {
			r.giveList(own)
			return
		}
		own = append(append(own, rows...), late...)
	}
	slices.Sort(own)
	c.giveBack(r)
	c.list, c.more, c.listed, c.owned = slices.Compact(own), nil, true, own
}
