package native

import (
	"cmp"
	"container/heap"
	"slices"
)

// A rest is the least that a walk from a node to the end weighs with some number
// of hops, and how many hops the shortest of the lightest walks has.
type rest struct {
	most   int // hops that it may have
	hops   int
	weight amount
}

func (a rest) compare(b rest) int {
	return cmp.Or(a.weight.compare(b.weight), cmp.Compare(a.hops, b.hops))
}

// A branch is the beginning of a path: a node, how it was come by, and what the
// lightest path that goes on from it weighs at least. The beginnings that may
// lead to the lightest path are extended first (A*), and what lies ahead is
// known exactly but for nodes that a path has already, so that few are in vain.
type branch struct {
	before *branch
	stretch
	hops   int
	done   amount // the weight up to here
	weight amount // and at least that of the whole path
	length int    // at least that of the whole path
}

// branches are a heap, that of the first path in front.
type branches struct {
	list   []*branch
	tables *tables
}

func (b *branches) Len() int           { return len(b.list) }
func (b *branches) Less(i, j int) bool { return b.list[i].compare(b.tables, b.list[j]) < 0 }
func (b *branches) Swap(i, j int)      { b.list[i], b.list[j] = b.list[j], b.list[i] }
func (b *branches) Push(x any)         { b.list = append(b.list, x.(*branch)) }
func (b *branches) Pop() any {
	last := b.list[len(b.list)-1]
	b.list = b.list[:len(b.list)-1]
	return last
}

// compare orders by weight, length, and the sequence of nodes.
func (b *branch) compare(t *tables, c *branch) int {
	if order := cmp.Or(b.weight.compare(c.weight), cmp.Compare(b.length, c.length)); order != 0 {
		return order
	}
	return slices.CompareFunc(b.nodes(), c.nodes(), t.compareNodes)
}

func (b *branch) nodes() []node {
	out := make([]node, b.hops+1)
	for at := b; at != nil; at = at.before {
		out[at.hops] = at.to
	}
	return out
}

func (b *branch) passes(n node) bool {
	for at := b; at != nil; at = at.before {
		if at.to == n {
			return true
		}
	}
	return false
}

// walk is the whole path.
func (b *branch) walk() walk {
	w := walk{nodes: b.nodes(), rels: make([]rel, b.hops), weight: b.done}
	for at := b; at.before != nil; at = at.before {
		w.rels[at.hops-1] = at.rel
	}
	return w
}

// lightest lists the first paths by weight, length and sequence, at most so
// many.
func (s *pathSearch) lightest(most int) []walk {
	if !s.surround() {
		return nil
	}
	rests := s.rests()
	open := &branches{tables: s.tables}
	push := func(b *branch) {
		left := s.forward.most - b.hops
		list := rests[b.to]
		for i := len(list) - 1; i >= 0; i-- {
			if r := &list[i]; r.most <= left {
				b.weight, b.length = b.done.plus(r.weight), b.hops+r.hops
				heap.Push(open, b)
				return
			}
		}
	}
	push(&branch{stretch: stretch{to: s.ends[forward]}})
	for open.Len() > 0 && len(s.found) < most && s.err == nil {
		b := heap.Pop(open).(*branch)
		if b.to == s.ends[backward] {
			s.found = append(s.found, b.walk())
			continue
		}
		for _, x := range s.stretches(b.to) {
			if b.passes(x.to) {
				continue
			}
			if !s.spend(1) || !s.tick(1) {
				return s.found
			}
			push(&branch{before: b, stretch: x, hops: b.hops + 1, done: b.done.plus(x.weight)})
		}
	}
	return s.found
}

// stretches lists the hops from a node to those that lie on paths: to each over
// its least relationship, by weight, type, direction and key.
func (s *pathSearch) stretches(from node) []stretch {
	type option struct {
		stretch
		hop *hop
	}
	var all []option
	hops := s.forward.hops[from.label]
	for i := range hops {
		h := &hops[i]
		a, first, end := h.Span(from.row)
		if !s.tick(int(end - first)) {
			return nil
		}
		for at := first; at < end; at++ {
			to := node{uint32(h.far.number), a.Ends[at]}
			if s.within(to, 0, s.forward.most-1) && s.usable(h, a, at) {
				x := h.relAt(from, a, at)
				all = append(all, option{stretch{to, x, s.amountOf(x)}, h})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b option) int {
		order := cmp.Or(s.tables.compareNodes(a.to, b.to), a.weight.compare(b.weight), compareHops(a.hop, b.hop))
		if order == 0 {
			order = a.rel.links.compare(a.rel.number, b.rel.number)
		}
		return order
	})
	var out []stretch
	for i, o := range all {
		if i == 0 || o.to != all[i-1].to {
			out = append(out, o.stretch)
		}
	}
	return out
}

// amountOf is the weight of a relationship, which must not be negative.
func (s *pathSearch) amountOf(x rel) amount {
	a := s.scale.amount(x.links, x.number)
	if a.negative() && s.err == nil {
		s.err = s.negative(x)
	}
	return a
}

// rests finds the lightest walks from all nodes to the end, by the number of
// hops that they may have: of a node those that are lighter than with fewer
// hops.
func (s *pathSearch) rests() map[node][]rest {
	end := s.ends[backward]
	rests := map[node][]rest{end: {{}}}
	level := []node{end}
	for k := 1; k <= s.forward.most && len(level) > 0 && s.err == nil; k++ {
		better := map[node]rest{}
		for _, n := range level {
			list := rests[n]
			ahead := list[len(list)-1]
			hops := s.back.hops[n.label]
			for i := range hops {
				h := &hops[i]
				a, first, last := h.Span(n.row)
				if !s.tick(int(last - first)) {
					return nil
				}
				for at := first; at < last; at++ {
					to := node{uint32(h.far.number), a.Ends[at]}
					// A path does not come back to its start, nor go on from its end.
					if to == end || n == s.ends[forward] || !s.within(to, 0, k) || !s.reachable(to, s.forward.most-k) || !s.usable(h, a, at) {
						continue
					}
					r := rest{most: k, hops: ahead.hops + 1, weight: ahead.weight.plus(s.amountOf(h.relAt(n, a, at)))}
					known := rests[to]
					if len(known) > 0 && known[len(known)-1].compare(r) <= 0 {
						continue
					}
					if b, ok := better[to]; !ok || r.compare(b) < 0 {
						better[to] = r
					}
				}
			}
		}
		level = level[:0]
		for n, r := range better {
			rests[n] = append(rests[n], r)
			level = append(level, n)
		}
	}
	return rests
}

// reachable reports whether a path of so many hops from the start may lead to a
// node, as far as is known.
func (s *pathSearch) reachable(n node, hops int) bool {
	return hops > s.depth(forward) || s.near(n, hops)
}
