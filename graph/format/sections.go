package format

import (
	"encoding/json"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// A section is a table under a title. The table of an aggregate has none.
type section struct {
	title string
	table
}

// sections are all that a text of tables shows of an answer.
func sections(r *graph.Result) []section {
	var out []section
	switch {
	case r.Schema != nil:
		return described(r.Schema)
	case r.Tool == graph.ToolAggregate:
		out = append(out, section{"", rowTable(r)})
	}
	for _, t := range nodeTables(r.Nodes) {
		out = append(out, section{t.name, t})
	}
	for _, t := range relationshipTables(r.Relationships) {
		title := t.name
		if t.from != "" {
			title += ": " + t.from + " to " + t.to
		}
		out = append(out, section{title, t})
	}
	if len(r.Paths) > 0 {
		out = append(out, section{"paths", pathTable(r.Paths)})
	}
	return append(out, summary(&r.Summary)...)
}

// summary says of a page how many match in all, why an answer is not complete,
// where it goes on, and what it warns of. A complete answer has nothing of it.
func summary(s *graph.Summary) (out []section) {
	if s.Total != nil {
		out = append(out, section{"total", table{columns: []string{"total"}, rows: [][]graph.Value{{graph.Int(*s.Total)}}}})
	}
	if s.TruncatedBy != graph.Complete || s.NextCursor != "" {
		out = append(out, section{"truncated", table{columns: []string{"returned", "truncated_by", "next_cursor"},
			rows: [][]graph.Value{{graph.Int(int64(s.Returned)), orNull(string(s.TruncatedBy)), orNull(s.NextCursor)}}}})
	}
	if len(s.Warnings) == 0 {
		return out
	}
	t := table{columns: []string{"code", "path", "message", "fix"}}
	for _, w := range s.Warnings {
		fix := graph.Null()
		if text, err := json.Marshal(w.Fix); err == nil && len(w.Fix) > 0 {
			fix = graph.JSON(string(text))
		}
		t.rows = append(t.rows, []graph.Value{graph.String(string(w.Code)), graph.String(w.Path), graph.String(w.Message), fix})
	}
	return append(out, section{"warnings", t})
}

// described are the tables of a schema's description, its limits left out.
func described(d *graph.Description) []section {
	labels := table{columns: []string{"label", "description"}}
	types := table{columns: []string{"type", "from", "to", "description"}}
	out := []section{{"schema", table{columns: []string{"revision"}, rows: [][]graph.Value{{graph.String(d.Revision)}}}}}
	var more []section
	for _, n := range d.NodeTypes {
		labels.rows = append(labels.rows, []graph.Value{graph.String(n.Name), orNull(n.Description)})
		more = append(more, properties("properties of "+n.Name, n.Properties)...)
	}
	for _, t := range d.RelationshipTypes {
		pairs := t.Pairs
		if len(pairs) == 0 {
			pairs = [][2]string{{t.From, t.To}}
		}
		for _, p := range pairs {
			types.rows = append(types.rows, []graph.Value{graph.String(t.Name), graph.String(p[0]), graph.String(p[1]), orNull(t.Description)})
		}
		more = append(more, properties("properties of "+t.Name, t.Properties)...)
	}
	return append(append(out, section{"labels", labels}, section{"relationship types", types}), more...)
}

func properties(title string, list *[]graph.PropertyInfo) []section {
	if list == nil || len(*list) == 0 {
		return nil
	}
	t := table{columns: []string{"property", "type", "nullable", "filterable", "values", "description"}}
	for _, p := range *list {
		t.rows = append(t.rows, []graph.Value{graph.String(p.Name), graph.String(p.Type), flag(p.Nullable), flag(p.Filterable),
			orNull(strings.Join(p.Values, " | ")), orNull(p.Description)})
	}
	return []section{{title, t}}
}

// flag is a property's flag, which is shown where it is false.
func flag(b *bool) graph.Value { return graph.Bool(b == nil || *b) }

func orNull(text string) graph.Value {
	if text == "" {
		return graph.Null()
	}
	return graph.String(text)
}
