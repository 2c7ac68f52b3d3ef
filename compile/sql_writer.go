package compile

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A sqlWriter writes one statement. Its text can only come from the schema,
// from constants of this package and from the numbers of placeholders: values
// have no way into it.
type sqlWriter struct {
	d      *Dialect
	b      []byte
	args   []Arg
	fields []Field
	tables int // how many tables it has named
	// subqueries counts those of guards, for their aliases.
	subqueries  int
	aggregating bool // it writes the operand of an aggregate
	// page and after are the statement's.
	page  Slot
	after int
	// What a statement is made with, and does not keep.
	columns lists[column]
	equals  lists[equality]
	refs    lists[tableRef]
	names   lists[string]
	terms   lists[term]
	sel     projection
}

// writers are writers whose statements are done: their memory serves the next.
var writers = sync.Pool{New: func() any {
	return &sqlWriter{b: make([]byte, 0, 1024), args: make([]Arg, 0, 8), fields: make([]Field, 0, 8)}
}}

func newWriter(d *Dialect) *sqlWriter {
	w := writers.Get().(*sqlWriter)
	w.d, w.page, w.after = d, noSlot, 0
	return w
}

// maxTables bounds the tables of one statement, which planners take more than
// linear time for.
const maxTables = 150

// bounded is statement, unless it names too many tables.
func (w *sqlWriter) bounded() (*Statement, error) {
	if w.tables > maxTables {
		return nil, errTooManyWays()
	}
	return w.statement(), nil
}

// statement ends the writer: nothing more can be written, or asked of it.
func (w *sqlWriter) statement() *Statement {
	st := &Statement{Args: slices.Clone(w.args), Fields: slices.Clone(w.fields), dialect: w.d, text: string(w.b), page: w.page, after: w.after}
	if cap(w.b) <= longStatement {
		w.reset()
		writers.Put(w)
	}
	return st
}

// longStatement is how long a statement may be whose writer is kept.
const longStatement = 64 << 10

func (w *sqlWriter) reset() {
	clear(w.args)
	clear(w.fields)
	w.columns.reset()
	w.equals.reset()
	w.refs.reset()
	w.names.reset()
	w.terms.reset()
	clear(w.sel.seen)
	w.sel = projection{seen: w.sel.seen[:0]}
	w.d, w.b, w.args, w.fields, w.tables, w.subqueries = nil, w.b[:0], w.args[:0], w.fields[:0], 0, 0
}

func (w *sqlWriter) put(parts ...string) {
	for _, p := range parts {
		w.b = append(w.b, p...)
	}
}

// ownName quotes a name of this package's own, in which no quote stands.
func (w *sqlWriter) ownName(name string) string {
	return string(w.d.quote) + name + string(w.d.quote)
}

