package native

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// A groupPage is the part of an aggregate's rows that is wanted.
type groupPage struct {
	order []compile.OrderKey
	limit compile.Slot
	seek  *compile.Seek
}

// write writes the rows of the page.
func (g *grouping) write(w graph.Writer) (store.Outcome, error) {
	var out store.Outcome
	if err := w.Columns(g.columns); err != nil {
		return out, err
	}
	limit := int(g.r.params[g.page.limit].Int())
	found := g.collect(limit + 1)
	if g.r.err != nil {
		return out, g.r.err
	}
	if len(found) > limit {
		found, out.TruncatedBy = found[:limit], graph.TruncatedRows
	}
	fit := store.NewFitter(g.r.plan.Limits.Bytes)
	values := grown(g.r.values, len(g.columns))
	g.r.values = values
	for i, e := range found {
		for c := range values {
			var ok bool
			if values[c], ok = g.value(e.row, c); !ok {
				return out, g.overflow(c)
			}
		}
		if !fit.Fit(store.Piece{Bytes: store.RowBytes(g.columns, values), Always: i == 0}) {
			out.TruncatedBy = graph.TruncatedBytes
			break
		}
		if err := w.Row(values); err != nil {
			return out, err
		}
		out.Returned++
	}
	if out.TruncatedBy != graph.Complete {
		out.Next = g.position(found[out.Returned-1].row)
	}
	return out, nil
}

func (g *grouping) overflow(column int) error {
	return &graph.Error{Code: graph.OutOfRange, Path: fmt.Sprintf("/aggregations/%d", column-len(g.groups)),
		Message: "the sum does not fit into " + g.columns[column].Type, Hint: "sum over fewer nodes, or group them"}
}

// value is what a group has in a column; ok is false for a sum that does not
// fit.
func (g *grouping) value(group uint32, column int) (v graph.Value, ok bool) {
	if i := column - len(g.groups); i >= 0 {
		if at := g.figures[i].state; at >= 0 {
			return g.state[at].value(group)
		}
		return graph.Int(g.nodes[group]), true
	}
	c := &g.groups[column]
	code := g.code(group, column)
	row := g.numbers[column].row(code)
	switch {
	case c.column == nil:
		return graph.String(c.table.id(row)), true
	case c.unit != "" && !c.column.null(row):
		return bucketValue(g.numbers[column].starts[code], c.unit), true
	}
	return c.column.value(row), true
}

func (g *grouping) code(group uint32, column int) uint32 {
	return g.codes[int(group)*len(g.groups)+column]
}

// orderValue is the value of a group by which it is ordered: of an enum the
// position, of a composite key a part, of a sum that does not fit null.
func (g *grouping) orderValue(group uint32, k compile.OrderKey) graph.Value {
	if k.Column < len(g.groups) {
		c := &g.groups[k.Column]
		row := g.numbers[k.Column].row(g.code(group, k.Column))
		switch {
		case c.column == nil:
			return orderValue(c.table.key[k.Part], row)
		case c.unit == "":
			return orderValue(c.column, row)
		}
	}
	v, ok := g.value(group, k.Column)
	if !ok {
		return graph.Null()
	}
	if c := g.enum(k.Column); c != nil && !v.IsNull() {
		return graph.Int(int64(c.property.EnumIndex(v.Text())))
	}
	return v
}

// enum is the column of an enum of which a figure is the least or greatest;
// nil for other columns.
func (g *grouping) enum(column int) *column {
	i := column - len(g.groups)
	if i < 0 || g.figures[i].column == nil || g.figures[i].column.property.Type != schema.Enum {
		return nil
	}
	if f := g.figures[i].function; f != graph.Min && f != graph.Max {
		return nil
	}
	return g.figures[i].column
}

// position appends the values of the order that a group has.
func (g *grouping) position(group uint32) []graph.Value {
	out := make([]graph.Value, len(g.page.order))
	for i, k := range g.page.order {
		out[i] = g.orderValue(group, k)
	}
	return out
}

// collect returns the first groups of the page, in order, at most so many.
func (g *grouping) collect(most int) []ranked {
	r := g.r
	t := top{compare: g.compare, most: most, heap: r.ranked[:0]}
	for n := range uint32(g.count) {
		if !r.tick(1) {
			break
		}
		first := g.lead(n)
		if len(t.heap) == most && first > t.heap[0].first {
			continue
		}
		if g.keeps(n) && g.after(n) {
			t.offer(ranked{row: n, first: first})
		}
	}
	r.ranked = t.heap
	return t.sorted()
}

// lead is a number that orders groups by the first key as far as a number can.
func (g *grouping) lead(group uint32) int64 {
	if len(g.page.order) == 0 {
		return 0
	}
	k := g.page.order[0]
	if i := k.Column - len(g.groups); i < 0 || g.figures[i].state >= 0 {
		return 0
	}
	if k.Desc {
		return -g.nodes[group]
	}
	return g.nodes[group]
}

func (g *grouping) compare(a, b ranked) int {
	if a.first != b.first {
		return cmp.Compare(a.first, b.first)
	}
	for _, k := range g.page.order {
		if c := g.compareBy(k, a.row, b.row); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.row, b.row)
}

// compareBy orders two groups by one key.
func (g *grouping) compareBy(k compile.OrderKey, a, b uint32) int {
	if k.Column < len(g.groups) && g.groups[k.Column].unit == "" {
		c := g.groups[k.Column].column
		if c == nil {
			c = g.groups[k.Column].table.key[k.Part]
		}
		d := g.numbers[k.Column]
		return c.compareRows(d.row(g.code(a, k.Column)), d.row(g.code(b, k.Column)), k.Desc)
	}
	return compareValues(g.orderValue(a, k), g.orderValue(b, k), k.Desc)
}

// compareValues orders two values of one kind, nulls last in both directions.
func compareValues(a, b graph.Value, desc bool) int {
	switch {
	case a.IsNull() || b.IsNull():
		return a.Compare(b)
	case desc:
		return b.Compare(a)
	}
	return a.Compare(b)
}

// after reports whether a group comes after the position that the page begins
// after.
func (g *grouping) after(group uint32) bool {
	s := g.page.seek
	if s == nil {
		return true
	}
	for i, k := range g.page.order {
		at := g.r.params[int(s.First)+i]
		if c := compareValues(g.orderValue(group, k), at, k.Desc); c != 0 {
			return c > 0
		}
	}
	return false
}

// keeps reports whether a group is large enough and fulfils all conditions on
// its columns.
func (g *grouping) keeps(group uint32) bool {
	if g.nodes[group] < int64(g.least) {
		return false
	}
	for i := range g.having {
		h := &g.having[i]
		v, ok := g.value(group, h.Column)
		if !ok {
			v = graph.Null()
		}
		if !g.fulfils(v, h) {
			return false
		}
	}
	return true
}

func (g *grouping) fulfils(v graph.Value, h *compile.HavingCond) bool {
	if h.Op == graph.IsNull {
		return v.IsNull() == h.Null
	}
	if v.IsNull() {
		return false
	}
	params := g.r.params[h.Slot:]
	switch h.Op {
	case graph.In, graph.NotIn:
		n := listClass(h.N)
		is := func(w graph.Value) bool { return v.Compare(w) == 0 }
		return slices.ContainsFunc(params[:n], is) == (h.Op == graph.In)
	case graph.Contains, graph.StartsWith, graph.EndsWith:
		return matches(h.Op, v.Text(), params[0].Text())
	}
	return compareInts(h.Op, int64(v.Compare(params[0])), 0)
}
