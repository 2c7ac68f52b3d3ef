package native

import (
	"fmt"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
)

// A find answers find_nodes: the nodes of a set, a page of them in order.
type find struct {
	nodes *nodeSet
	order *order
	show  *shown
	limit compile.Slot
	// counted says that so many rows as offset holds are passed over, and that all
	// are counted.
	counted bool
	offset  compile.Slot
}

func (lw *lowering) find(f *compile.Find) *find {
	n := lw.nodeSet(f.Nodes)
	return &find{nodes: n, order: lw.order(n.table, &f.Page), show: lw.shown(f.Nodes.Label(), f.Show), limit: f.Page.Limit,
		counted: f.Page.Counted, offset: f.Page.Offset}
}

func (f *find) run(r *run, w graph.Writer) (store.Outcome, error) {
	limit := int(r.params[f.limit].Int())
	var out store.Outcome
	var found []ranked
	if f.counted {
		var total int64
		found, total = f.page(r, int(r.params[f.offset].Int()), limit+1)
		out.Total = &total
	} else {
		found = f.collect(r, limit+1)
	}
	if r.err != nil {
		return store.Outcome{}, r.err
	}
	if len(found) > limit {
		found, out.TruncatedBy = found[:limit], graph.TruncatedRows
	}
	rows := r.nodeRows[:0]
	for _, e := range found {
		rows = append(rows, nodeRow{shown: f.show, row: e.row})
	}
	r.nodeRows = rows
	n, err := r.write(w, rows)
	if err != nil {
		return store.Outcome{}, err
	}
	if out.Returned = n; n < len(found) {
		out.TruncatedBy = graph.TruncatedBytes
	}
	root := r.plan.Root.(*compile.Find)
	if out.TruncatedBy != graph.Complete && !f.counted {
		out.Next = f.order.position(r, make([]graph.Value, 0, len(root.Page.Order)), root.Page.Order, found[n-1])
	}
	r.warn(&out, f.nodes, root.Nodes.Keys, "/ids")
	return out, nil
}

// collect returns the first rows of the page, in order, at most so many.
func (f *find) collect(r *run, most int) []ranked {
	if f.order.byRow {
		found := r.ranked[:0]
		f.nodes.each(r, true, f.order.begin(r), func(rows []uint32) bool {
			for _, row := range rows[:min(len(rows), most-len(found))] {
				found = append(found, ranked{row: row})
			}
			return len(found) < most
		})
		r.ranked = found
		return found
	}
	c := f.nodes.candidates(r, false, position{})
	defer c.giveBack(r)
	t, _ := f.first(r, c, most)
	return t.sorted()
}

// first keeps the first of some candidates, at most so many but one at least, and
// returns how many of all there are.
func (f *find) first(r *run, c candidates, most int) (top, int64) {
	f.nodes.prepare(r, c.count())
	t := f.order.top(r, most)
	n := workers(&c)
	if n == 1 {
		t.heap, r.matched = f.firstOf(r, c, most)
		r.ranked = t.heap
		return t, r.matched
	}
	r.prepareAll(c.count())
	total := int64(0)
	for i, w := range r.inParallel(n, func(r *run, i int) { r.ranked, r.matched = f.firstOf(r, c.part(i, n), most) }) {
		total += w.matched
		for _, e := range w.ranked {
			if i > 0 {
				t.offer(e)
			}
		}
		if i == 0 {
			t.heap = w.ranked
			continue
		}
		r.join(w)
	}
	r.ranked = t.heap
	return t, total
}

// firstOf returns the first of some candidates, at most so many, in the order of
// a top's heap, and how many there are.
func (f *find) firstOf(r *run, c candidates, most int) (heap []ranked, all int64) {
	t := f.order.top(r, most)
	f.nodes.scan(r, c, func(rows []uint32) bool {
		all += int64(len(rows))
		f.order.offer(r, &t, rows, 0)
		return true
	})
	return t.heap, all
}

// warn warns of the keys of a set that name no node that the caller may see.
func (r *run) warn(out *store.Outcome, s *nodeSet, keys compile.Keys, path string) {
	if s.guard == nil && (keys.N <= 0 || len(r.args[s.keys].rows) == keys.N) {
		return
	}
	parts := len(s.table.key)
	for i := range keys.N {
		key := r.params[int(keys.First)+i*parts:][:parts]
		row, ok := r.tables.graph.Find(s.table.label, key)
		if !ok || !holds(r, s.guard, row) {
			out.Warnings = append(out.Warnings, store.NotFound(fmt.Sprintf("%s/%d", path, i), s.table.label, graph.KeyText(key)))
		}
	}
}
