package compile

import (
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// latestSpelling is the last, byte by byte, of the texts that an instant may be
// stored as; the first has no zeros at its end. No other instant lies between.
const latestSpelling = "2006-01-02 15:04:05.000000"

// instant writes a comparison with an instant, where equal ones may be spelled
// differently: an index serves it as it does any range.
func (w *sqlWriter) instant(column func(), op graph.Op, earliest Arg) {
	latest := earliest
	latest.use = useLatest
	compared := func(op graph.Op, a Arg) {
		column()
		w.put(comparisons[op])
		w.arg(a)
	}
	switch op {
	case graph.Eq:
		w.put("(")
		compared(graph.Gte, earliest)
		w.put(" AND ")
		compared(graph.Lte, latest)
		w.put(")")
	case graph.Ne:
		w.put("(")
		compared(graph.Lt, earliest)
		w.put(" OR ")
		compared(graph.Gt, latest)
		w.put(")")
	case graph.Gt, graph.Lte:
		compared(op, latest)
	default:
		compared(op, earliest)
	}
}

// instants writes a comparison with a list of instants.
func (w *sqlWriter) instants(col column, c Compare) {
	op, sep := graph.Eq, " OR "
	if c.Op == graph.NotIn {
		op, sep = graph.Ne, " AND "
	}
	w.put("(")
	for i := range listClass(c.N) {
		if i > 0 {
			w.put(sep)
		}
		w.instant(func() { w.column(col) }, op, Arg{slot: c.Slot + Slot(i), property: c.Property})
	}
	w.put(")")
}

// compareTerm writes a comparison of an order's term with a value of a seek.
func (w *sqlWriter) compareTerm(t term, op graph.Op, a Arg) {
	switch {
	case w.d.spelled && t.typ.Type == schema.DateTime:
		w.instant(func() { w.term(&t) }, op, a)
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
