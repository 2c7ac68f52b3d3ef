package memory

import (
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// links are the relationships of one pair, by (from, to, key), in compressed
// sparse rows: 16 bytes a relationship, and 4 for each node at either end.
type links struct {
	from, to []uint32 // by relationship
	outFirst []uint32 // by row of from: its first relationship; one more at the end
	in       []uint32 // relationships by (to, from, key)
	sources  []uint32 // from[in[i]]
	inFirst  []uint32 // by row of to: its first position in in; one more at the end
	columns  map[*schema.Property]Column
	moved    *moved     // nil while the pair is dense
	keys     *keyFinder // of a Live's graph, where the pair has a key
}

func (g *Graph) pair(p *schema.Pair) *links {
	if r := g.links[p]; r != nil {
		return r
	}
	return noLinks
}

// flat returns the relationships of a pair that must be dense.
func (g *Graph) flat(p *schema.Pair) *links {
	r := g.pair(p)
	if r.moved != nil {
		panic("memory: the graph is not dense: see Graph.Dense")
	}
	return r
}

// RelCount returns the number of relationships of a pair.
func (g *Graph) RelCount(p *schema.Pair) int { return g.pair(p).living() }

// RelSpace returns the number below which all relationship numbers of a pair
// are; a column has so many rows. In a dense graph it is RelCount.
func (g *Graph) RelSpace(p *schema.Pair) uint32 { return uint32(len(g.pair(p).to)) }

// Ends returns the rows between which a relationship stands.
func (g *Graph) Ends(p *schema.Pair, rel uint32) (from, to uint32) {
	r := g.pair(p)
	return g.label(p.From).place(r.from[rel]), g.label(p.To).place(r.to[rel])
}

// Out returns the relationships [first, end) that leave a node, in the order
// of their targets: Targets(p)[first:end]. Like Targets, In and Sources it is
// there for dense graphs only; Outgoing and Incoming are there for all.
func (g *Graph) Out(p *schema.Pair, row uint32) (first, end uint32) {
	r := g.flat(p)
	if int(row)+1 >= len(r.outFirst) {
		return 0, 0
	}
	return r.outFirst[row], r.outFirst[row+1]
}

// Targets returns the row at which each relationship of a pair arrives, by
// relationship.
func (g *Graph) Targets(p *schema.Pair) []uint32 { return g.flat(p).to }

// In returns the relationships that arrive at a node, in the order of their
// sources.
func (g *Graph) In(p *schema.Pair, row uint32) []uint32 {
	r := g.flat(p)
	first, end := r.arriving(row)
	return r.in[first:end:end]
}

// Sources returns the rows from which the relationships In(p, row) come, in
// the same order, which is ascending.
func (g *Graph) Sources(p *schema.Pair, row uint32) []uint32 {
	r := g.flat(p)
	first, end := r.arriving(row)
	return r.sources[first:end:end]
}

func (r *links) arriving(row uint32) (first, end uint32) {
	if int(row)+1 >= len(r.inFirst) {
		return 0, 0
	}
	return r.inFirst[row], r.inFirst[row+1]
}

// RelColumn returns the values of a property of a pair's relationships.
func (g *Graph) RelColumn(p *schema.Pair, prop *schema.Property) Column {
	return g.pair(p).columns[prop]
}

// RelValue returns a relationship's value of a property; see Value.
func (g *Graph) RelValue(p *schema.Pair, rel uint32, prop *schema.Property) graph.Value {
	c := g.RelColumn(p, prop)
	if c.values == nil {
		return graph.Null()
	}
	return c.Value(rel)
}
