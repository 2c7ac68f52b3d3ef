package tools

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/schema"
)

// mostTypes bounds the types that a workflow lists, and mostCodes the values of
// an enum: a call with others is told what there is.
const (
	mostTypes = 100
	mostCodes = 20
)

// Workflow is a text for a language model that answers people from records: what
// the schema says about the graph, and the steps that the model has to keep to, with the types of records that these tools offer,
// their tools, and the codes of their filters. It is "" where there are no
// records. It is made of the schema alone, so it holds nothing that the caller
// may not see.
func (r *Registry) Workflow() string {
	types := r.recordTypes()
	if len(types) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("# MANDATORY workflow\n\n")
	if r.about != "" {
		b.WriteString(printable(strings.ReplaceAll(r.about, "\n", " ")) + "\n\n")
	}
	b.WriteString("Answer from the records of these tools, and from nothing else. Every step is mandatory.\n\n")
	b.WriteString("1. Identify the type of records that the question is about:\n")
	for i, t := range types {
		if i == mostTypes {
			fmt.Fprintf(&b, "   - and %d more; each has tools of its name\n", len(types)-mostTypes)
			break
		}
		b.WriteString("   - " + t.label.Name + about(t.label) + " (" + strings.Join(t.label.RecordTools(), ", ") + ")\n")
	}
	b.WriteString("2. Use the tools for every fact, and never invent an id: ids come from answers of tools only. A list tells \"total\", the number of all that match: if it is more than you were shown, go on with offset, or filter.\n")
	b.WriteString("3. If nothing is found (\"total\": 0, null, or an id in \"not_found\"), say so. Then ask again with fewer filters, or as the answer's warnings say, and offer the closest records as such, never as the answer.\n")
	b.WriteString("4. If the question leaves open which record is meant, prefer the popular one: the one that is the usual choice by what the records themselves say. Say that you did.\n")
	b.WriteString("5. Cite the id of every record that the answer rests on, such as [" + types[0].label.Name + " " + fmt.Sprint(exampleKey(types[0].label)) + "].\n")
	b.WriteString("6. filters is an object, never a text: {\"filters\": {\"name\": value}}. Values are codes, written exactly as records have them, and not what a person would say")
	r.codes(&b, types)
	b.WriteString("7. If a call is refused, correct it as the error says, and call again.\n")
	return b.String()
}

// recordTypes are the tools of records, one for each label.
func (r *Registry) recordTypes() []*recordTool {
	var out []*recordTool
	for _, tool := range r.tools {
		if t := r.records[tool.Name]; t != nil && (len(out) == 0 || out[len(out)-1].label != t.label) {
			out = append(out, t)
		}
	}
	return out
}

// about is the first line of what is said of a label's records.
func about(l *schema.Label) string {
	text := l.Records.Description
	if text == "" {
		text = l.Description
	}
	line, _, _ := strings.Cut(strings.TrimSpace(printable(text)), ". ")
	const longest = 160
	if utf8.RuneCountInString(line) > longest {
		line = string([]rune(line)[:longest]) + "…"
	}
	if line == "" {
		return ""
	}
	return ": " + strings.TrimSuffix(line, ".")
}

// codes lists the values of enums that are filters.
func (r *Registry) codes(b *strings.Builder, types []*recordTool) {
	lines := 0
	for _, t := range types[:min(len(types), mostTypes)] {
		if !t.label.Records.List && !t.label.Records.ListIDs {
			continue
		}
		for _, name := range t.names {
			f := t.filters[name]
			if f.property.Type != schema.Enum || lines >= mostTypes {
				continue
			}
			if lines == 0 {
				b.WriteString(":\n")
			}
			lines++
			values := f.property.EnumNames()
			more := ""
			if len(values) > mostCodes {
				values, more = values[:mostCodes], ", …"
			}
			b.WriteString("   - " + t.label.Name + "." + name + ": " + printable(strings.Join(values, ", ")) + more + "\n")
		}
	}
	if lines == 0 {
		b.WriteString(".\n")
	}
}
