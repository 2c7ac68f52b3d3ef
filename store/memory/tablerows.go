package memory

import (
	"strconv"
	"strings"
)

// FromTables says that rows come from the tables that the schema names. Then a
// Problem names the table and the row's key, where otherwise it names the label
// or relationship type and the row's number. It must be called before the first
// row. Nodes and Relationships may then be called for different labels and
// types at the same time.
func (b *Builder) FromTables() {
	for _, in := range b.nodes {
		in.keyed = true
	}
	for _, ti := range b.types {
		ti.keyed = true
	}
}

// place is the File and Line of a problem with a row that was on a line.
func (in *nodeInput) place(line int) (string, int) {
	if in.keyed {
		return in.label.Table.String(), 0
	}
	return in.file, line
}

// place is as that of nodes; li may be nil where the pair is not known.
func (ti *typeInput) place(li *linkInput, line int) (string, int) {
	if ti.keyed && li != nil {
		return li.pair.Table.String(), 0
	}
	return ti.file, line
}

// fault reports a problem with a row.
func (in *nodeInput) fault(r *record, format string, args ...any) {
	file, line := in.place(r.line)
	if in.keyed {
		var key []string
		for i, isKey := range in.isKey {
			if isKey {
				key = append(key, fieldText(&r.fields[i]))
			}
		}
		format = "%s %s: " + format
		args = append([]any{in.label.Name, strings.Join(key, ", ")}, args...)
	}
	in.problems.add(file, line, format, args...)
}

// rowName names a relationship of a table in a message; it is empty elsewhere.
func (ti *typeInput) rowName(r *record) string {
	if !ti.keyed {
		return ""
	}
	return ti.typ.Name + " from " + fieldText(&r.fields[columnFrom]) + " to " + fieldText(&r.fields[columnTo]) + ": "
}

// fieldText shows a value that need not be one of its property.
func fieldText(f *field) string {
	if parts := f.value.List(); parts != nil {
		texts := make([]string, len(parts))
		for i, v := range parts {
			texts[i] = shown(v)
		}
		return strings.Join(texts, ", ")
	}
	return shown(f.value)
}

// asIn ends a message about something that is there twice.
func asIn(keyed bool, line int) string {
	if keyed {
		return ""
	}
	return ", as in line " + strconv.Itoa(line)
}
