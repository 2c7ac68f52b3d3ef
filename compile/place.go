package compile

import (
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// A place is a place in a query, as a chain from the innermost member
// outwards. It lives on the stack and becomes a JSON Pointer only when there
// is something to report.
type place struct {
	parent *place
	key    string
	index  int // of an item of a list; -1 for a member
}

func (p *place) member(key string) *place { return &place{parent: p, key: key, index: -1} }

func (p *place) item(i int) *place { return &place{parent: p, index: i} }

// clone is the place on the heap. A function that calls itself, by however many
// others, passes a clone on: a chain that grows with the calls cannot live on
// the stack, and without a clone no place would. Its texts are copies, so that
// nothing of the place is in the clone.
func (p *place) clone() *place {
	if p == nil {
		return nil
	}
	return &place{parent: p.parent.clone(), key: strings.Clone(p.key), index: p.index}
}

// pointer is the place's JSON Pointer. The root is the nil place.
func (p *place) pointer() string {
	if p == nil {
		return ""
	}
	base := p.parent.pointer()
	if p.index >= 0 {
		return base + "/" + strconv.Itoa(p.index)
	}
	return graph.Pointer(base, p.key)
}
