package memory

import "github.com/trellisgraph/trellis/schema"

// An Adjacency is the relationships of a pair in one direction, by the node
// that they are followed from: those of a row stand at the positions that Span
// tells.
type Adjacency struct {
	// First has the position at which each row's relationships begin, and
	// after the last row where they end. It is not for reading in a graph that
	// has had batches: see Span.
	First []uint32
	// Ends are the rows that the relationships lead to, ascending for each
	// node; those to the same row are in the order of the relationship's key.
	Ends []uint32
	// Rels are the relationships' numbers from the position Plain on. A
	// position below Plain is its relationship's number itself.
	Rels  []uint32
	Plain uint32
}

// Span returns the positions [first, end) of a row's relationships. A row that
// has none, or is not there, has an empty span.
func (a *Adjacency) Span(row uint32) (first, end uint32) {
	if int(row)+1 < len(a.First) {
		return a.First[row], a.First[row+1]
	}
	return 0, 0
}

// Number returns the number of the relationship at a position.
func (a *Adjacency) Number(at uint32) uint32 {
	if at < a.Plain {
		return at
	}
	return a.Rels[at-a.Plain]
}

// Outgoing returns a pair's relationships by the node that they leave.
func (g *Graph) Outgoing(p *schema.Pair) Adjacency {
	r := g.pair(p)
	return Adjacency{First: r.outFirst, Ends: r.to, Plain: uint32(len(r.to))}
}

// Incoming returns a pair's relationships by the node at which they arrive.
func (g *Graph) Incoming(p *schema.Pair) Adjacency {
	r := g.pair(p)
	return Adjacency{First: r.inFirst, Ends: r.sources, Rels: r.in}
}
