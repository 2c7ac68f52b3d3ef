package introspect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// YAML writes the draft as a schema file. What is left out and what needs a
// person's eye stands in comments; what is only inferred is commented out.
func (d *Draft) YAML() []byte {
	w := &writer{}
	w.line(0, "# Drafted from a database (%s). Review it: names, descriptions, what is shown to whom.", d.engine)
	for _, r := range d.remarks {
		w.comment(0, r)
	}
	for _, o := range d.Omitted {
		if o.Column == "" {
			w.comment(0, "left out: "+whole(o.Table)+" ("+o.Reason+")")
		}
	}
	w.line(0, "format: trellis.schema.v1")
	w.line(0, "nodes:")
	for _, l := range d.labels {
		w.label(l)
	}
	if len(d.types) == 0 {
		return w.Bytes()
	}
	if len(d.Definition.Relationships) == 0 {
		w.line(0, "relationships: {} # take the braces away with the first # below")
	} else {
		w.line(0, "relationships:")
	}
	descriptions := map[string]string{}
	for _, r := range d.Definition.Relationships {
		descriptions[r.Type] = r.Description
	}
	for i := 0; i < len(d.types); {
		n := i + 1
		for n < len(d.types) && d.types[n].name == d.types[i].name {
			n++
		}
		w.relationship(d.types[i:n], descriptions[d.types[i].name])
		i = n
	}
	return w.Bytes()
}

// A writer writes YAML line by line.
type writer struct{ bytes.Buffer }

func (w *writer) line(indent int, format string, args ...any) {
	w.WriteString(strings.Repeat("  ", indent))
	fmt.Fprintf(w, format, args...)
	w.WriteByte('\n')
}

// comment writes one line, whatever the text has in it.
func (w *writer) comment(indent int, text string) { w.line(indent, "# %s", shown(text)) }

func (w *writer) label(l *label) {
	def := &l.def
	w.line(1, "%s:", scalar(def.Label))
	for _, r := range l.remarks {
		w.comment(2, r)
	}
	if def.Description != "" {
		w.line(2, "description: %s", scalar(def.Description))
	}
	if def.Table.Schema != "" || def.Table.Name != def.Label {
		w.line(2, "table: %s", table(def.Table))
	}
	w.line(2, "key: %s", list(def.Key))
	w.line(2, "properties:")
	for _, p := range def.Properties {
		w.line(3, "%s: %s", scalar(p.Name), declaration(p, slices.Contains(def.Key, p.Name)))
	}
	for _, o := range l.omitted {
		w.comment(3, omittedColumn(o))
	}
}

// relationship writes the pairs of one type.
func (w *writer) relationship(pairs []*relationship, description string) {
	first, off := pairs[0], ""
	if first.inferred != nil {
		off = "# "
	}
	name := scalar(first.name)
	if len(pairs) == 1 {
		for _, r := range first.remarks {
			w.comment(1, r)
		}
		members := pair(first.pair)
		if off == "" && description != "" {
			members = append([]string{"description: " + scalar(description)}, members...)
		}
		w.line(1, "%s%s: {%s}", off, name, strings.Join(members, ", "))
		return
	}
	w.line(1, "%s:", name)
	indent := 2
	if description != "" {
		w.line(2, "description: %s", scalar(description))
		w.line(2, "pairs:")
		indent = 3
	}
	for _, r := range pairs {
		for _, remark := range r.remarks {
			w.comment(indent, remark)
		}
		w.line(indent, "- {%s}", strings.Join(pair(r.pair), ", "))
	}
}

// pair writes the members of a pair.
func pair(p schema.PairDefinition) []string {
	out := []string{"from: " + scalar(p.From)}
	switch {
	case p.Polymorphic != nil:
		to := p.Polymorphic
		values := make([]string, len(to.Values))
		for i, v := range to.Values {
			values[i] = scalar(v.Value) + ": " + scalar(v.Label)
		}
		out = append(out, fmt.Sprintf("to: {type_column: %s, id_column: %s, values: {%s}}", scalar(to.TypeColumn), list(to.IDColumns), strings.Join(values, ", ")))
	case p.ForeignKey != nil:
		out = append(out, "to: "+scalar(p.To), "foreign_key: "+list(p.ForeignKey.Columns))
	default:
		out = append(out, "to: "+scalar(p.To), "table: "+table(p.Table), "from_column: "+list(p.FromColumns), "to_column: "+list(p.ToColumns))
	}
	if p.Unique != "" {
		out = append(out, "unique: "+p.Unique)
	}
	if p.Key != "" {
		out = append(out, "key: "+scalar(p.Key))
	}
	if len(p.Properties) > 0 {
		props := make([]string, len(p.Properties))
		for i, prop := range p.Properties {
			props[i] = scalar(prop.Name) + ": " + declaration(prop, prop.Name == p.Key)
		}
		out = append(out, "properties: {"+strings.Join(props, ", ")+"}")
	}
	return out
}

// declaration writes a property, in the short form where its type is all.
func declaration(p schema.PropertyDefinition, key bool) string {
	out := []string{"type: " + p.Type.String()}
	if p.Column != "" && p.Column != p.Name {
		out = append(out, "column: "+scalar(p.Column))
	}
	if len(p.Values) > 0 {
		values := make([]string, len(p.Values))
		for i, v := range p.Values {
			values[i] = scalar(v.Name)
		}
		out = append(out, "values: ["+strings.Join(values, ", ")+"]")
	}
	if p.Scale > 0 {
		out = append(out, "scale: "+strconv.Itoa(p.Scale))
	}
	if p.Required && !key {
		out = append(out, "nullable: false")
	}
	if p.Unique {
		out = append(out, "unique: true")
	}
	if p.Description != "" {
		out = append(out, "description: "+scalar(p.Description))
	}
	if len(out) == 1 {
		return p.Type.String()
	}
	return "{" + strings.Join(out, ", ") + "}"
}

func table(t schema.Table) string {
	if t.Schema == "" {
		return scalar(t.Name)
	}
	return "{schema: " + scalar(t.Schema) + ", name: " + scalar(t.Name) + "}"
}

// list writes one text, or several in brackets.
func list(texts []string) string {
	if len(texts) == 1 {
		return scalar(texts[0])
	}
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = scalar(t)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// simple texts mean themselves in YAML, unless they are one of its words.
var (
	simple   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*([ .-][A-Za-z0-9_]+)*\.?$`)
	reserved = regexp.MustCompile(`^(?i:y|yes|n|no|on|off|true|false|null)$`)
)

// scalar writes a text so that YAML reads the same text and nothing else,
// within braces and without: in double quotes, with JSON's escapes, if need be.
func scalar(text string) string {
	if simple.MatchString(text) && !reserved.MatchString(text) {
		return text
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		return `""` // a string always has JSON
	}
	out := strings.TrimSuffix(b.String(), "\n")
	// What JSON may leave as it is and YAML does not print.
	return unprinted.ReplaceAllStringFunc(out, func(s string) string { return fmt.Sprintf(`\u%04x`, []rune(s)[0]) })
}

var unprinted = regexp.MustCompile("[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]")
