package native

import (
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
)

// An aggregate answers aggregate_nodes: nodes are sorted into groups (group.go),
// figures are kept for each group (figure.go), and a page of the groups becomes
// rows (grouprows.go).
type aggregate struct {
	nodes   *nodeSet
	groups  []groupColumn
	chains  []*groupChain
	figures []*figure
	// kept are the figures that are more than the number of a group's nodes.
	kept    []int
	columns []graph.Column
	having  []compile.HavingCond
	least   int // how many nodes a row must stand for
	page    *groupPage
	// degrees is the hop whose degrees are the counts, nil where nodes have to
	// be looked at.
	degrees *chainHop
	ahead   *ahead // nil where nodes are not counted by their first end
	plain   bool   // see isPlain
}

func (lw *lowering) aggregate(a *compile.Aggregate) *aggregate {
	out := &aggregate{nodes: lw.nodeSet(a.Nodes), having: a.Having, least: a.MinGroup}
	for _, steps := range a.Chains {
		out.chains = append(out.chains, lw.groupChain(steps))
	}
	for _, g := range a.Groups {
		out.groups = append(out.groups, out.groupColumn(g))
	}
	o := owner{out.nodes.table.columns, out.nodes.table}
	for i, v := range a.Values {
		f := &figure{function: v.Function, least: int64(v.Least), cond: lw.test(o, v.Cond, true)}
		if v.Property != nil {
			f.column = out.nodes.table.column(v.Property)
		}
		out.figures = append(out.figures, f)
		if f.state = -1; f.function != graph.Count || f.cond != nil {
			f.state = len(out.kept)
			out.kept = append(out.kept, i)
		}
	}
	for _, c := range a.Columns() {
		out.columns = append(out.columns, graph.Column{Name: c.Name, Type: c.Type.Type.String()})
	}
	out.page = &groupPage{order: a.Page.Order, limit: a.Page.Limit, seek: a.Page.Seek}
	out.degrees, out.ahead, out.plain = out.byDegrees(), out.countAhead(), out.isPlain()
	return out
}

func (a *aggregate) run(r *run, w graph.Writer) (store.Outcome, error) {
	g := a.begin(r)
	defer g.end()
	if r.err != nil { // the groups' values could not be numbered in time
		return store.Outcome{}, r.err
	}
	if !g.countDegrees() && !g.countAll() {
		a.count(r, g)
	}
	if r.err != nil {
		return store.Outcome{}, r.err
	}
	return g.write(w)
}

// count counts the nodes in their groups.
func (a *aggregate) count(r *run, g *grouping) {
	c := a.nodes.candidates(r, false, position{})
	defer c.giveBack(r)
	nodes := a.nodes
	if g.goAhead(c.count()); g.byEnds {
		nodes = a.ahead.nodes
		defer g.goOn()
	}
	nodes.prepare(r, c.count())
	part := func(r *run, c candidates, g *grouping) {
		nodes.scan(r, c, func(rows []uint32) bool {
			g.add(rows)
			return r.err == nil
		})
	}
	n := workers(&c)
	if n == 1 {
		part(r, c, g)
		return
	}
	r.prepareAll(c.count())
	for i, f := range r.inParallel(n, func(f *run, i int) {
		if i > 0 {
			a.begin(f).goAhead(c.count())
		}
		part(f, c.part(i, n), &f.grouping)
	}) {
		if i > 0 {
			g.merge(&f.grouping)
			f.grouping.end()
			r.join(f)
		}
	}
}
