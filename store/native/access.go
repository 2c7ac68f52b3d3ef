package native

import (
	"slices"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// candidates are the rows among which those of a set are: a list, or all from
// first on and before end.
type candidates struct {
	list       []uint32
	listed     bool
	first, end uint32
	owned      []uint32 // a list to give back
}

func (c *candidates) count() int {
	if c.listed {
		return len(c.list)
	}
	return int(c.end - c.first)
}

// part is the ith of n equal parts of the candidates, which keep the list.
func (c *candidates) part(i, n int) candidates {
	count := c.count()
	from, to := count*i/n, count*(i+1)/n
	p := *c
	p.owned = nil
	if c.listed {
		p.list = c.list[from:to]
	} else {
		p.first, p.end = c.first+uint32(from), c.first+uint32(to)
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

// next appends the next rows, at most so many.
func (c *candidates) next(batch []uint32, most int) []uint32 {
	if c.listed {
		n := min(most, len(c.list))
		batch = append(batch, c.list[:n]...)
		c.list = c.list[n:]
		return batch
	}
	n := min(uint32(most), c.end-c.first)
	for i := range n {
		batch = append(batch, c.first+i)
	}
	c.first += n
	return batch
}

// candidates chooses where to look for the rows of the set.
func (s *nodeSet) candidates(r *run, ordered bool, from uint32) candidates {
	if s.keys >= 0 {
		rows := r.args[s.keys].rows
		first, _ := slices.BinarySearch(rows, from)
		return candidates{listed: true, list: rows[first:]}
	}
	c := candidates{first: 0, end: s.table.count}
	for i := range s.access {
		s.access[i].limit(r, &c)
	}
	c.first = max(c.first, from)
	c.end = max(c.first, c.end)
	if !c.listed {
		return c
	}
	first, end := c.first, c.end
	if c.owned == nil && (!ordered || slices.IsSorted(c.list)) && first == 0 && end == s.table.count {
		return c
	}
	own := append(r.list(), c.list...)
	c.giveBack(r)
	own = keep(own, func(row uint32) bool { return first <= row && row < end })
	if ordered {
		slices.Sort(own)
	}
	c.list, c.owned = own, own
	return c
}

// access is a condition by which rows can be found: the first part of the key,
// in whose order the rows stand, or an indexed property.
type access struct {
	comparison
	table *table
	// key says that the property is the whole key, ordered that rows stand in
	// its order, and arg is its range then.
	key, ordered bool
	arg          int
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
		c.first, c.end = max(c.first, row), min(c.end, row+1)
		if !ok {
			c.end = c.first
		}
		return
	}
	if a.ordered {
		lo, hi := r.args[a.arg].lo, r.args[a.arg].hi
		c.first = max(c.first, a.column.search(lo))
		c.end = min(c.end, a.column.searchPast(hi))
		return
	}
	g := r.tables.graph
	if a.op == graph.In {
		a.listed(r, c)
		return
	}
	v := r.params[a.slot]
	var lo, hi memory.Bound
	switch a.op {
	case graph.Eq:
		lo.Value, hi.Value = v, v
	case graph.Lt, graph.Lte:
		hi = memory.Bound{Value: v, Open: a.op == graph.Lt}
	default:
		lo = memory.Bound{Value: v, Open: a.op == graph.Gt}
	}
	rows, ok := g.RowRange(a.table.label, a.column.property, lo, hi)
	if ok && len(rows)*listedPays <= c.count() {
		c.giveBack(r)
		c.list, c.listed = rows, true
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
		rows, _ := r.tables.graph.Rows(a.table.label, a.column.property, v)
		if (len(own)+len(rows))*listedPays > c.count() {
			r.giveList(own)
			return
		}
		own = append(own, rows...)
	}
	slices.Sort(own)
	c.giveBack(r)
	c.list, c.listed, c.owned = slices.Compact(own), true, own
}
