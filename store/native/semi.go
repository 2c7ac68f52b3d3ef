package native

import (
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
)

// A semi asks of the nodes of a label whether, or to how many nodes, steps lead
// from them.
type semi struct {
	number int
	table  *table
	steps  []*expansion
	// back are the steps in reverse order and direction, from the last ends to
	// the nodes asked about.
	back   []*expansion
	none   bool
	counts []compile.CountCond
}

// semi lowers a semi-join.
func (lw *lowering) semi(t *table, s *compile.Semi) *semi {
	out := lw.exists(t, s.Steps)
	out.none, out.counts = s.None, s.Count
	return out
}

// exists lowers the question whether steps lead from a node to some node.
func (lw *lowering) exists(t *table, steps []*compile.Expand) *semi {
	s := &semi{number: len(lw.semis), table: t}
	lw.semis = append(lw.semis, s)
	for _, x := range steps {
		s.steps = append(s.steps, lw.expansion(x))
	}
	for i := len(s.steps) - 1; i >= 0; i-- {
		ends := make([]*nodeSet, len(lw.labels)+1)
		if i > 0 {
			copy(ends, s.steps[i-1].ends)
		} else {
			ends[t.number] = &nodeSet{table: t, keys: -1}
		}
		s.back = append(s.back, lw.reverse(s.steps[i], ends))
	}
	return s
}

// A semiState is what a run knows about a semi-join.
type semiState struct {
	ready bool
	// marked says that reached holds the nodes from which the steps lead
	// somewhere; otherwise they are walked from each node that is asked about.
	marked bool
	// accepts is what a single hop may end at, as a bitmap of the far label;
	// nil where that is asked of each end.
	accepts []uint64
	reached *marks
}

// prepare decides how a semi-join is answered for about so many candidates:
// from each of them, or from its ends, once for all.
func (s *semi) prepare(r *run, candidates int) {
	st := &r.sets[s.number]
	if st.ready {
		return
	}
	st.ready, st.marked = true, false
	last := s.steps[len(s.steps)-1].ends
	ends := 0
	for _, set := range last {
		if set != nil {
			c := set.candidates(r, false, position{})
			ends += c.count()
			c.giveBack(r)
		}
	}
	for _, e := range s.steps {
		for _, set := range e.ends {
			if set != nil {
				set.prepare(r, min(candidates, int(set.table.count)))
			}
		}
	}
	if len(s.counts) > 0 || costTogether(s.back, ends) >= cost(s.steps, candidates) {
		if h := s.oneHop(); h != nil && int(h.far.count) < candidates {
			st.accepts = s.accepted(r, h)
		}
		return
	}
	s.mark(r, st)
}

// prepareAll readies all semi-joins of the program, those of guards included,
// so that from then on none of them changes.
func (r *run) prepareAll(candidates int) {
	for _, s := range r.prog.semis {
		s.prepare(r, min(candidates, int(s.table.count)))
	}
}

// oneHop is the hop of a semi-join that is no more than that, without
// conditions on the relationship; nil of others.
func (s *semi) oneHop() *hop {
	if len(s.steps) > 1 || s.steps[0].most > 1 || len(s.counts) > 0 {
		return nil
	}
	hops := s.steps[0].hops[s.table.number]
	if len(hops) == 1 && hops[0].rel == nil {
		return &hops[0]
	}
	return nil
}

// accepted is the bitmap of the nodes at which a hop may end.
func (s *semi) accepted(r *run, h *hop) []uint64 {
	words := int(h.far.count+63) / 64
	first := len(r.bits)
	for range words {
		r.bits = append(r.bits, 0)
	}
	set := r.bits[first:]
	ends := s.steps[0].ends[h.far.number]
	if ends == nil {
		return set
	}
	t := conjunction(h.target, ends.test)
	batch := r.list()
	for c := (candidates{end: h.far.count}); r.tick(len(batch)); {
		if batch = c.next(batch[:0], batchRows); len(batch) == 0 {
			break
		}
		for _, row := range narrow(r, t, batch) {
			set[row>>6] |= 1 << (row & 63)
		}
	}
	r.giveList(batch)
	return set
}

// cost estimates how many relationships steps walk from each of so many nodes.
func cost(steps []*expansion, nodes int) float64 { return walks(steps, nodes, false) }

// costTogether is cost where the nodes are left together, so that each
// relationship need be walked but once a hop.
func costTogether(steps []*expansion, nodes int) float64 { return walks(steps, nodes, true) }

func walks(steps []*expansion, nodes int, together bool) float64 {
	total, at := 0.0, float64(nodes)
	for _, e := range steps {
		for range e.most {
			at = at*e.degree + 1
			if together && (e.most == 1 || e.sweeps()) {
				at = min(at, e.relations+1)
			}
			total += at
		}
		total = min(total, float64(nodes)*(e.relations+1))
	}
	return total
}

