package storetest

import (
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// nothing stands for an answer without nodes.
const nothing = "nothing"

// render writes an answer as the lines of a script.
func render(r *graph.Result) []string {
	var lines []string
	for i := range r.Nodes {
		lines = append(lines, renderNode(&r.Nodes[i], i >= r.Returned && r.Tool != graph.ToolPaths))
	}
	for i := range r.Relationships {
		rel := &r.Relationships[i]
		line := rel.Type + " " + renderKey(rel.From) + " -> " + renderKey(rel.To)
		lines = append(lines, line+renderProperties(rel.Properties)+renderCut(rel.Cut))
	}
	for i := range r.Paths {
		lines = append(lines, renderPath(r, &r.Paths[i]))
	}
	if r.Columns != nil {
		line := "columns"
		for _, c := range r.Columns {
			line += " " + c.Name + ":" + c.Type
		}
		lines = append(lines, line)
	}
	for _, row := range r.Rows {
		lines = append(lines, "row "+renderRow(row))
	}
	if len(lines) == 0 {
		lines = append(lines, nothing)
	}
	return append(lines, renderSummary(&r.Summary)...)
}

// renderBrief writes an answer as the one line of a table's row: ids in order,
// or rows of values, and after a semicolon whatever else there is to say.
func renderBrief(r *graph.Result) []string {
	var words []string
	for i := range r.Nodes[:min(r.Returned, len(r.Nodes))] {
		words = append(words, briefID(r.Nodes[i].ID))
	}
	line := strings.Join(words, " ")
	if r.Tool == graph.ToolPaths {
		words = nil
		for _, p := range r.Paths {
			words = append(words, briefPath(&p))
		}
		line = strings.Join(words, " | ")
	}
	if r.Columns != nil {
		for _, row := range r.Rows {
			words = append(words, renderRow(row))
		}
		line = strings.Join(words, " | ")
	}
	if len(words) == 0 {
		line = nothing
	}
	return []string{strings.Join(append([]string{line}, renderSummary(&r.Summary)...), "; ")}
}

func briefPath(p *graph.Path) string {
	var ids []string
	for _, n := range p.Nodes {
		ids = append(ids, briefID(n.ID))
	}
	return strings.Join(ids, ">")
}

// renderPath writes a path with the direction in which each relationship is
// stored.
func renderPath(r *graph.Result, p *graph.Path) string {
	line := "path " + renderKey(p.Nodes[0])
	for i, at := range p.Relationships {
		rel := &r.Relationships[at]
		if rel.From == p.Nodes[i] {
			line += " -" + rel.Type + "-> "
		} else {
			line += " <-" + rel.Type + "- "
		}
		line += renderKey(p.Nodes[i+1])
	}
	if !p.Weight.IsNull() {
		line += " weight=" + p.Weight.String()
	}
	return line
}

// briefID is the id itself unless that could be misread.
func briefID(id string) string {
	if id == "" || id == nothing || strings.ContainsAny(id, " \t\n;\\") || strings.HasPrefix(id, `"`) {
		return string(graph.AppendJSONString(nil, id))
	}
	return id
}

func renderNode(n *graph.Node, context bool) string {
	line := renderKey(graph.NodeKey{Label: n.Label, ID: n.ID}) + renderProperties(n.Properties) + renderCut(n.Cut)
	if n.Distance > 0 {
		line = strconv.Itoa(n.Distance) + " " + line
	}
	if context {
		line = "context " + line
	}
	return line
}

func renderKey(k graph.NodeKey) string {
	return k.Label + " " + string(graph.AppendJSONString(nil, k.ID))
}

func renderProperties(props []graph.Property) string {
	var b strings.Builder
	for _, p := range props {
		b.WriteString(" " + p.Name + "=" + p.Value.String())
	}
	return b.String()
}

func renderCut(cut []graph.CutText) string {
	line := ""
	for _, c := range cut {
		line += " cut " + c.Name + ":" + strconv.Itoa(c.Bytes)
	}
	return line
}

func renderRow(row []graph.Value) string {
	words := make([]string, len(row))
	for i, v := range row {
		words[i] = v.String()
	}
	return strings.Join(words, " ")
}

func renderSummary(s *graph.Summary) []string {
	var lines []string
	if s.Total != nil {
		lines = append(lines, "total "+strconv.FormatInt(*s.Total, 10))
	}
	if s.TruncatedBy != graph.Complete {
		lines = append(lines, "truncated "+string(s.TruncatedBy))
	}
	for _, w := range s.Warnings {
		lines = append(lines, "warning "+string(w.Code)+" "+renderPointer(w.Path))
	}
	return lines
}

func renderPointer(path string) string {
	if path == "" {
		return `""`
	}
	return path
}
