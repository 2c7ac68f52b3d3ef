package native

import "math"

// A connector finds the relationships on paths of least total hops from a start
// of a traversal to targets, going back from these layer by layer.
type connector struct {
	*run
	*traverse
	layers []*layer
	rels   relSet
	budget int // of r.walked
	// path is what leads to the node at hand, for steps whose paths have to be
	// tried one by one.
	path []rel
	on   []node
}

// connect collects the relationships, and reports whether the budget was enough
// for all of them.
func (c *connector) connect(targets []nodeRow) bool {
	c.budget = c.walked + c.plan.Limits.Budget
	wanted := c.newLayer()
	for _, t := range targets {
		wanted.add(c.run, node{uint32(t.table.number), t.row}, t.distance)
	}
	for i := len(c.steps) - 1; i >= 0; i-- {
		var before *layer // of which nothing is asked at the first step
		if i > 0 {
			before = c.newLayer()
		}
		for d, nodes := range wanted.at {
			for _, end := range nodes {
				c.lead(i, end, d, before)
			}
		}
		wanted.free(c.run)
		if wanted = before; wanted != nil {
			wanted.settle()
		}
	}
	return c.walked <= c.budget
}

func (c *connector) more() bool { return c.err == nil && c.walked <= c.budget }

// lead collects what leads by step i to a node of the layer after it, at a
// distance, and adds to before where it comes from.
func (c *connector) lead(i int, end node, distance int, before *layer) {
	step := c.steps[i]
	for hops := step.least; hops <= min(step.most, distance) && c.more(); hops++ {
		if from := distance - hops; hops == 1 {
			c.leadByOne(i, end, from, before)
		} else if from < len(c.layers[i].at) && len(c.layers[i].at[from]) > 0 {
			c.leadFar(i, end, from, hops, before)
		}
	}
}

func (c *connector) leadByOne(i int, end node, from int, before *layer) {
	if from >= len(c.layers[i].at) {
		return
	}
	starts := c.layers[i].at[from]
	hops := c.back[i].hops[end.label]
	for j := range hops {
		h := &hops[j]
		a, first, last := h.Span(end.row)
		if int(last-first) > scanned*len(starts) {
			for _, start := range starts {
				c.leadBetween(h, end, start, from, before)
			}
			continue
		}
		if !c.tick(int(last - first)) {
			return
		}
		for at := first; at < last; at++ {
			start := node{uint32(h.far.number), a.Ends[at]}
			if c.layers[i].distance(start) == from && (h.rel == nil || h.rel.holds(c.run, a.Number(at))) {
				c.rels.add(h.relAt(end, a, at))
				before.note(c.run, start, from)
			}
		}
	}
}

// scanned is up to how many times more relationships than starts of interest a
// node may have for all to be looked at.
const scanned = 4

// leadBetween is leadByOne for one start.
func (c *connector) leadBetween(h *hop, end, start node, from int, before *layer) {
	if start.label != uint32(h.far.number) {
		return
	}
	a, first, last := h.Span(end.row)
	for at := firstTo(a, first, last, start.row); at < last && a.Ends[at] == start.row && c.tick(1); at++ {
		if h.allows(c.run, a, at) {
			c.rels.add(h.relAt(end, a, at))
			before.note(c.run, start, from)
		}
	}
}

// leadFar is lead for the paths of one length over one hop. Steps that may be
// a single hop get nowhere sooner than by their shortest paths, all of whose
// parts are shortest; others are tried path by path.
func (c *connector) leadFar(i int, end node, from, hops int, before *layer) {
	shortest := c.steps[i].least == 1
	levels := c.levels(i, end, from, hops, shortest)
	defer func() {
		for _, m := range levels {
			c.giveMarks(m)
		}
	}()
	for _, start := range levels[hops].touched {
		if c.layers[i].distance(start) != from || !c.more() {
			continue
		}
		if shortest {
			c.descend(i, start, levels, hops)
			before.note(c.run, start, from)
			continue
		}
		c.on, c.path = append(c.on[:0], start), c.path[:0]
		if c.try(i, levels, hops) {
			before.note(c.run, start, from)
		}
	}
}

