package mcpserver

import (
	"fmt"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/tools"
)

// A workflow is the prompt's text for one caller and one question.
type workflow struct {
	schema   *schema.Schema // as the caller sees it
	queries  []*tools.Tool
	question string
	// What the question is about, as far as the client has said it.
	label    *schema.Label
	property *schema.Property
	value    graph.Value
	follow   *schema.RelationshipType
}

// most bounds the names that the text lists of each kind: the rest is for
// get_graph_schema to tell.
const most = 40

func (w *workflow) text() string {
	var b strings.Builder
	b.WriteString("Answer the question at the end from the knowledge graph, and from nothing else. These steps are mandatory.\n\n")
	if about := w.schema.Description(); about != "" {
		b.WriteString("The graph: " + strings.ReplaceAll(about, "\n", " ") + "\n\n")
	}
	b.WriteString("1. Identify the label that the question is about, and the relationship types that lead to the answer:\n")
	w.labels(&b)
	w.types(&b)
	b.WriteString("   get_graph_schema with expand_nodes shows a label's properties and relationships.\n")
	b.WriteString("2. Use the tools for every fact. Never invent an id, a name or a number: ids come from answers of tools only. To find nodes use find_nodes, " +
		"to follow relationships traverse_relationships, to look around a node explore_neighbors, to connect two nodes find_paths, and for every figure aggregate_nodes.\n")
	w.named(&b)
	b.WriteString("3. filters is an object, not text: {\"property\": value} or {\"property\": {\"operator\": value}}. Values are as the schema has them, never as a person would say them.\n")
	w.codes(&b)
	b.WriteString("4. If nothing is found, say so. Then ask again with less: search for a part of the name, or leave out a filter; offer the closest matches as such, and never as the answer.\n")
	b.WriteString("5. If the question leaves open which of several is meant, take the most popular one, that with the most relationships, and say that you did.\n")
	b.WriteString("6. If an answer says that it is truncated, say so, or continue with next_cursor. If a call is refused, correct it as the error says and call again.\n")
	b.WriteString("7. Cite the id and the label of every node that the answer rests on, such as " + w.citation() + ".\n")
	if call := w.start(); call != "" {
		b.WriteString("\nBegin with " + call + "\n")
	}
	b.WriteString("\nThe question: " + w.question + "\n")
	return b.String()
}

func (w *workflow) labels(b *strings.Builder) {
	var list []string
	for l := range w.schema.Labels() {
		if w.label == nil || w.label == l {
			list = append(list, described(l.Name, l.Description))
		}
	}
	bullets(b, list, "labels")
}

func (w *workflow) types(b *strings.Builder) {
	var list []string
	for t := range w.schema.Relationships() {
		if w.follow != nil && w.follow != t || w.label != nil && !touches(t, w.label) {
			continue
		}
		var ends []string
		for _, p := range t.Pairs {
			ends = append(ends, p.From.Name+" → "+p.To.Name)
		}
		if len(ends) > 5 {
			ends = append(ends[:5], "…")
		}
		list = append(list, described(t.Name+" ("+strings.Join(ends, ", ")+")", t.Description))
	}
	bullets(b, list, "relationship types")
}

func touches(t *schema.RelationshipType, l *schema.Label) bool {
	for _, p := range t.Pairs {
		if p.From == l || p.To == l {
			return true
		}
	}
	return false
}

// codes lists the enums and their values.
func (w *workflow) codes(b *strings.Builder) {
	var list []string
	for l := range w.schema.Labels() {
		if w.label != nil && w.label != l {
			continue
		}
		for _, p := range l.Properties {
			if p.Type == schema.Enum && usable(p) {
				list = append(list, l.Name+"."+p.Name+": "+strings.Join(p.EnumNames(), ", "))
			}
		}
	}
	if len(list) > 0 {
		b.WriteString("   Values of enums are codes, to be written exactly so:\n")
		bullets(b, list, "enums")
	}
}

func (w *workflow) named(b *strings.Builder) {
	if len(w.queries) == 0 {
		return
	}
	b.WriteString("   For what they are made for, prefer the named queries:\n")
	var list []string
	for _, t := range w.queries {
		list = append(list, described(t.Name, t.Description))
	}
	bullets(b, list, "named queries")
}

func (w *workflow) citation() string {
	l := w.label
	if l == nil {
		for first := range w.schema.Labels() {
			l = first
			break
		}
	}
	if l == nil {
		return "[label 42]"
	}
	return "[" + l.Name + " 42]"
}

// start is the first call, where the client has said enough for one.
func (w *workflow) start() string {
	if w.label == nil {
		return ""
	}
	args := []byte(`{"node_label": `)
	args = graph.AppendJSONString(args, w.label.Name)
	if w.property == nil || w.value.IsNull() {
		return `get_graph_schema {"expand_nodes": [` + string(graph.AppendJSONString(nil, w.label.Name)) + "]}"
	}
	args = append(args, `, "filters": {`...)
	args = graph.AppendJSONString(args, w.property.Name)
	args = w.value.AppendJSON(append(args, ": "...))
	return "find_nodes " + string(args) + "}}"
}

// described is a name with the first line of its description.
func described(name, description string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(description), "\n")
	const longest = 160
	if runes := []rune(line); len(runes) > longest {
		line = string(runes[:longest]) + "…"
	}
	if line == "" {
		return name
	}
	return name + ": " + line
}

func bullets(b *strings.Builder, list []string, what string) {
	for i, item := range list {
		if i == most {
			fmt.Fprintf(b, "   - and %d more %s, which get_graph_schema lists\n", len(list)-most, what)
			return
		}
		b.WriteString("   - " + item + "\n")
	}
}
