package native

import (
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// A shown is what an answer shows of the nodes of a label, or of the
// relationships of a pair. Nothing else makes a property of an answer, so that
// what the caller sees masked is masked everywhere.
type shown struct {
	label   *schema.Label // of the view; nil for relationships
	table   *table
	columns []shownColumn
	// head is the JSON of a node, or of a node's key, before its id, or that of
	// a relationship before its start's; toHead what stands before its end's.
	head, toHead []byte
	// bytes is how much a piece takes at most, without texts.
	bytes int
}

type shownColumn struct {
	property *schema.Property // of the view
	column   *column
	text     bool
	// See encode.go: the name before a value, how that is written, and of enums
	// the JSON of their names.
	name     []byte
	encoding encoding
	words    []string
	note     int
}

// roomOfValue is how many bytes of an answer a value that is no text takes at
// most, and roomOfPiece what stands around the properties.
const (
	roomOfValue = 64
	roomOfPiece = 256
)

// worstEscape is how many bytes of JSON a byte of a text becomes at most.
const worstEscape = 6

func (lw *lowering) shown(l *schema.Label, props []*schema.Property) *shown {
	s := &shown{label: l, table: lw.label(l)}
	s.add(owner{s.table.columns, s.table}, props)
	s.bytes += worstEscape * len(l.Name)
	s.head = headOf(nil, l.Name)
	return s
}

// headOf appends the beginning of the JSON of a node of a label.
func headOf(b []byte, label string) []byte {
	b = graph.AppendJSONString(append(b, `{"label":`...), label)
	return append(b, `,"id":`...)
}

func (s *shown) add(o owner, props []*schema.Property) {
	s.bytes += roomOfPiece
	for _, p := range props {
		c := o.column(p)
		text := c.property.Type == schema.String || c.property.Type == schema.JSON || c.property.Type == schema.Decimal
		shown := shownColumn{property: p, column: c, text: text}
		shown.encode(len(s.columns) == 0)
		s.columns = append(s.columns, shown)
		s.bytes += 2*worstEscape*len(p.Name) + roomOfValue
	}
}

// room is how many bytes of an answer a row takes at most, with the notes of
// texts that are shortened.
func (s *shown) room(row uint32) int {
	n := s.bytes
	for i := range s.columns {
		if c := &s.columns[i]; c.text && row < c.column.rows {
			bytes := len(c.column.text(row))
			if c.property.Type != schema.JSON { // which is written as it is kept
				bytes *= worstEscape
			}
			n += bytes
		}
	}
	if s.label != nil {
		n += s.keyRoom(row)
	}
	return n
}

// keyRoom is how many bytes of an answer a node's id takes at most.
func (s *shown) keyRoom(row uint32) int {
	n := 0
	for _, c := range s.table.key {
		n += roomOfValue
		if c.kind >= codeColumn {
			n += 2 * worstEscape * len(c.text(row))
		}
	}
	return n
}

// properties appends what is shown of a row.
func (s *shown) properties(p *compile.Plan, dst []graph.Property, row uint32) []graph.Property {
	for i := range s.columns {
		c := &s.columns[i]
		dst = append(dst, graph.Property{Name: c.property.Name, Value: c.value(p, row)})
	}
	return dst
}

// value is what is shown of a row's value.
func (c *shownColumn) value(p *compile.Plan, row uint32) graph.Value {
	v := c.column.value(row)
	if c.property.Masked != "" {
		v = p.Mask(c.property, v)
	}
	return v
}

// A nodeRow is a node of an answer before it is read.
type nodeRow struct {
	*shown
	row      uint32
	distance int
}

// fill reads a node into n, whose properties it overwrites.
func (n nodeRow) fill(p *compile.Plan, dst *graph.Node) {
	dst.Label, dst.ID, dst.Distance = n.label.Name, n.table.id(n.row), n.distance
	dst.Properties = n.properties(p, dst.Properties[:0], n.row)
	dst.Cut = nil
}

// fits reports whether some nodes are sure to fit into an answer as they are.
func (r *run) fits(rows []nodeRow) bool {
	left := r.plan.Limits.Bytes
	for _, n := range rows {
		if left -= n.room(n.row); left < 0 {
			return false
		}
	}
	return true
}

// write writes nodes that were asked for, as many as fit, and returns how many
// these were.
func (r *run) write(w graph.Writer, rows []nodeRow) (int, error) {
	if e := newEncoder(r, w); e.doc != nil {
		for _, n := range rows {
			if !e.node(n) {
				break
			}
		}
		if !e.full() {
			return len(rows), nil
		}
		e.back()
	} else if r.fits(rows) {
		for _, n := range rows {
			n.fill(r.plan, &r.node)
			if err := w.Node(&r.node); err != nil {
				return 0, err
			}
		}
		return len(rows), nil
	}
	fit := store.NewFitter(r.plan.Limits.Bytes)
	var nodes []*graph.Node
	for i, row := range rows {
		n := &graph.Node{}
		row.fill(r.plan, n)
		if !fit.Fit(store.Piece{Nodes: []*graph.Node{n}, Always: i == 0}) {
			break
		}
		nodes = append(nodes, n)
	}
	for _, n := range nodes {
		if err := w.Node(n); err != nil {
			return 0, err
		}
	}
	return len(nodes), nil
}
