package bundle

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// readYAML reads one YAML document into a tree, strictly: no aliases, no
// anchors, no name twice, and nothing that means one thing in one version of
// YAML and another in the next. Of a list, the items that could be understood can
// be used although others could not. It is nil if nothing can be read.
func readYAML(file string, data []byte, depth int, f *found) *node {
	if at := invalidUTF8(data); at >= 0 {
		line, column := position(data, at)
		f.add(Problem{File: file, Line: line, Column: column, Message: "the file is not UTF-8, or begins with a byte order mark"})
		return nil
	}
	root, fault := schema.ReadYAML(data)
	if fault != nil {
		p := &Problem{Line: fault.Line, Column: fault.Column, Message: fault.Message}
		if n, better := asJSON(file, data, depth); n != nil {
			return n
		} else if better != nil {
			p = better
		} else if at := surrogate.FindIndex(data); at != nil && strings.Contains(p.Message, "Unicode character escape") {
			p.Line, p.Column = position(data, at[0])
			p.Message, p.Hint = fmt.Sprintf("%s is half of a surrogate pair, and no character", data[at[0]:at[1]]), "write the character itself"
		}
		p.File = file
		f.add(*p)
		return nil
	}
	c := yamlConverter{file: file, most: depth, found: f}
	n := c.node(root, "", 0)
	return &n
}

// surrogate is an escape that YAML does not have; JSON has it in pairs.
var surrogate = regexp.MustCompile(`\\u[dD][89a-fA-F][0-9a-fA-F]{2}`)

// asJSON reads as JSON what is no YAML: not all JSON is, as programs write it. If it
// is JSON but for what a text or a number may not be, that is what is wrong.
func asJSON(file string, data []byte, depth int) (*node, *Problem) {
	if text := bytes.TrimLeft(data, " \t\r\n"); len(text) == 0 || text[0] != '[' && text[0] != '{' {
		return nil, nil
	}
	var f found
	if n := readJSON(file, data, depth, &f); n != nil {
		return n, nil
	}
	if len(f.list) == 0 || strings.HasPrefix(f.list[0].Message, "no JSON") {
		return nil, nil
	}
	return nil, &f.list[0]
}

// A yamlConverter makes nodes of those of the YAML library.
type yamlConverter struct {
	file   string
	most   int
	found  *found
	unread bool // something could not be understood
}

func (c *yamlConverter) fail(n *yaml.Node, pointer, format string, args ...any) *Problem {
	c.unread = true
	return c.found.report(c.file, &node{line: int32(n.Line), column: int32(n.Column)}, pointer, format, args...)
}

var yamlTags = []string{"!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp", "!!map", "!!seq", "!!merge"}

// node reads a value. Of one that could not be understood only that is known; of a
// list or a map, what else is in it.
func (c *yamlConverter) node(y *yaml.Node, pointer string, depth int) node {
	before := c.unread
	c.unread = false
	n := c.value(y, pointer, depth)
	n.unread = c.unread
	if n.unread && n.kind < listNode {
		n.kind, n.text = nullNode, ""
	}
	c.unread = before || c.unread
	return n
}

func (c *yamlConverter) value(y *yaml.Node, pointer string, depth int) node {
	n := node{line: int32(y.Line), column: int32(y.Column)}
	switch {
	case c.found.many():
		c.unread = true
		return n
	case depth > c.most:
		c.fail(y, pointer, "the nesting is deeper than %d", c.most)
		return n
	case y.Kind == yaml.AliasNode:
		c.fail(y, pointer, "aliases are not read; write it out")
		return n
	case y.Anchor != "":
		c.fail(y, pointer, "anchors are not read")
		return n
	case y.Style&yaml.TaggedStyle != 0 || !slices.Contains(yamlTags, y.ShortTag()):
		c.fail(y, pointer, "tags are not read, and this has %q", short(y.ShortTag()))
		return n
	}
	switch y.Kind {
	case yaml.SequenceNode:
		n.kind, n.items = listNode, make([]node, len(y.Content))
		for i, item := range y.Content {
			n.items[i] = c.node(item, pointer+"/"+strconv.Itoa(i), depth+1)
		}
	case yaml.MappingNode:
		n.kind = objectNode
		c.members(&n, y, pointer, depth)
	default:
		c.scalar(&n, y, pointer)
	}
	return n
}

func (c *yamlConverter) members(n *node, y *yaml.Node, pointer string, depth int) {
	n.members = make([]member, 0, len(y.Content)/2)
	var seen map[string]int
	if len(y.Content) > 32 {
		seen = make(map[string]int, len(y.Content)/2)
	}
	for i := 0; i+1 < len(y.Content) && !c.found.many(); i += 2 {
		k, v := y.Content[i], y.Content[i+1]
		switch {
		case k.Kind != yaml.ScalarNode || k.Anchor != "" || k.Style&yaml.TaggedStyle != 0:
			c.fail(k, pointer, "a name is a plain text")
			continue
		case k.ShortTag() == "!!merge":
			c.fail(k, pointer, "maps are not merged; write it out").Hint = `quote the name if you mean "<<"`
			continue
		}
		first := 0
		if seen != nil {
			first = seen[k.Value]
			seen[k.Value] = k.Line
		} else if m := n.member(k.Value); m != nil {
			first = int(m.line)
		}
		at := graph.Pointer(pointer, k.Value)
		if first > 0 {
			// The first one counts, to find what else is wrong.
			unread := c.unread
			c.fail(k, at, "%q is here twice; the first is on line %d", short(k.Value), first)
			c.unread = unread
			continue
		}
		n.members = append(n.members, member{k.Value, int32(k.Line), int32(k.Column), c.node(v, at, depth+1)})
	}
}

// scalar reads a text, a number, true, false or null. What is quoted is a text.
// A date is a text too: JSON has no dates.
func (c *yamlConverter) scalar(n *node, y *yaml.Node, pointer string) {
	if y.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
		tag := y.ShortTag()
		if tag == "!!str" && isNumber(y.Value) {
			tag = "!!float" // out of its range, to the library: of a number that is said
		}
		switch tag {
		case "!!null":
			return
		case "!!bool":
			n.kind, n.text = boolNode, strings.ToLower(y.Value)
			return
		case "!!int", "!!float":
			n.kind, n.text = numberNode, y.Value
			if !isNumber(y.Value) {
				c.fail(y, pointer, "%s is a number in a form that JSON does not have", short(y.Value)).Hint = "write it in decimal digits, or in quotes if it is a text"
			} else if fault := numberFault(y.Value); fault != "" {
				c.fail(y, pointer, "%s", fault)
			}
			return
		}
	}
	n.kind, n.text = textNode, y.Value
	if strings.IndexByte(n.text, 0) >= 0 {
		c.fail(y, pointer, "a text must not hold the character NUL")
	}
}
