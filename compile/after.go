package compile

import (
	"slices"

	"github.com/trellisgraph/trellis/graph"
)

// After returns the plan of the rows that come after one with the given values
// of the plan's order, at most limit of them: what Check would make of the same
// call with that row's cursor and that limit. It is for plans of *Find and
// *Traverse whose pages have cursors, and nil for all others.
//
// The values must be those of a store's answer to the plan: After adds a
// position and takes no right away, so the guards stand as they did.
func (p *Plan) After(last []graph.Value, limit int) *Plan {
	after := *p
	after.shared = nil
	var page *Page
	switch r := p.Root.(type) {
	case *Find:
		if r.Page.Counted {
			return nil
		}
		root := *r
		after.Root, page = &root, &root.Page
	case *Traverse:
		root := *r
		after.Root, page = &root, &root.Page
	default:
		return nil
	}
	params := p.Params
	if page.Seek != nil { // its values are the last ones: see checker.seek
		params = params[:page.Seek.First]
	}
	seek := &Seek{First: Slot(len(params)), Null: make([]bool, len(last))}
	for i, v := range last {
		seek.Null[i] = v.IsNull()
	}
	after.Params = slices.Concat(params, last)
	after.Params[page.Limit] = graph.Int(int64(limit))
	page.Seek = seek
	return &after
}
