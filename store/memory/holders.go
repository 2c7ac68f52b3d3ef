package memory

import (
	"iter"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A holderCheck checks what the schema's mapping to tables implies, so that
// the graph is one that a SQL store can hold, too: a row leads to one node at
// most by the same foreign key, over all pairs that share its columns, and
// properties over the columns of foreign keys and matches agree with them; and
// what it says to be unique.
type holderCheck struct {
	graph    *Graph
	problems *problems
	// nodeAt and relAt tell where a node, or a relationship of a row of a label,
	// came from: the File and Line of a Problem.
	nodeAt func(l *schema.Label, row uint32) (file string, line int)
	relAt  func(r reference, l *schema.Label, row uint32) (file string, line int)
}

func newHolderCheck(g *Graph, ps *problems, nodes map[*schema.Label]*nodeInput, types map[*schema.RelationshipType]*typeInput) *holderCheck {
	return &holderCheck{g, ps,
		func(l *schema.Label, row uint32) (string, int) { return nodes[l].place(nodes[l].line(row)) },
		func(r reference, _ *schema.Label, _ uint32) (string, int) {
			ti := types[r.pair.Type]
			i := slices.IndexFunc(ti.pairs, func(li *linkInput) bool { return li.pair == r.pair })
			return ti.place(ti.pairs[i], ti.pairs[i].line(r.rel))
		},
	}
}

// run checks a dense graph.
func (h *holderCheck) run() {
	for l := range h.graph.schema.Labels() {
		h.checkMatch(l, rowsBelow(h.graph.RowCount(l)))
	}
	for _, pairs := range h.groups() {
		alone := h.standsAlone(pairs)
		for row := range h.graph.RowCount(pairs[0].Holder) {
			if !alone || h.degree(pairs, row) > 1 {
				h.checkRow(pairs, row)
			}
		}
	}
	h.checkUniques()
}

// standsAlone reports whether no property is over a column that the foreign key
// of some pairs, or what tells them apart, stands in. Then nothing can be wrong
// with a row that has one relationship by it, or none.
func (h *holderCheck) standsAlone(pairs []*schema.Pair) bool {
	var columns []string
	for _, pair := range pairs {
		columns = append(columns, heldColumns(pair)...)
		for _, own := range pair.Properties {
			columns = append(columns, own.Column)
		}
		for _, m := range pair.Match {
			columns = append(columns, m.Column)
		}
	}
	return !slices.ContainsFunc(pairs[0].Holder.Properties, func(p *schema.Property) bool { return slices.Contains(columns, p.Column) })
}

// degree is how many relationships a row has by the foreign key of some pairs.
func (h *holderCheck) degree(pairs []*schema.Pair, row uint32) int {
	n := 0
	for _, p := range pairs {
		a := h.graph.Outgoing(p)
		if p.HolderIsTo {
			a = h.graph.Incoming(p)
		}
		_, first, end := a.Span(row)
		n += int(end - first)
	}
	return n
}

func rowsBelow(n uint32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for row := uint32(0); row < n && yield(row); row++ {
		}
	}
}

// groups returns the pairs that share a foreign key, by table.
func (h *holderCheck) groups() [][]*schema.Pair {
	groups := map[string][]*schema.Pair{}
	var order []string
	for t := range h.graph.schema.Relationships() {
		for _, p := range t.Pairs {
			if p.Holder == nil {
				continue
			}
			key := p.Holder.Name + "\x00" + strings.Join(heldColumns(p), "\x00")
			if groups[key] == nil {
				order = append(order, key)
			}
			groups[key] = append(groups[key], p)
		}
	}
	out := make([][]*schema.Pair, len(order))
	for i, key := range order {
		out[i] = groups[key]
	}
	return out
}

// checkMatch compares properties over the columns by which labels share a
// table.
func (h *holderCheck) checkMatch(l *schema.Label, rows iter.Seq[uint32]) {
	for _, m := range l.Match {
		for _, p := range l.Properties {
			if p.Column != m.Column {
				continue
			}
			for row := range rows {
				if is := h.graph.Value(l, row, p); storedText(p, is) != m.Value {
					file, line := h.nodeAt(l, row)
					h.problems.add(file, line, "%s: %s, but every %s has %s", p.Name, shown(is), l.Name, quote(m.Value))
				}
			}
		}
	}
}

