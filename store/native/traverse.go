package native

import (
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
)

// A traverse answers traverse_relationships. Steps are independent of each
// other, so all that matters of the way to a node is how short it is: each step
// leads from a layer of nodes with their distances to the next.
type traverse struct {
	from   *nodeSet
	steps  []*expansion
	target *nodeSet
	// back[i] leads from where step i ends to where it begins.
	back    []*expansion
	order   *order
	shows   *shows
	connect bool
	limit   compile.Slot
}

func (lw *lowering) traverse(t *compile.Traverse) *traverse {
	out := &traverse{from: lw.nodeSet(t.From), connect: t.Connections, limit: t.Page.Limit}
	for _, x := range t.Steps {
		out.steps = append(out.steps, lw.expansion(x))
	}
	for i, e := range out.steps {
		ends := make([]*nodeSet, len(lw.labels)+1)
		if i == 0 {
			ends[out.from.table.number] = out.from
		} else {
			copy(ends, out.steps[i-1].ends)
		}
		out.back = append(out.back, lw.reverse(e, ends))
	}
	target := lw.label(t.Target().Label())
	out.target = out.steps[len(out.steps)-1].ends[target.number]
	out.order = lw.order(target, &t.Page)
	out.shows = lw.shows(t.Show, t.Steps, t.From.NodeRef)
	return out
}

func (t *traverse) run(r *run, w graph.Writer) (store.Outcome, error) {
	var out store.Outcome
	layers := t.walk(r, &out)
	defer func() {
		for _, l := range layers {
			l.free(r)
		}
	}()
	limit := int(r.params[t.limit].Int())
	found := t.first(r, layers[len(layers)-1], limit+1)
	if r.err != nil {
		return out, r.err
	}
	if len(found) > limit {
		found = found[:limit]
		if out.TruncatedBy == graph.Complete {
			out.TruncatedBy = graph.TruncatedRows
		}
	}
	d := drawing{shows: t.shows, context: true, asked: r.nodeRows[:0]}
	for _, e := range found {
		d.asked = append(d.asked, t.shows.node(node{uint32(t.target.table.number), e.row}, int(e.distance)))
	}
	r.nodeRows = d.asked
	d.fit(r, w, &out)
	out.Returned = len(d.asked)
	root := r.plan.Root.(*compile.Traverse)
	if by := out.TruncatedBy; by == graph.TruncatedRows || by == graph.TruncatedBytes {
		out.Next = t.order.position(r, nil, root.Page.Order, found[out.Returned-1])
	}
	if t.connect {
		c := connector{run: r, traverse: t, layers: layers, rels: relSet{most: r.plan.Limits.Connections + 1}}
		if !c.connect(d.asked) {
			out.TruncatedBy = graph.TruncatedBudget
		}
		d.rels = c.rels.first()
	}
	if r.err != nil {
		return out, r.err
	}
	if err := d.write(r, w, &out); err != nil {
		return out, err
	}
	r.warn(&out, t.from, root.From.Keys, "/from/ids")
	return out, nil
}

// walk finds the layers, that of the starts first. Where the budget ends them
// early, the answer is a part of what there is.
func (t *traverse) walk(r *run, out *store.Outcome) []*layer {
	r.prepareAll(int(min(cost(t.steps, count(r, t.from)), 1<<30)))
	within := t.marked(r)
	defer func() {
		for _, m := range within {
			r.giveMarks(m)
		}
	}()
	layers := []*layer{r.newLayer()}
	start := func(row uint32) { layers[0].push(r, node{uint32(t.from.table.number), row}, 0, t.connect) }
	if within != nil {
		for _, n := range within[0].touched {
			start(n.row)
		}
	} else {
		t.from.each(r, true, position{}, func(rows []uint32) bool {
			for _, row := range rows {
				start(row)
			}
			return true
		})
	}
	budget := r.walked + r.plan.Limits.Budget
	for i, e := range t.steps {
		next := r.newLayer()
		var only *marks
		if within != nil {
			only = within[i+1]
		}
		if !e.lead(r, layers[i], next, only, budget, t.connect) {
			out.TruncatedBy = graph.TruncatedBudget
		}
		layers = append(layers, next)
	}
	return layers
}

