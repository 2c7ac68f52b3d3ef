package native

import (
	"cmp"
	"math"
	"slices"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
)

// A neighbors answers explore_neighbors: breadth first, until the levels hold
// more than the page asks for.
type neighbors struct {
	start *nodeSet
	step  *expansion
	// byType are the hops of the step in the order of their relationships.
	byType [][]hop
	shows  *shows
	limit  compile.Slot
}

func (lw *lowering) neighbors(n *compile.Neighbors) *neighbors {
	step := lw.expansion(n.Step)
	byType := make([][]hop, len(step.hops))
	for i, hops := range step.hops {
		byType[i] = slices.Clone(hops)
		slices.SortFunc(byType[i], func(a, b hop) int {
			return cmp.Or(cmp.Compare(a.links.typ, b.links.typ), cmp.Compare(a.links.from.number, b.links.from.number),
				cmp.Compare(a.links.to.number, b.links.to.number), compareHops(&a, &b))
		})
	}
	return &neighbors{
		byType: byType,
		start:  lw.nodeSet(n.Start), step: step,
		shows: lw.shows(n.Show, []*compile.Expand{n.Step}, n.Start.NodeRef), limit: n.Page.Limit,
	}
}

// named returns the node that a set of one key names. If the caller sees no such
// node, it warns.
func (r *run) named(s *nodeSet, keys compile.Keys, path string, out *store.Outcome) (node, bool) {
	rows := r.args[s.keys].rows
	if len(rows) == 0 || !holds(r, s.guard, rows[0]) {
		key := r.params[keys.First:][:len(s.table.key)]
		out.Warnings = append(out.Warnings, store.NotFound(path, s.table.label, graph.KeyText(key)))
		return node{}, false
	}
	return node{uint32(s.table.number), rows[0]}, true
}

// A place is where a page begins: at a node of a level.
type place struct {
	depth int
	first node // of rows that are not late
	// late is the first late row on the page, or that before it, if it is last
	// too; noRow where there is none.
	late, last uint32
}

// noRow is no row.
const noRow = math.MaxUint32

// before reports whether a node of the place's level is on the page.
func (p *place) before(t *tables, n node) bool {
	switch {
	case n.label != p.first.label:
		return n.label > p.first.label
	case n.row < t.numbered[n.label].ordered:
		return n.row >= p.first.row
	}
	return n.row != p.last && p.late != noRow && t.numbered[n.label].compare(p.late, n.row) <= 0
}

func (n *neighbors) run(r *run, w graph.Writer) (store.Outcome, error) {
	var out store.Outcome
	root := r.plan.Root.(*compile.Neighbors)
	start, ok := r.named(n.start, root.Start.Keys, "/start_node/node_id", &out)
	if !ok {
		return out, nil
	}
	from, err := r.place(root.Page.Seek)
	if err != nil {
		return out, err
	}
	r.prepareAll(int(min(cost([]*expansion{n.step}, 1), 1<<30)))
	limit := int(r.params[n.limit].Int())
	first := n.shows.node(start, 0)
	d := drawing{shows: n.shows, start: &first, asked: r.nodeRows[:0]}
	spent := n.explore(r, &d, start, from, limit+1)
	r.nodeRows = d.asked
	if r.err != nil {
		return out, r.err
	}
	switch {
	case spent:
		out.TruncatedBy = graph.TruncatedBudget
	case len(d.asked) > limit:
		out.TruncatedBy = graph.TruncatedRows
	}
	d.asked = d.asked[:min(limit, len(d.asked))]
	d.fit(r, w, &out)
	out.Returned = len(d.asked)
	if by := out.TruncatedBy; by == graph.TruncatedRows || by == graph.TruncatedBytes {
		last := d.asked[out.Returned-1]
		out.Next = []graph.Value{graph.Int(int64(last.distance)), graph.String(last.label.Name), graph.String(last.table.id(last.row))}
	}
	d.rels = n.between(r, d.asked, start)
	if r.err != nil {
		return out, r.err
	}
	return out, d.write(r, w, &out)
}

// place reads the position of a cursor.
func (r *run) place(s *compile.Seek) (place, error) {
	if s == nil {
		return place{}, nil
	}
	v := r.params[s.First:]
	if l, ok := r.plan.Schema.Label(v[1].Text()); ok {
		if key, bad := l.CoerceKey(graph.String(v[2].Text())); bad == nil {
			t := r.tables.label(l)
			p := place{depth: int(v[0].Int()), first: node{label: uint32(t.number)}, late: noRow, last: noRow}
			row, _, late := r.tables.graph.KeyRange(t.label, key, nil)
			if p.first.row = row; len(late) > 0 {
				p.late = late[0]
			}
			if row, exact := r.tables.graph.Find(t.label, key); exact && row < t.ordered {
				p.first.row = row + 1
			} else if exact {
				p.last = row
			}
			return p, nil
		}
	}
	return place{}, &graph.Error{Code: graph.InvalidCursor, Path: "/cursor", Message: "the cursor is not one of this call"}
}

