package native

import (
	"cmp"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// tables are a graph's labels and pairs, by name: plans speak of those of the
// caller's view of the schema, which are copies.
type tables struct {
	graph  *memory.Graph
	labels map[string]*table
	// numbered are the labels by number. flat says that none of them has late
	// rows.
	numbered []*table
	flat     bool
	pairs    map[pairName]*links
	denses   denses
}

type pairName struct{ typ, from, to string }

// A table is the nodes of a label. Rows below ordered stand in key order. The
// others came with batches; late has those that live, in key order, and dead
// the rows that are nodes no more. Both are nil in a graph without batches.
type table struct {
	label   *schema.Label
	number  int    // of the label, in the order of names
	count   uint32 // of rows, dead ones included
	living  uint32
	ordered uint32
	late    []uint32
	dead    []uint64
	columns map[string]*column
	key     []*column
	numbers []int64 // the key, where it is one integer of 64 bits
}

// links are the relationships of a pair.
type links struct {
	pair            *schema.Pair
	typ             int // the number of its type, in the order of names
	from, to        *table
	out, in         memory.Adjacency
	count           int
	outOnly, inOnly *only // nil where nodes have none or several
	columns         map[string]*column
	key             *column // nil where the pair has no key
}

// A column is the values of a property, with what makes them quick to read.
type column struct {
	memory.Vector
	property *schema.Property
	values   memory.Column
	kind     columnKind
	rows     uint32
	table    *table   // nil of relationships
	lexicon  *lexicon // nil where Dict is in order
}

type columnKind uint8

const (
	smallColumn  columnKind = iota // Small
	largeColumn                    // Large
	floatColumn                    // Large, as bits
	codeColumn                     // Codes, in the order of the values
	boolColumn                     // Set
	textColumn                     // Bytes, or Codes of a dictionary that is not in order
	numberColumn                   // the same, decimals
)

// newTables returns the tables of a graph. What is the same in an older graph of
// the schema, of which before are the tables if there is one, is taken over.
func newTables(g *memory.Graph, before *tables) *tables {
	t := &tables{graph: g, labels: map[string]*table{}, pairs: map[pairName]*links{}, flat: true}
	if before == nil {
		before = &tables{graph: g}
	}
	for l := range g.Schema().Labels() {
		n := before.labels[l.Name]
		if n == nil || !g.SameNodes(before.graph, l) {
			n = newTable(g, l, len(t.labels))
		}
		t.labels[l.Name] = n
		t.numbered = append(t.numbered, n)
		t.flat = t.flat && n.late == nil
	}
	number := 0
	for typ := range g.Schema().Relationships() {
		number++
		for _, p := range typ.Pairs {
			name := pairName{typ.Name, p.From.Name, p.To.Name}
			r := before.pairs[name]
			if r == nil || !g.SameRelationships(before.graph, p) {
				r = newLinks(g, p, number)
			}
			t.pairs[name] = r.between(t.labels[p.From.Name], t.labels[p.To.Name])
		}
	}
	t.denses.keep(&before.denses, t)
	return t
}

func newTable(g *memory.Graph, l *schema.Label, number int) *table {
	n := &table{
		label: l, number: number, columns: map[string]*column{}, count: g.RowCount(l), living: uint32(g.NodeCount(l)),
		ordered: g.Ordered(l), late: g.Late(l), dead: g.Dead(l),
	}
	for _, p := range l.Properties {
		c := newColumn(p, g.Column(l, p))
		c.table = n
		n.columns[p.Name] = c
	}
	for _, p := range l.Key {
		n.key = append(n.key, n.columns[p.Name])
	}
	if len(n.key) == 1 && n.key[0].kind == largeColumn {
		n.numbers = n.key[0].Large
	}
	return n
}

func newLinks(g *memory.Graph, p *schema.Pair, typ int) *links {
	r := &links{pair: p, typ: typ, count: g.RelCount(p), out: g.Outgoing(p), in: g.Incoming(p), columns: map[string]*column{}}
	for _, prop := range p.Properties {
		r.columns[prop.Name] = newColumn(prop, g.RelColumn(p, prop))
	}
	if p.Key != nil {
		r.key = r.columns[p.Key.Name]
	}
	return r
}

// between returns the links with these tables at their ends.
func (r *links) between(from, to *table) *links {
	if r.from == from && r.to == to {
		return r
	}
	own := *r
	if r.from != from {
		own.outOnly = newOnly(&r.out, from, r.count)
	}
	if r.to != to {
		own.inOnly = newOnly(&r.in, to, r.count)
	}
	own.from, own.to = from, to
	return &own
}

// single reports whether every row has exactly one relationship, which stands at
// the row's own position.
func single(a *memory.Adjacency, rows uint32) bool {
	if !a.Flat() || int(rows)+1 != len(a.First) {
		return false
	}
	for row := range rows {
		if _, first, end := a.Span(row); first != row || end != row+1 {
			return false
		}
	}
	return rows > 0
}

func newColumn(p *schema.Property, values memory.Column) *column {
	c := &column{property: p, values: values, Vector: values.Vector(), rows: uint32(values.Len())}
	if c.Unsorted {
		c.lexicon = &lexicon{}
	}
	switch {
	case c.Codes != nil && !c.Unsorted:
		c.kind = codeColumn
	case p.Type == schema.Int32 || p.Type == schema.Date:
		c.kind = smallColumn
	case p.Type == schema.Float:
		c.kind = floatColumn
	case p.Type == schema.Int64 || p.Type == schema.DateTime:
		c.kind = largeColumn
	case p.Type == schema.Bool:
		c.kind = boolColumn
	case p.Type == schema.Decimal:
		c.kind = numberColumn
	default:
		c.kind = textColumn
	}
	return c
}

// label returns the table of a label of some view; of a label that the graph
// does not have, an empty one.
func (t *tables) label(l *schema.Label) *table {
	if n := t.labels[l.Name]; n != nil {
		return n
	}
	return &table{label: l, number: len(t.labels)}
}

// pair returns the links of a pair of some view.
func (t *tables) pair(p *schema.Pair) *links {
	if r := t.pairs[pairName{p.Type.Name, p.From.Name, p.To.Name}]; r != nil {
		return r
	}
	return &links{pair: p, from: t.label(p.From), to: t.label(p.To)}
}

// compare orders two rows by key.
func (n *table) compare(a, b uint32) int {
	if max(a, b) < n.ordered {
		return cmp.Compare(a, b)
	}
	if n.numbers != nil {
		return cmp.Compare(n.numbers[a], n.numbers[b])
	}
	for _, c := range n.key {
		if order := c.compareRows(a, b, false); order != 0 {
			return order
		}
	}
	return 0
}

// compare orders by key two relationships that have the same ends.
func (r *links) compare(a, b uint32) int {
	if r.key != nil {
		return r.key.compareRows(a, b, false)
	}
	return cmp.Compare(a, b)
}

// column returns the column of a property; of a property that the label does
// not have, one that nobody asks for a row.
func (n *table) column(p *schema.Property) *column { return columnOf(n.columns, p) }

func (r *links) column(p *schema.Property) *column { return columnOf(r.columns, p) }

func columnOf(columns map[string]*column, p *schema.Property) *column {
	if c := columns[p.Name]; c != nil {
		return c
	}
	return newColumn(p, memory.Column{})
}

// bit reports whether a bitmap has a row.
func bit(set []uint64, row uint32) bool {
	i := int(row >> 6)
	return i < len(set) && set[i]&(1<<(row&63)) != 0
}

func (c *column) null(row uint32) bool { return bit(c.Nulls, row) }

// value returns the value of a row. It says at once what memory.Column.Value
// says for all types.
func (c *column) value(row uint32) graph.Value {
	if row >= c.rows || c.Nulls != nil && c.null(row) {
		return graph.Null()
	}
	switch c.property.Type {
	case schema.Int32:
		return graph.Int(int64(c.Small[row]))
	case schema.Int64:
		return graph.Int(c.Large[row])
	case schema.Date:
		return graph.DateFromDays(int64(c.Small[row]))
	case schema.DateTime:
		return graph.DateTimeFromMicros(c.Large[row])
	case schema.String, schema.Enum:
		return graph.String(c.text(row))
	}
	return c.values.Value(row)
}

// text returns the text of a row that is not null: of enums the name.
func (c *column) text(row uint32) string {
	switch {
	case c.Dict != nil:
		return c.Dict[c.Codes[row]]
	case c.kind == codeColumn:
		return c.property.Values[c.Codes[row]].Name
	}
	return c.values.Bytes(row)
}

// appendKey appends the parts of a node's key.
func (n *table) appendKey(dst []graph.Value, row uint32) []graph.Value {
	for _, c := range n.key {
		dst = append(dst, c.value(row))
	}
	return dst
}

// id returns the text of a node's key.
func (n *table) id(row uint32) string {
	var space [4]graph.Value
	return graph.KeyText(n.appendKey(space[:0], row))
}

// An owner has the columns that a condition reads: a label's or a pair's.
type owner struct {
	columns map[string]*column
	table   *table // nil for a pair
}

func (o owner) column(p *schema.Property) *column { return columnOf(o.columns, p) }
