package compile

import (
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// cond writes a condition on the columns of a table reference.
func (w *sqlWriter) cond(alias string, c Cond) {
	switch c := c.(type) {
	case And:
		w.joined(alias, c, " AND ")
	case Or:
		w.joined(alias, c, " OR ")
	case Not:
		w.put("NOT (")
		w.cond(alias, c.Cond)
		w.put(")")
	case Compare:
		w.compare(column{alias, c.Property.Column}, c.Property, c)
	case Search:
		w.search(alias, c)
	case Const:
		if c {
			w.put("1 = 1")
		} else {
			w.put("1 = 0")
		}
	case Exists:
		w.exists(alias, c)
	}
}

func (w *sqlWriter) joined(alias string, list []Cond, sep string) {
	w.put("(")
	for i, c := range list {
		if i > 0 {
			w.put(sep)
		}
		w.cond(alias, c)
	}
	w.put(")")
}

var comparisons = map[graph.Op]string{graph.Ne: " <> ", graph.Lt: " < ", graph.Lte: " <= ", graph.Gt: " > ", graph.Gte: " >= "}

// compare writes one comparison of a column.
func (w *sqlWriter) compare(col column, p *schema.Property, c Compare) {
	arg := Arg{slot: c.Slot, property: p}
	switch c.Op {
	case graph.Eq:
		w.equal(col, p, arg)
	case graph.In, graph.NotIn:
		w.in(col, p, c)
	case graph.IsNull:
		w.column(col)
		if c.Null {
			w.put(" IS NULL")
		} else {
			w.put(" IS NOT NULL")
		}
	case graph.Contains, graph.StartsWith, graph.EndsWith:
		arg.use = map[graph.Op]ArgUse{graph.Contains: useContains, graph.StartsWith: useStarts, graph.EndsWith: useEnds}[c.Op]
		w.like(func() { w.whole(col, p) }, arg)
	default:
		if w.d.ranges[p.Type] != nil {
			w.inRange(func() { w.column(col) }, c.Op, arg)
			return
		}
		w.exactly(col, p)
		w.put(comparisons[c.Op])
		w.arg(arg)
	}
}

// whole writes a column for comparisons with a part of a text or with a list, for
// which engines would take it as it is, filled up.
func (w *sqlWriter) whole(c column, p *schema.Property) {
	if w.d.padded == "" || !textual(p) {
		w.exactly(c, p)
		return
	}
	w.template(w.d.text, func() { w.column(c) })
	w.put(w.d.collate)
}

// like writes that a text contains an argument, or starts or ends with it, as
// its use says.
func (w *sqlWriter) like(text func(), a Arg) {
	if w.d.contains == "" {
		a.backslash = w.d.backslash
		text()
		w.put(" LIKE ")
		w.arg(a)
		if a.backslash {
			w.put(" ESCAPE x'5c'") // a literal backslash means another thing in other SQL modes
		} else {
			w.put(" ESCAPE '!'")
		}
		return
	}
	length := a
	length.use = useLength
	t := map[ArgUse]string{useContains: w.d.contains, useStarts: w.d.starts, useEnds: w.d.ends}[a.use]
	a.use = useAsIs
	for {
		i := strings.IndexAny(t, "@#~")
		if i < 0 {
			w.put(t)
			return
		}
		w.put(t[:i])
		switch t[i] {
		case '@':
			text()
		case '#':
			w.arg(a)
		default:
			w.arg(length)
		}
		t = t[i+1:]
	}
}

// in writes a comparison with a list. One with an empty list is still unknown for null.
func (w *sqlWriter) in(col column, p *schema.Property, c Compare) {
	if c.N == 0 {
		w.column(col)
		if c.Op == graph.In {
			w.put(" <> ")
		} else {
			w.put(" = ")
		}
		w.column(col)
		return
	}
	if w.d.wholeLists && listClass(c.N) > 1 {
		if c.Op == graph.NotIn {
			w.put("NOT ")
		}
		list := Arg{slot: c.Slot, use: useValues, property: p, key: listClass(c.N), parts: 1}
		if w.aggregating {
			w.listHas(col, p, list)
		} else {
			w.among([]column{col}, []*schema.Property{p}, list)
		}
		return
	}
	if w.d.ranges[p.Type] != nil {
		w.inRanges(col, c)
		return
	}
	list := func() {
		w.put("(")
		for i := range listClass(c.N) {
			if i > 0 {
				w.put(", ")
			}
			w.arg(Arg{slot: c.Slot + Slot(i), property: p})
		}
		w.put(")")
	}
	if c.Op == graph.NotIn {
		w.whole(col, p)
		w.put(" NOT IN ")
		list()
		return
	}
	both := w.d.looseEqual && textual(p)
	if both {
		w.put("(")
		w.column(col)
		w.put(" IN ")
		list()
		w.put(" AND ")
	}
	w.whole(col, p)
	w.put(" IN ")
	list()
	if both {
		w.put(")")
	}
}

// search writes that every term occurs in one of the properties.
func (w *sqlWriter) search(alias string, s Search) {
	for t := range s.N {
		if t > 0 {
			w.put(" AND ")
		}
		w.put("(")
		for i, p := range s.Properties {
			if i > 0 {
				w.put(" OR ")
			}
			w.like(func() { w.folded(column{alias, p.Column}) }, Arg{slot: s.Slot + Slot(t), use: useContains, property: p})
		}
		w.put(")")
	}
}

// folded writes a text with the letters A to Z lowered, for exact comparisons.
func (w *sqlWriter) folded(c column) {
	w.template(w.d.fold, func() { w.column(c) })
	w.put(w.d.collate)
}

// keyColumns are the columns of a label's key under an alias; the list is the
// writer's.
func (w *sqlWriter) keyColumns(alias string, l *schema.Label) []column {
	cols := w.columns.take(len(l.Key))
	for _, p := range l.Key {
		cols = append(cols, column{alias, p.Column})
	}
	return cols
}

// among writes that columns are, as they stand beside each other, an item of a
// list that is one argument.
func (w *sqlWriter) among(cols []column, parts []*schema.Property, list Arg) {
	w.put("(")
	for i, c := range cols {
		if i > 0 {
			w.put(", ")
		}
		w.listed(c, parts[i])
	}
	w.put(") IN (SELECT ")
	for i, p := range parts {
		if i > 0 {
			w.put(", ")
		}
		w.put(w.d.listColumn(p, i, len(parts)))
	}
	w.put(" ")
	w.template(w.d.listTail, func() { w.arg(list) })
}

// listed writes a column as it is compared with the items of a list.
func (w *sqlWriter) listed(c column, p *schema.Property) {
	if form := w.d.listForm[p.Type]; form != "" {
		w.template(form, func() { w.column(c) })
	} else {
		w.exactly(c, p)
	}
}

// listHas writes that a list that is one argument has a column's value, without
// a subquery.
func (w *sqlWriter) listHas(c column, p *schema.Property, list Arg) {
	before, after, _ := strings.Cut(w.d.listHas(p), "#")
	w.put(before)
	w.arg(list)
	w.template(after, func() { w.listed(c, p) })
}

// keyIn writes that a key is one of a list. arg makes the argument for a part
// of an item, and whole is the one for all of them.
func (w *sqlWriter) keyIn(cols []column, l *schema.Label, n int, whole Arg, arg func(item, part int) Arg) {
	class := listClass(n)
	if n == 0 {
		w.put("1 = 0")
		return
	}
	if w.d.wholeLists && class > 1 {
		w.among(cols, l.Key, whole)
		return
	}
	if len(cols) == 1 && class > 1 && !(w.d.looseEqual && textual(l.Key[0])) {
		if p := l.Key[0]; w.d.padded != "" && textual(p) {
			w.template(w.d.text, func() { w.column(cols[0]) })
		} else {
			w.equated(cols[0], p)
		}
		w.put(" IN (")
		for i := range class {
			if i > 0 {
				w.put(", ")
			}
			w.arg(arg(i, 0))
		}
		w.put(")")
		return
	}
	if class > 1 {
		w.put("(")
	}
	for i := range class {
		if i > 0 {
			w.put(" OR ")
		}
		if len(cols) > 1 {
			w.put("(")
		}
		for part, c := range cols {
			if part > 0 {
				w.put(" AND ")
			}
			w.equal(c, l.Key[part], arg(i, part))
		}
		if len(cols) > 1 {
			w.put(")")
		}
	}
	if class > 1 {
		w.put(")")
	}
}

// keys writes that a key is one of the plan's.
func (w *sqlWriter) keys(cols []column, l *schema.Label, k Keys) {
	parts := len(l.Key)
	whole := Arg{slot: k.First, use: useValues, key: listClass(k.N) * parts, parts: parts}
	w.keyIn(cols, l, k.N, whole, func(item, part int) Arg {
		return Arg{slot: k.First + Slot(item*parts+part), property: l.Key[part]}
	})
}

// matches writes the fixed columns of a table that holds several kinds of rows.
func (w *sqlWriter) match(alias string, m schema.Match) {
	// the column's type is the database's business: a text suits every one
	col, value := column{alias, m.Column}, Arg{slot: noSlot, constant: graph.String(m.Value)}
	if w.d.ownEnums && w.d.collated { // which other types than texts do not take
		w.template(w.d.text, func() { w.column(col) })
	} else {
		w.column(col)
	}
	if w.d.collated {
		w.put(w.d.collate)
	}
	w.put(" = ")
	w.arg(value)
	if w.d.looseEqual {
		w.put(" AND ")
		w.template(w.d.text, func() { w.column(col) })
		w.put(" = ")
		w.arg(value)
	}
}
