package native

import (
	"cmp"
	"strings"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/memory"
)

// A paths answers find_paths.
type paths struct {
	from, to      *nodeSet
	forward, back *expansion
	scale         *scale // of weights, nil where none are asked for
	shows         *shows
	limit         compile.Slot
}

func (lw *lowering) findPaths(p *compile.Paths) *paths {
	out := &paths{from: lw.nodeSet(p.From), to: lw.nodeSet(p.To), forward: lw.expansion(p.Step), limit: p.Limit}
	out.back = lw.reverse(out.forward, out.forward.ends)
	if p.Weight != nil {
		out.scale = lw.scale(p.Weight)
	}
	out.shows = lw.shows(p.Show, []*compile.Expand{p.Step}, p.From.NodeRef, p.To.NodeRef)
	return out
}

// A walk is a path of an answer: its nodes, and a relationship for each hop.
type walk struct {
	nodes  []node
	rels   []rel
	weight amount
}

func (p *paths) run(r *run, w graph.Writer) (store.Outcome, error) {
	var out store.Outcome
	root := r.plan.Root.(*compile.Paths)
	from, fromOK := r.named(p.from, root.From.Keys, "/from/node_id", &out)
	to, toOK := r.named(p.to, root.To.Keys, "/to/node_id", &out)
	if !fromOK || !toOK || from == to {
		return out, nil
	}
	limit := int(r.params[p.limit].Int())
	most := limit + 1 // whoever asks for one or k paths gets them all
	switch root.Mode {
	case graph.Shortest:
		most = 1
	case graph.KShortest:
		most = min(most, root.K)
	}
	s := p.search(r, from, to)
	defer s.free()
	var found []walk
	switch {
	case p.scale != nil:
		found = s.lightest(most)
	case root.Mode == graph.Shortest || root.Mode == graph.AllShortest:
		found = s.shortest(most)
	default:
		found = s.all(most)
	}
	if r.err != nil {
		return out, r.err
	}
	if len(found) > limit {
		found, out.TruncatedBy = found[:limit], graph.TruncatedRows
	}
	if s.spent {
		out.TruncatedBy = graph.TruncatedBudget
	}
	return out, p.write(r, w, found, &out)
}

// leastRel is the relationship that a hop between two nodes shows where no weights
// are asked for: the first by type, outgoing before incoming, and key.
func (e *expansion) leastRel(r *run, near, far node) rel {
	var best *hop
	var list *memory.Adjacency
	var position uint32
	hops := e.hops[near.label]
	for i := range hops {
		h := &hops[i]
		if uint32(h.far.number) != far.label || best != nil && compareHops(best, h) <= 0 {
			continue
		}
		a, first, end := h.Span(near.row)
		for at := firstTo(a, first, end, far.row); at < end && a.Ends[at] == far.row; at++ {
			if h.allows(r, a, at) {
				best, list, position = h, a, at
				break
			}
		}
	}
	return best.relAt(near, list, position)
}

// firstTo is the first position of a span that leads to a row or to one behind it.
func firstTo(a *memory.Adjacency, first, end, row uint32) uint32 {
	lo, hi := first, end
	for lo < hi {
		if mid := lo + (hi-lo)/2; a.Ends[mid] < row {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// compareHops orders hops by type, outgoing before incoming.
func compareHops(a, b *hop) int {
	direction := func(h *hop) int {
		if h.out {
			return 0
		}
		return 1
	}
	return cmp.Or(strings.Compare(a.links.pair.Type.Name, b.links.pair.Type.Name), cmp.Compare(direction(a), direction(b)))
}
