package storetest

import (
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// A page by its offset is not an argument of find_nodes. Scripts and reports
// write the tool as "find_nodes page 3", and Callers understand that.

const pagedTool = graph.ToolFindNodes + " page "

// asked is how a query's tool is written, with the offset of its page.
func asked(q graph.Query) string {
	if f, ok := q.(*graph.FindNodes); ok && f.Page != nil {
		return pagedTool + strconv.Itoa(f.Page.Offset)
	}
	return q.Tool()
}

// paged is the tool that is written, and the page that is asked for; nil for
// none.
func paged(written string) (tool string, page *graph.Page) {
	if offset, ok := strings.CutPrefix(written, pagedTool); ok {
		if n, err := strconv.Atoi(offset); err == nil {
			return graph.ToolFindNodes, &graph.Page{Offset: n}
		}
	}
	return written, nil
}

// onPage asks a query for a page.
func onPage(q graph.Query, page *graph.Page) graph.Query {
	if f, ok := q.(*graph.FindNodes); ok && page != nil {
		f.Page = page
	}
	return q
}

// somePaged asks some queries for a page. What the query is decides which, and no
// dice: so the others stay the calls that they would be without it.
func somePaged(q graph.Query) graph.Query {
	f, ok := q.(*graph.FindNodes)
	if !ok {
		return q
	}
	h := fnv.New64a()
	h.Write(Arguments(q))
	if d := newDice(h.Sum64(), 7); d.chance(25) {
		f.Page = &graph.Page{Offset: pickOne(d, []int{0, 0, 0, 1, 1, 2, 3, 5, 10, 1000, graph.MaxOffset})}
	}
	return q
}
