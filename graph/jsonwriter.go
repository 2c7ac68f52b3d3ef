package graph

// A JSONWriter is a Writer that appends an answer's document while it is
// written, without keeping what it is given: the same bytes as those of a Result
// that a Collector has filled. It is for the answers of all tools but
// get_graph_schema, for one answer, and for one goroutine.
type JSONWriter struct {
	tool    string
	buf     []byte
	names   []place // where the names of an aggregate's columns are in buf
	section section
	items   int // of the section
	records records
}

var _ Writer = (*JSONWriter)(nil)

// A place is a part of a document.
type place struct{ from, to int }

// A section is a list of the document, in the order in which they stand there.
type section uint8

const (
	noSection section = iota
	nodeSection
	relationshipSection
	pathSection
	columnSection
	rowSection
)

var sectionNames = [...]string{nodeSection: "nodes", relationshipSection: "relationships", pathSection: "paths", columnSection: "columns", rowSection: "rows"}

// NewJSONWriter returns a writer of a tool's answer, which it appends to dst.
func NewJSONWriter(dst []byte, tool string) *JSONWriter {
	w := &JSONWriter{}
	w.Reset(dst, tool)
	return w
}

// Reset begins another answer, of a tool, which is appended to dst.
func (w *JSONWriter) Reset(dst []byte, tool string) {
	w.tool, w.section, w.items, w.names, w.records.form = tool, noSection, 0, w.names[:0], nil
	w.buf = appendHead(dst, tool)
}

// Clear lets go of the answer. The writer keeps memory of its own for the next,
// which begins with Reset.
func (w *JSONWriter) Clear() {
	clear(w.records.places)
	*w = JSONWriter{names: w.names[:0], records: records{places: w.records.places[:0]}}
}

// Finish ends the document with what the answer says beside its rows, and
// returns it. The error is that of a warning's fix that has no JSON.
func (w *JSONWriter) Finish(s *Summary) ([]byte, error) {
	if w.records.form != nil {
		return w.finishRecords(s)
	}
	last := nodeSection
	switch w.tool {
	case ToolTraverse, ToolNeighbors:
		last = relationshipSection
	case ToolPaths:
		last = pathSection
	case ToolAggregate:
		last = rowSection
	}
	w.enter(last)
	return s.AppendMembers(append(w.buf, ']'))
}

// enter goes on to a section, over those that have nothing.
func (w *JSONWriter) enter(to section) {
	for w.section < to {
		if w.section != noSection {
			w.buf = append(w.buf, ']')
		}
		w.section++
		if w.tool == ToolAggregate {
			w.section = max(w.section, columnSection)
		}
		w.buf = append(append(append(w.buf, `,"`...), sectionNames[w.section]...), `":[`...)
		w.items = 0
	}
}

// JSON implements Writer.
func (w *JSONWriter) JSON() *JSONWriter { return w }

// BeginNode begins a node, for who encodes it: it returns what the node is
// appended to, which End takes back. In an answer of records it is BeginRecord
// that begins one.
func (w *JSONWriter) BeginNode() []byte {
	w.item(nodeSection)
	return w.buf
}

// BeginRelationship is BeginNode for a relationship.
func (w *JSONWriter) BeginRelationship() []byte {
	w.item(relationshipSection)
	return w.buf
}

// BeginPath is BeginNode for a path.
func (w *JSONWriter) BeginPath() []byte {
	w.item(pathSection)
	return w.buf
}

// End ends what was begun last.
func (w *JSONWriter) End(b []byte) { w.buf = b }

// A JSONMark is a place in a document to which its writer can go back.
type JSONMark struct {
	bytes, items, records int
	section               section
}

// Mark returns where the document has come to.
func (w *JSONWriter) Mark() JSONMark {
	return JSONMark{len(w.buf), w.items, len(w.records.places), w.section}
}

// Back drops what was written since a mark.
func (w *JSONWriter) Back(to JSONMark) {
	w.buf, w.items, w.section = w.buf[:to.bytes], to.items, to.section
	w.records.places = w.records.places[:to.records]
}

func (w *JSONWriter) item(of section) {
	w.enter(of)
	w.buf = comma(w.buf, w.items)
	w.items++
}

// Node implements Writer.
func (w *JSONWriter) Node(n *Node) error {
	if w.records.form != nil {
		w.record(n)
		return nil
	}
	w.item(nodeSection)
	w.buf = n.AppendJSON(w.buf)
	return nil
}

// Relationship implements Writer.
func (w *JSONWriter) Relationship(r *Relationship) error {
	w.item(relationshipSection)
	w.buf = r.AppendJSON(w.buf)
	return nil
}

// Path implements Writer.
func (w *JSONWriter) Path(p *Path) error {
	w.item(pathSection)
	w.buf = p.AppendJSON(w.buf)
	return nil
}

// Columns implements Writer.
func (w *JSONWriter) Columns(columns []Column) error {
	for _, c := range columns {
		w.item(columnSection)
		from := len(w.buf) + len(columnHead)
		w.buf = c.appendName(w.buf)
		w.names = append(w.names, place{from, len(w.buf)})
		w.buf = c.appendType(w.buf)
	}
	return nil
}

// Row implements Writer.
func (w *JSONWriter) Row(values []Value) error {
	w.item(rowSection)
	w.buf = append(w.buf, '{')
	for i, v := range values {
		w.buf = comma(w.buf, i)
		w.buf = append(append(w.buf, w.buf[w.names[i].from:w.names[i].to]...), ':')
		w.buf = v.AppendJSON(w.buf)
	}
	w.buf = append(w.buf, '}')
	return nil
}