// name writes a quoted identifier of the schema.
func (w *sqlWriter) name(name string) {
	q := w.d.quote
	w.b = append(w.b, q)
	if w.d.escapedNames {
		name = strings.ReplaceAll(name, `\`, `\\`)
	}
	if strings.IndexByte(name, q) < 0 {
		w.b = append(w.b, name...)
	} else {
		w.put(strings.ReplaceAll(name, string(q), string([]byte{q, q})))
	}
	w.b = append(w.b, q)
}

func (w *sqlWriter) table(t schema.Table) {
	w.tables++
	if t.Schema != "" && w.d.flat {
		w.name(t.Schema + "." + t.Name)
		return
	}
	if t.Schema != "" {
		w.name(t.Schema)
		w.put(".")
	}
	w.name(t.Name)
}

// A column is a column of a table reference.
type column struct{ alias, name string }

func (w *sqlWriter) column(c column) {
	if c.alias != "" {
		w.put(c.alias, ".")
	}
	w.name(c.name)
}

// template writes a dialect's template with a column in it.
func (w *sqlWriter) template(t string, operand func()) {
	for {
		before, after, found := strings.Cut(t, "@")
		w.put(before)
		if !found {
			return
		}
		operand()
		t = after
	}
}

// arg writes a placeholder.
func (w *sqlWriter) arg(a Arg) {
	a.inOrder = a.property != nil && a.use == useAsIs && w.d.inOrder[a.property.Type] != nil
	a.ranged = a.property != nil && (a.use == useAsIs || a.use == useGreatest) && w.d.ranges[a.property.Type] != nil
	number := 0
	if w.d.once {
		number = w.numberOf(a)
	}
	if number == 0 {
		w.args = append(w.args, a)
		number = len(w.args)
	}
	var t schema.Type
	switch {
	case a.use == useOrdinal || a.use == useProbe:
		t = schema.Int64
	case a.use == useValues:
		t = schema.JSON
	case a.property != nil:
		t = a.property.Type
		if t == schema.Enum && len(a.property.Values) > 0 && a.property.Values[0].IsInt {
			t = schema.Int64
		}
	}
	cast := w.d.casts[t]
	w.put(cast[0])
	switch {
	case w.d.types != nil:
		w.put("{", w.d.ParameterName(number), ":", w.d.types[t], "}")
	case w.d.number != 0:
		w.b = append(w.b, w.d.number)
		w.b = strconv.AppendInt(w.b, int64(number), 10)
	default:
		w.b = append(w.b, '?')
	}
	if t == schema.Decimal {
		w.put(strings.ReplaceAll(cast[1], "#", strconv.Itoa(a.property.Scale)))
		return
	}
	w.put(cast[1])
}

// numberOf is the number that an argument has already; 0 for none.
func (w *sqlWriter) numberOf(a Arg) int {
	if a.slot < 0 && a.use != useKey && a.use != useList && (a.constant.Kind() != graph.KindString || a.property == nil) {
		return 0 // constants are few; enums have the same ones in many places
	}
	return 1 + slices.IndexFunc(w.args, func(b Arg) bool {
		return b.slot == a.slot && b.use == a.use && b.key == a.key && b.parts == a.parts && b.inOrder == a.inOrder && b.ranged == a.ranged &&
			b.property == a.property && b.constant.Kind() == a.constant.Kind() && b.constant.Text() == a.constant.Text()
	})
}

// constant writes a placeholder for a value of the schema.
func (w *sqlWriter) constant(v graph.Value, p *schema.Property) {
	w.arg(Arg{slot: noSlot, constant: v, property: p})
}

// textual reports whether a property is stored as a text, which compares
// byte by byte.
func textual(p *schema.Property) bool {
	return p.Type == schema.String || p.Type == schema.Enum && (len(p.Values) == 0 || !p.Values[0].IsInt)
}

// exactly writes a column for comparisons and orders: texts byte by byte.
func (w *sqlWriter) exactly(c column, p *schema.Property) {
	if form := w.d.inOrder[p.Type]; form != nil {
		w.template(form(p), func() { w.column(c) })
		return
	}
	w.stored(c, p)
	if textual(p) {
		w.put(w.d.collate)
	}
}

// stored writes a column that may be of an enum type of the engine's own as the
// text that it holds; of a text, indexes serve as before.
func (w *sqlWriter) stored(c column, p *schema.Property) {
	if w.d.ownEnums && p.Type == schema.Enum && textual(p) {
		w.template(w.d.text, func() { w.column(c) })
	} else {
		w.column(c)
	}
}

// equated writes a column for an equality that an index serves. Where the
// dialect's = is loose, an exact one must stand beside it.
func (w *sqlWriter) equated(c column, p *schema.Property) {
	if w.d.collated {
		w.exactly(c, p)
	} else {
		w.stored(c, p)
	}
}

// equal writes the exact equality of a column and an argument, in a form that
// can use an index.
func (w *sqlWriter) equal(c column, p *schema.Property, a Arg) {
	if w.d.ranges[p.Type] != nil {
		w.inRange(func() { w.column(c) }, graph.Eq, a)
		return
	}
	if !w.d.looseEqual || !textual(p) {
		w.equated(c, p)
		w.put(" = ")
		w.arg(a)
		return
	}
	w.put("(")
	w.column(c)
	w.put(" = ")
	w.arg(a)
	w.put(" AND ")
	w.exactly(c, p)
	w.put(" = ")
	w.arg(a)
	w.put(")")
}

// shown adds a column that holds a property to the select list and returns the
// position of its field.
func (w *sqlWriter) shown(c column, p *schema.Property) int {
	if w.d.micros == "" && w.d.read[p.Type] == "" {
		w.column(c)
		return w.field(p, false)
	}
	return w.shownAs(func() { w.column(c) }, p, false)
}

// shownAs is shown for what write writes.
func (w *sqlWriter) shownAs(write func(), p *schema.Property, ordinal bool) int {
	micros := w.d.micros != "" && (p.Type == schema.Date || p.Type == schema.DateTime)
	form := w.d.read[p.Type]
	if micros {
		form = w.d.micros
	}
	if form != "" {
		w.template(form, write)
	} else {
		write()
	}
	i := w.field(p, ordinal)
	w.fields[i].Micros = micros
	return i
}

// field adds a column to the statement's result and returns its position.
func (w *sqlWriter) field(p *schema.Property, ordinal bool) int {
	w.fields = append(w.fields, Field{Type: p, Ordinal: ordinal})
	return len(w.fields) - 1
}
