package native

import (
	"slices"
	"sort"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// A span is what conditions on one indexed property have to do with its index, in
// which rows stand by their values: either comparisons, and the rows that fulfil
// them all stand side by side, or one list of values, and so do those of each.
type span struct {
	column *column
	// rows and late are the index: that of the rows that the graph was built
	// with, and that of the late ones.
	rows, late []uint32
	parts      []spanPart
}

type spanPart struct {
	comparison
	arg int
}

// span adds a comparison to the span of its column, or begins one. It reports
// false where no index serves it.
func (lw *lowering) span(list []*span, t *table, c compile.Compare) ([]*span, bool) {
	col := t.column(c.Property)
	switch c.Op {
	case graph.Eq, graph.Lt, graph.Lte, graph.Gt, graph.Gte:
	case graph.In:
		if c.N == 0 {
			return list, false
		}
	default:
		return list, false
	}
	if !col.property.Index || col.property.Type == schema.Decimal {
		return list, false
	}
	rows, late, ok := lw.graph.RowParts(t.label, col.property, memory.Bound{}, memory.Bound{})
	if !ok {
		return list, false
	}
	part := spanPart{comparison: comparison{column: col, op: c.Op, slot: c.Slot, n: 1}}
	if c.Op == graph.In {
		part.n = listClass(c.N)
	}
	switch {
	case col.kind >= textColumn:
		part.arg = lw.textsOf(part.comparison)
	case c.Op == graph.In:
		part.arg = lw.listOf(part.comparison)
	default:
		part.arg = lw.rangeOf(part.comparison)
	}
	if c.Op != graph.In {
		for _, s := range list {
			if s.column == col && s.parts[0].op != graph.In {
				s.parts = append(s.parts, part)
				return list, true
			}
		}
	}
	return append(list, &span{column: col, rows: rows, late: late, parts: []spanPart{part}}), true
}

// find appends lists of the rows that fulfil the conditions, and returns how many
// rows they have, dead ones included.
func (s *span) find(r *run, lists [][]uint32) ([][]uint32, int) {
	found := 0
	for _, rows := range [2][]uint32{s.rows, s.late} {
		before := len(lists)
		if p := &s.parts[0]; p.op == graph.In {
			lists = p.each(r, rows, lists)
		} else if rows = s.within(r, rows); len(rows) > 0 {
			lists = append(lists, rows)
		}
		for _, list := range lists[before:] {
			found += len(list)
		}
	}
	return lists, found
}

// within narrows rows in the order of the index to those that fulfil all the
// comparisons.
func (s *span) within(r *run, rows []uint32) []uint32 {
	for i := range s.parts {
		p := &s.parts[i]
		a := &r.args[p.arg]
		if p.column.kind < textColumn {
			rows = p.column.between(rows, a.lo, a.hi)
		} else {
			rows = p.betweenTexts(rows, a.texts[0])
		}
	}
	return rows
}

// between narrows rows in the order of their values to those with one from lo to hi.
func (c *column) between(rows []uint32, lo, hi int64) []uint32 {
	if lo > hi {
		return nil
	}
	rows = rows[sort.Search(len(rows), func(i int) bool { return c.number(rows[i]) >= lo }):]
	return rows[:firstOf(len(rows), func(i int) bool { return c.number(rows[i]) > hi })]
}

// betweenTexts is between for a comparison with a text.
func (p *spanPart) betweenTexts(rows []uint32, text string) []uint32 {
	c := p.column
	order := func(i int) int { return c.compareTexts(c.text(rows[i]), text) }
	if p.op == graph.Eq || p.op == graph.Gte {
		rows = rows[sort.Search(len(rows), func(i int) bool { return order(i) >= 0 }):]
	}
	switch p.op {
	case graph.Eq:
		return rows[:firstOf(len(rows), func(i int) bool { return order(i) > 0 })]
	case graph.Lt:
		return rows[:sort.Search(len(rows), func(i int) bool { return order(i) >= 0 })]
	case graph.Lte:
		return rows[:sort.Search(len(rows), func(i int) bool { return order(i) > 0 })]
	case graph.Gt:
		return rows[sort.Search(len(rows), func(i int) bool { return order(i) > 0 }):]
	}
	return rows
}

// each appends the rows of each value of a list.
func (p *spanPart) each(r *run, rows []uint32, lists [][]uint32) [][]uint32 {
	a := &r.args[p.arg]
	if p.column.kind < textColumn {
		for i, n := range a.list {
			if i > 0 && n == a.list[i-1] {
				continue // a list is filled up with its last value
			}
			if of := p.column.between(rows, n, n); len(of) > 0 {
				lists = append(lists, of)
			}
		}
		return lists
	}
	one := spanPart{comparison: comparison{column: p.column, op: graph.Eq}}
	for i, text := range a.texts {
		if i > 0 && text == a.texts[i-1] {
			continue
		}
		if of := one.betweenTexts(rows, text); len(of) > 0 {
			lists = append(lists, of)
		}
	}
	return lists
}

// firstOf is sort.Search for what is likely to be near the begin: it goes there in
// steps that double.
func firstOf(n int, holds func(i int) bool) int {
	end := 1
	for end < n && !holds(end-1) {
		end *= 2
	}
	from := end / 2
	return from + sort.Search(min(end, n)-from, func(i int) bool { return holds(from + i) })
}

// listedPays is how many times fewer rows an index must find than a scan
// looks at.
const listedPays = 4

// choose restricts candidates to the rows of the span that has the fewest, where
// these are few.
func (s *nodeSet) choose(r *run, c *candidates) {
	least := c.count()/listedPays + 1
	if c.listed {
		least = c.count()
	}
	lists, from, to := r.lists[:0], 0, 0
	for _, sp := range s.spans {
		before, found := len(lists), 0
		lists, found = sp.find(r, lists)
		if sp == s.exact && s.table.dead == nil {
			c.total = found
		}
		if found < least {
			least, from, to, c.listed = found, before, len(lists), true
			c.giveBack(r)
			c.list = nil
		}
	}
	r.lists = lists
	switch {
	case to-from == 1:
		c.list = lists[from]
	case to > from:
		c.owned = r.list()
		for _, list := range lists[from:to] {
			c.owned = append(c.owned, list...)
		}
		c.list = c.owned
	}
}

// sort sorts rows, each of which is there once, by key.
func (n *table) sort(r *run, rows []uint32) {
	switch words := int(n.count+63) / 64; {
	case n.late != nil:
		slices.SortFunc(rows, n.compare)
	case len(rows) < words/4 || len(rows) < 64:
		slices.Sort(rows)
	default: // their places are their order
		first := len(r.bits)
		r.bits = slices.Grow(r.bits, words)[:first+words]
		set := r.bits[first:]
		clear(set)
		for _, row := range rows {
			set[row>>6] |= 1 << (row & 63)
		}
		appendBits(rows[:0], set, 0, n.count)
		r.bits = r.bits[:first]
	}
}
