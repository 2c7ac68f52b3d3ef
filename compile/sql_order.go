package compile

import (
	"strconv"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A term is one key of an ORDER BY: how its expression is written, and what a
// seek compares it with. A constant term orders nothing.
type term struct {
	// write writes the term; nil for a column that holds typ.
	write    func()
	column   column
	nullable bool
	desc     bool
	constant bool
	typ      *schema.Property // of seek's arguments
}

var (
	intType  = &schema.Property{Type: schema.Int64}
	textType = &schema.Property{Type: schema.String}
)

// term writes a term, without its direction.
func (w *sqlWriter) term(t *term) {
	if t.write == nil {
		w.exactly(t.column, t.typ)
	} else {
		t.write()
	}
}

// propertyTerm orders by a column that holds a property.
func (w *sqlWriter) propertyTerm(c column, p *schema.Property, desc bool) term {
	t := term{nullable: p.Nullable, desc: desc, typ: p}
	if p.Type == schema.Enum {
		t.typ = intType
		t.write = func() { w.ordinal(c, p) }
	} else {
		t.column = c
	}
	return t
}

// ordinal writes an enum's position in its declared order. What is not
// declared comes after what is; null stays null.
func (w *sqlWriter) ordinal(c column, p *schema.Property) {
	w.put("CASE WHEN ")
	w.column(c)
	w.put(" IS NULL THEN NULL")
	for i, v := range p.Values {
		w.put(" WHEN ")
		w.exactly(c, p)
		w.put(" = ")
		w.constant(graph.String(v.Name), p)
		w.put(" THEN ", strconv.Itoa(i))
	}
	w.put(" ELSE ", strconv.Itoa(len(p.Values)), " END")
}

// orderBy writes the ORDER BY of terms, nulls last in both directions.
func (w *sqlWriter) orderBy(terms []term) {
	sep := " ORDER BY "
	for _, t := range terms {
		if t.constant {
			continue
		}
		w.put(sep)
		sep = ", "
		if t.nullable && !w.d.nullsLast {
			w.term(&t)
			w.put(" IS NULL, ")
		}
		w.term(&t)
		if t.desc {
			w.put(" DESC")
		}
		if t.nullable && w.d.nullsLast {
			w.put(" NULLS LAST")
		}
	}
}

// seek writes that a row comes after the seek's position in the order of the
// terms: it is equal in the first i keys and after it in the next, for some i.
func (w *sqlWriter) seek(s *Seek, terms []term) {
	w.put("(")
	sep := ""
	for i, last := range terms {
		if last.constant || s.Null[i] {
			continue // nothing comes after null
		}
		w.put(sep, "(")
		sep = " OR "
		for j, t := range terms[:i] {
			if t.constant {
				continue
			}
			if s.Null[j] {
				w.term(&t)
				w.put(" IS NULL AND ")
				continue
			}
			w.compareTerm(t, graph.Eq, Arg{slot: s.First + Slot(j), property: t.typ})
			w.put(" AND ")
		}
		if last.nullable {
			w.put("(")
		}
		op := graph.Gt
		if last.desc {
			op = graph.Lt
		}
		w.compareTerm(last, op, Arg{slot: s.First + Slot(i), property: last.typ})
		if last.nullable {
			w.put(" OR ")
			w.term(&last)
			w.put(" IS NULL)")
		}
		w.put(")")
	}
	if sep == "" {
		w.put("1 = 0")
	}
	w.put(")")
}

// limit writes the LIMIT that probes for one row more than asked for, once in a
// statement.
func (w *sqlWriter) limit(s Slot) {
	w.put(" LIMIT ")
	if w.d.writtenLimits {
		w.page, w.after = s, len(w.b)
		return
	}
	w.arg(Arg{slot: s, use: useProbe})
}

// offset writes how many rows are passed over.
func (w *sqlWriter) offset(p *Page) {
	if p.Counted {
		w.put(" OFFSET ")
		w.arg(Arg{slot: p.Offset, property: intType})
	}
}

// rank writes how well a search's text matches: 0 where a property is equal to it, 1 where one starts
// with it, 2 otherwise.
func (w *sqlWriter) rank(alias string, o OrderKey) {
	w.put("CASE WHEN ")
	for i, p := range o.Search {
		if i > 0 {
			w.put(" OR ")
		}
		w.folded(column{alias, p.Column})
		w.put(" = ")
		w.arg(Arg{slot: o.Slot, property: textType})
	}
	w.put(" THEN 0 WHEN ")
	for i, p := range o.Search {
		if i > 0 {
			w.put(" OR ")
		}
		w.like(func() { w.folded(column{alias, p.Column}) }, Arg{slot: o.Slot, use: useStarts, property: textType})
	}
	w.put(" THEN 1 ELSE 2 END")
}

// distanceColumn is where a traversal of several lengths has its distance.
const distanceColumn = "w.d"

// A projection is a select list that grows while it is written.
type projection struct {
	w    *sqlWriter
	seen []projected
}

// projected is a column that a projection has, and its field.
type projected struct {
	column
	field int
}

// project begins the select list of the writer's statement.
func (w *sqlWriter) project() *projection {
	w.sel = projection{w: w, seen: w.sel.seen[:0]}
	return &w.sel
}

// column adds a column that holds a property, once.
func (p *projection) column(c column, prop *schema.Property) int {
	for _, have := range p.seen {
		if have.column == c {
			return have.field
		}
	}
	p.comma()
	i := p.w.shown(c, prop)
	p.seen = append(p.seen, projected{c, i})
	return i
}

// expression adds what write writes.
func (p *projection) expression(typ *schema.Property, ordinal bool, write func()) int {
	p.comma()
	write()
	return p.w.field(typ, ordinal)
}

func (p *projection) comma() {
	if len(p.w.fields) > 0 {
		p.w.put(", ")
	}
}

// node adds a node's key and the properties shown.
func (p *projection) node(alias string, key []column, l *schema.Label, show []*schema.Property) NodeFields {
	n := NodeFields{Label: l, Key: make([]int, 0, len(l.Key))}
	if len(show) > 0 {
		n.Shown = make([]ShownField, 0, len(show))
	}
	for i, k := range l.Key {
		n.Key = append(n.Key, p.key(key[i], k, l))
	}
next:
	for _, prop := range show {
		for i, k := range l.Key {
			if k == prop {
				n.Shown = append(n.Shown, ShownField{prop, n.Key[i]})
				continue next
			}
		}
		n.Shown = append(n.Shown, ShownField{prop, p.column(column{alias, prop.Column}, prop)})
	}
	for _, s := range n.Shown {
		p.w.fields[s.Field].Owner, p.w.fields[s.Field].Key = l.Name, n.Key
	}
	return n
}

// key adds a column that holds a part of a label's key.
func (p *projection) key(c column, prop *schema.Property, l *schema.Label) int {
	f := p.column(c, prop)
	p.w.fields[f].Owner = l.Name
	return f
}

// rel adds a relationship's properties.
func (p *projection) rel(alias string, m *Move) RelFields {
	pair := m.Rel.pair
	r := RelFields{Pair: pair, Incoming: m.Incoming, Key: -1}
	if pair.Key != nil {
		r.Key = p.column(column{alias, pair.Key.Column}, pair.Key)
		p.w.fields[r.Key].Owner = pair.Type.Name
	}
	for _, prop := range pair.Properties {
		if !prop.Hidden {
			f := p.column(column{alias, prop.Column}, prop)
			p.w.fields[f].Owner = pair.Type.Name
			r.Shown = append(r.Shown, ShownField{prop, f})
		}
	}
	return r
}

// order adds what the terms of the order of nodes need and returns them. The
// distance is a field, or, where that is negative, length for all.
func (p *projection) order(alias string, n *NodeFields, page *Page, distance, length int) ([]term, []OrderField) {
	w := p.w
	terms := w.terms.take(len(page.Order))
	fields := make([]OrderField, 0, len(page.Order))
	for _, o := range page.Order {
		switch o.By {
		case ByProperty:
			c := column{alias, o.Property.Column}
			terms = append(terms, w.propertyTerm(c, o.Property, o.Desc))
			shown := len(w.fields)
			f := OrderField{Field: p.column(c, o.Property)}
			field := &w.fields[f.Field]
			field.Owner, field.Key, field.Orders = n.Label.Name, n.Key, f.Field >= shown
			if o.Property.Type == schema.Enum {
				f.Ordinal = o.Property
			}
			fields = append(fields, f)
		case ByRank:
			write := func() { w.rank(alias, o) }
			terms = append(terms, term{write: write, typ: intType})
			fields = append(fields, OrderField{Field: p.expression(intType, false, write)})
		case ByDistance:
			if distance < 0 {
				terms = append(terms, term{constant: true})
				fields = append(fields, OrderField{Field: -1, Value: graph.Int(int64(length))})
				continue
			}
			terms = append(terms, term{write: func() { w.put(distanceColumn) }, typ: intType})
			fields = append(fields, OrderField{Field: distance})
		}
	}
	return terms, fields
}
