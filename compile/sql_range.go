package compile

import "github.com/trellisgraph/trellis/graph"

// latestSpelling is the last, byte by byte, of the texts that an instant may be
// stored as; the first has no zeros at its end. No other instant lies between.
const latestSpelling = "2006-01-02 15:04:05.000000"

// inRange writes a comparison with a value that several stored ones are equal
// to, or none: an index serves it as it does any range.
func (w *sqlWriter) inRange(column func(), op graph.Op, least Arg) {
	greatest := least
	greatest.use = useGreatest
	compared := func(op graph.Op, a Arg) {
		column()
		w.put(comparisons[op])
		w.arg(a)
	}
	switch op {
	case graph.Eq:
		w.put("(")
		compared(graph.Gte, least)
		w.put(" AND ")
		compared(graph.Lte, greatest)
		w.put(")")
	case graph.Ne:
		w.put("(")
		compared(graph.Lt, least)
		w.put(" OR ")
		compared(graph.Gt, greatest)
		w.put(")")
	case graph.Gt, graph.Lte:
		compared(op, greatest)
	default:
		compared(op, least)
	}
}

// inRanges writes a comparison with a list of such values.
func (w *sqlWriter) inRanges(col column, c Compare) {
	op, sep := graph.Eq, " OR "
	if c.Op == graph.NotIn {
		op, sep = graph.Ne, " AND "
	}
	w.put("(")
	for i := range listClass(c.N) {
		if i > 0 {
			w.put(sep)
		}
		w.inRange(func() { w.column(col) }, op, Arg{slot: c.Slot + Slot(i), property: c.Property})
	}
	w.put(")")
}

// compareTerm writes a comparison of an order's term with a value of a seek.
func (w *sqlWriter) compareTerm(t term, op graph.Op, a Arg) {
	switch {
	case w.d.ranges[t.typ.Type] != nil:
		w.inRange(func() { w.term(&t) }, op, a)
		return
	case op == graph.Eq:
		w.term(&t)
		w.put(" = ")
	default:
		w.term(&t)
		w.put(comparisons[op])
	}
	w.arg(a)
}
