package memory

import (
	"sort"

	"github.com/trellisgraph/trellis/schema"
)

// since is what batches did to the nodes of a label since it was dense. The
// index and the postings of nodes are still those of then, and cover the rows
// below ordered; nothing that they say of a dead row counts.
type since struct {
	living  int
	ordered int
	kept    int // changes of nodes that kept their rows
	dead    bitmap
	late    []uint32 // living rows from ordered on, by key
	// postings are the late rows that have a value, by value and then by row,
	// for each indexed property.
	postings map[*schema.Property][]uint32
}

// Size counts all nodes and all relationships.
func (g *Graph) Size() (nodes, relationships int) {
	for l := range g.schema.Labels() {
		nodes += g.NodeCount(l)
	}
	for t := range g.schema.Relationships() {
		for _, p := range t.Pairs {
			relationships += g.RelCount(p)
		}
	}
	return nodes, relationships
}

// NodeCount returns the number of nodes of a label.
func (g *Graph) NodeCount(l *schema.Label) int {
	n := g.label(l)
	if n.since != nil {
		return n.since.living
	}
	return n.count
}

// RowCount returns the number of a label's rows, dead ones included: every row
// is below it, and a column has so many.
func (g *Graph) RowCount(l *schema.Label) uint32 { return uint32(g.label(l).count) }

// Ordered returns the number of rows, dead ones included, that stand in key
// order: all of them in a dense graph. The others came with batches.
func (g *Graph) Ordered(l *schema.Label) uint32 { return uint32(g.label(l).ordered()) }

func (n *nodes) ordered() int {
	if n.since != nil {
		return n.since.ordered
	}
	return n.count
}

// Late returns the living rows from Ordered on, in key order; nil in a dense
// graph.
func (g *Graph) Late(l *schema.Label) []uint32 {
	if s := g.label(l).since; s != nil {
		return s.late
	}
	return nil
}

// Dead returns the rows that are nodes no more, as Vector.Nulls has those that
// are null; nil where every row is a node.
func (g *Graph) Dead(l *schema.Label) []uint64 { return g.label(l).dead() }

func (n *nodes) dead() bitmap {
	if n.since != nil {
		return n.since.dead
	}
	return nil
}

// findLate returns the row with a key among rows that are ordered by it.
func findLate(key []Column, late []uint32, cells []cell) (row uint32, ok bool) {
	at := sort.Search(len(late), func(i int) bool { return compareKey(key, late[i], cells) >= 0 })
	if at == len(late) || compareKey(key, late[at], cells) != 0 {
		return 0, false
	}
	return late[at], true
}

// merge returns the living rows of two parts of postings, that of then and that
// of the late rows, by value and then by row.
func (s *since) merge(c Column, rows, late []uint32) []uint32 {
	if len(late) == 0 && s.dead == nil {
		return rows
	}
	out := make([]uint32, 0, len(rows)+len(late))
	for _, row := range rows {
		if s.dead.has(row) {
			continue
		}
		for len(late) > 0 && c.compare(late[0], row) < 0 {
			out, late = append(out, late[0]), late[1:]
		}
		out = append(out, row)
	}
	return append(out, late...)
}

// edited returns a list in the order of compare without some of its elements
// and with others. Remove and add are in the same order; what is removed must
// be there. Added compares an element with one that is added.
func edited(list, remove, add []uint32, compare, added func(a, b uint32) int) []uint32 {
	out := make([]uint32, 0, len(list)-len(remove)+len(add))
	take := func(x uint32, compare func(a, b uint32) int) { // all before x
		n := sort.Search(len(list), func(i int) bool { return compare(list[i], x) >= 0 })
		out, list = append(out, list[:n]...), list[n:]
	}
	for len(remove) > 0 || len(add) > 0 {
		if len(add) == 0 || len(remove) > 0 && added(remove[0], add[0]) <= 0 {
			take(remove[0], compare)
			list, remove = list[1:], remove[1:]
		} else {
			take(add[0], added)
			out, add = append(out, add[0]), add[1:]
		}
	}
	if out = append(out, list...); len(out) == 0 {
		return nil
	}
	return out
}