// mark walks back from the ends and marks the nodes that lead to them.
func (s *semi) mark(r *run, st *semiState) {
	from := r.takeMarks()
	for _, set := range s.steps[len(s.steps)-1].ends {
		if set == nil {
			continue
		}
		set.each(r, false, position{}, func(rows []uint32) bool {
			for _, row := range rows {
				from.add(node{uint32(set.table.number), row})
			}
			return true
		})
	}
	for i, e := range s.back {
		to := r.takeMarks()
		e.expand(r, from, to, i < len(s.back)-1)
		r.giveMarks(from)
		from = to
	}
	st.marked, st.reached = true, from
}

// expand marks in to, which is empty, all nodes to which the step leads from
// those in from. Unless listed, to.touched need not have them.
func (e *expansion) expand(r *run, from, to *marks, listed bool) {
	switch {
	case e.most == 1:
		e.expandByOne(r, from, to, listed)
		return
	case e.sweeps():
		e.sweep(r, from, to, listed)
		return
	}
	for _, n := range from.touched {
		e.from(r, n, func(end node, _ int) bool {
			to.add(end)
			return true
		})
	}
}

// expandByOne is expand for a single hop.
func (e *expansion) expandByOne(r *run, from, to *marks, listed bool) {
	for _, n := range from.touched {
		hops := e.hops[n.label]
		for i := range hops {
			h := &hops[i]
			label := uint32(h.far.number)
			ends := e.ends[label]
			if ends == nil {
				continue
			}
			a, first, end := h.Span(n.row)
			if !r.tick(int(end - first + 1)) {
				return
			}
			if h.rel == nil && h.target == nil && ends.test == nil {
				if found := a.Ends[first:end]; listed || len(found) < int(h.far.count>>6) {
					to.addAll(label, h.far.count, found)
				} else {
					to.setAll(label, h.far.count, found)
				}
				continue
			}
			for at := first; at < end; at++ {
				if h.allows(r, a, at) && holds(r, ends.test, a.Ends[at]) {
					to.add(node{label, a.Ends[at]})
				}
			}
		}
	}
}

// semiTest holds for the nodes for which a semi-join does.
type semiTest struct{ semi *semi }

func (t semiTest) holds(r *run, row uint32) bool {
	s := t.semi
	st := &r.sets[s.number]
	if !st.ready {
		s.prepare(r, 1)
		st = &r.sets[s.number]
	}
	n := node{uint32(s.table.number), row}
	if st.marked {
		return st.reached.has(n) != s.none
	}
	if len(s.counts) > 0 {
		return s.counted(r, s.reach(r, n, false))
	}
	if len(s.steps) == 1 && s.steps[0].most == 1 {
		return s.steps[0].leads(r, n) != s.none
	}
	return (s.reach(r, n, true) > 0) != s.none
}

func (t semiTest) narrow(r *run, rows []uint32) []uint32 {
	s := t.semi
	if st := &r.sets[s.number]; st.accepts != nil {
		return s.narrowByHop(r, s.oneHop(), st.accepts, rows)
	} else if st.ready && st.marked {
		return st.reached.narrow(uint32(s.table.number), rows, s.none)
	}
	return keep(rows, func(row uint32) bool { return t.holds(r, row) })
}

// narrowByHop is narrow where it is known what the one hop may end at.
func (s *semi) narrowByHop(r *run, h *hop, accepts []uint64, rows []uint32) []uint32 {
	n := 0
	if ends := h.byRow(); ends != nil {
		none := s.none
		for _, row := range rows {
			to := ends[row]
			rows[n] = row
			if (accepts[to>>6]&(1<<(to&63)) != 0) != none {
				n++
			}
		}
		return rows[:n]
	}
	for _, row := range rows {
		a, first, end := h.Span(row)
		if !r.tick(int(end - first)) {
			break
		}
		found := false
		for _, to := range a.Ends[first:end] {
			if found = accepts[to>>6]&(1<<(to&63)) != 0; found {
				break
			}
		}
		rows[n] = row
		if found != s.none {
			n++
		}
	}
	return rows[:n]
}

// reach counts the distinct nodes to which the steps lead from a node; or, if
// one is enough, no more than that.
func (s *semi) reach(r *run, start node, one bool) int {
	n := 0
	if len(s.steps) == 1 {
		s.steps[0].from(r, start, func(node, int) bool {
			n++
			return !one
		})
		return n
	}
	from, to := r.takeMarks(), r.takeMarks()
	defer func() {
		r.giveMarks(from)
		r.giveMarks(to)
	}()
	from.add(start)
	for i, e := range s.steps {
		to.clear()
		if one && i == len(s.steps)-1 {
			for _, at := range from.touched {
				e.from(r, at, func(node, int) bool {
					n++
					return false
				})
				if n > 0 {
					return n
				}
			}
			return 0
		}
		e.expand(r, from, to, true)
		from, to = to, from
	}
	return len(from.touched)
}

// counted reports whether a number of nodes is within the bounds.
func (s *semi) counted(r *run, n int) bool {
	for _, c := range s.counts {
		if !compareInts(c.Op, int64(n), r.params[c.Slot].Int()) {
			return false
		}
	}
	return true
}

func compareInts(op graph.Op, a, b int64) bool {
	switch op {
	case graph.Ne:
		return a != b
	case graph.Lt:
		return a < b
	case graph.Lte:
		return a <= b
	case graph.Gt:
		return a > b
	case graph.Gte:
		return a >= b
	}
	return a == b
}
