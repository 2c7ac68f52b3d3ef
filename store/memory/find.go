package memory

import (
	"sort"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// Find returns the row of the node whose key has the given parts.
func (g *Graph) Find(l *schema.Label, key []graph.Value) (row uint32, ok bool) {
	n := g.label(l)
	if len(key) != len(n.key) || n.count == 0 {
		return 0, false
	}
	var space [4]cell
	cells, ok := cellsOf(space[:0], l.Key, key)
	if !ok {
		return 0, false
	}
	return n.find(cells)
}

// find returns the living row with a key.
func (n *nodes) find(key []cell) (row uint32, ok bool) {
	if n.count == 0 {
		return 0, false
	}
	row, ok = n.index.find(n.key, key)
	if n.since == nil || ok && !n.since.dead.has(row) {
		return row, ok
	}
	return findLate(n.key, n.since.late, key)
}

// KeyRange returns the rows [first, end) whose keys are at least lo and at most
// hi. Both may be shorter than the key: then they bound its first parts, and
// an empty one bounds nothing. Values that are not of the key's types make the
// range empty. Among the rows [first, end) may be dead ones: see Dead. The late
// rows within the range come beside them, in key order.
func (g *Graph) KeyRange(l *schema.Label, lo, hi []graph.Value) (first, end uint32, late []uint32) {
	n := g.label(l)
	if len(lo) > len(n.key) || len(hi) > len(n.key) {
		return 0, 0, nil
	}
	low, ok := cellsOf(nil, l.Key[:len(lo)], lo)
	if !ok {
		return 0, 0, nil
	}
	high, ok := cellsOf(nil, l.Key[:len(hi)], hi)
	if !ok {
		return 0, 0, nil
	}
	within := func(count int, row func(i int) uint32) (int, int) {
		from := sort.Search(count, func(i int) bool { return compareKey(n.key, row(i), low) >= 0 })
		to := sort.Search(count, func(i int) bool { return compareKey(n.key, row(i), high) > 0 })
		return from, max(from, to)
	}
	from, to := within(n.ordered(), func(i int) uint32 { return uint32(i) })
	if n.since != nil {
		from, to := within(len(n.since.late), func(i int) uint32 { return n.since.late[i] })
		late = n.since.late[from:to:to]
	}
	return uint32(from), uint32(to), late
}

// Rows returns the rows in which an indexed property has a value, ascending.
// Null is in no row. It reports false, and nothing else, where the schema has
// no index on the property.
func (g *Graph) Rows(l *schema.Label, p *schema.Property, v graph.Value) (rows []uint32, indexed bool) {
	if v.IsNull() {
		_, indexed = g.label(l).postings[p]
		return nil, indexed
	}
	return g.RowRange(l, p, Bound{Value: v}, Bound{Value: v})
}

// A Bound is one end of a range of values. A null Value bounds nothing.
type Bound struct {
	Value graph.Value
	// Open leaves the value itself out.
	Open bool
}

// RowRange returns the rows in which an indexed property lies between two
// bounds, by value and then by row. Rows without a value are in no range, nor
// is anything if a bound is not of the property's type. It reports false where
// the schema has no index on the property. The list is made anew where batches
// killed rows of the label or brought rows of the range.
func (g *Graph) RowRange(l *schema.Label, p *schema.Property, lo, hi Bound) (rows []uint32, indexed bool) {
	rows, late, indexed := g.RowParts(l, p, lo, hi)
	if n := g.label(l); n.since != nil {
		rows = n.since.merge(n.columns[p], rows, late)
	}
	return rows, indexed
}

// RowParts is RowRange without a new list: late has the late rows of the range,
// by value and then by row, and rows the others, among which may be dead ones.
func (g *Graph) RowParts(l *schema.Label, p *schema.Property, lo, hi Bound) (rows, late []uint32, indexed bool) {
	n := g.label(l)
	rows, indexed = n.postings[p]
	if !indexed {
		return nil, nil, false
	}
	c := n.columns[p]
	if n.since != nil {
		late = c.between(n.since.postings[p], lo, hi)
	}
	return c.between(rows, lo, hi), late, true
}

// between returns the part of rows, which are by value, between two bounds.
func (c Column) between(rows []uint32, lo, hi Bound) []uint32 {
	// past returns the first position whose value is over the bound.
	past := func(b Bound, over func(order int) bool) (int, bool) {
		at, fault := valueCell(c.property, b.Value, false)
		if fault != "" {
			return 0, false
		}
		return sort.Search(len(rows), func(i int) bool {
			return over(compareCells(c.property.Type, c.values.at(rows[i]), at))
		}), true
	}
	first, end := 0, len(rows)
	if !lo.Value.IsNull() {
		var ok bool
		if first, ok = past(lo, func(order int) bool { return order > 0 || order == 0 && !lo.Open }); !ok {
			return nil
		}
	}
	if !hi.Value.IsNull() {
		var ok bool
		if end, ok = past(hi, func(order int) bool { return order > 0 || order == 0 && hi.Open }); !ok {
			return nil
		}
	}
	if first >= end {
		return nil
	}
	return rows[first:end:end]
}
