package native

import (
	"strconv"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// An encoding is how the values of a shown column become JSON.
type encoding uint8

const (
	valueEncoding encoding = iota // whatever graph.Value makes of them
	smallEncoding                 // integers
	largeEncoding
	dateEncoding
	timeEncoding
	boolEncoding
	textEncoding
	nameEncoding // of enums
	documentEncoding
)

// encode readies a column for JSON: the name that stands before its values, and
// how these are written.
func (c *shownColumn) encode(first bool) {
	if !first {
		c.name = append(c.name, ',')
	}
	c.name = append(graph.AppendJSONString(c.name, c.property.Name), ':')
	c.note = noteOfCut + worstEscape*len(c.property.Name)
	if c.property.Masked != "" {
		return
	}
	c.encoding = c.column.encoding()
	if c.encoding == nameEncoding {
		for _, v := range c.column.property.Values {
			c.words = append(c.words, string(graph.AppendJSONString(nil, v.Name)))
		}
	}
}

func (c *column) encoding() encoding {
	switch c.property.Type {
	case schema.Int32:
		return smallEncoding
	case schema.Int64:
		return largeEncoding
	case schema.Date:
		return dateEncoding
	case schema.DateTime:
		return timeEncoding
	case schema.Bool:
		return boolEncoding
	case schema.String:
		return textEncoding
	case schema.Enum:
		return nameEncoding
	case schema.JSON:
		return documentEncoding
	}
	return valueEncoding
}

// noteOfCut is more than the note of a text's full length takes beside the name.
const noteOfCut = 40

// shortestCut is the length of texts up to which nothing shortens them.
const shortestCut = 256

// An encoder appends pieces to the document of an answer, and counts what they
// take of the answer's room: no less than store.Fitter counts.
type encoder struct {
	doc  *graph.JSONWriter
	form *graph.RecordForm // nil where nodes are no records
	plan *compile.Plan
	most int // bytes
	used int
	// begun is where the document was before.
	begun graph.JSONMark
	ids   *idPlaces
	// links and shown are those of the last relationship.
	links *links
	shown *shown
}

// idPlaces are where in a document ids of nodes stand: an id is copied there
// rather than made of its row again, since most stand in several places.
type idPlaces struct {
	document uint64 // how many there were
	places   [1 << idPlaceBits]idPlace
}

// idPlaceBits is so that the nodes of usual answers have places of their own.
const idPlaceBits = 7

type idPlace struct {
	document   uint64 // places of other documents are none
	node       node
	first, end int
}

// newEncoder returns the encoder of an answer; its document is nil where the
// writer takes no JSON.
func newEncoder(r *run, w graph.Writer) encoder {
	e := encoder{doc: w.JSON(), plan: r.plan, most: r.plan.Limits.Bytes}
	if e.doc != nil {
		e.form, e.begun, e.ids = e.doc.Records(), e.doc.Mark(), &r.ids
		e.ids.document++
	}
	return e
}

// full reports whether more was written than the answer has room for.
func (e *encoder) full() bool { return e.used > e.most }

// back drops all that was written.
func (e *encoder) back() {
	e.doc.Back(e.begun)
	e.doc = nil
}

// node appends a node, and reports whether there is still room.
func (e *encoder) node(n nodeRow) bool {
	if e.form != nil {
		return e.record(n)
	}
	b := e.doc.BeginNode()
	before := len(b)
	b = e.id(append(b, n.head...), n.table, n.row)
	if n.distance > 0 {
		b = append(b, `,"distance":`...)
		b = strconv.AppendInt(b, int64(n.distance), 10)
	}
	b = append(b, `,"properties":{`...)
	b = append(e.properties(b, n.shown, n.row), '}', '}')
	e.used += len(b) - before + 1
	e.doc.End(b)
	return !e.full()
}

// record appends a node as a record, and reports whether there is still room. It
// counts no less than the node would take.
func (e *encoder) record(n nodeRow) bool {
	b, id := e.doc.BeginRecord(), ""
	before := len(b)
	switch e.form.Kind {
	case graph.RecordIDs:
		b = n.table.appendID(b, n.row)
		e.used += n.room(n.row) // what the record leaves out is counted too
	case graph.RecordSummaries:
		b = n.table.appendID(append(b, `{"id":`...), n.row)
		for i := range n.columns {
			if c := &n.columns[i]; c.property.Name != "id" { // it is the key, and stands there
				if i == 0 {
					b = append(b, ',')
				}
				b = e.value(append(b, c.name...), c, n.row)
			}
		}
		b = append(b, '}')
	default:
		if e.form.Whole && len(n.columns) == 1 {
			b = e.value(b, &n.columns[0], n.row)
		} else {
			b = append(e.properties(append(b, '{'), n.shown, n.row), '}')
		}
		if e.form.Kind == graph.RecordsByID {
			id = n.table.id(n.row)
		}
	}
	e.used += len(b) - before + n.bytes + n.keyRoom(n.row)
	e.doc.EndRecord(b, id)
	return !e.full()
}

// relationship appends a relationship, and reports whether there is still room.
func (e *encoder) relationship(s *shows, x rel) bool {
	if e.links != x.links { // relationships come by their types
		e.links, e.shown = x.links, s.pair(x.links)
	}
	shown := e.shown
	b := e.doc.BeginRelationship()
	before := len(b)
	b = e.id(append(b, shown.head...), x.links.from, x.from.row)
	b = e.id(append(b, shown.toHead...), x.links.to, x.to.row)
	b = append(b, `},"properties":{`...)
	b = append(e.properties(b, shown, x.number), '}', '}')
	e.used += len(b) - before + 1
	e.doc.End(b)
	return !e.full()
}

// path appends a path over some of the relationships that the document has, and
// reports whether there is still room.
func (e *encoder) path(p *paths, w *walk, rels []rel) (bool, error) {
	b := e.doc.BeginPath()
	before := len(b)
	b = append(b, `{"nodes":[`...)
	for i, n := range w.nodes {
		if i > 0 {
			b = append(b, ',')
		}
		of := p.shows.labels[n.label]
		b = append(e.id(append(b, of.head...), of.table, n.row), '}')
	}
	b = append(b, `],"relationships":[`...)
	for i, x := range w.rels {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(indexOf(rels, x)), 10)
	}
	b = append(b, `],"length":`...)
	b = strconv.AppendInt(b, int64(len(w.rels)), 10)
	if p.scale != nil {
		weight, err := p.scale.value(w.weight)
		if err != nil {
			return false, err
		}
		if !weight.IsNull() {
			b = weight.AppendJSON(append(b, `,"weight":`...))
		}
	}
	b = append(b, '}')
	e.used += len(b) - before + 1 + roomOfIndex*len(w.rels)
	e.doc.End(b)
	return !e.full(), nil
}

