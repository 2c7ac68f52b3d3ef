package embedded

import (
	"slices"
	"sort"
	"sync"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// A finder finds the rows of a segment by the columns of one index, in their
// order. Rows with a null in the first column are not its business. Where it
// cannot honour all bounds it finds too much and says that it is not exact.
type finder interface {
	find(bounds []bound) (found span, exact bool)
}

// A sequence is n entries in the order of some cells.
type sequence struct {
	n     int
	cells []reader // by entry
	// point finds the only entry with the given cells, where there is a
	// faster way than a search; nil if there is none. It reports false if it
	// does not know.
	point func(cells []any) (entry int, found, ok bool)
}

// keySequence is the nodes of a label, which are in the order of their keys.
func keySequence(g *memory.Graph, l *schema.Label) *sequence {
	s := &sequence{n: g.NodeCount(l)}
	for _, p := range l.Key {
		s.cells = append(s.cells, propertyReader(g, l, p))
	}
	s.point = func(cells []any) (int, bool, bool) {
		key := make([]graph.Value, len(cells))
		for i, cell := range cells {
			v, ok := keyValue(l.Key[i], cell)
			if !ok {
				return 0, false, false
			}
			key[i] = v
		}
		row, found := g.Find(l, key)
		return int(row), found, true
	}
	return s
}

// interval returns the entries [lo, hi) within the bounds of a prefix of the
// cells: the equalities at the front, and the range that ends them. It is
// exact unless bounds are left over.
func (s *sequence) interval(bounds []bound) (lo, hi int, exact bool) {
	if s.point != nil {
		if cells, ok := equalities(bounds); ok && len(cells) == len(s.cells) {
			if entry, found, known := s.point(cells); known && found {
				return entry, entry + 1, true
			} else if known {
				return 0, 0, true
			}
		}
	}
	hi = s.n
	for i := range bounds {
		b := &bounds[i]
		if b.all() {
			return lo, hi, all(bounds[i:])
		}
		cell := s.cells[i]
		first := lo + sort.Search(hi-lo, func(e int) bool { return !b.below(cell(uint32(lo + e))) })
		last := first + sort.Search(hi-first, func(e int) bool { return b.above(cell(uint32(first + e))) })
		lo, hi = first, last
		if _, ok := b.equal(); !ok {
			return lo, hi, all(bounds[i+1:])
		}
	}
	return lo, hi, true
}

// equalities returns the only cells within the bounds, if each is an equality.
func equalities(bounds []bound) ([]any, bool) {
	cells := make([]any, len(bounds))
	for i := range bounds {
		cell, ok := bounds[i].equal()
		if !ok {
			return nil, false
		}
		cells[i] = cell
	}
	return cells, true
}

// keyFinder finds nodes by key.
type keyFinder struct{ keys *sequence }

func (f keyFinder) find(bounds []bound) (span, bool) {
	lo, hi, exact := f.keys.interval(bounds)
	return span{first: uint32(lo), end: uint32(hi)}, exact
}

// outFinder finds the relationships of a join table by source, then target:
// the order in which they are numbered.
type outFinder struct {
	graph    *memory.Graph
	pair     *schema.Pair
	from, to *sequence
}

func (f *outFinder) find(bounds []bound) (span, bool) {
	n := len(f.from.cells)
	lo, hi, exact := f.from.interval(bounds[:n])
	if lo >= hi {
		return span{}, true
	}
	first, _ := f.graph.Out(f.pair, uint32(lo))
	_, last := f.graph.Out(f.pair, uint32(hi-1))
	if hi-lo > 1 || all(bounds[n:]) {
		return span{first: first, end: last}, exact && all(bounds[n:])
	}
	low, high, exact := f.to.interval(bounds[n:])
	a, b := within(f.graph.Targets(f.pair)[first:last], low, high)
	return span{first: first + a, end: first + b}, exact
}

// inFinder finds the relationships of a join table by target, then source.
type inFinder struct {
	graph    *memory.Graph
	pair     *schema.Pair
	to, from *sequence
}

func (f *inFinder) find(bounds []bound) (span, bool) {
	n := len(f.to.cells)
	lo, hi, exact := f.to.interval(bounds[:n])
	if hi-lo == 1 && !all(bounds[n:]) {
		low, high, exact := f.from.interval(bounds[n:])
		a, b := within(f.graph.Sources(f.pair, uint32(lo)), low, high)
		return span{list: f.graph.In(f.pair, uint32(lo))[a:b]}, exact
	}
	return span{list: arriving(f.graph, f.pair, lo, hi)}, exact && all(bounds[n:])
}

// arriving returns the relationships that arrive at the nodes [lo, hi).
func arriving(g *memory.Graph, p *schema.Pair, lo, hi int) []uint32 {
	if hi-lo == 1 {
		return g.In(p, uint32(lo))
	}
	list := []uint32{}
	for row := lo; row < hi; row++ {
		list = append(list, g.In(p, uint32(row))...)
	}
	return list
}

// within returns the part [a, b) of ascending rows that lies in [lo, hi).
func within(rows []uint32, lo, hi int) (a, b uint32) {
	first, _ := slices.BinarySearch(rows, uint32(lo))
	last, _ := slices.BinarySearch(rows, uint32(max(lo, hi)))
	return uint32(first), uint32(last)
}

// heldFinder finds the rows of a label's table by a foreign key in it: the
// nodes at one end of a pair by the keys of those at the other.
type heldFinder struct {
	graph *memory.Graph
	pair  *schema.Pair
	other *sequence
}

func (f *heldFinder) find(bounds []bound) (span, bool) {
	lo, hi, exact := f.other.interval(bounds)
	list := []uint32{}
	for row := lo; row < hi; row++ {
		if !f.pair.HolderIsTo {
			list = append(list, f.graph.Sources(f.pair, uint32(row))...)
			continue
		}
		first, end := f.graph.Out(f.pair, uint32(row))
		list = append(list, f.graph.Targets(f.pair)[first:end]...)
	}
	return span{list: list}, exact
}

// sortedFinder finds rows by any columns, in an order that is computed when it
// is first needed and kept: four bytes a row.
type sortedFinder struct {
	rows  uint32
	cells []reader
	once  sync.Once
	order []uint32
	seq   sequence
}

func (f *sortedFinder) find(bounds []bound) (span, bool) {
	f.once.Do(f.sort)
	lo, hi, exact := f.seq.interval(bounds)
	return span{list: f.order[lo:hi]}, exact
}

func (f *sortedFinder) sort() {
	f.order = make([]uint32, 0, f.rows)
	for row := range f.rows {
		if f.cells[0](row) != nil {
			f.order = append(f.order, row)
		}
	}
	slices.SortStableFunc(f.order, func(a, b uint32) int {
		for _, cell := range f.cells {
			if c := compareCells(cell(a), cell(b)); c != 0 {
				return c
			}
		}
		return 0
	})
	f.seq.n = len(f.order)
	for _, cell := range f.cells {
		f.seq.cells = append(f.seq.cells, func(entry uint32) any { return cell(f.order[entry]) })
	}
}

// postingFinder finds rows by an indexed property.
func postingFinder(g *memory.Graph, l *schema.Label, p *schema.Property) (finder, bool) {
	order, ok := g.RowRange(l, p, memory.Bound{}, memory.Bound{})
	if !ok || p.Type == schema.Enum {
		return nil, false // an enum's postings are in the order of its declaration
	}
	cell := propertyReader(g, l, p)
	f := &sortedFinder{order: order, seq: sequence{
		n:     len(order),
		cells: []reader{func(entry uint32) any { return cell(order[entry]) }},
	}}
	f.once.Do(func() {})
	return f, true
}

// propertyReader reads a property of a label's nodes.
func propertyReader(g *memory.Graph, l *schema.Label, p *schema.Property) reader {
	column, cell := g.Column(l, p), cellOf(p)
	if column.Len() == 0 {
		return nothing
	}
	return func(row uint32) any { return cell(column.Value(row)) }
}

// nothing reads a column that a segment does not have.
func nothing(uint32) any { return nil }
