package memory

import (
	"cmp"
	"maps"
	"runtime"
	"slices"
	"sort"

	"golang.org/x/sync/errgroup"

	"github.com/trellisgraph/trellis/schema"
)

// Dense returns the same graph without what batches left behind: rows in key
// order without dead ones, relationships numbered by (from, to, key), and
// dictionaries in order. It is the graph itself if it is so already; otherwise
// it takes about as long as building the graph did after its input was read.
func (g *Graph) Dense() *Graph {
	return g.dense(
		func(_ *schema.Label, n *nodes) bool { return n.since != nil },
		func(_ *schema.Pair, r *links) bool { return r.moved != nil })
}

// dense returns the graph with some labels and pairs made dense, and with them
// the pairs at those labels, whose ends are rows.
func (g *Graph) dense(label func(*schema.Label, *nodes) bool, pair func(*schema.Pair, *links) bool) *Graph {
	moves := map[*schema.Label]*renumbering{}
	for l, n := range g.nodes {
		if label(l, n) {
			moves[l] = &renumbering{}
		}
	}
	var pairs []*schema.Pair
	for p, r := range g.links {
		if moves[p.From] != nil || moves[p.To] != nil || pair(p, r) {
			pairs = append(pairs, p)
		}
	}
	if len(moves) == 0 && len(pairs) == 0 {
		return g
	}
	out := &Graph{schema: g.schema, nodes: maps.Clone(g.nodes), links: maps.Clone(g.links)}
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for l, m := range moves {
		n := &nodes{}
		out.nodes[l] = n
		work.Go(func() error {
			*m = g.nodes[l].renumber()
			*n = *g.nodes[l].dense(l, m)
			return nil
		})
	}
	_ = work.Wait() // none of it can fail
	for _, p := range pairs {
		r := &links{}
		out.links[p] = r
		work.Go(func() error {
			*r = *g.links[p].flatten(p, out.RowCount(p.From), out.RowCount(p.To), moves[p.From], moves[p.To])
			return nil
		})
	}
	_ = work.Wait()
	return out
}

// A renumbering tells which rows become which; nil is the identity.
type renumbering struct {
	old []uint32 // by new row
	new []uint32 // by old row; noRow of dead ones
}

func (m *renumbering) from(row uint32) uint32 {
	if m == nil {
		return row
	}
	return m.old[row]
}

func (m *renumbering) to(row uint32) uint32 {
	if m == nil {
		return row
	}
	return m.new[row]
}

// renumber puts the living rows in key order.
func (n *nodes) renumber() renumbering {
	m := renumbering{old: make([]uint32, 0, n.count), new: make([]uint32, n.count)}
	dead, late := n.dead(), []uint32(nil)
	if n.since != nil {
		late = n.since.late
	}
	for i := range m.new {
		m.new[i] = noRow
	}
	at := uint32(0)
	before := func(end uint32) {
		for ; at < end; at++ {
			if !dead.has(at) {
				m.old = append(m.old, at)
			}
		}
	}
	for _, row := range late {
		before(at + uint32(sort.Search(n.ordered()-int(at), func(i int) bool { return compareRows(n.key, at+uint32(i), row) > 0 })))
		m.old = append(m.old, row)
	}
	before(uint32(n.ordered()))
	m.old = slices.Clip(m.old)
	for row, old := range m.old {
		m.new[old] = uint32(row)
	}
	return m
}

// dense returns the nodes renumbered.
func (n *nodes) dense(l *schema.Label, m *renumbering) *nodes {
	out := &nodes{count: len(m.old), columns: make(map[*schema.Property]Column, len(n.columns))}
	for p, c := range n.columns {
		out.columns[p] = c.gather(m.old).sorted()
	}
	out.key = out.keyColumns(l)
	out.index = newKeyIndex(out.key, out.count)
	out.postings = make(map[*schema.Property][]uint32, len(n.postings))
	for p, rows := range n.postings {
		out.postings[p] = n.densePostings(n.columns[p], rows, n.since.postings[p], m)
	}
	return out
}

// densePostings merges the postings of then with those of late rows.
func (n *nodes) densePostings(c Column, rows, late []uint32, m *renumbering) []uint32 {
	out := make([]uint32, 0, len(rows)+len(late))
	take := func(rows []uint32) {
		for _, row := range rows {
			if row = m.new[row]; row != noRow {
				out = append(out, row)
			}
		}
	}
	late = slices.Clone(late)
	slices.SortFunc(late, func(a, b uint32) int { return cmp.Or(c.compare(a, b), cmp.Compare(m.new[a], m.new[b])) })
	for _, row := range late {
		// Rows of then stand by value and then by key, dead ones, too.
		at := sort.Search(len(rows), func(i int) bool {
			return cmp.Or(c.compare(rows[i], row), compareRows(n.key, rows[i], row)) > 0
		})
		take(rows[:at])
		out, rows = append(out, m.new[row]), rows[at:]
	}
	take(rows)
	return slices.Clip(out)
}

// sorted returns the column with its dictionary in order, and without the words
// that no row has any more.
func (c Column) sorted() Column {
	if w, ok := c.values.(words); ok {
		c.values = w.sort(c.property.Type, c.nulls)
	}
	return c
}
