package memory

import (
	"cmp"
	"slices"

	"github.com/trellisgraph/trellis/schema"
)

// flatten returns the relationships of a pair numbered by (from, to, key),
// between labels of so many rows, of which some were renumbered.
func (r *links) flatten(p *schema.Pair, fromRows, toRows uint32, from, to *renumbering) *links {
	count := r.living()
	out := &links{from: make([]uint32, 0, count), to: make([]uint32, 0, count), columns: make(map[*schema.Property]Column, len(r.columns))}
	numbers := make([]uint32, 0, count)
	list := []link(nil)
	a := r.outgoing()
	for row := range fromRows {
		in, first, end := a.Span(from.from(row))
		list = list[:0]
		for at := first; at < end; at++ {
			list = append(list, link{to.to(in.Ends[at]), in.Number(at)})
		}
		// Those to the same node stand by key already.
		byEnd := func(a, b link) int { return cmp.Compare(a.end, b.end) }
		if !slices.IsSortedFunc(list, byEnd) {
			slices.SortStableFunc(list, byEnd)
		}
		for _, x := range list {
			out.from, out.to, numbers = append(out.from, row), append(out.to, x.end), append(numbers, x.rel)
		}
	}
	for prop, c := range r.columns {
		out.columns[prop] = c.gather(numbers).sorted()
	}
	if p.Key != nil {
		out.keys = &keyFinder{}
	}
	out.arrange(int(fromRows), int(toRows))
	return out
}
