package native

// fromFar is from for steps of at least two and at most three hops. Whether a
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
				if e.most > 2 {
					at[v] = len(second)
					before = append(before, u, u)
				}
				second = append(second, v)
				return e.least > 2 || end(v, 2)
			}
			if e.most > 2 {
				if i := 2 * at[v]; before[i] != u {
					before[i+1] = u
				}
			}
			return true
		})
		if !more {
			return
		}
	}
	if e.most < 3 {
		return
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
			return more
		})
	}
	for hops := e.least; hops <= e.most && more && r.err == nil; hops++ {
		extend(hops)
	}
}
