package native

import (
	"sync"

	"github.com/trellisgraph/trellis/store/memory"
)

// only are the ends of relationships of which every node has exactly one, by
// row. In a graph that has had batches they are put together when a call first
// looks at all of them.
type only struct {
	flat bool // ends are the relationships' own
	once sync.Once
	ends []uint32
}

// newOnly returns the ends of a pair's relationships in one direction; nil where
// some node has none or several, as far as their number tells.
func newOnly(a *memory.Adjacency, near *table, relationships int) *only {
	switch {
	case single(a, near.count):
		return &only{flat: true, ends: a.Ends}
	case relationships == int(near.living) && (!a.Flat() || near.dead != nil || near.late != nil):
		return &only{}
	}
	return nil
}

// byRow returns the row that each row's only relationship leads to; nil where
// some node has none or several. Dead rows have any.
func (h *hop) byRow() []uint32 {
	o := h.only
	if o == nil {
		return nil
	}
	if !o.flat {
		o.once.Do(func() { o.ends = onlyEnds(&h.Adjacency, h.near) })
	}
	return o.ends
}

func onlyEnds(a *memory.Adjacency, near *table) []uint32 {
	out := make([]uint32, near.count)
	for row := range near.count {
		if bit(near.dead, row) {
			continue
		}
		in, first, end := a.Span(row)
		if end != first+1 {
			return nil
		}
		out[row] = in.Ends[first]
	}
	return out
}
