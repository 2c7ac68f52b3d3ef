package native

// fromTwo is from for steps of exactly two hops: the ends are the nodes after
// those after the start, each looked at once, and tested together.
func (e *expansion) fromTwo(r *run, start node, visit func(end node, hops int) bool) {
	seen, found, near := r.takeMarks(), r.takeMarks(), r.nodeList()
	defer func() {
		r.giveMarks(seen)
		r.giveMarks(found)
		r.giveNodes(near)
	}()
	e.each(r, start, func(u node) bool {
		if u != start && seen.add(u) {
			near = append(near, u)
		}
		return true
	})
	found.add(start)
	for _, u := range near {
		hops, before := e.hops[u.label], len(found.touched)
		for i := range hops {
			if !hops[i].find(r, u, found, false) {
				return
			}
		}
		if !e.visitEnds(r, found.touched[before:], 2, visit) {
			return
		}
	}
}

// find marks the nodes that a hop leads to; with loops also the one that it
// leaves.
func (h *hop) find(r *run, from node, found *marks, loops bool) bool {
	a, first, end := h.Span(from.row)
	if first == end || !r.tick(int(end-first)) {
		return r.err == nil
	}
	label := uint32(h.far.number)
	words := found.words(label, h.far.count)
	open, not, touched := h.rel == nil && h.target == nil, uint32(noRow), found.touched
	if !loops && label == from.label {
		not = from.row
	}
	for i, row := range a.Ends[first:end] {
		if words[row>>6]&(1<<(row&63)) != 0 || row == not || !open && !h.allows(r, a, first+uint32(i)) {
			continue
		}
		words[row>>6] |= 1 << (row & 63)
		touched = append(touched, node{label, row})
	}
	found.touched = touched
	return true
}

// visitEnds calls visit with those of some nodes at which the step may end,
// until it returns false.
func (e *expansion) visitEnds(r *run, nodes []node, hops int, visit func(end node, hops int) bool) (more bool) {
	batch := r.list()
	defer func() { r.giveList(batch) }()
	for len(nodes) > 0 && r.err == nil {
		label := nodes[0].label
		n := 0
		batch = batch[:0]
		for n < len(nodes) && nodes[n].label == label && n < batchRows {
			batch = append(batch, nodes[n].row)
			n++
		}
		nodes = nodes[n:]
		if e.ends[label] == nil {
			continue
		}
		for _, row := range narrow(r, e.ends[label].test, batch) {
			if !visit(node{label, row}, hops) {
				return false
			}
		}
	}
	return r.err == nil
}

// fromFar is from for steps of two or three hops, or of three. Whether a
// path of two hops exists is decided by its ends alone. One of three, over u
// and v to t, exists if v has a u other than t before it; so two of them are
// kept for each v.
func (e *expansion) fromFar(r *run, start node, visit func(end node, hops int) bool) {
	seen, near := r.takeMarks(), r.nodeList()
	ended, second, before := r.takeMarks(), r.nodeList(), r.nodeList()
	found := r.takeMarks()
	defer func() {
		r.giveMarks(seen)
		r.giveMarks(ended)
		r.giveMarks(found)
		r.giveNodes(near)
		r.giveNodes(second)
		r.giveNodes(before)
	}()
	if !e.each(r, start, func(u node) bool {
		if u != start && seen.add(u) {
			near = append(near, u)
		}
		return true
	}) {
		return
	}
	end := func(n node, hops int) bool {
		return !ended.add(n) || !e.mayEnd(r, n) || visit(n, hops)
	}
	// second are the ends v of two hops; before[2i] and before[2i+1] are two
	// different nodes before second[i], or the same twice.
	at := map[node]int{}
	for _, u := range near {
		more := e.each(r, u, func(v node) bool {
			if v == start || v == u {
				return true
			}
			if found.add(v) {
				at[v] = len(second)
				before = append(before, u, u)
				second = append(second, v)
				return e.least > 2 || end(v, 2)
			}
			if i := 2 * at[v]; before[i] != u {
				before[i+1] = u
			}
			return true
		})
		if !more {
			return
		}
	}
	for i, v := range second {
		more := e.each(r, v, func(t node) bool {
			if t == start || t == v || t == before[2*i] && t == before[2*i+1] {
				return true
			}
			return end(t, 3)
		})
		if !more {
			return
		}
	}
}

// fromDeep is from for steps of at least two and more than three hops, which
// only a host allows: it tries the paths, shortest first, until all nodes that
// a walk reaches are reached.
func (e *expansion) fromDeep(r *run, start node, visit func(end node, hops int) bool) {
	ended, path := r.takeMarks(), r.nodeList()
	defer func() {
		r.giveMarks(ended)
		r.giveNodes(path)
	}()
	path = append(path, start)
	more := true
	var extend func(hops int)
	extend = func(hops int) {
		e.each(r, path[len(path)-1], func(to node) bool {
			for _, n := range path {
				if n == to {
					return true
				}
			}
			if hops > 1 {
				path = append(path, to)
				extend(hops - 1)
				path = path[:len(path)-1]
			} else if ended.add(to) && e.mayEnd(r, to) {
				more = visit(to, len(path))
			}
			more = more && r.walked <= r.budget // there may be very many ways to very few ends
			return more
		})
	}
	for hops := e.least; hops <= e.most && more && r.err == nil; hops++ {
		extend(hops)
	}
}
