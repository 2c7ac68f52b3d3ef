package memory

import (
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// A nodeInput takes the rows of one label in the order of input.
type nodeInput struct {
	label    *schema.Label
	file     string // or the label, where a Builder fills it
	layout   layout
	isKey    []bool
	problems *problems
	columns  []columnBuilder
	cells    []cell
	lines    lineNumbers
	order    []uint32 // the row of input of each node; nil if they are the same
	// incomplete says that rows were dropped, so that a missing end of a
	// relationship may be their fault.
	incomplete bool
	keyed      bool // the rows come from a table; see Builder.FromTables
}

func newNodeInput(l *schema.Label, ps *problems) *nodeInput {
	in := &nodeInput{label: l, file: l.Name, problems: ps, columns: newColumns(l.Properties), cells: make([]cell, len(l.Properties))}
	names := make([]string, len(l.Properties))
	for i, p := range l.Properties {
		names[i] = p.Name
		in.isKey = append(in.isKey, l.IsKey(p))
	}
	in.layout = newLayout(names)
	return in
}

// add checks a row, and takes it if nothing is wrong with it.
func (in *nodeInput) add(r *record) {
	ok := in.lines.count < maxRows
	if !ok {
		in.fault(r, "more than %d nodes of a label", maxRows)
	}
	if !in.read(r) || !ok {
		in.incomplete = true
		return
	}
	for i := range in.columns {
		in.columns[i].add(in.cells[i])
	}
	in.lines.add(r.line)
}

// read checks a row's values and leaves them in cells. It reports whether
// nothing is wrong with them.
func (in *nodeInput) read(r *record) bool {
	ok := true
	for i, p := range in.label.Properties {
		c, fault := r.fields[i].cell(p, in.isKey[i])
		if fault != "" {
			in.fault(r, "%s: %s", p.Name, fault)
			ok = false
		}
		in.cells[i] = c
	}
	return ok
}

// finish sorts the rows by key, reports keys that occur twice, and returns the
// nodes.
func (in *nodeInput) finish() *nodes {
	n := &nodes{count: in.lines.count, columns: make(map[*schema.Property]Column, len(in.columns))}
	for i, p := range in.label.Properties {
		n.columns[p] = in.columns[i].finish()
	}
	in.columns = nil
	n.key = n.keyColumns(in.label)

	if in.order = keyOrder(n.key, n.count); in.order != nil {
		for p, c := range n.columns {
			n.columns[p] = c.gather(in.order)
		}
		n.key = n.keyColumns(in.label)
	}
	for row := uint32(1); int(row) < n.count; row++ {
		if compareRows(n.key, row-1, row) == 0 {
			file, line := in.place(in.line(row))
			in.problems.add(file, line, "duplicate key %s%s", rowKey(n.key, row), asIn(in.keyed, in.line(row-1)))
		}
	}
	n.index = newKeyIndex(n.key, n.count)
	n.postings = map[*schema.Property][]uint32{}
	for _, p := range in.label.Properties {
		if p.Index {
			n.postings[p] = postingsOf(n.columns[p])
		}
	}
	return n
}

// line returns the line on which a node starts.
func (in *nodeInput) line(row uint32) int {
	if in.order != nil {
		row = in.order[row]
	}
	return in.lines.of(int(row))
}

func (n *nodes) keyColumns(l *schema.Label) []Column {
	out := make([]Column, len(l.Key))
	for i, p := range l.Key {
		out[i] = n.columns[p]
	}
	return out
}

// keyOrder returns the rows in key order, equal keys in the order of input;
// nil if they are in order already.
func keyOrder(key []Column, count int) []uint32 {
	sorted := true
	for row := 1; row < count && sorted; row++ {
		sorted = compareRows(key, uint32(row-1), uint32(row)) <= 0
	}
	if sorted {
		return nil
	}
	order := identity(count)
	slices.SortFunc(order, func(a, b uint32) int {
		if c := compareRows(key, a, b); c != 0 {
			return c
		}
		return int(int64(a) - int64(b))
	})
	return order
}

func compareRows(key []Column, a, b uint32) int {
	for _, c := range key {
		if order := c.compare(a, b); order != 0 {
			return order
		}
	}
	return 0
}

// rowKey shows a row's key in a message.
func rowKey(key []Column, row uint32) string {
	parts := make([]string, len(key))
	for i, c := range key {
		parts[i] = quote(c.Value(row).Text())
	}
	return strings.Join(parts, ", ")
}

func identity(n int) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = uint32(i)
	}
	return out
}
