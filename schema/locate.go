package schema

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/trellisgraph/trellis/graph"
)

// find follows a JSON Pointer as far as it leads. It returns the last node,
// its name where it is a member of a map, and how many tokens are left over.
func (d *document) find(path string) (name, node *yaml.Node, rest int) {
	node = d.root
	tokens := strings.Split(path, "/")[1:]
	for i, token := range tokens {
		token = unescape(token)
		var k, v *yaml.Node
		if node.Kind == yaml.SequenceNode {
			if n, err := strconv.Atoi(token); err == nil && n >= 0 && n < len(node.Content) {
				v = node.Content[n]
			}
		} else {
			k, v = d.member(node, token)
		}
		if v == nil {
			return name, node, len(tokens) - i
		}
		name, node = k, v
	}
	return name, node, 0
}

// locate fills in where a problem is. A mistake in a name, in a map or in a
// list is at its name, where it has one; any other at the value.
func (d *document) locate(p *Problem) {
	p.File = d.file
	name, node, rest := d.find(p.Path)
	for rest > 0 && node.Kind != yaml.MappingNode && p.Path != "" {
		// A short form: what was left out has its place.
		p.Path = p.Path[:strings.LastIndexByte(p.Path, '/')]
		rest--
	}
	at := node
	if name != nil && (p.atName || node.Kind != yaml.ScalarNode || rest > 0) {
		at = name
	}
	p.Line, p.Column = at.Line, at.Column
}

// actual turns a path of New, which knows one form of everything, into the
// path of what is written in the document.
func (d *document) actual(path string) string {
	tokens := strings.Split(path, "/")
	if len(tokens) > 4 && tokens[1] == "relationships" && tokens[3] == "pairs" {
		_, t := d.member(d.root, "relationships")
		_, t = d.member(t, unescape(tokens[2]))
		if t != nil && t.Kind == yaml.SequenceNode {
			tokens = append(tokens[:3:3], tokens[4:]...)
		} else if _, pairs := d.member(t, "pairs"); pairs == nil {
			tokens = append(tokens[:3:3], tokens[5:]...)
		}
	}
	// The values of an enum have numbers, whether they are a list or a map.
	for i := 3; i+1 < len(tokens); i++ {
		if tokens[i] != "values" || tokens[i-2] != "properties" {
			continue
		}
		_, values, _ := d.find(strings.Join(tokens[:i+1], "/"))
		n, err := strconv.Atoi(tokens[i+1])
		if err == nil && values.Kind == yaml.MappingNode && 2*n < len(values.Content) {
			tokens[i+1] = graph.Pointer("", values.Content[2*n].Value)[1:]
		}
	}
	return strings.Join(tokens, "/")
}

func unescape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}