// storedText is a value as a match writes it.
func storedText(p *schema.Property, v graph.Value) string {
	if p.Type == schema.Enum {
		if i := p.EnumIndex(v.Text()); i >= 0 && p.Values[i].IsInt {
			return graph.Int(p.Values[i].Int).Text()
		}
	}
	return v.Text()
}

// heldColumns are the columns of a pair's foreign key in the holder's table.
func heldColumns(p *schema.Pair) []string {
	if p.HolderIsTo {
		return p.FromColumns
	}
	return p.ToColumns
}

// A reference is a relationship that a row's foreign key stands for.
type reference struct {
	pair  *schema.Pair
	label *schema.Label // of the other end
	rel   uint32
	other uint32
}

// references returns the relationships of a row that go by a pair's foreign
// key.
func (h *holderCheck) references(p *schema.Pair, row uint32) []reference {
	a, l := h.graph.Outgoing(p), p.To
	if p.HolderIsTo {
		a, l = h.graph.Incoming(p), p.From
	}
	var out []reference
	in, first, end := a.Span(row)
	for at := first; at < end; at++ {
		out = append(out, reference{p, l, in.Number(at), in.Ends[at]})
	}
	return out
}

func (h *holderCheck) checkRow(pairs []*schema.Pair, row uint32) {
	var found []reference
	for _, p := range pairs {
		found = append(found, h.references(p, row)...)
	}
	for i := 1; i < len(found); i++ {
		if a, b := found[0], found[i]; a.label != b.label || a.other != b.other {
			h.report(b, b.pair.Holder, row, "%s leads to %s and to %s, but its foreign key %s holds one", h.name(b.pair.Holder, row),
				h.name(a.label, a.other), h.name(b.label, b.other), strings.Join(heldColumns(b.pair), ", "))
		}
	}
	for _, p := range pairs[0].Holder.Properties {
		if len(found) > 0 {
			h.checkProperty(found[0], p, row)
		} else {
			h.checkUnused(pairs[0], p, row)
		}
	}
}

// checkProperty compares a property over a column of a foreign key, or over
// the column that names its target's label, with the relationship.
func (h *holderCheck) checkProperty(r reference, p *schema.Property, row uint32) {
	is := h.graph.Value(r.pair.Holder, row, p)
	if i := slices.Index(heldColumns(r.pair), p.Column); i >= 0 {
		if key := h.graph.Value(r.label, r.other, r.label.Key[i]); is.Text() != key.Text() || is.IsNull() {
			h.report(r, r.pair.Holder, row, "%s leads to %s, but its %s is %s", h.name(r.pair.Holder, row), h.name(r.label, r.other), p.Name, shown(is))
		}
	}
	for _, own := range r.pair.Properties {
		if own.Column != p.Column {
			continue
		}
		if v := h.graph.RelValue(r.pair, r.rel, own); !v.Equal(is) {
			h.report(r, r.pair.Holder, row, "%s: %s, but %s has %s %s in the same column", own.Name, shown(v), h.name(r.pair.Holder, row), p.Name, shown(is))
		}
	}
	for _, m := range r.pair.Match {
		if m.Column == p.Column && storedText(p, is) != m.Value {
			h.report(r, r.pair.Holder, row, "%s leads to %s, but its %s is %s", h.name(r.pair.Holder, row), h.name(r.label, r.other), p.Name, shown(is))
		}
	}
}

// checkUnused refuses a value in a foreign key's column without the
// relationship that it means, except where other columns decide what it means.
func (h *holderCheck) checkUnused(pair *schema.Pair, p *schema.Property, row uint32) {
	held := heldColumns(pair)
	if len(held) != 1 || held[0] != p.Column || len(pair.Match) != len(pair.Holder.Match) {
		return
	}
	if is := h.graph.Value(pair.Holder, row, p); !is.IsNull() {
		file, line := h.nodeAt(pair.Holder, row)
		h.problems.add(file, line, "%s: %s, but no %s says so", p.Name, shown(is), pair.Type.Name)
	}
}

// report reports a relationship of a row of a label.
func (h *holderCheck) report(r reference, l *schema.Label, row uint32, format string, args ...any) {
	file, line := h.relAt(r, l, row)
	h.problems.add(file, line, format, args...)
}

func (h *holderCheck) name(l *schema.Label, row uint32) string {
	return l.Name + " " + rowKey(h.graph.label(l).key, row)
}

func shown(v graph.Value) string {
	if v.IsNull() {
		return "null"
	}
	return quote(v.Text())
}
