package compile

import (
	"strconv"

	"github.com/trellisgraph/trellis/graph"
)

// usualPage is how many nodes a page of a list has by default.
const usualPage = 50

// offset checks a page that is found by its offset, and takes the offset into the
// plan.
func (k *checker) offset(f *Find, q *graph.FindNodes) {
	var root *place
	n := q.Page.Offset
	if n < 0 || n > graph.MaxOffset {
		e := errRange(root.member("offset"), "offset", n, 0)
		e.Message += " and at most " + strconv.Itoa(graph.MaxOffset)
		k.report(e)
		n = 0
	}
	if q.Cursor != "" {
		e := errUnsupported(root.member("cursor"), "a page with an offset has no cursor", "go on with a higher offset")
		e.Fix = []graph.Patch{{Op: "remove", Path: e.Path}}
		k.report(e)
	}
	if f.Nodes != nil && k.isRedacted(f.Nodes.label) {
		k.report(errUnsupported(root.member("node_label"), "who may see a "+f.Nodes.label.Name+" is decided for each by itself, so nobody knows how many there are",
			"go from page to page by cursors"))
	}
	f.Page.Counted, f.Page.Offset = true, k.slot(graph.Int(int64(n)))
	k.bind(root.member("offset"), bind{how: bindOffset})
}
