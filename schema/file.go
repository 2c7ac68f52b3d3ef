package schema

import (
	"encoding/json"

	"go.yaml.in/yaml/v3"

	"github.com/trellisgraph/trellis/graph"
)

// A Document is a file in a format of which a JSON Schema is published, such as
// trellis.queries.v1: YAML, or JSON where the file's name ends in .json. It is
// read as strictly as schema files are, and knows the places of its values.
type Document struct {
	doc             *document
	strict, written Problems
}

// ReadDocument reads a file and holds it to its format's JSON Schema (draft-07).
// The error is a Problems, of a file that cannot be understood at all; what else
// is wrong comes with Problems, so that a reader can go on and find more.
func ReadDocument(name string, data []byte, published string) (*Document, error) {
	doc, problems := readDocument(name, data, published)
	if doc == nil {
		problems.sort()
		return nil, problems.clip()
	}
	return &Document{doc, problems, doc.validate()}, nil
}

// Problems are all mistakes of the document, in the order of their places:
// those of its form, and those that its reader has found, whose paths are
// pointers into the document. What follows from a mistake of form is left out.
func (d *Document) Problems(found Problems) Problems { return d.doc.all(d.strict, d.written, found) }

// Members are the names of the map at a place, in their order.
func (d *Document) Members(path string) []string {
	_, n, rest := d.doc.find(path)
	if rest > 0 {
		return nil
	}
	var names []string
	for k := range members(n) {
		names = append(names, k.Value)
	}
	return names
}

// JSON returns the value at a place as JSON, members in their order and numbers
// with their digits; nil if there is none. A number that JSON has no form for is
// a text in it.
func (d *Document) JSON(path string) []byte {
	_, n, rest := d.doc.find(path)
	if rest > 0 {
		return nil
	}
	return appendNode(nil, n)
}

func appendNode(b []byte, n *yaml.Node) []byte {
	switch n.Kind {
	case yaml.MappingNode:
		b = append(b, '{')
		first := true
		for k, v := range members(n) {
			if !first {
				b = append(b, ',')
			}
			first = false
			b = append(graph.AppendJSONString(b, k.Value), ':')
			b = appendNode(b, v)
		}
		return append(b, '}')
	case yaml.SequenceNode:
		b = append(b, '[')
		for i, c := range n.Content {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendNode(b, c)
		}
		return append(b, ']')
	}
	switch v := plain(n).(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		if v {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	case json.Number:
		if json.Valid([]byte(n.Value)) {
			return append(b, n.Value...)
		}
	}
	return graph.AppendJSONString(b, n.Value)
}

// all joins what is wrong with a file: how it is written, against its JSON
// Schema, and what is meant by it.
func (d *document) all(strict, written, meant Problems) Problems {
	problems := append(strict[:len(strict):len(strict)], written...)
	known := map[string]bool{}
	for _, p := range written {
		known[p.Path] = !p.atName
	}
	for _, p := range meant {
		if !follows(p.Path, known) {
			d.locate(&p)
			problems = append(problems, p)
		}
	}
	problems.sort()
	return problems.clip()
}
