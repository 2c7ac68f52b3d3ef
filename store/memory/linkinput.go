package memory

import (
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// The columns of a relationship's row before its properties.
const (
	columnFrom = iota
	columnTo
	columnFromLabel
	columnToLabel
	endColumns
)

// A typeInput takes the rows of one relationship type in the order of input
// and parts them by pair.
type typeInput struct {
	typ      *schema.RelationshipType
	file     string // or the type, where a Builder fills it
	layout   layout
	problems *problems
	nodes    map[*schema.Label]*nodeInput
	pairs    []*linkInput
	// graph has the nodes, if they are complete; without it the ends are kept
	// as keys until they are.
	graph *Graph
	last  *linkInput // whose labels the last row had
	keyed bool       // the rows come from tables; see Builder.FromTables
}

// A linkInput takes the relationships of one pair.
type linkInput struct {
	pair           *schema.Pair
	from, to       list[uint32]
	fromKey, toKey []columnBuilder // while the nodes are not complete
	columns        []columnBuilder
	at             []int // the layout's column of each property
	foreign        []int // the layout's columns that the pair does not have
	lines          lineNumbers
	order          []uint32 // the row of input of each relationship; nil if they are the same
	cells          []cell
}

func newTypeInput(t *schema.RelationshipType, ps *problems, in map[*schema.Label]*nodeInput) *typeInput {
	ti := &typeInput{typ: t, file: t.Name, problems: ps, nodes: in}
	names := []string{columnFrom: "from", columnTo: "to", columnFromLabel: "from_label", columnToLabel: "to_label"}
	for _, pair := range t.Pairs {
		for _, p := range pair.Properties {
			if !slices.Contains(names[endColumns:], p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	ti.layout = newLayout(names)
	for _, pair := range t.Pairs {
		li := &linkInput{
			pair: pair, columns: newColumns(pair.Properties), cells: make([]cell, len(pair.Properties)),
			fromKey: newColumns(pair.From.Key), toKey: newColumns(pair.To.Key),
		}
		own := map[int]bool{}
		for _, p := range pair.Properties {
			at := endColumns + slices.Index(names[endColumns:], p.Name)
			li.at = append(li.at, at)
			own[at] = true
		}
		for at := endColumns; at < len(names); at++ {
			if !own[at] {
				li.foreign = append(li.foreign, at)
			}
		}
		ti.pairs = append(ti.pairs, li)
	}
	return ti
}

// property returns the property of that name of the first pair that has it.
func (ti *typeInput) property(name string) (*schema.Property, bool) {
	for _, li := range ti.pairs {
		if p, ok := li.pair.Property(name); ok {
			return p, true
		}
	}
	return nil, false
}

// required names the properties that no row of any pair may lack.
func (ti *typeInput) required() []string {
	var out []string
	for _, p := range ti.pairs[0].pair.Properties {
		in := 0
		for _, li := range ti.pairs {
			if own, ok := li.pair.Property(p.Name); ok && (!own.Nullable || own == li.pair.Key) {
				in++
			}
		}
		if in == len(ti.pairs) {
			out = append(out, p.Name)
		}
	}
	return out
}

// add checks a row, and takes it if nothing is wrong with it.
func (ti *typeInput) add(r *record) {
	li := ti.pairOf(r)
	if li == nil {
		return
	}
	var space, more [4]cell
	from, to, ok := ti.readEnds(r, li, space[:0], more[:0])
	ok = ti.readValues(r, li) && ok
	if li.lines.count >= maxRows {
		ti.fault(r, columnFrom, tooManyLinks)
		ok = false
	}
	if !ok {
		return
	}
	if ti.graph == nil {
		addCells(li.fromKey, from)
		addCells(li.toKey, to)
	} else {
		row1, row2, ok1, ok2 := ti.findEnds(li, from, to, r.line)
		if !ok1 || !ok2 {
			return
		}
		li.from.add(row1)
		li.to.add(row2)
	}
	addCells(li.columns, li.cells)
	li.lines.add(r.line)
}

const tooManyLinks = "more relationships of a pair than 32 bits count"

func (ti *typeInput) fault(r *record, column int, fault string) {
	file, line := ti.place(ti.last, r.line)
	ti.problems.add(file, line, "%s%s: %s", ti.rowName(r), ti.layout.names[column], fault)
}

// readEnds appends the keys of a row's ends to from and to. It reports whether
// nothing is wrong with them.
func (ti *typeInput) readEnds(r *record, li *linkInput, from, to []cell) (key1, key2 []cell, ok bool) {
	from, fault1 := endCells(from, &r.fields[columnFrom], li.pair.From)
	if fault1 != "" {
		ti.fault(r, columnFrom, fault1)
	}
	to, fault2 := endCells(to, &r.fields[columnTo], li.pair.To)
	if fault2 != "" {
		ti.fault(r, columnTo, fault2)
	}
	return from, to, fault1 == "" && fault2 == ""
}

// readValues checks a row's properties and leaves them in the pair's cells. It
// reports whether nothing is wrong with them.
func (ti *typeInput) readValues(r *record, li *linkInput) bool {
	ok := true
	for i, p := range li.pair.Properties {
		c, text := r.fields[li.at[i]].cell(p, p == li.pair.Key)
		if text == "" && c.null && p == li.pair.Key {
			text = "null, but it is the key of the relationship"
		}
		if text != "" {
			ti.fault(r, li.at[i], text)
			ok = false
		}
		li.cells[i] = c
	}
	for _, at := range li.foreign {
		if f := &r.fields[at]; f.state == asText && len(f.text) > 0 && string(f.text) != `\N` || f.state == asValue && !f.value.IsNull() {
			ti.fault(r, at, "not a property of "+ti.typ.Name+" from "+li.pair.From.Name+" to "+li.pair.To.Name)
			ok = false
		}
	}
	return ok
}

func addCells(columns []columnBuilder, cells []cell) {
	for i := range columns {
		columns[i].add(cells[i])
	}
}

// pairOf returns the pair that a row's labels name, nil if there is none.
func (ti *typeInput) pairOf(r *record) *linkInput {
	from, fault1 := labelOf(&r.fields[columnFromLabel])
	to, fault2 := labelOf(&r.fields[columnToLabel])
	if l := ti.last; l != nil && from == l.pair.From.Name && to == l.pair.To.Name {
		return l
	}
	var found []*linkInput
	for _, li := range ti.pairs {
		if (from == "" || from == li.pair.From.Name) && (to == "" || to == li.pair.To.Name) {
			found = append(found, li)
		}
	}
	switch {
	case fault1 != "":
		ti.problems.add(ti.file, r.line, "from_label: %s", fault1)
	case fault2 != "":
		ti.problems.add(ti.file, r.line, "to_label: %s", fault2)
	case len(found) == 1:
		ti.last = found[0]
		return found[0]
	case len(found) > 1:
		ti.problems.add(ti.file, r.line, "from_label and to_label must say which of %s is meant", ti.pairNames())
	default:
		ti.problems.add(ti.file, r.line, "%s does not lead from %s to %s; it leads from %s", ti.typ.Name, quote(from), quote(to), ti.pairNames())
	}
	return nil
}

func (ti *typeInput) pairNames() string {
	names := make([]string, len(ti.pairs))
	for i, li := range ti.pairs {
		names[i] = li.pair.From.Name + " to " + li.pair.To.Name
	}
	return enumerate(names)
}

func labelOf(f *field) (name, fault string) {
	switch {
	case f.state == asText:
		return view(f.text), ""
	case f.state == asValue && f.value.Kind() == graph.KindString:
		return f.value.Text(), ""
	case f.state == asValue && !f.value.IsNull():
		return "", "a " + describe(f.value) + " where a label belongs"
	}
	return "", ""
}

// findEnds returns the rows of the nodes at both ends of a relationship, and
// reports those that are not there.
func (ti *typeInput) findEnds(li *linkInput, from, to []cell, line int) (row1, row2 uint32, ok1, ok2 bool) {
	find := func(l *schema.Label, key []cell, column int) (uint32, bool) {
		n := ti.graph.label(l)
		row, ok := n.index.find(n.key, key)
		if !ok && !ti.nodes[l].incomplete {
			file, line := ti.place(li, line)
			name := ""
			if ti.keyed {
				name = ti.typ.Name + " from " + cellsText(li.pair.From, from) + " to " + cellsText(li.pair.To, to) + ": "
			}
			ti.problems.add(file, line, "%s%s: there is no %s %s", name, ti.layout.names[column], l.Name, cellsText(l, key))
		}
		return row, ok
	}
	row1, ok1 = find(li.pair.From, from, columnFrom)
	row2, ok2 = find(li.pair.To, to, columnTo)
	return row1, row2, ok1, ok2
}

// cellsText shows a key in a message.
func cellsText(l *schema.Label, key []cell) string {
	parts := make([]string, len(key))
	for i, c := range key {
		parts[i] = quote(c.value(l.Key[i]).Text())
	}
	return strings.Join(parts, ", ")
}

// resolve finds the nodes of ends that were kept as keys.
func (ti *typeInput) resolve(g *Graph) {
	ti.graph = g
	for _, li := range ti.pairs {
		from, to := finishColumns(li.fromKey), finishColumns(li.toKey)
		for i := range li.lines.count {
			line := li.lines.of(i)
			row1, row2, ok1, ok2 := ti.findEnds(li, rowCells(from, uint32(i)), rowCells(to, uint32(i)), line)
			if ok1 && ok2 {
				li.from.add(row1)
				li.to.add(row2)
			}
		}
	}
}

func finishColumns(builders []columnBuilder) []Column {
	out := make([]Column, len(builders))
	for i := range builders {
		out[i] = builders[i].finish()
	}
	return out
}

func rowCells(columns []Column, row uint32) []cell {
	out := make([]cell, len(columns))
	for i, c := range columns {
		out[i] = c.at(row)
	}
	return out
}