// roomOfIndex is what an index of a relationship counts; see store.PathBytes.
const roomOfIndex = 8

// id appends a node's id.
func (e *encoder) id(b []byte, t *table, row uint32) []byte {
	n := node{uint32(t.number), row}
	p := &e.ids.places[(row*0x9e3779b1+n.label*0x85ebca6b)>>(32-idPlaceBits)] // Knuth's multiplicative hashing
	if p.document == e.ids.document && p.node == n {
		return append(b, b[p.first:p.end]...)
	}
	first := len(b)
	b = t.appendID(b, row)
	*p = idPlace{e.ids.document, n, first, len(b)}
	return b
}

// properties appends what is shown of a row.
func (e *encoder) properties(b []byte, s *shown, row uint32) []byte {
	for i := range s.columns {
		c := &s.columns[i]
		b = e.value(append(b, c.name...), c, row)
	}
	return b
}

// value appends what is shown of a row in one column.
func (e *encoder) value(b []byte, c *shownColumn, row uint32) []byte {
	col := c.column
	if row >= col.rows || col.Nulls != nil && col.null(row) {
		return append(b, "null"...)
	}
	switch c.encoding {
	case smallEncoding:
		return strconv.AppendInt(b, int64(col.Small[row]), 10)
	case largeEncoding:
		return strconv.AppendInt(b, col.Large[row], 10)
	case dateEncoding:
		return graph.AppendJSONDate(b, int64(col.Small[row]))
	case timeEncoding:
		return graph.AppendJSONDateTime(b, col.Large[row])
	case boolEncoding:
		return strconv.AppendBool(b, bit(col.Set, row))
	case nameEncoding:
		return append(b, c.words[col.Codes[row]]...)
	case documentEncoding:
		return append(b, col.text(row)...)
	case textEncoding:
		text := col.text(row)
		if len(text) > shortestCut {
			e.used += c.note
		}
		return graph.AppendJSONString(b, text)
	}
	return c.value(e.plan, row).AppendJSON(b)
}

// appendID appends a node's id as JSON.
func (n *table) appendID(b []byte, row uint32) []byte {
	if len(n.key) == 1 {
		switch c := n.key[0]; c.property.Type {
		case schema.Int64:
			b = strconv.AppendInt(append(b, '"'), c.Large[row], 10)
			return append(b, '"')
		case schema.Int32:
			b = strconv.AppendInt(append(b, '"'), int64(c.Small[row]), 10)
			return append(b, '"')
		case schema.String:
			return graph.AppendJSONString(b, c.text(row))
		}
	}
	return graph.AppendJSONString(b, n.id(row))
}