// levels are the nodes from which so many hops lead to an end: exactly so many
// or, of shortest paths, no fewer. Of the last level only the starts at a
// distance are of interest, and they are asked where that is less work.
func (c *connector) levels(i int, end node, from, hops int, shortest bool) []*marks {
	levels := []*marks{c.takeMarks()}
	levels[0].add(end)
	seen := c.takeMarks()
	defer c.giveMarks(seen)
	starts := c.layers[i].at[from]
	for k := range hops {
		next := c.takeMarks()
		near := levels[k]
		levels = append(levels, next)
		if k == hops-1 && c.fewer(i, starts, near.touched) {
			for _, start := range starts {
				if start == end {
					continue
				}
				c.onward(i, start, near, func(rel, node) bool {
					next.add(start)
					return false
				})
			}
			break
		}
		for _, n := range near.touched {
			c.back[i].each(c.run, n, func(to node) bool {
				if to != end && (!shortest || seen.add(to)) {
					next.add(to)
				}
				return c.walked <= c.budget
			})
		}
	}
	return levels
}

// fewer reports whether fewer relationships lead on from starts than back from
// other nodes.
func (c *connector) fewer(i int, starts, others []node) bool {
	back := c.back[i].degrees(others, math.MaxInt)
	return c.steps[i].degrees(starts, back) < back
}

// degrees counts the relationships that lead on from nodes, up to so many.
func (e *expansion) degrees(nodes []node, most int) int {
	n := 0
	for _, from := range nodes {
		hops := e.hops[from.label]
		for i := range hops {
			_, first, end := hops[i].Span(from.row)
			n += int(end - first)
		}
		if n >= most {
			break
		}
	}
	return n
}

// descend collects the relationships from a node down to the end, and goes on
// once from every node on the way.
func (c *connector) descend(i int, start node, levels []*marks, hops int) {
	level := append(c.nodeList(), start)
	for k := hops - 1; k >= 0; k-- {
		seen := c.takeMarks()
		next := c.nodeList()
		for _, n := range level {
			c.onward(i, n, levels[k], func(x rel, to node) bool {
				c.rels.add(x)
				if seen.add(to) {
					next = append(next, to)
				}
				return true
			})
		}
		c.giveMarks(seen)
		c.giveNodes(level)
		level = next
	}
	c.giveNodes(level)
}

// try collects the paths that go on from the last node of c.on to the end in so
// many hops, and reports whether there are any.
func (c *connector) try(i int, levels []*marks, hops int) bool {
	if hops == 0 {
		for _, x := range c.path {
			c.rels.add(x)
		}
		return true
	}
	found := false
	c.onward(i, c.on[len(c.on)-1], levels[hops-1], func(x rel, to node) bool {
		for _, n := range c.on {
			if n == to {
				return true
			}
		}
		c.on, c.path = append(c.on, to), append(c.path, x)
		if c.try(i, levels, hops-1) {
			found = true
		}
		c.on, c.path = c.on[:len(c.on)-1], c.path[:len(c.path)-1]
		return c.more()
	})
	return found
}

// onward calls visit with the hops of step i from a node to those in a set.
func (c *connector) onward(i int, n node, into *marks, visit func(x rel, to node) bool) {
	hops := c.steps[i].hops[n.label]
	for j := range hops {
		h := &hops[j]
		a, first, last := h.Span(n.row)
		if few := len(into.touched); int(last-first) > searchPays*few {
			if !c.tick(few) || !c.search(h, n, into.touched, visit) {
				return
			}
			continue
		}
		if !c.tick(int(last - first)) {
			return
		}
		for at := first; at < last; at++ {
			to := node{uint32(h.far.number), a.Ends[at]}
			if into.has(to) && h.allows(c.run, a, at) && !visit(h.relAt(n, a, at), to) {
				return
			}
		}
	}
}

// searchPays is how many times more relationships a node must have than there
// are nodes of interest for these to be looked up among their ends.
const searchPays = 16

// search is onward for one hop to few nodes.
func (c *connector) search(h *hop, n node, among []node, visit func(x rel, to node) bool) bool {
	a, first, last := h.Span(n.row)
	for _, to := range among {
		if to.label != uint32(h.far.number) {
			continue
		}
		for at := firstTo(a, first, last, to.row); at < last && a.Ends[at] == to.row; at++ {
			if h.allows(c.run, a, at) && !visit(h.relAt(n, a, at), to) {
				return false
			}
		}
	}
	return true
}
