package native

import (
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
)

// A drawing is an answer of nodes and of the relationships that connect them.
type drawing struct {
	*shows
	// asked are the nodes that were asked for, in order.
	asked []nodeRow
	// start, if there is one, is in the answer whatever fits, behind asked.
	start *nodeRow
	// rels are the relationships, in order; one more than an answer may have
	// says that there are more.
	rels []rel
	// context says that the ends of relationships are in the answer too.
	context bool

	// encoder has written the nodes asked for and the start, if it has a document.
	encoder encoder
	// fitter has been offered nodes, where not all is sure to fit. Of those that
	// do, start comes first.
	fitter *store.Fitter
	nodes  []*graph.Node
}

// fit drops the nodes asked for that an answer has no room for. A document has
// the others then.
func (d *drawing) fit(r *run, w graph.Writer, out *store.Outcome) {
	if d.encoder = newEncoder(r, w); d.encoder.doc != nil {
		if d.encodeAsked() {
			return
		}
		d.encoder.back()
	} else if d.fits(r) {
		return
	}
	if n := d.fitNodes(r); n < len(d.asked) {
		d.asked = d.asked[:n]
		if out.TruncatedBy != graph.TruncatedBudget {
			out.TruncatedBy = graph.TruncatedBytes
		}
	}
}

// encodeAsked appends the nodes asked for and the start to the document, and
// reports whether there was room for them.
func (d *drawing) encodeAsked() bool {
	for _, row := range d.asked {
		if !d.encoder.node(row) {
			return false
		}
	}
	return d.start == nil || d.encoder.node(*d.start)
}

// fits reports whether the nodes asked for and the start are sure to fit.
func (d *drawing) fits(r *run) bool {
	all := d.asked
	if d.start != nil {
		all = append(slices.Clip(all), *d.start)
	}
	return r.fits(all)
}

// fitNodes offers the nodes asked for, and returns how many fit.
func (d *drawing) fitNodes(r *run) int {
	d.fitter = store.NewFitter(r.plan.Limits.Bytes)
	offer := func(row nodeRow, always bool) bool {
		n := &graph.Node{}
		row.fill(r.plan, n)
		if !d.fitter.Fit(store.Piece{Nodes: []*graph.Node{n}, Always: always}) {
			return false
		}
		d.nodes = append(d.nodes, n)
		return true
	}
	if d.start != nil {
		offer(*d.start, true)
	}
	for i, row := range d.asked {
		if !offer(row, i == 0) {
			return i
		}
	}
	return len(d.asked)
}

// write writes what was asked for, all of which fits, and as much of the rest as
// does.
func (d *drawing) write(r *run, w graph.Writer, out *store.Outcome) error {
	if most := r.plan.Limits.Connections; len(d.rels) > most {
		d.rels = d.rels[:most]
		incomplete(out, graph.TruncatedRelationships)
	}
	if d.fitter != nil {
		return d.writeFitting(r, w, out)
	}
	near := d.near(r)
	if d.encoder.doc != nil {
		if d.encodeRest(near) {
			return nil
		}
		d.encoder.back()
		d.fitNodes(r)
		return d.writeFitting(r, w, out)
	}
	if d.room(near) > r.plan.Limits.Bytes {
		d.fitNodes(r)
		return d.writeFitting(r, w, out)
	}
	if d.start != nil {
		near = append(near, *d.start)
	}
	for _, rows := range [2][]nodeRow{d.asked, near} {
		for _, row := range rows {
			row.fill(r.plan, &r.node)
			if err := w.Node(&r.node); err != nil {
				return err
			}
		}
	}
	for _, x := range d.rels {
		d.shows.fill(r.plan, &r.rel, x)
		if err := w.Relationship(&r.rel); err != nil {
			return err
		}
	}
	return nil
}

// encodeRest appends what connects the nodes that the document has, and reports
// whether there was room for it.
func (d *drawing) encodeRest(near []nodeRow) bool {
	for _, row := range near {
		if !d.encoder.node(row) {
			return false
		}
	}
	for _, x := range d.rels {
		if !d.encoder.relationship(d.shows, x) {
			return false
		}
	}
	return true
}

// near returns the nodes at the ends of relationships that were not asked for,
// in order.
func (d *drawing) near(r *run) []nodeRow {
	if !d.context || len(d.rels) == 0 {
		return nil
	}
	shown, list := r.takeMarks(), r.nodeList()
	for _, row := range d.asked {
		shown.add(node{uint32(row.table.number), row.row})
	}
	for _, x := range d.rels {
		for _, end := range [2]node{x.from, x.to} {
			if shown.add(end) {
				list = append(list, end)
			}
		}
	}
	if len(list) > 1 {
		slices.SortFunc(list, r.tables.compareNodes)
	}
	rows := d.asked // behind which there is room
	for _, n := range list {
		rows = append(rows, d.node(n, 0))
	}
	r.nodeRows = rows
	r.giveMarks(shown)
	r.giveNodes(list)
	return rows[len(d.asked):]
}

// room is how many bytes an answer takes at most.
func (d *drawing) room(near []nodeRow) int {
	n := 0
	for _, rows := range [2][]nodeRow{d.asked, near} {
		for _, row := range rows {
			n += row.room(row.row)
		}
	}
	if d.start != nil {
		n += d.start.room(d.start.row)
	}
	for _, x := range d.rels {
		n += d.shows.room(x)
	}
	return n
}

// writeFitting is write where not all is sure to fit.
func (d *drawing) writeFitting(r *run, w graph.Writer, out *store.Outcome) error {
	nodes := d.nodes
	if d.start != nil { // it was offered first, and comes last
		nodes = append(nodes[1:], nodes[0])
	}
	shown := r.takeMarks()
	defer r.giveMarks(shown)
	for _, row := range d.asked {
		shown.add(node{uint32(row.table.number), row.row})
	}
	type end struct {
		node
		shown *graph.Node
	}
	var ends []end
	var rels []*graph.Relationship
	for _, x := range d.rels {
		rel := &graph.Relationship{}
		d.shows.fill(r.plan, rel, x)
		p := store.Piece{Relationships: []*graph.Relationship{rel}}
		before := len(ends)
		for _, e := range [2]node{x.from, x.to} {
			if d.context && shown.add(e) {
				n := &graph.Node{}
				d.node(e, 0).fill(r.plan, n)
				ends = append(ends, end{e, n})
				p.Nodes = append(p.Nodes, n)
			}
		}
		if !d.fitter.Fit(p) {
			ends = ends[:before]
			incomplete(out, graph.TruncatedBytes)
			break
		}
		rels = append(rels, rel)
	}
	slices.SortFunc(ends, func(a, b end) int { return r.tables.compareNodes(a.node, b.node) })
	for _, e := range ends {
		nodes = append(nodes, e.shown)
	}
	for _, n := range nodes {
		if err := w.Node(n); err != nil {
			return err
		}
	}
	for _, rel := range rels {
		if err := w.Relationship(rel); err != nil {
			return err
		}
	}
	return nil
}

// incomplete notes that connecting relationships were left out. Where rows were
// left out as well, that is what the answer tells.
func incomplete(out *store.Outcome, by graph.Truncation) {
	if now := out.TruncatedBy; now == graph.Complete || now == graph.TruncatedRelationships {
		out.TruncatedBy = by
	}
}
