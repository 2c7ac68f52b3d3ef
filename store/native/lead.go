package native

import "github.com/trellisgraph/trellis/store/memory"

// A landing takes in ends of a step: the next layer or, of the last step, the
// first in an order.
type landing struct {
	next *layer
	mark bool // see layer.push

	order *order
	top   *top
}

// land takes in rows of a label, at a distance. It is given every node once,
// nearest first, and may change the list.
func (l *landing) land(r *run, label uint32, rows []uint32, distance int) {
	if l.next != nil {
		l.next.pushAll(r, label, rows, distance, l.mark)
		return
	}
	l.order.offer(r, l.top, rows, uint32(distance))
}

// A lander collects the nodes that a step reaches, and lands those at which it
// may end.
type lander struct {
	*run
	*expansion
	only *marks // if there is such, it has all nodes that are of use
	landing
	// tested says that what is collected has fulfilled the tests of ends.
	tested bool

	label    uint32
	distance int
	rows     []uint32
}

// begin goes over to the nodes of a label at a distance.
func (l *lander) begin(label uint32, distance int) {
	if label != l.label || distance != l.distance || len(l.rows) >= batchRows {
		l.flush()
		l.label, l.distance = label, distance
	}
}

// flush lands what was collected.
func (l *lander) flush() {
	rows := l.rows
	if len(rows) == 0 {
		return
	}
	if ends := l.ends[l.label]; ends != nil {
		if !l.tested {
			rows = narrow(l.run, ends.test, rows)
		}
		if l.only != nil {
			rows = keep(rows, func(row uint32) bool { return l.only.has(node{l.label, row}) })
		}
		if len(rows) > 0 && l.err == nil {
			l.land(l.run, l.label, rows, l.distance)
		}
	}
	l.rows = l.rows[:0]
}

// lead lands where a step leads to from a layer. It returns false where r.budget
// is spent before the end.
func (e *expansion) lead(r *run, from *layer, only *marks, to landing) bool {
	l := lander{run: r, expansion: e, only: only, landing: to, rows: r.list()}
	switch {
	case e.most == 1:
		l.byOne(from)
	case e.least == 2 && e.most == 2 && from.size() == 1:
		for d, nodes := range from.at {
			for _, n := range nodes {
				l.byTwo(n, d)
			}
		}
	default:
		l.far(from)
	}
	l.flush()
	r.giveList(l.rows)
	return r.walked <= r.budget
}

// byOne collects the ends of a single hop. Starts come by their distance, so
// that the first way to an end is the shortest.
func (l *lander) byOne(from *layer) {
	var seen *marks
	one := l.apart && from.size() == 1
	if !one && !l.fresh {
		seen = l.takeMarks()
		defer l.giveMarks(seen)
	}
	for d, nodes := range from.at {
		for _, n := range nodes {
			hops := l.hops[n.label]
			for i := range hops {
				h := &hops[i]
				if l.ends[h.far.number] == nil {
					continue
				}
				a, first, end := h.Span(n.row)
				if first == end {
					continue
				}
				if !l.tick(int(end - first)) {
					return
				}
				l.begin(uint32(h.far.number), d+1)
				if seen != nil {
					l.gatherNew(h, a, first, end, seen, noRow)
				} else {
					l.gather(h, a, first, end)
				}
				if l.walked > l.budget {
					return
				}
			}
		}
	}
}

// gather collects the ends of a span, of which equal ones stand side by side.
func (l *lander) gather(h *hop, a *memory.Adjacency, first, end uint32) {
	open, last, rows := h.rel == nil && h.target == nil, uint32(noRow), l.rows
	for i, row := range a.Ends[first:end] {
		if row != last && (open || h.allows(l.run, a, first+uint32(i))) {
			rows = append(rows, row)
			last = row
		}
	}
	l.rows = rows
}

// gatherNew is gather for the ends that were not seen before, and are not a
// certain row.
func (l *lander) gatherNew(h *hop, a *memory.Adjacency, first, end uint32, seen *marks, not uint32) {
	open := h.rel == nil && h.target == nil
	words := seen.words(l.label, h.far.count)
	rows, touched := l.rows, seen.touched
	for i, row := range a.Ends[first:end] {
		if words[row>>6]&(1<<(row&63)) != 0 || row == not || !open && !h.allows(l.run, a, first+uint32(i)) {
			continue
		}
		words[row>>6] |= 1 << (row & 63)
		rows, touched = append(rows, row), append(touched, node{l.label, row})
	}
	l.rows, seen.touched = rows, touched
}

// byTwo collects the ends of two hops from one node.
func (l *lander) byTwo(start node, distance int) {
	near, found := l.takeMarks(), l.takeMarks()
	defer func() {
		l.giveMarks(near)
		l.giveMarks(found)
	}()
	hops := l.hops[start.label]
	for i := range hops {
		if !hops[i].find(l.run, start, near, false) {
			return
		}
	}
	found.add(start)
	for _, u := range near.touched {
		hops := l.hops[u.label]
		for i := range hops {
			h := &hops[i]
			a, first, end := h.Span(u.row)
			if first == end {
				continue
			}
			if !l.tick(int(end - first)) {
				return
			}
			l.begin(uint32(h.far.number), distance+2)
			not := uint32(noRow)
			if l.label == u.label {
				not = u.row
			}
			l.gatherNew(h, a, first, end, found, not)
		}
		if l.walked > l.budget {
			return
		}
	}
}

// far collects the ends of steps of several hops.
func (l *lander) far(from *layer) {
	l.tested = true
	ends := l.newLayer()
	defer ends.free(l.run)
	for d, nodes := range from.at {
		for _, n := range nodes {
			l.from(l.run, n, func(end node, hops int) bool {
				ends.add(l.run, end, d+hops)
				return l.walked <= l.budget
			})
			if l.walked > l.budget || l.err != nil {
				break
			}
		}
	}
	ends.settle()
	for d, nodes := range ends.at {
		for _, n := range nodes {
			l.begin(n.label, d)
			l.rows = append(l.rows, n.row)
		}
	}
}

// know notes what can be said of a step beforehand: how much there is to walk,
// whether its hops from a label lead to labels apart, and whether all lead to
// nodes that nothing else in the step leads to.
func (e *expansion) know(labels int) {
	leads := make([]int, labels)
	e.apart, e.fresh = true, true
	for _, hops := range e.hops {
		own, degree := make([]bool, labels), 0.0
		for i := range hops {
			h := &hops[i]
			far := h.far.number
			one := h.links.outOnly
			if h.out {
				one = h.links.inOnly
			}
			leads[far]++
			if n := h.near.count; n > 0 {
				degree += float64(h.links.count) / float64(n)
			}
			e.relations += float64(h.links.count)
			e.apart = e.apart && !own[far]
			e.fresh = e.fresh && one != nil && one.flat && leads[far] == 1
			own[far] = true
		}
		e.degree = max(e.degree, degree)
	}
}
