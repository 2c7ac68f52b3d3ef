package memory

import (
	"iter"

	"github.com/trellisgraph/trellis/schema"
)

// What the schema says to be unique is so in every graph: statements leave out
// what is needed only where it is not.

// checkUniques checks a dense graph.
func (h *holderCheck) checkUniques() {
	for l := range h.graph.schema.Labels() {
		h.checkEnds(l, func() iter.Seq[uint32] { return rowsBelow(h.graph.RowCount(l)) })
		for _, p := range l.Properties {
			if p.Unique {
				h.checkValues(l, p)
			}
		}
	}
}

// checkEnds checks of rows of a label that each has one relationship at most of
// pairs that are unique at its end. Of the end that holds a foreign key
// checkRow does so.
func (h *holderCheck) checkEnds(l *schema.Label, rows func() iter.Seq[uint32]) {
	for _, p := range h.graph.schema.Outgoing(l) {
		if p.UniqueFrom && (p.Holder == nil || p.HolderIsTo) {
			h.checkEnd(p, l, p.To, "starts", h.graph.Outgoing(p), rows())
		}
	}
	for _, p := range h.graph.schema.Incoming(l) {
		if p.UniqueTo && (p.Holder == nil || !p.HolderIsTo) {
			h.checkEnd(p, l, p.From, "ends", h.graph.Incoming(p), rows())
		}
	}
}

func (h *holderCheck) checkEnd(p *schema.Pair, l, other *schema.Label, verb string, a Adjacency, rows iter.Seq[uint32]) {
	for row := range rows {
		in, first, end := a.Span(row)
		for at := first + 1; at < end; at++ {
			h.report(reference{p, other, in.Number(at), in.Ends[at]}, l, row, "%s %s %s with %s and with %s, but it %s one at most",
				h.name(l, row), verb, p.Type.Name, h.name(other, in.Ends[first]), h.name(other, in.Ends[at]), verb)
		}
	}
}

// checkValues checks that no two nodes of a label have the same value of a
// property.
func (h *holderCheck) checkValues(l *schema.Label, p *schema.Property) {
	c := h.graph.Column(l, p)
	rows, indexed := h.graph.RowRange(l, p, Bound{}, Bound{})
	if !indexed {
		rows = postingsOf(c)
	}
	for i := 1; i < len(rows); i++ {
		if a, b := rows[i-1], rows[i]; c.compare(a, b) == 0 {
			h.reportValue(l, p, a, b)
		}
	}
}

// checkValueOf checks that no other living node has the value of a row. Of two
// that a batch touched it reports the second.
func (h *holderCheck) checkValueOf(l *schema.Label, p *schema.Property, row uint32, touched map[uint32]int) {
	c := h.graph.Column(l, p)
	if c.IsNull(row) {
		return
	}
	rows, indexed := h.graph.Rows(l, p, c.Value(row))
	if !indexed {
		dead := h.graph.label(l).dead()
		for other := range rowsBelow(h.graph.RowCount(l)) {
			if other != row && !dead.has(other) && !c.IsNull(other) && c.compare(row, other) == 0 {
				rows = append(rows, other)
			}
		}
	}
	for _, other := range rows {
		if _, too := touched[other]; other < row || other > row && !too {
			h.reportValue(l, p, other, row)
			return
		}
	}
}

// reportValue reports the second of two rows with one value.
func (h *holderCheck) reportValue(l *schema.Label, p *schema.Property, first, second uint32) {
	file, line := h.nodeAt(l, second)
	h.problems.add(file, line, "%s: %s is that of %s and of %s, but no two have the same", p.Name, shown(h.graph.Value(l, second, p)), h.name(l, first), h.name(l, second))
}
