package memory

import (
	"sort"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A Graph is an immutable property graph. It is safe for concurrent use. What
// its methods return must not be modified.
//
// Labels, pairs and properties are those of its schema; of others it has no
// nodes and no values. Rows and relationship numbers come from the graph
// itself and must be in range.
type Graph struct {
	schema *schema.Schema
	nodes  map[*schema.Label]*nodes
	links  map[*schema.Pair]*links
}

// nodes are the nodes of one label, in key order.
type nodes struct {
	count    int
	columns  map[*schema.Property]Column
	key      []Column
	index    keyIndex
	postings map[*schema.Property][]uint32
}

var (
	noNodes = &nodes{}
	noLinks = &links{}
)

func (g *Graph) label(l *schema.Label) *nodes {
	if n := g.nodes[l]; n != nil {
		return n
	}
	return noNodes
}

// Schema returns the schema that the graph was built for.
func (g *Graph) Schema() *schema.Schema { return g.schema }

// NodeCount returns the number of nodes of a label.
func (g *Graph) NodeCount(l *schema.Label) int { return g.label(l).count }

// RowCount returns the number of a label's rows, dead ones included: every row
// is below it, and a column has so many.
func (g *Graph) RowCount(l *schema.Label) uint32 { return uint32(g.label(l).count) }

// Ordered returns the number of rows, dead ones included, that stand in key
// order: all of them in a dense graph. The others came with batches.
func (g *Graph) Ordered(l *schema.Label) uint32 { return uint32(g.label(l).count) }

// Late returns the living rows from Ordered on, in key order; nil in a dense
// graph.
func (g *Graph) Late(l *schema.Label) []uint32 { return nil }

// Dead returns the rows that are nodes no more, as Vector.Nulls has those that
// are null; nil where every row is a node.
func (g *Graph) Dead(l *schema.Label) []uint64 { return nil }

// CompareRows orders two rows of a label by their keys.
func (g *Graph) CompareRows(l *schema.Label, a, b uint32) int {
	return compareRows(g.label(l).key, a, b)
}

// Column returns the values of a label's property. Whoever reads many rows
// gets it once.
func (g *Graph) Column(l *schema.Label, p *schema.Property) Column { return g.label(l).columns[p] }

// Value returns a node's value of a property: Int for int32 and int64, Float,
// Bool, String for text and enums, Date, DateTime, UUID, Decimal with the
// property's scale, JSON in compact form, or null.
func (g *Graph) Value(l *schema.Label, row uint32, p *schema.Property) graph.Value {
	c := g.Column(l, p)
	if c.values == nil {
		return graph.Null()
	}
	return c.Value(row)
}

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
	return n.index.find(n.key, cells)
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
	from := sort.Search(n.count, func(i int) bool { return compareKey(n.key, uint32(i), low) >= 0 })
	to := sort.Search(n.count, func(i int) bool { return compareKey(n.key, uint32(i), high) > 0 })
	return uint32(from), uint32(max(from, to)), nil
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
// the schema has no index on the property.
func (g *Graph) RowRange(l *schema.Label, p *schema.Property, lo, hi Bound) (rows []uint32, indexed bool) {
	n := g.label(l)
	rows, indexed = n.postings[p]
	if !indexed {
		return nil, false
	}
	c := n.columns[p]
	// past returns the first position whose value is over the bound.
	past := func(b Bound, over func(order int) bool) (int, bool) {
		at, fault := valueCell(p, b.Value, false)
		if fault != "" {
			return 0, false
		}
		return sort.Search(len(rows), func(i int) bool {
			return over(compareCells(p.Type, c.values.at(rows[i]), at))
		}), true
	}
	first, end := 0, len(rows)
	if !lo.Value.IsNull() {
		var ok bool
		if first, ok = past(lo, func(order int) bool { return order > 0 || order == 0 && !lo.Open }); !ok {
			return nil, true
		}
	}
	if !hi.Value.IsNull() {
		var ok bool
		if end, ok = past(hi, func(order int) bool { return order > 0 || order == 0 && hi.Open }); !ok {
			return nil, true
		}
	}
	if first >= end {
		return nil, true
	}
	return rows[first:end:end], true
}

// cellsOf appends the values as cells of the properties' types. It reports
// false if one of them is null or of another type.
func cellsOf(dst []cell, props []*schema.Property, values []graph.Value) ([]cell, bool) {
	for i, v := range values {
		c, fault := valueCell(props[i], v, true)
		if fault != "" || c.null {
			return nil, false
		}
		dst = append(dst, c)
	}
	return dst, true
}
