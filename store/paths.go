package store

import (
	"cmp"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
)

// paths answers find_paths by a search from both ends. Whether a path exists,
// and how long the shortest are, is known from the levels alone; paths are
// only listed inside what lies on some path, in their order, up to the limit.
func (r *run) paths(p *compile.Paths) error {
	s := r.newSearch()
	ends := []*compile.Lookup{s.levels.Start, s.levels.End}
	from, to := s.begin(ends[0], forward), s.begin(ends[1], backward)
	// Where rights decide about the ends they are asked for first. Elsewhere what
	// is on a path exists, and only an answer without paths has to ask.
	guarded := ends[0].Set.Guard() != nil || ends[1].Set.Guard() != nil
	if guarded || from == to {
		if all, err := s.exist(ends); err != nil || !all || from == to {
			return err
		}
	}
	l := &lister{search: s, from: from, to: to, limit: r.limit() + 1}
	asked := l.limit // whoever asks for one or k paths gets them all
	switch p.Mode {
	case graph.Shortest:
		asked = 1
	case graph.KShortest:
		asked = p.K
	}
	l.limit = min(l.limit, asked)
	var err error
	if p.Mode == graph.Shortest || p.Mode == graph.AllShortest {
		err = l.shortest(p.Step.Max)
	} else {
		err = l.all(p.Step.Max)
	}
	if err != nil {
		return err
	}
	if len(l.found) == r.limit()+1 {
		l.found = l.found[:l.limit-1]
		r.out.TruncatedBy = graph.TruncatedRows
	}
	if s.spent {
		r.out.TruncatedBy = graph.TruncatedBudget
	}
	if len(l.found) == 0 && !guarded {
		_, err = s.exist(ends)
		return err
	}
	return s.writePaths(l.found)
}

// exist asks whether all the nodes that lookups name are there, and warns of
// those that are not.
func (s *search) exist(ends []*compile.Lookup) (bool, error) {
	all := true
	for _, l := range ends {
		found, err := s.exists(l)
		if err != nil {
			return false, err
		}
		all = all && found
	}
	return all, nil
}

// A lister lists the paths between two nodes.
type lister struct {
	*search
	from, to *vertex
	limit    int
	found    [][]*edge
	left     map[*vertex]int // the least hops from a vertex to the end
	on       map[*vertex]bool
	path     []*edge
	without  int // no path is of so many hops or less
}

// meet expands the smaller side until the two have met, and returns the length
// of the shortest paths; 0 where there is none of at most most hops.
func (l *lister) meet(most int) (int, error) {
	for l.depth[forward]+l.depth[backward] < most && !l.spent {
		// Of two frontiers of one size, that which has gone less far: two
		// neighbours of a hub then meet at it, and never look around from it.
		side := forward
		if cmp.Or(cmp.Compare(len(l.frontier[backward]), len(l.frontier[forward])), cmp.Compare(l.depth[backward], l.depth[forward])) < 0 {
			side = backward
		}
		if len(l.frontier[side]) == 0 {
			return 0, nil
		}
		if length := l.depth[forward] + l.depth[backward] + 1; length > l.without && l.canMeet() {
			met, err := l.meets(side)
			switch {
			case err != nil || met:
				return length, err
			case length == most || l.spent:
				return 0, nil
			}
		}
		if err := l.expand(side); err != nil {
			return 0, err
		}
		for _, v := range l.frontier[side] {
			if v.depth[1-side] >= 0 {
				return l.depth[forward] + l.depth[backward], nil
			}
		}
	}
	return 0, nil
}

func (l *lister) shortest(most int) error {
	if d := l.levels.Direct; d != nil && l.plan.Limits.Budget >= compile.DirectBudget {
		if done, err := l.direct(d, most); done || err != nil {
			return err
		}
	}
	length, err := l.meet(most)
	if err != nil || length == 0 {
		return err
	}
	l.measure()
	return l.list(length)
}

// all lists every path: each half of the search knows the hops on its side, and
// together they know every hop of a path of at most most hops.
func (l *lister) all(most int) error {
	for l.depth[forward]+l.depth[backward] < most && !l.spent {
		side := forward
		if l.depth[backward] < l.depth[forward] {
			side = backward
		}
		if len(l.frontier[side]) == 0 { // nothing new lies beyond: the other side may still go on
			l.depth[side]++
			continue
		}
		if err := l.expand(side); err != nil {
			return err
		}
	}
	l.measure()
	shortest, ok := l.left[l.from]
	if !ok {
		return nil
	}
	for length := shortest; length <= most && len(l.found) < l.limit; length++ {
		if err := l.list(length); err != nil {
			return err
		}
	}
	return nil
}

// measure finds how far every vertex is from the end, over the hops known.
func (l *lister) measure() {
	before := map[*vertex][]*vertex{}
	for k := range l.edges {
		before[k[1]] = append(before[k[1]], k[0])
	}
	l.left = map[*vertex]int{l.to: 0}
	for level := []*vertex{l.to}; len(level) > 0; {
		var next []*vertex
		for _, v := range level {
			for _, u := range before[v] {
				if _, known := l.left[u]; !known {
					l.left[u] = l.left[v] + 1
					next = append(next, u)
				}
			}
		}
		level = next
	}
	for _, v := range l.vertices {
		slices.SortFunc(v.next, func(a, b *edge) int { return compareVertices(a.to, b.to) })
	}
}

// list lists the paths of one length, by the sequence of their nodes.
func (l *lister) list(length int) error {
	l.on = map[*vertex]bool{l.from: true}
	l.path = l.path[:0]
	return l.step(l.from, length)
}

func (l *lister) step(v *vertex, hops int) error {
	if hops == 0 {
		l.found = append(l.found, slices.Clone(l.path))
		return nil
	}
	for _, e := range v.next {
		left, reaches := l.left[e.to]
		if !reaches || left > hops-1 || l.on[e.to] || (e.to == l.to) != (hops == 1) {
			continue
		}
		if !l.spend() {
			return nil
		}
		if l.expanded%4096 == 0 && l.ctx.Err() != nil {
			return l.ctx.Err()
		}
		l.on[e.to] = true
		l.path = append(l.path, e)
		err := l.step(e.to, hops-1)
		l.path = l.path[:len(l.path)-1]
		delete(l.on, e.to)
		if err != nil || l.spent || len(l.found) == l.limit {
			return err
		}
	}
	return nil
}

// hop is the link that a path shows for an edge: the least by type, outgoing
// before incoming.
func hop(e *edge) link {
	best := slices.MinFunc(e.moves, func(a, b *compile.Move) int {
		return cmp.Or(strings.Compare(a.Rel.Pair().Type.Name, b.Rel.Pair().Type.Name), cmp.Compare(direction(a), direction(b)))
	})
	return linkOf(e, best)
}

func direction(m *compile.Move) int {
	if m.Incoming {
		return 1
	}
	return 0
}
