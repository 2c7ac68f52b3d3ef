package storetest

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/graph"
)

// wholeText is longer than any text.
const wholeText = 1 << 30

// fit makes the answer one of at most the limit's bytes. compose lists the
// answer with so many of its rows, and so many of the relationships between
// what those show; fit tries answers until one is small enough: all of it with
// ever shorter texts, then with the shortest texts and ever fewer rows, but one,
// then with ever more relationships.
func (a *answering) fit(rows int, compose func(rows, relationships int)) {
	r := a.result
	paged := r.Summary
	try := func(rows, relationships, length int) bool {
		*r = graph.Result{Tool: r.Tool, Columns: r.Columns, Summary: paged}
		compose(rows, relationships)
		return a.size(length) <= a.limits.Bytes
	}
	for _, length := range []int{wholeText, 4096, 1024, 256} {
		if try(rows, a.limits.Connections, length) {
			shortenTexts(r, length)
			return
		}
	}
	most := len(r.Relationships)
	kept := rows
	for kept > 1 && !try(kept, 0, 256) {
		kept--
	}
	relationships := 0
	for r.Tool != graph.ToolPaths && relationships < most && try(kept, relationships+1, 256) {
		relationships++
	}
	try(kept, relationships, 256)
	shortenTexts(r, 256)
	switch {
	case kept < rows:
		r.Returned, r.TruncatedBy, r.NextCursor = kept, graph.TruncatedBytes, "more"
	case r.Tool != graph.ToolPaths && relationships < most && paged.TruncatedBy == graph.Complete:
		r.TruncatedBy = graph.TruncatedBytes
	}
}

// size is how many bytes an answer counts whose texts have at most a length.
func (a *answering) size(length int) int {
	total := 0
	for _, n := range a.result.Nodes {
		n.Properties, n.Cut = shortened(n.Properties, length, true)
		total += len(n.AppendJSON(nil)) + 1
	}
	for _, rel := range a.result.Relationships {
		rel.Properties, rel.Cut = shortened(rel.Properties, length, true)
		total += len(rel.AppendJSON(nil)) + 1
	}
	for _, p := range a.result.Paths {
		hops := len(p.Relationships)
		p.Relationships = nil
		total += len(p.AppendJSON(nil)) + 8*hops + 1
	}
	for _, row := range a.result.Rows {
		var cells []string
		for i, v := range row {
			cells = append(cells, string(v.AppendJSON(append(graph.AppendJSONString(nil, a.result.Columns[i].Name), ':'))))
		}
		total += len("{" + strings.Join(cells, ",") + "},")
	}
	return total
}

func shortenTexts(r *graph.Result, length int) {
	for i := range r.Nodes {
		n := &r.Nodes[i]
		n.Properties, n.Cut = shortened(n.Properties, length, false)
	}
	for i := range r.Relationships {
		rel := &r.Relationships[i]
		rel.Properties, rel.Cut = shortened(rel.Properties, length, false)
	}
}

// shortened shortens texts, and notes the length of those that it shortens; or
// of all that any answer may shorten.
func shortened(props []graph.Property, length int, allNotes bool) ([]graph.Property, []graph.CutText) {
	props = slices.Clone(props)
	var notes []graph.CutText
	for i, p := range props {
		if p.Value.Kind() != graph.KindString {
			continue
		}
		text := p.Value.Text()
		if len(text) > length || allNotes && len(text) > 256 {
			notes = append(notes, graph.CutText{Name: p.Name, Bytes: len(text)})
		}
		end := 0
		for end < len(text) {
			_, size := utf8.DecodeRuneInString(text[end:])
			if end+size > length {
				break
			}
			end += size
		}
		props[i].Value = graph.String(text[:end])
	}
	return props, notes
}
