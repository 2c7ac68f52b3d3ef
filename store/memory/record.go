package memory

import (
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A record is one row of input, by the columns of a layout.
type record struct {
	line   int
	fields []field
}

// A field is what a row has in one column: a text of a CSV file, a value, or
// nothing.
type field struct {
	state fieldState
	text  []byte // of a value: how JSON writes it, nil if it came from Go
	value graph.Value
	fault string // why a Go value is none
}

type fieldState uint8

const (
	absent fieldState = iota
	asText
	asValue
)

// clear empties the record for the next row of n columns.
func (r *record) clear(n int) {
	if cap(r.fields) < n {
		r.fields = make([]field, n)
	}
	r.fields = r.fields[:n]
	clear(r.fields)
}

// cell checks the field against a property and says what is wrong with it, or
// nothing.
func (f *field) cell(p *schema.Property, key bool) (c cell, fault string) {
	switch {
	case f.fault != "":
		return cell{}, f.fault
	case f.state == asText:
		return parseText(p, f.text)
	case f.state == asValue && p.Type == schema.JSON && f.text != nil && !f.value.IsNull():
		return parseJSON(f.text)
	case f.state == asValue:
		return valueCell(p, f.value, key)
	case p.Nullable:
		return cell{null: true}, ""
	}
	return cell{}, "missing"
}

// A layout names the columns that rows may have.
type layout struct {
	names []string
	index map[string]int
}

func newLayout(names []string) layout {
	l := layout{names: names, index: make(map[string]int, len(names))}
	for i, n := range names {
		if _, ok := l.index[n]; !ok {
			l.index[n] = i
		}
	}
	return l
}

// column returns the column of that name, or what is wrong with the name.
func (l *layout) column(name string) (int, string) {
	if i, ok := l.index[name]; ok {
		return i, ""
	}
	return 0, "unknown column " + quote(name) + didYouMean(name, l.names)
}

// lineNumbers remembers on which line each row started. Rows mostly follow
// line by line, so it keeps only where they do not.
type lineNumbers struct {
	runs  []lineRun
	count int
}

type lineRun struct{ row, line int }

func (l *lineNumbers) add(line int) {
	if n := len(l.runs); n == 0 || l.runs[n-1].line+l.count-l.runs[n-1].row != line {
		l.runs = append(l.runs, lineRun{l.count, line})
	}
	l.count++
}

func (l *lineNumbers) of(row int) int {
	first, end := 0, len(l.runs)
	for end-first > 1 {
		if mid := (first + end) / 2; l.runs[mid].row <= row {
			first = mid
		} else {
			end = mid
		}
	}
	return l.runs[first].line + row - l.runs[first].row
}
