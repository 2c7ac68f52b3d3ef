package memory

import (
	"slices"

	"github.com/trellisgraph/trellis/schema"
)

// An Adjacency is the relationships of a pair in one direction, by the node
// that they are followed from: those of a row stand where Span tells.
type Adjacency struct {
	// First has the position at which each row's relationships begin, and
	// after the last row where they end. In a graph that has had batches it is
	// out of date: see Span.
	First []uint32
	// Ends are the rows that the relationships lead to, ascending for each
	// node; those to the same row are in the order of the relationship's key.
	// Between the spans may be entries of older snapshots.
	Ends []uint32
	// Rels are the relationships' numbers from the position Plain on. A
	// position below Plain is its relationship's number itself.
	Rels  []uint32
	Plain uint32

	// pages tell where the lists stand that batches wrote anew at the end of
	// Ends. They are nil in a dense graph, where flat is the number of rows
	// and last is First from its second element on; otherwise flat is 0.
	pages []*page
	flat  uint32
	last  []uint32
}

func newAdjacency(first, ends, rels []uint32, plain int) Adjacency {
	a := Adjacency{First: first, Ends: ends, Rels: rels, Plain: uint32(plain)}
	if len(first) > 0 {
		a.last = first[1:]
		a.flat = uint32(len(a.last))
	}
	return a
}

// A page tells where the relationships of pageRows successive rows stand. It is
// copied before it changes. A nil page is what First tells.
type page struct {
	places [pageRows]place
	// own has the long lists that batches wrote, each in memory of its own,
	// by place: it ends with the last of them.
	own []*Adjacency
}

const pageRows = 256

// A place is a span, and the position before which it may grow.
type place struct{ first, end, room uint32 }

// A listPlace is a place in an adjacency, or in the list's own if it has one.
type listPlace struct {
	place
	own *Adjacency
}

// Span returns the positions [first, end) of a row's relationships, and the
// adjacency in which they stand: this one, but for a long list that batches
// changed. A row that has none, or is not there, has an empty span.
func (a *Adjacency) Span(row uint32) (in *Adjacency, first, end uint32) {
	if row < a.flat {
		return a, a.First[row], a.last[row]
	}
	return a.moved(row)
}

//go:noinline
func (a *Adjacency) moved(row uint32) (in *Adjacency, first, end uint32) {
	p := a.place(row)
	return p.in(a), p.first, p.end
}

func (p listPlace) in(a *Adjacency) *Adjacency {
	if p.own != nil {
		return p.own
	}
	return a
}

func (a *Adjacency) place(row uint32) listPlace {
	if i := int(row / pageRows); i < len(a.pages) && a.pages[i] != nil {
		p, at := a.pages[i], int(row%pageRows)
		if at < len(p.own) {
			return listPlace{p.places[at], p.own[at]}
		}
		return listPlace{p.places[at], nil}
	}
	return listPlace{a.firstPlace(row), nil}
}

func (a *Adjacency) firstPlace(row uint32) place {
	if int(row)+1 < len(a.First) {
		end := a.First[row+1]
		return place{a.First[row], end, end}
	}
	return place{}
}

// Degrees appends the number of relationships of each row from first on and
// before end.
func (a *Adjacency) Degrees(dst []uint32, first, end uint32) []uint32 {
	for row := first; row < end; {
		i := row / pageRows
		stop := min(end, (i+1)*pageRows)
		if int(i) < len(a.pages) && a.pages[i] != nil {
			for ; row < stop; row++ {
				p := &a.pages[i].places[row%pageRows]
				dst = append(dst, p.end-p.first)
			}
			continue
		}
		for ; row < stop && int(row)+1 < len(a.First); row++ {
			dst = append(dst, a.First[row+1]-a.First[row])
		}
		for ; row < stop; row++ { // rows that came after
			dst = append(dst, 0)
		}
	}
	return dst
}

// Flat reports whether First tells where every row's relationships stand.
func (a *Adjacency) Flat() bool { return a.pages == nil }

// Number returns the number of the relationship at a position.
func (a *Adjacency) Number(at uint32) uint32 {
	if at < a.Plain {
		return at
	}
	return a.Rels[at-a.Plain]
}

// A pageDraft copies pages before it changes them.
type pageDraft struct {
	Adjacency
	own  []bool
	long int // entries from which a list is long
}

func (a *pageDraft) set(row uint32, p listPlace) {
	i, at := row/pageRows, int(row%pageRows)
	if !a.own[i] {
		fresh := &page{}
		if a.pages[i] != nil {
			*fresh = *a.pages[i]
			fresh.own = slices.Clone(fresh.own)
		} else {
			for j := range fresh.places {
				fresh.places[j] = a.firstPlace(i*pageRows + uint32(j))
			}
		}
		a.pages[i], a.own[i] = fresh, true
	}
	fresh := a.pages[i]
	fresh.places[at] = p.place
	if p.own != nil && at >= len(fresh.own) {
		fresh.own = append(fresh.own, make([]*Adjacency, at+1-len(fresh.own))...)
	}
	if at < len(fresh.own) {
		fresh.own[at] = p.own
	}
}

// Outgoing returns a pair's relationships by the node that they leave.
func (g *Graph) Outgoing(p *schema.Pair) Adjacency { return g.pair(p).outgoing() }

// Incoming returns a pair's relationships by the node at which they arrive.
func (g *Graph) Incoming(p *schema.Pair) Adjacency { return g.pair(p).incoming() }

func (r *links) outgoing() Adjacency {
	if r.moved != nil {
		return r.moved.out
	}
	return newAdjacency(r.outFirst, r.to, nil, len(r.to))
}

func (r *links) incoming() Adjacency {
	if r.moved != nil {
		return r.moved.in
	}
	return newAdjacency(r.inFirst, r.sources, r.in, 0)
}
