package compile

import (
	"strconv"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// aggregateSQL lowers aggregate_nodes. The inner statement groups; the outer
// one has plain columns to filter, to seek in and to order by, so that no
// expression with parameters has to be repeated. What is grouped are the nodes
// themselves or, with groups by relationships, the distinct pairs of a node
// and the values it is connected to.
func aggregateSQL(a *Aggregate, d *Dialect) (*Program, error) {
	w := newWriter(d)
	prog := &Program{Dialect: d, Distance: -1, Limit: a.Page.Limit, Columns: a.columns()}
	g, err := a.grouping(d)
	if err != nil {
		return nil, err
	}
	w.put("SELECT ")
	prog.Outputs = w.outputs(a, prog.Columns)
	w.put(" FROM (")
	if g.late != nil {
		w.beginLate(a, g)
	}
	ends := w.putTogether(a, g)
	w.put("SELECT ")
	first := true
	item := func(alias string, write func()) {
		if !first {
			w.put(", ")
		}
		first = false
		write()
		w.put(" AS ", alias)
	}
	for i := range a.Groups {
		for p, c := range g.columns[i] {
			item(columnAlias(i, p), func() { w.grouped(c) })
		}
	}
	for i, v := range a.Values {
		alias := columnAlias(len(a.Groups)+i, 0)
		if p := w.parts(v); p != nil {
			for j, part := range p.aggregates {
				item(partAlias(alias, j), func() { w.figure(v, func() { w.part(v, part) }) })
			}
			continue
		}
		item(alias, func() { w.figure(v, func() { w.aggregate(v) }) })
	}
	if a.MinGroup > 0 { // what is grouped has every node once in each of its groups
		item("g", func() { w.put("COUNT(*)") })
	}
	w.put(" FROM ")
	if err := w.groupSource(a, g); err != nil {
		return nil, err
	}
	sep := " GROUP BY "
	for i := range a.Groups {
		for _, c := range g.columns[i] {
			w.put(sep)
			w.grouped(c)
			sep = ", "
		}
	}
	w.put(ends...)
	if g.late != nil {
		w.endLate(a, g)
	}
	w.put(") AS a")
	where := w.where()
	for _, h := range a.Having {
		where.next()
		w.having(a, h, prog.Columns[h.Column].Type)
	}
	if a.MinGroup > 0 {
		where.next()
		w.put("g >= ")
		w.constant(graph.Int(int64(a.MinGroup)), intType)
	}
	terms := w.columnTerms(a, prog)
	if s := a.Page.Seek; s != nil {
		where.next()
		w.seek(s, terms)
	}
	w.orderBy(terms)
	w.limit(a.Page.Limit)
	if prog.Main, err = w.bounded(); err != nil {
		return nil, err
	}
	return prog, nil
}

// columnAlias names a column, or a part of a composite key, of the inner
// statement.
func columnAlias(i, part int) string {
	alias := "c" + strconv.Itoa(i+1)
	if part > 0 {
		alias += "_" + strconv.Itoa(part+1)
	}
	return alias
}

// outputs writes the outer select list and returns which fields make each
// column.
func (w *sqlWriter) outputs(a *Aggregate, columns []Column) [][]int {
	out := make([][]int, len(columns))
	for i, col := range columns {
		types := []*schema.Property{col.Type}
		owner := a.Nodes.label
		if i < len(a.Groups) {
			owner = a.end(a.Groups[i])
			if a.Groups[i].Key {
				types = owner.Key
			}
		}
		for p, t := range types {
			if len(w.fields) > 0 {
				w.put(", ")
			}
			f := w.shownAs(func() { w.put(columnAlias(i, p)) }, t, a.ordinal(i, t))
			w.fields[f].Owner = owner.Name
			if v := i - len(a.Groups); v >= 0 && a.Values[v].Function == graph.Sum {
				w.fields[f].Sum = "/aggregations/" + strconv.Itoa(v)
			}
			out[i] = append(out[i], f)
		}
	}
	return out
}

// ordinal reports whether column i comes out of the inner statement as a
// position: the least and the greatest of an enum do.
func (a *Aggregate) ordinal(i int, typ *schema.Property) bool {
	return i >= len(a.Groups) && typ.Type == schema.Enum
}

// figure writes an aggregate, or null where too few nodes have a value.
func (w *sqlWriter) figure(v AggregateValue, aggregate func()) {
	if v.Least == 0 {
		aggregate()
		return
	}
	w.put("CASE WHEN COUNT(")
	w.column(column{"n", v.Property.Column})
	w.put(") >= ")
	w.constant(graph.Int(int64(v.Least)), intType)
	w.put(" THEN ")
	aggregate()
	w.put(" END")
}

// within writes the condition of an aggregate's own.
func (w *sqlWriter) within(v AggregateValue) {
	w.aggregating = true
	w.cond("n", v.Cond)
	w.aggregating = false
}

// operand writes the value of a node that is aggregated, or null where the
// aggregate's own condition is not fulfilled.
func (w *sqlWriter) operand(v AggregateValue, value func()) func() {
	return func() {
		if v.Cond == nil {
			value()
			return
		}
		w.put("CASE WHEN ")
		w.within(v)
		w.put(" THEN ")
		value()
		w.put(" END")
	}
}

// aggregate writes an aggregate function over the nodes that fulfil its own
// condition.
func (w *sqlWriter) aggregate(v AggregateValue) {
	if v.Function == graph.Count {
		if v.Cond == nil {
			w.put("COUNT(*)")
			return
		}
		w.put("COUNT(CASE WHEN ")
		w.within(v)
		w.put(" THEN 1 END)")
		return
	}
	c := column{"n", v.Property.Column}
	operand := func(write func()) func() { return w.operand(v, write) }
	call := func(function string, operand func()) {
		w.put(function, "(")
		operand()
		w.put(")")
	}
	switch v.Function {
	case graph.CountDistinct:
		call("COUNT", func() { w.put("DISTINCT "); operand(func() { w.exactly(c, v.Property) })() })
	case graph.Sum:
		w.template(w.d.sum(v.Property), operand(func() { w.column(c) }))
	case graph.Avg: // the exact sum, divided once
		w.template(w.d.average(v.Property), operand(func() { w.column(c) }))
	case graph.Min, graph.Max:
		function, forms := "MIN", w.d.least
		if v.Function == graph.Max {
			function, forms = "MAX", w.d.greatest
		}
		if form := forms[v.Property.Type]; form != nil {
			w.template(form(v.Property), operand(func() { w.column(c) }))
			return
		}
		switch v.Property.Type {
		case schema.Bool:
			function = map[graph.Function]string{graph.Min: w.d.leastBool, graph.Max: w.d.greatestBool}[v.Function]
			call(function, operand(func() { w.column(c) }))
		case schema.Enum:
			call(function, operand(func() { w.ordinal(c, v.Property) }))
		default:
			call(function, operand(func() { w.exactly(c, v.Property) }))
		}
	}
}

// having writes a condition on a column of the inner statement.
func (w *sqlWriter) having(a *Aggregate, h HavingCond, typ *schema.Property) {
	col := column{name: columnAlias(h.Column, 0)}
	c := Compare{Property: typ, Op: h.Op, Slot: h.Slot, N: h.N, Null: h.Null}
	if !a.ordinal(h.Column, typ) {
		w.compare(col, typ, c)
		return
	}
	switch h.Op { // an enum's operators, on positions
	case graph.IsNull:
		w.compare(col, intType, c)
	case graph.Eq, graph.Ne:
		w.column(col)
		if h.Op == graph.Eq {
			w.put(" = ")
		} else {
			w.put(" <> ")
		}
		w.arg(Arg{slot: h.Slot, use: useOrdinal, property: typ})
	default:
		if h.N == 0 {
			w.compare(col, intType, c)
			return
		}
		w.column(col)
		if h.Op == graph.NotIn {
			w.put(" NOT")
		}
		w.put(" IN (")
		for i := range listClass(h.N) {
			if i > 0 {
				w.put(", ")
			}
			w.arg(Arg{slot: h.Slot + Slot(i), use: useOrdinal, property: typ})
		}
		w.put(")")
	}
}

// columnTerms are the terms of the rows' order.
func (w *sqlWriter) columnTerms(a *Aggregate, prog *Program) []term {
	var terms []term
	for _, o := range a.Page.Order {
		field := OrderField{Field: prog.Outputs[o.Column][o.Part]}
		typ := w.fields[field.Field].Type
		col := column{name: columnAlias(o.Column, o.Part)}
		t := term{nullable: typ.Nullable, desc: o.Desc, typ: typ}
		switch {
		case a.ordinal(o.Column, typ):
			t.typ, t.write = intType, func() { w.column(col) }
			field.Ordinal = typ
		case typ.Type == schema.Enum:
			t.typ, t.write = intType, func() { w.ordinal(col, typ) }
			field.Ordinal = typ
		case o.Column < len(a.Groups) && w.d.looseEqual && textual(typ):
			t.write = func() { w.column(col) } // a text has its collation since it was grouped by
		default:
			t.column = col
		}
		terms = append(terms, t)
		prog.Order = append(prog.Order, field)
	}
	return terms
}
