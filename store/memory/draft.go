package memory

import (
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// A draft is a graph while a batch changes it: what the batch touched, over the
// graph of before.
type draft struct {
	base     *Graph
	measures measures
	problems *problems
	nodes    map[*schema.Label]*nodeDraft
	links    map[*schema.Pair]*linkDraft
	// missing are labels of which nodes were refused, so that one that a
	// relationship does not find may be theirs.
	missing map[*schema.Label]bool
	// held are the rows to check against the tables that the schema maps
	// them to, with the operation that touched each last; nil for labels with
	// nothing to check.
	held   map[*schema.Label]map[uint32]int
	number int // of the operation
}

// apply returns the graph after a batch, or a *LoadError; the graph itself if
// the batch changes nothing. It appends to the graph's memory, which must be
// the writer's own.
func (g *Graph) apply(b *Batch, m measures) (*Graph, error) {
	d := &draft{
		base: g, measures: m, problems: b.problems.clone(), nodes: map[*schema.Label]*nodeDraft{}, links: map[*schema.Pair]*linkDraft{},
		missing: map[*schema.Label]bool{}, held: map[*schema.Label]map[uint32]int{},
	}
	for l, in := range b.nodes {
		d.missing[l] = in.incomplete
	}
	for i := range b.operations {
		d.run(&b.operations[i])
	}
	maps.DeleteFunc(d.links, func(_ *schema.Pair, r *linkDraft) bool { return len(r.out.edits) == 0 && len(r.in.edits) == 0 })
	d.checkSize()
	err := d.problems.err()
	if err == nil && len(d.nodes)+len(d.links) == 0 {
		return g, nil
	}
	if err == nil {
		g = d.finish()
		d.checkHeld(g)
		err = d.problems.err()
	}
	var bad *LoadError
	if errors.As(err, &bad) {
		bad.batch = true
		return nil, err
	}
	return g, nil
}

func (d *draft) run(op *operation) {
	d.number = op.number
	switch op.kind {
	case putNode:
		d.putNode(op)
	case deleteNode:
		d.deleteNode(op)
	case putRelationship:
		d.putRelationship(op)
	case deleteRelationship:
		d.deleteRelationship(op)
	}
}

// find returns the living row of a node.
func (d *draft) find(l *schema.Label, key []cell) (row uint32, ok bool) {
	if n := d.nodes[l]; n != nil {
		return n.find(key)
	}
	return d.base.label(l).find(key)
}

func (d *draft) label(l *schema.Label) *nodeDraft {
	n := d.nodes[l]
	if n == nil {
		n = newNodeDraft(l, d.base.label(l))
		d.nodes[l] = n
	}
	return n
}

func (d *draft) pair(p *schema.Pair) *linkDraft {
	r := d.links[p]
	if r == nil {
		r = newLinkDraft(p, d.base.pair(p))
		d.links[p] = r
	}
	return r
}

func (d *draft) putNode(op *operation) {
	old, changes := d.find(op.label, op.key)
	if changes && d.sameNode(op.label, old, op.values) {
		return
	}
	if changes && d.keeps(op.label, old) {
		d.label(op.label).change(old, op.values)
		d.touch(op.label, old)
		return
	}
	row := d.label(op.label).put(op.key, op.values)
	d.touch(op.label, row)
	if !changes {
		return
	}
	for _, p := range d.base.schema.Outgoing(op.label) {
		if d.walks(p, old, false) {
			d.pair(p).moveFrom(old, row)
		}
	}
	for _, p := range d.base.schema.Incoming(op.label) {
		if d.walks(p, old, true) {
			d.pair(p).moveTo(old, row)
		}
	}
}

// A node keeps its row from so many relationships on, if there are not more
// than keptRows rows of its label to each of them: a copy of columns costs
// nanoseconds a row, a change in the list of a neighbour microseconds.
const (
	defaultKeeps = 4
	keptRows     = 1024
)

// keeps reports whether a node had better keep its row when it changes.
func (d *draft) keeps(l *schema.Label, row uint32) bool {
	if row >= d.base.RowCount(l) {
		return false
	}
	n := 0
	for _, p := range d.base.schema.Outgoing(l) {
		a := d.base.Outgoing(p)
		_, first, end := a.Span(row)
		n += int(end - first)
	}
	for _, p := range d.base.schema.Incoming(l) {
		a := d.base.Incoming(p)
		_, first, end := a.Span(row)
		n += int(end - first)
	}
	return n >= d.measures.keeps && n >= int(d.base.RowCount(l))/keptRows
}

// sameNode reports whether a row has these values.
func (d *draft) sameNode(l *schema.Label, row uint32, values []cell) bool {
	if n := d.nodes[l]; n != nil {
		return same(n.tails, row, values)
	}
	n := d.base.label(l)
	for i, p := range l.Properties {
		if is := n.columns[p].at(row); is.null != values[i].null || !is.null && is != values[i] {
			return false
		}
	}
	return true
}

// walks reports whether a row may have relationships of a pair in a direction.
func (d *draft) walks(p *schema.Pair, row uint32, in bool) bool {
	if d.links[p] != nil {
		return true
	}
	a := d.base.Outgoing(p)
	if in {
		a = d.base.Incoming(p)
	}
	_, first, end := a.Span(row)
	return first < end
}

func (d *draft) deleteNode(op *operation) {
	row, ok := d.find(op.label, op.key)
	if !ok {
		return
	}
	for _, p := range d.base.schema.Outgoing(op.label) {
		if d.walks(p, row, false) {
			d.pair(p).clearFrom(row, func(end uint32) { d.touchEnds(p, row, end) })
		}
	}
	for _, p := range d.base.schema.Incoming(op.label) {
		if d.walks(p, row, true) {
			d.pair(p).clearTo(row, func(end uint32) { d.touchEnds(p, end, row) })
		}
	}
	d.label(op.label).delete(op.key, row)
}

func (d *draft) putRelationship(op *operation) {
	from, ok1 := d.end(op, op.pair.From, op.from, "from")
	to, ok2 := d.end(op, op.pair.To, op.to, "to")
	if !ok1 || !ok2 {
		return
	}
	r := d.pair(op.pair)
	rel, ok := r.find(op, from, to)
	if ok {
		f, t := d.place(op.pair.From, r.from[rel]), d.place(op.pair.To, r.to[rel])
		if f == from && t == to && same(r.tails, rel, op.values) {
			return
		}
		r.delete(f, t, rel)
		d.touchEnds(op.pair, f, t)
	}
	r.add(from, to, op.values)
	d.touchEnds(op.pair, from, to)
}

// find returns the relationship that an operation means.
func (r *linkDraft) find(op *operation, from, to uint32) (rel uint32, ok bool) {
	if op.key != nil {
		return r.findKey(op.key)
	}
	return r.findEnds(from, to)
}

// end finds the node at an end of a relationship.
func (d *draft) end(op *operation, l *schema.Label, key []cell, column string) (row uint32, ok bool) {
	row, ok = d.find(l, key)
	if !ok && !d.missing[l] {
		parts := make([]string, len(key))
		for i, c := range key {
			parts[i] = quote(c.value(l.Key[i]).Text())
		}
		d.problems.add(op.pair.Type.Name, op.number, "%s: there is no %s %s", column, l.Name, strings.Join(parts, ", "))
	}
	return row, ok
}

// place returns where the node of a row, living or dead, stands now.
func (d *draft) place(l *schema.Label, row uint32) uint32 {
	n := d.nodes[l]
	if n == nil {
		return d.base.label(l).place(row)
	}
	if n.dead.has(row) {
		row, _ = n.find(n.key(row))
	}
	return row
}

func (d *draft) deleteRelationship(op *operation) {
	from, ok1 := d.find(op.pair.From, op.from)
	to, ok2 := d.find(op.pair.To, op.to)
	if !ok1 || !ok2 {
		return
	}
	r := d.pair(op.pair)
	rel, ok := r.find(op, from, to)
	if ok && from == d.place(op.pair.From, r.from[rel]) && to == d.place(op.pair.To, r.to[rel]) {
		r.delete(from, to, rel)
		d.touchEnds(op.pair, from, to)
	}
}

// checkSize refuses what 32 bits cannot number.
func (d *draft) checkSize() {
	for l, n := range d.nodes {
		if n.count > maxRows {
			d.problems.add(l.Name, d.number, "more than %d nodes of a label", maxRows)
		}
	}
	for p, r := range d.links {
		if r.size() > maxRows {
			d.problems.add(p.Type.Name, d.number, "%s", tooManyLinks)
		}
	}
}

// size returns the positions that the longer direction may need at most.
func (r *linkDraft) size() int {
	return max(len(r.to), r.out.size(), r.in.size())
}

func (d *listDraft) size() int {
	n := len(d.Ends)
	for _, e := range d.edits {
		size := int(e.end-e.first) + len(e.added)
		n += size + size/slackPart
	}
	return n
}

// finish returns the graph after the batch.
func (d *draft) finish() *Graph {
	g := &Graph{schema: d.base.schema, nodes: maps.Clone(d.base.nodes), links: maps.Clone(d.base.links)}
	for l, n := range d.nodes {
		g.nodes[l] = n.finish()
	}
	for p, r := range d.links {
		g.links[p] = r.finish(g.RowCount(p.From), g.RowCount(p.To), d.measures.long)
	}
	return g
}

// touch notes a row that is to be checked once the batch is complete.
func (d *draft) touch(l *schema.Label, row uint32) {
	rows, known := d.held[l]
	if !known {
		if len(l.Match) > 0 || slices.ContainsFunc(l.Properties, func(p *schema.Property) bool { return p.Unique }) ||
			slices.ContainsFunc(d.base.schema.Outgoing(l), func(p *schema.Pair) bool { return p.UniqueFrom }) ||
			slices.ContainsFunc(d.base.schema.Incoming(l), func(p *schema.Pair) bool { return p.UniqueTo }) {
			rows = map[uint32]int{}
		}
		d.held[l] = rows
	}
	if rows != nil {
		rows[row] = d.number
	}
}

// touchEnds notes the ends of a relationship that may have no other: one whose
// row in a table it is has a foreign key for one.
func (d *draft) touchEnds(p *schema.Pair, from, to uint32) {
	if p.UniqueFrom {
		d.touch(p.From, from)
	}
	if p.UniqueTo {
		d.touch(p.To, to)
	}
}

// checkHeld checks what the schema's mapping to tables implies of the nodes
// that the batch touched; see holderCheck.
func (d *draft) checkHeld(g *Graph) {
	h := &holderCheck{graph: g, problems: d.problems}
	h.nodeAt = func(l *schema.Label, row uint32) (string, int) { return l.Name, d.held[l][row] }
	h.relAt = func(r reference, l *schema.Label, row uint32) (string, int) { return r.pair.Type.Name, d.held[l][row] }
	var groups [][]*schema.Pair
	for l := range g.schema.Labels() {
		rows := slices.DeleteFunc(slices.Sorted(maps.Keys(d.held[l])), g.label(l).dead().has)
		if len(rows) == 0 {
			continue
		}
		if groups == nil {
			groups = h.groups()
		}
		h.checkMatch(l, slices.Values(rows))
		h.checkEnds(l, func() iter.Seq[uint32] { return slices.Values(rows) })
		for _, p := range l.Properties {
			for _, row := range rows {
				if p.Unique {
					h.checkValueOf(l, p, row, d.held[l])
				}
			}
		}
		for _, pairs := range groups {
			for _, row := range rows {
				if pairs[0].Holder == l {
					h.checkRow(pairs, row)
				}
			}
		}
	}
}
