package compile

import (
	"sort"
	"strconv"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// String is the plan's canonical text, for people, scripts and fingerprints:
// equal calls have equal texts. A cursor is no part of it.
func (p *Plan) String() string {
	return string(p.appendText(nil))
}

// Asked is String without the guards: it tells nothing that the caller did not
// say, and no right of theirs.
func (p *Plan) Asked() string {
	w := planText{plan: p, values: true}
	w.root(p.Root)
	return string(w.b)
}

// Shape is the plan's text without its values. Plans of one schema with equal
// shapes have the same SQL.
func (p *Plan) Shape() string {
	if p.shared == nil {
		return p.writtenShape()
	}
	t := p.shared
	t.shapeOnce.Do(func() { t.shape = p.writtenShape() })
	return t.shape
}

func (p *Plan) writtenShape() string {
	w := planText{plan: p, b: make([]byte, 0, 512)}
	w.root(p.Root)
	w.guards()
	return string(w.b)
}

// planText writes a plan.
type planText struct {
	b      []byte
	plan   *Plan
	values bool
	pieces *[]textPiece // what stands before values, where the text is cut there
}

func (w *planText) put(parts ...string) {
	for _, p := range parts {
		w.b = append(w.b, p...)
	}
}

func (w *planText) slot(s Slot) {
	if w.pieces != nil {
		*w.pieces = append(*w.pieces, textPiece{string(w.b), s})
		w.b = w.b[:0]
	} else if w.values {
		w.b = w.plan.Params[s].AppendJSON(w.b)
	} else {
		w.put("?")
	}
}

func (w *planText) keys(n *NodeSet) {
	if !w.values {
		w.list(n.Keys.First, n.Keys.N)
		return
	}
	parts := len(n.label.Key)
	for i := range n.Keys.N {
		if i > 0 {
			w.put(", ")
		}
		first := n.Keys.First + Slot(i*parts)
		if parts == 1 {
			w.slot(first)
		} else {
			w.list(first, parts)
		}
	}
}

// list writes the values of consecutive slots. Without them, it writes the
// class of their number, which is all that the SQL text depends on.
func (w *planText) list(first Slot, n int) {
	if !w.values {
		w.put("(", strconv.Itoa(listClass(n)), ")")
		return
	}
	w.put("[")
	for i := range n {
		if i > 0 {
			w.put(", ")
		}
		w.slot(first + Slot(i))
	}
	w.put("]")
}

// listClass is the number of placeholders that a list of n values gets: the next power
// of two, so that few statements serve all lengths.
func listClass(n int) int {
	c := 1
	for c < n {
		c *= 2
	}
	if n == 0 {
		return 0
	}
	return c
}

func (w *planText) root(r Root) {
	switch r := r.(type) {
	case *Find:
		w.put("find ")
		w.nodes(r.Nodes)
		w.show(r.Show)
		w.page(&r.Page)
	case *Traverse:
		w.put("traverse ")
		w.nodes(r.From)
		w.steps(r.Steps, "\n  ")
		w.showAll(r.Show)
		if r.Connections {
			w.put("\n  with connections")
		}
		w.page(&r.Page)
	case *Neighbors:
		w.put("neighbors of ")
		w.nodes(r.Start)
		w.around(r.Step)
		w.showAll(r.Show)
		w.page(&r.Page)
	case *Paths:
		w.put("paths ", string(r.Mode))
		if r.K > 0 {
			w.put(" ", strconv.Itoa(r.K))
		}
		w.put(" from ")
		w.nodes(r.From)
		w.put(" to ")
		w.nodes(r.To)
		w.around(r.Step)
		w.weight(r.Weight)
		w.showAll(r.Show)
		w.put("\n  limit ")
		w.slot(r.Limit)
	case *Aggregate:
		w.aggregate(r)
	case *Describe:
		w.put("describe")
	}
}

func (w *planText) nodes(n *NodeSet) {
	w.put(n.label.Name)
	if n.Keys.N >= 0 {
		w.put(" ids ")
		w.keys(n)
	}
	w.where(n.Cond, " where ")
	for _, s := range n.Related {
		w.semi(s)
	}
}

func (w *planText) semi(s *Semi) {
	if s.None {
		w.put(" without related (")
	} else {
		w.put(" related (")
	}
	w.steps(s.Steps, "")
	w.put(")")
	for _, c := range s.Count {
		w.put(" count ", opText(c.Op), " ")
		w.slot(c.Slot)
	}
}

func (w *planText) where(c Cond, intro string) {
	if c != nil {
		w.put(intro)
		w.cond(c, 0)
	}
}

func (w *planText) steps(steps []*Expand, sep string) {
	for _, x := range steps {
		w.put(sep)
		w.moves(x)
		w.put(" to ")
		for i, e := range x.Ends {
			if i > 0 {
				w.put(" | ")
			}
			w.nodes(e)
		}
		if sep == "" {
			sep = " "
		}
	}
}

func (w *planText) moves(x *Expand) {
	for i, m := range x.Moves {
		if i > 0 {
			w.put(" | ")
		}
		w.move(m)
	}
	w.put(" ", strconv.Itoa(x.Min), "..", strconv.Itoa(x.Max))
}

func (w *planText) move(m *Move) {
	if m.Incoming {
		w.put("<-")
	} else {
		w.put("-")
	}
	p := m.Rel.pair
	w.put(p.Type.Name, "(", p.From.Name, ",", p.To.Name, ")")
	if m.Incoming {
		w.put("-")
	} else {
		w.put("->")
	}
	w.where(m.Cond, " where ")
}

func (w *planText) around(x *Expand) {
	w.put("\n  ")
	w.moves(x)
	w.put("\n  through ")
	for i, e := range x.Ends {
		if i > 0 {
			w.put(" | ")
		}
		w.nodes(e)
	}
}

func (w *planText) weight(weights map[*schema.Pair]*schema.Property) {
	for _, p := range weights {
		w.put("\n  weight ", p.Name)
		return // one name, whichever pair has it
	}
}

func (w *planText) show(props []*schema.Property) {
	w.put("\n  show ")
	w.names(props)
}

func (w *planText) names(props []*schema.Property) {
	if len(props) == 0 {
		w.put("nothing")
	}
	for i, p := range props {
		if i > 0 {
			w.put(", ")
		}
		w.put(p.Name)
	}
}

func (w *planText) showAll(show Show) {
	labels := make([]*schema.Label, 0, len(show))
	for l := range show {
		labels = append(labels, l)
	}
	sort.Slice(labels, func(i, j int) bool { return labels[i].Name < labels[j].Name })
	for i, l := range labels {
		if i == 0 {
			w.put("\n  show ")
		} else {
			w.put("; ")
		}
		w.put(l.Name, ": ")
		w.names(show[l])
	}
}

func (w *planText) page(p *Page) {
	for i, o := range p.Order {
		if i == 0 {
			w.put("\n  order by ")
		} else {
			w.put(", ")
		}
		switch o.By {
		case ByProperty:
			w.put(o.Property.Name)
		case ByDistance:
			w.put("distance")
		case ByLabel:
			w.put("label")
		case ByKey:
			w.put("key")
		case ByRank:
			w.put("rank of ")
			w.slot(o.Slot)
		case ByColumn:
			w.put("column ", strconv.Itoa(o.Column+1))
		}
		if o.Desc {
			w.put(" desc")
		}
	}
	if len(p.Order) == 0 {
		w.put("\n ")
	}
	w.put(" limit ")
	w.slot(p.Limit)
	if p.Counted {
		w.put(" offset ")
		w.slot(p.Offset)
		w.put(", counting all")
	}
	if p.Seek != nil && !w.values {
		w.put(" after")
		for _, null := range p.Seek.Null {
			if null {
				w.put(" null")
			} else {
				w.put(" ?")
			}
		}
	}
}

func (w *planText) aggregate(a *Aggregate) {
	w.put("aggregate ")
	w.nodes(a.Nodes)
	for i, g := range a.Groups {
		if i == 0 {
			w.put("\n  by ")
		} else {
			w.put(", ")
		}
		if g.Chain >= 0 {
			w.put("(")
			w.steps(a.Chains[g.Chain], "")
			w.put(").")
		}
		if g.Key {
			w.put("key")
		} else {
			w.put(g.Property.Name)
		}
		if g.Truncate != "" {
			w.put(" by ", string(g.Truncate))
		}
		w.put(" as ", g.Name)
	}
	for i, v := range a.Values {
		if i == 0 {
			w.put("\n  compute ")
		} else {
			w.put(", ")
		}
		w.put(string(v.Function))
		if v.Property != nil {
			w.put(" ", v.Property.Name)
		}
		w.where(v.Cond, " where ")
		if v.Least > 0 {
			w.put(" of ", strconv.Itoa(v.Least), " values or more")
		}
		w.put(" as ", v.Name)
	}
	if a.MinGroup > 0 {
		w.put("\n  of ", strconv.Itoa(a.MinGroup), " nodes or more")
	}
	for i, h := range a.Having {
		if i == 0 {
			w.put("\n  having ")
		} else {
			w.put(" and ")
		}
		w.put("column ", strconv.Itoa(h.Column+1))
		w.compare(h.Op, h.Slot, h.N, h.Null)
	}
	w.page(&a.Page)
}

// cond writes a condition; depth counts the enclosing connectives, which decide about
// parentheses.
func (w *planText) cond(c Cond, depth int) {
	switch c := c.(type) {
	case And:
		w.joined(c, " and ", depth)
	case Or:
		w.joined(c, " or ", depth)
	case Not:
		w.put("not (")
		w.cond(c.Cond, 0)
		w.put(")")
	case Compare:
		w.put(c.Property.Name)
		w.compare(c.Op, c.Slot, c.N, c.Null)
	case Search:
		w.names(c.Properties)
		w.put(" match ")
		if w.values {
			w.list(c.Slot, c.N)
		} else { // every term has a condition of its own
			w.put(strconv.Itoa(c.N))
		}
	case Const:
		w.put(strconv.FormatBool(bool(c)))
	case Exists:
		w.put("exists (")
		w.steps(c.Steps, "")
		w.put(")")
	}
}

func (w *planText) joined(list []Cond, sep string, depth int) {
	if depth > 0 {
		w.put("(")
	}
	for i, c := range list {
		if i > 0 {
			w.put(sep)
		}
		w.cond(c, depth+1)
	}
	if depth > 0 {
		w.put(")")
	}
}

func (w *planText) compare(op graph.Op, slot Slot, n int, null bool) {
	switch op {
	case graph.IsNull:
		if null {
			w.put(" is null")
		} else {
			w.put(" is not null")
		}
		return
	case graph.In, graph.NotIn:
		w.put(" ", opText(op), " ")
		w.list(slot, n)
		return
	}
	w.put(" ", opText(op), " ")
	w.slot(slot)
}

func opText(op graph.Op) string {
	switch op {
	case graph.Eq:
		return "="
	case graph.Ne:
		return "<>"
	case graph.Lt:
		return "<"
	case graph.Lte:
		return "<="
	case graph.Gt:
		return ">"
	case graph.Gte:
		return ">="
	case graph.NotIn:
		return "not in"
	case graph.StartsWith:
		return "starts with"
	case graph.EndsWith:
		return "ends with"
	}
	return string(op)
}
