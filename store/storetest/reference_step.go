package storetest

import (
	"slices"

	"github.com/trellisgraph/trellis/graph"
)

// hopBounds are the bounds of a step.
func hopBounds(s *graph.Step) (least, most int) {
	least = max(1, s.MinHops)
	return least, max(least, s.MaxHops)
}

// steps calls visit with every path on which a step leads from a node to one
// that a pattern allows. A path of several hops repeats no node, its start
// included; a path of one hop may be a loop. The path is valid during the call.
func (a *answering) steps(start *vertex, s *graph.Step, to *graph.NodePattern, visit func(path []walk, end *vertex)) {
	least, most := hopBounds(s)
	dir := s.Direction
	if dir == "" {
		dir = graph.Outgoing
	}
	been := map[*vertex]bool{start: true}
	var path []walk
	var extend func(at *vertex)
	extend = func(at *vertex) {
		for _, w := range at.walks(s.Types, dir) {
			loop := w.end == start && len(path) == 0
			if been[w.end] && !loop || !holds(s.Filter, w.edge.bearer()) {
				continue
			}
			path = append(path, w)
			if len(path) >= least && (to == nil || a.matches(w.end, to)) {
				visit(path, w.end)
			}
			if len(path) < most && !loop {
				been[w.end] = true
				extend(w.end)
				been[w.end] = false
			}
			path = path[:len(path)-1]
		}
	}
	extend(start)
}

// chainEnds lists the nodes to which steps lead one after the other, each once.
func (a *answering) chainEnds(start *vertex, list []graph.Step) []*vertex {
	at := []*vertex{start}
	for i := range list {
		var next []*vertex
		for _, v := range at {
			a.steps(v, &list[i], list[i].To, func(_ []walk, end *vertex) {
				if !slices.Contains(next, end) {
					next = append(next, end)
				}
			})
		}
		at = next
	}
	return at
}

func (a *answering) isRelated(v *vertex, r *graph.Related) bool {
	n := len(a.chainEnds(v, r.Relationships))
	for _, c := range r.Count {
		if !counted(n, c.Op, c.N) {
			return false
		}
	}
	switch {
	case r.None:
		return n == 0
	case len(r.Count) > 0:
		return true
	}
	return n > 0
}

func counted(n int, op graph.Op, bound int) bool {
	switch op {
	case graph.Ne:
		return n != bound
	case graph.Lt:
		return n < bound
	case graph.Lte:
		return n <= bound
	case graph.Gt:
		return n > bound
	case graph.Gte:
		return n >= bound
	}
	return n == bound
}
