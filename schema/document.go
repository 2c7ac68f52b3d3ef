package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/trellisgraph/trellis/graph"
)

const (
	// maxBytes is the largest schema file, and maxDepth its deepest nesting.
	maxBytes = 1 << 20
	maxDepth = 32
)

// A document is a file as a tree of nodes that know their places. JSON
// makes the same tree as YAML.
type document struct {
	file string
	// published is the JSON Schema of the file's format.
	published string
	root      *yaml.Node
	index     map[*yaml.Node]map[string]int // where the members of maps are
}

// readDocument reads a tree. With mistakes for which the rest cannot be
// understood, the document is nil.
func readDocument(file string, data []byte, published string) (*document, Problems) {
	fatal := func(line, column int, message string) (*document, Problems) {
		return nil, Problems{{File: file, Line: line, Column: column, Message: message}}
	}
	switch {
	case len(data) > maxBytes:
		return fatal(1, 1, fmt.Sprintf("the file is larger than %d bytes", maxBytes))
	case !utf8.Valid(data):
		line, column := position(data, len(data)-len(trimValid(data)))
		return fatal(line, column, "the file is not UTF-8")
	}
	read := ReadYAML
	if strings.HasSuffix(strings.ToLower(file), ".json") {
		read = readJSON
	}
	root, p := read(data)
	if p != nil {
		return fatal(p.Line, p.Column, p.Message)
	}
	d := &document{file, published, root, map[*yaml.Node]map[string]int{}}
	problems, understood := d.strict()
	if !understood {
		return nil, problems
	}
	return d, problems
}

// trimValid cuts the valid UTF-8 at the start.
func trimValid(data []byte) []byte {
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			break
		}
		data = data[size:]
	}
	return data
}

// yamlLine finds the line in an error of the YAML library, which has it in its
// text alone. It counts from one in errors of the scanner, but from zero in
// those of the parser, which yamlParser knows by their wording.
var (
	yamlLine   = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)
	yamlParser = regexp.MustCompile(`^did not find expected (node content|key|'-' indicator|',' or|<)`)
)

// ReadYAML reads exactly one YAML document, for readers of other formats: as nodes
// with their places, of which nothing is checked. What is wrong has a line and a
// message.
func ReadYAML(data []byte) (root *yaml.Node, p *Problem) {
	// A file is anyone's; a fault of the YAML library must stay a refusal.
	defer func() {
		if v := recover(); v != nil {
			root, p = nil, &Problem{Line: 1, Column: 1, Message: "the YAML cannot be read"}
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, next yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0:
		return nil, &Problem{Line: 1, Column: 1, Message: "the file is empty"}
	case err != nil:
		return nil, yamlProblem(err)
	}
	switch err := dec.Decode(&next); {
	case errors.Is(err, io.EOF):
		return doc.Content[0], nil
	case err != nil:
		return nil, yamlProblem(err)
	}
	return nil, &Problem{Line: next.Line, Column: next.Column, Message: "a file holds one document, and a second begins here"}
}

func yamlProblem(err error) *Problem {
	text := err.Error()
	p := &Problem{Line: 1, Column: 1}
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		text = text[len(m[0]):]
		if n, err := strconv.Atoi(m[1]); err == nil {
			p.Line = n
			if yamlParser.MatchString(text) {
				p.Line++
			}
		}
	}
	p.Message = "no YAML: " + short(text)
	return p
}

// yamlTags are the tags of values that JSON has too, and of times, which are
// read as text.
var yamlTags = []string{"!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp", "!!map", "!!seq", "!!merge"}

// strict refuses what makes a file hard to understand or costly to read. It
// reports whether the rest can be read.
func (d *document) strict() (problems Problems, understood bool) {
	understood = true
	report := func(n *yaml.Node, path string, fatal bool, format string, args ...any) {
		problems = append(problems, Problem{File: d.file, Line: n.Line, Column: n.Column, Path: path, Message: fmt.Sprintf(format, args...)})
		understood = understood && !fatal
	}
	var walk func(n *yaml.Node, path string, depth int)
	walk = func(n *yaml.Node, path string, depth int) {
		switch {
		case len(problems) > maxProblems:
			return
		case depth > maxDepth:
			report(n, path, true, "the nesting is deeper than %d", maxDepth)
			return
		case n.Kind == yaml.AliasNode:
			report(n, path, true, "aliases are not read; write it out")
			return
		case n.Anchor != "":
			report(n, path, true, "anchors are not read")
		case !slices.Contains(yamlTags, n.ShortTag()):
			report(n, path, true, "the tag %q is not known", short(n.Tag))
		}
		switch n.Kind {
		case yaml.SequenceNode:
			for i, c := range n.Content {
				walk(c, item(path, i), depth+1)
			}
		case yaml.MappingNode:
			seen := make(map[string]int, len(n.Content)/2)
			for i := 0; i+1 < len(n.Content); i += 2 {
				k, v := n.Content[i], n.Content[i+1]
				at := graph.Pointer(path, k.Value)
				switch {
				case k.Kind != yaml.ScalarNode || k.Anchor != "":
					report(k, path, true, "a name is a plain text")
					continue
				case !printable(k.Value, ""):
					report(k, path, true, "a name has control characters")
					continue
				}
				if line, ok := seen[k.Value]; ok {
					report(k, at, false, "%q is here twice; the first is on line %d", short(k.Value), line)
					continue
				}
				seen[k.Value] = k.Line
				walk(v, at, depth+1)
			}
		}
	}
	walk(d.root, "", 0)
	return problems, understood
}

// members yields the names and values of a map, the first of each name. Of
// anything else it yields nothing.
func members(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(k, v *yaml.Node) bool) {
		if n == nil || n.Kind != yaml.MappingNode {
			return
		}
		seen := make(map[string]bool, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			if k := n.Content[i]; !seen[k.Value] {
				seen[k.Value] = true
				if !yield(k, n.Content[i+1]) {
					return
				}
			}
		}
	}
}

// member returns the member of a map with a name, or nils.
func (d *document) member(n *yaml.Node, name string) (key, value *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, nil
	}
	places, ok := d.index[n]
	if !ok {
		places = make(map[string]int, len(n.Content)/2)
		for i := len(n.Content) - 2; i >= 0; i -= 2 {
			places[n.Content[i].Value] = i
		}
		d.index[n] = places
	}
	i, ok := places[name]
	if !ok {
		return nil, nil
	}
	return n.Content[i], n.Content[i+1]
}

// position is the line and column, both from one, of a byte of a text.
func position(data []byte, offset int) (line, column int) {
	before := data[:min(offset, len(data))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}
