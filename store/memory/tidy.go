package memory

import (
	"github.com/trellisgraph/trellis/schema"
)

// measures are the numbers by which a Live decides how to do things. None of
// them changes what a graph holds.
type measures struct {
	slack int // what batches may leave behind at least; see Graph.tidy
	long  int // entries from which a list is long; see pageDraft.write
	keeps int // relationships from which a node may keep its row; see draft.keeps
}

// defaultSlack is how many rows, or relationships, batches may leave behind
// before a label, or a pair, is made dense, however small it is.
const defaultSlack = 4096

// allowed is how much may be left behind where making dense costs size. It is
// never less than a 64th of that, so that each operation bears a constant
// part of the cost; and not more than a quarter or maxSlack where that suffices,
// because every batch copies the lists of late rows.
func allowed(size, slack int) int {
	const maxSlack = 1 << 16
	return max(slack, min(size/4, maxSlack), size/64)
}

// tidy makes those labels and pairs dense in which batches have left too much
// behind.
func (g *Graph) tidy(slack int) *Graph {
	return g.dense(
		func(l *schema.Label, n *nodes) bool {
			return n.since != nil && n.since.left(n.count) > allowed(g.size(l), slack)
		},
		func(p *schema.Pair, r *links) bool {
			return r.moved != nil && r.tooMuch(int(g.RowCount(p.From))+int(g.RowCount(p.To)), slack)
		})
}

// left counts dead and late rows, all but the living ones that are in order, and
// the changes of rows in place, which leave words in dictionaries.
func (s *since) left(rows int) int {
	return rows - (s.living - len(s.late)) + s.kept
}

// size is what making a label dense goes through: its rows and relationships.
func (g *Graph) size(l *schema.Label) int {
	n := g.NodeCount(l)
	for _, p := range g.schema.Outgoing(l) {
		n += g.RelCount(p)
	}
	for _, p := range g.schema.Incoming(l) {
		n += g.RelCount(p)
	}
	return n
}

// tooMuch reports whether a pair has too many dead or late relationships, or
// too many list entries that batches wrote. The latter cost readers nothing but
// memory, and may be as many as those of the dense pair were.
func (r *links) tooMuch(rows, slack int) bool {
	m := r.moved
	left := len(r.to) - m.dense + len(r.to) - m.count
	written := len(m.out.Ends) + len(m.in.Ends) - 2*m.dense
	return left > allowed(m.count+rows, slack) || written > max(4*slack, 2*m.dense+rows)
}

// clip returns the same graph so that whatever is appended to it is appended to
// a copy. It must be dense.
func (g *Graph) clip() *Graph {
	out := &Graph{schema: g.schema, nodes: make(map[*schema.Label]*nodes, len(g.nodes)), links: make(map[*schema.Pair]*links, len(g.links))}
	for l, n := range g.nodes {
		clipped := *n
		clipped.columns = clipColumns(n.columns)
		clipped.key = clipped.keyColumns(l)
		out.nodes[l] = &clipped
	}
	for p, r := range g.links {
		clipped := *r
		clipped.columns = clipColumns(r.columns)
		if p.Key != nil {
			clipped.keys = &keyFinder{}
		}
		out.links[p] = &clipped
	}
	return out
}

func clipColumns(columns map[*schema.Property]Column) map[*schema.Property]Column {
	out := make(map[*schema.Property]Column, len(columns))
	for p, c := range columns {
		out[p] = c.clip()
	}
	return out
}