// explore goes out from the start and adds to what is asked for, from a place
// on, until there are so many nodes. It reports whether the budget was spent
// before.
func (n *neighbors) explore(r *run, d *drawing, start node, from place, most int) (spent bool) {
	seen := r.takeMarks()
	level := append(r.nodeList(), start)
	defer func() {
		r.giveMarks(seen)
		r.giveNodes(level)
	}()
	seen.add(start)
	budget := r.plan.Limits.Budget
	for depth := 1; depth <= n.step.most && len(level) > 0 && len(d.asked) < most && !spent; depth++ {
		var next []node
		next, spent = n.step.spreadAll(r, level, seen, &budget, r.nodeList())
		r.giveNodes(level)
		level = next
		if depth < from.depth {
			continue
		}
		page := r.nodeList()
		if depth > from.depth {
			page = append(page, level...)
		} else {
			for _, to := range level {
				if from.before(r.tables, to) {
					page = append(page, to)
				}
			}
		}
		for _, to := range r.firstNodes(page, most-len(d.asked)) {
			d.asked = append(d.asked, n.shows.node(to, depth))
		}
		r.giveNodes(page)
	}
	return spent
}

// spreadAll walks one hop from all nodes of a level and appends those that are
// met for the first time and may be walked through. It reports whether the
// budget is spent before the end.
func (e *expansion) spreadAll(r *run, level []node, seen *marks, budget *int, next []node) (found []node, spent bool) {
	for _, n := range level {
		hops := e.hops[n.label]
		for i := range hops {
			h := &hops[i]
			ends := e.ends[h.far.number]
			a, first, end := h.Span(n.row)
			if first == end || !r.tick(int(end-first)) || ends == nil {
				continue
			}
			label := uint32(h.far.number)
			words := seen.words(label, h.far.count)
			open := h.rel == nil && h.target == nil && ends.test == nil
			for at := first; at < end; at++ {
				row := a.Ends[at]
				if !open && (!h.allows(r, a, at) || !holds(r, ends.test, row)) {
					continue
				}
				if *budget == 0 {
					return next, true
				}
				*budget--
				if words[row>>6]&(1<<(row&63)) == 0 {
					words[row>>6] |= 1 << (row & 63)
					to := node{label, row}
					seen.touched, next = append(seen.touched, to), append(next, to)
				}
			}
		}
	}
	return next, false
}

// firstNodes returns the first of some nodes, in order, at most so many. It
// changes the list.
func (r *run) firstNodes(list []node, most int) []node {
	if r.tables.flat {
		return r.firstPlaces(list, most)
	}
	t := r.tables
	kept := list[:0]
	var last node
	full := false
	for _, n := range list {
		if full && (n.label > last.label || t.compareNodes(n, last) >= 0) {
			continue
		}
		if kept = append(kept, n); len(kept) >= 2*most {
			slices.SortFunc(kept, t.compareNodes)
			kept = kept[:most]
			last, full = kept[most-1], true
		}
	}
	slices.SortFunc(kept, t.compareNodes)
	return kept[:min(most, len(kept))]
}

// firstPlaces is firstNodes where no row is late.
func (r *run) firstPlaces(list []node, most int) []node {
	kept, last := r.places[:0], uint64(math.MaxUint64)
	for _, n := range list {
		if n.place() >= last {
			continue
		}
		if kept = append(kept, n.place()); len(kept) >= 2*most {
			slices.Sort(kept)
			kept = kept[:most]
			last = kept[most-1]
		}
	}
	slices.Sort(kept)
	r.places = kept
	list = list[:min(most, len(kept))]
	for i := range list {
		list[i] = node{uint32(kept[i] >> 32), uint32(kept[i])}
	}
	return list
}

// between returns the relationships between nodes of neighbouring distances, the
// start's included, in order; of too many, the first and one more.
func (n *neighbors) between(r *run, all []nodeRow, start node) []rel {
	byDepth := append(make([]*marks, 0, 8), r.takeMarks())
	byDepth[0].add(start)
	for _, row := range all {
		for len(byDepth) <= row.distance {
			byDepth = append(byDepth, r.takeMarks())
		}
		byDepth[row.distance].add(node{uint32(row.table.number), row.row})
	}
	set := r.relSet()
	for depth := range byDepth[:len(byDepth)-1] {
		for _, near := range byDepth[depth].touched {
			n.link(r, near, byDepth[depth+1], &set)
		}
	}
	for _, m := range byDepth {
		r.giveMarks(m)
	}
	set.first()
	r.rels = set.list
	return set.list
}

// link adds the relationships from a node to others.
func (n *neighbors) link(r *run, near node, into *marks, set *relSet) {
	hops := n.byType[near.label]
	for i := range hops {
		h := &hops[i]
		a, first, end := h.Span(near.row)
		if !r.tick(int(end - first)) {
			return
		}
		if h.far.number >= len(into.bits) {
			continue
		}
		words := into.bits[h.far.number]
		for at := first; at < end; at++ {
			if bit(words, a.Ends[at]) && h.allows(r, a, at) {
				set.add(h.relAt(near, a, at))
			}
		}
	}
}
