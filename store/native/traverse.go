package native

import (
	"math"

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
	back []*expansion
	// reversed are these in the order of a walk back.
	reversed []*expansion
	order    *order
	shows    *shows
	connect  bool
	limit    compile.Slot
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
	for i := len(out.back) - 1; i >= 0; i-- {
		out.reversed = append(out.reversed, out.back[i])
	}
	target := lw.label(t.Target().Label())
	out.target = out.steps[len(out.steps)-1].ends[target.number]
	out.order = lw.order(target, &t.Page)
	out.shows = lw.shows(t.Show, t.Steps, t.From.NodeRef)
	return out
}

func (t *traverse) run(r *run, w graph.Writer) (store.Outcome, error) {
	var out store.Outcome
	limit := int(r.params[t.limit].Int())
	layers, found := t.walk(r, &out, limit+1)
	defer func() {
		for _, l := range layers {
			l.free(r)
		}
		r.layers = layers[:0]
	}()
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
		out.Next = t.order.position(r, make([]graph.Value, 0, len(root.Page.Order)), root.Page.Order, found[out.Returned-1])
	}
	if t.connect {
		c := connector{run: r, traverse: t, layers: layers, rels: r.relSet()}
		if !c.connect(d.asked) {
			out.TruncatedBy = graph.TruncatedBudget
		}
		d.rels = c.rels.first()
		r.rels = c.rels.list
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

// walk finds the layers, that of the starts first, and the first targets of the
// page, at most so many. Where the budget ends them early, the answer is a part
// of what there is.
func (t *traverse) walk(r *run, out *store.Outcome, most int) ([]*layer, []ranked) {
	starts := count(r, t.from)
	r.prepareAll(int(min(cost(t.steps, starts), 1<<30)))
	within := t.marked(r, starts)
	defer func() {
		for _, m := range within {
			r.giveMarks(m)
		}
	}()
	layers := append(r.layers, r.newLayer())
	if within != nil {
		for _, n := range within[0].touched {
			layers[0].push(r, n, 0, t.connect)
		}
	} else {
		t.from.each(r, true, position{}, func(rows []uint32) bool {
			for _, row := range rows {
				layers[0].push(r, node{uint32(t.from.table.number), row}, 0, t.connect)
			}
			return true
		})
	}
	r.budget = r.walked + r.plan.Limits.Budget
	defer func() { r.budget = math.MaxInt }()
	first := &r.first
	*first = t.order.top(r, most)
	for i, e := range t.steps {
		var only *marks
		if within != nil {
			only = within[i+1]
		}
		to := landing{order: t.order, top: first}
		if i < len(t.steps)-1 {
			to.next, to.mark = r.newLayer(), t.connect
		}
		if !e.lead(r, layers[i], only, to) {
			out.TruncatedBy = graph.TruncatedBudget
		}
		if to.next != nil {
			layers = append(layers, to.next)
		}
	}
	r.ranked = first.heap
	return layers, first.sorted()
}

// backPays is how many times more it must cost to walk from the starts than
// from the targets before the targets are looked at first.
const backPays = 2

// marked walks back from the targets where these are few, and marks after each
// step, and before the first, the nodes from which the rest leads to a target.
func (t *traverse) marked(r *run, starts int) []*marks {
	ahead := cost(t.steps, starts)
	if ahead < backPays*cost(t.reversed, 1) || ahead < backPays*cost(t.reversed, count(r, t.target)) {
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
	for i, e := range t.reversed {
		at := len(t.steps) - i
		e.expand(r, within[at], within[at-1], true)
	}
	return within
}

// count is how many nodes a set may have.
func count(r *run, s *nodeSet) int {
	c := s.candidates(r, false, position{})
	defer c.giveBack(r)
	return c.count()
}
