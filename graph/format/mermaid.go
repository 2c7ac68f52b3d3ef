package format

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/trellisgraph/trellis/graph"
)

// appendMermaid draws the nodes of an answer, by label and id, and its
// relationships, and tells in a comment where that is not all; of a schema, its
// labels and types.
func appendMermaid(b []byte, r *graph.Result) ([]byte, error) {
	switch {
	case r.Schema != nil:
		return drawSchema(b, r.Schema), nil
	case r.Tool == graph.ToolAggregate:
		return b, &graph.Error{Code: graph.Unsupported, Message: "an aggregate has no nodes to draw", Hint: "ask for it as json, columns, csv or markdown"}
	}
	b = append(b, "graph LR\n"...)
	if r.TruncatedBy != graph.Complete {
		b = fmt.Appendf(b, "%%%% cut off by %s\n", r.TruncatedBy)
	}
	d := drawing{names: map[graph.NodeKey]string{}}
	for i := range r.Nodes {
		_, b = d.node(b, graph.NodeKey{Label: r.Nodes[i].Label, ID: r.Nodes[i].ID})
	}
	for i := range r.Relationships {
		rel := &r.Relationships[i]
		var from, to string
		from, b = d.node(b, rel.From)
		to, b = d.node(b, rel.To)
		b = fmt.Appendf(b, "%s -->|%s| %s\n", from, mermaidText(rel.Type), to)
	}
	return b, nil
}

// A drawing names nodes by their number: their ids may be anything.
type drawing struct{ names map[graph.NodeKey]string }

// node returns a node's name, and draws it if it is new.
func (d *drawing) node(b []byte, k graph.NodeKey) (string, []byte) {
	name, known := d.names[k]
	if !known {
		name = fmt.Sprintf("n%d", len(d.names))
		d.names[k] = name
		b = fmt.Appendf(b, "%s[\"%s %s\"]\n", name, mermaidText(k.Label), mermaidText(k.ID))
	}
	return name, b
}

func drawSchema(b []byte, s *graph.Description) []byte {
	b = append(b, "classDiagram\n"...)
	names := map[string]string{}
	for i, n := range s.NodeTypes {
		name := fmt.Sprintf("n%d", i)
		names[n.Name] = name
		b = fmt.Appendf(b, "class %s[\"%s\"]\n", name, mermaidText(n.Name))
		if n.Properties == nil {
			continue
		}
		for _, p := range *n.Properties {
			b = fmt.Appendf(b, "%s : %s %s\n", name, p.Type, mermaidText(p.Name))
		}
	}
	for _, t := range s.RelationshipTypes {
		pairs := t.Pairs
		if len(pairs) == 0 {
			pairs = [][2]string{{t.From, t.To}}
		}
		for _, p := range pairs {
			b = fmt.Appendf(b, "%s --> %s : %s\n", names[p[0]], names[p[1]], mermaidText(t.Name))
		}
	}
	return b
}

// maxShown is how many characters a drawing shows of an id.
const maxShown = 60

// mermaidText is a text that means nothing to Mermaid: what is neither a letter
// nor a digit nor harmless is written as the number of its character.
func mermaidText(text string) string {
	var b strings.Builder
	shown := 0
	for _, r := range text {
		if shown++; shown > maxShown {
			b.WriteString("…")
			break
		}
		if r == ' ' || strings.ContainsRune("_-.,:/", r) || r != unicode.ReplacementChar && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