// backPays is how many times more it must cost to walk from the starts than
// from the targets before the targets are looked at first.
const backPays = 2

// marked walks back from the targets where these are few, and marks after each
// step, and before the first, the nodes from which the rest leads to a target.
func (t *traverse) marked(r *run) []*marks {
	back := make([]*expansion, len(t.back))
	for i, e := range t.back {
		back[len(back)-1-i] = e
	}
	if cost(t.steps, count(r, t.from)) < backPays*cost(back, count(r, t.target)) {
		return nil
	}
	within := make([]*marks, len(t.steps)+1)
	for i := range within {
		within[i] = r.takeMarks()
	}
	t.target.each(r, false, position{}, func(rows []uint32) bool {
		for _, row := range rows {
			within[len(t.steps)].add(node{uint32(t.target.table.number), row})
		}
		return true
	})
	for i, e := range back {
		at := len(t.steps) - i
		e.expand(r, within[at], within[at-1], true)
	}
	return within
}

// lead finds the layer that a step leads to from another. only, if there is
// such, has all nodes that are of use there. It returns false where the budget,
// which is a value of r.walked, is spent before the end. mark says that the
// layer will be asked how far nodes are.
func (e *expansion) lead(r *run, from, to *layer, only *marks, budget int, mark bool) bool {
	if e.most == 1 {
		return e.leadByOne(r, from, to, only, budget, mark)
	}
	add := func(end node, distance int) { to.add(r, end, distance) }
	if from.size() == 1 { // then no end comes twice
		add = func(end node, distance int) { to.push(r, end, distance, mark) }
	} else {
		defer to.settle()
	}
	for d, nodes := range from.at {
		for _, n := range nodes {
			e.from(r, n, func(end node, hops int) bool {
				if only == nil || only.has(end) {
					add(end, d+hops)
				}
				return r.walked <= budget
			})
			if r.walked > budget || r.err != nil {
				return r.walked <= budget
			}
		}
	}
	return true
}

// leadByOne is lead for a single hop. Starts come by their distance, so that
// the first way to an end is the shortest.
func (e *expansion) leadByOne(r *run, from, to *layer, only *marks, budget int, mark bool) bool {
	seen := r.takeMarks()
	defer r.giveMarks(seen)
	for d, nodes := range from.at {
		before := len(seen.touched)
		spent := false
		for _, n := range nodes {
			hops := e.hops[n.label]
			for i := range hops {
				if e.ends[hops[i].far.number] == nil {
					continue
				}
				if spent = !hops[i].find(r, n, seen, true) || r.walked > budget; spent {
					break
				}
			}
			if spent {
				break
			}
		}
		e.visitEnds(r, seen.touched[before:], d+1, func(end node, distance int) bool {
			if only == nil || only.has(end) {
				to.push(r, end, distance, mark)
			}
			return true
		})
		if spent {
			return r.walked <= budget
		}
	}
	return true
}

// first returns the first targets of the page, at most so many.
func (t *traverse) first(r *run, last *layer, most int) []ranked {
	first := top{most: most, compare: func(a, b ranked) int { return t.order.compare(r, a, b) }, heap: r.ranked[:0]}
	for d, nodes := range last.at {
		if !r.tick(len(nodes)) {
			break
		}
		for _, n := range nodes {
			if e := t.order.rank(r, n.row, uint32(d)); t.order.after(r, e) {
				first.offer(e)
			}
		}
	}
	r.ranked = first.heap
	return first.sorted()
}

// count is how many nodes a set may have.
func count(r *run, s *nodeSet) int {
	c := s.candidates(r, false, position{})
	defer c.giveBack(r)
	return c.count()
}
