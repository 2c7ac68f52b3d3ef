package bundle

import (
	"encoding/json"
	"strconv"
	"strings"
	"unsafe"

	"github.com/trellisgraph/trellis/graph"
)

// A nodeKind is the JSON type of a node.
type nodeKind uint8

const (
	nullNode nodeKind = iota
	boolNode
	numberNode
	textNode
	listNode
	objectNode
)

var kindNames = [...]string{"null", "a boolean", "a number", "a text", "a list", "an object"}

func (k nodeKind) String() string { return kindNames[k] }

// A node is a JSON value that knows where it was read. YAML and JSON make the
// same tree. Its places count from one, columns in characters.
type node struct {
	kind         nodeKind
	unread       bool // something within could not be understood, and is reported
	line, column int32
	written      int32  // where appendJSON put a text
	text         string // of a text; the literal of a number; true or false
	items        []node
	members      []member
}

// A member is a name in an object, where the name stands, and its value.
type member struct {
	name         string
	line, column int32
	value        node
}

// at is where the member's name stands, as a node.
func (m *member) at() *node {
	return &node{kind: textNode, line: m.line, column: m.column, text: m.name}
}

// get is the value of a member, nil if there is none.
func (n *node) get(name string) *node {
	if m := n.member(name); m != nil {
		return &m.value
	}
	return nil
}

func (n *node) member(name string) *member {
	if n == nil {
		return nil
	}
	for i := range n.members {
		if n.members[i].name == name {
			return &n.members[i]
		}
	}
	return nil
}

// names are the names of an object's members, in their order.
func (n *node) names() []string {
	out := make([]string, len(n.members))
	for i := range n.members {
		out[i] = n.members[i].name
	}
	return out
}

// find follows the tokens of a pointer as far as they lead, and returns the
// last node.
func (n *node) find(tokens []string) *node {
	for _, token := range tokens {
		var next *node
		if n.kind == listNode {
			if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(n.items) {
				next = &n.items[i]
			}
		} else {
			next = n.get(token)
		}
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

// holder returns the tokens that lead to the first object so deep below n that has
// a member of that name; nil if there is none.
func (n *node) holder(name string, depth int) []string {
	if depth == 0 {
		if n.member(name) != nil {
			return []string{}
		}
		return nil
	}
	for i := range n.items {
		if rest := n.items[i].holder(name, depth-1); rest != nil {
			return append([]string{strconv.Itoa(i)}, rest...)
		}
	}
	for i := range n.members {
		if rest := n.members[i].value.holder(name, depth-1); rest != nil {
			return append([]string{n.members[i].name}, rest...)
		}
	}
	return nil
}

// resolve follows a JSON Pointer to its end, nil if there is nothing.
func (n *node) resolve(pointer string) *node {
	if pointer == "" {
		return n
	}
	if pointer[0] != '/' {
		return nil
	}
	for _, token := range strings.Split(pointer[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		if n.kind == listNode {
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(n.items) || strconv.Itoa(i) != token {
				return nil
			}
			n = &n.items[i]
		} else if n = n.get(token); n == nil {
			return nil
		}
	}
	return n
}

// appendJSON writes the value as compact JSON: members in their order, numbers
// with their digits.
func (n *node) appendJSON(b []byte) []byte {
	switch n.kind {
	case nullNode:
		return append(b, "null"...)
	case boolNode, numberNode:
		return append(b, n.text...)
	case textNode:
		n.written = int32(len(b))
		return graph.AppendJSONString(b, n.text)
	case listNode:
		b = append(b, '[')
		for i := range n.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = n.items[i].appendJSON(b)
		}
		return append(b, ']')
	}
	b = append(b, '{')
	for i := range n.members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(graph.AppendJSONString(b, n.members[i].name), ':')
		b = n.members[i].value.appendJSON(b)
	}
	return append(b, '}')
}

// share makes the texts of a value parts of the document that appendJSON has just
// written of it, which never changes, but for those that it escapes.
func (n *node) share(document []byte) {
	if n.kind == textNode {
		from := int(n.written) + 1
		if end := from + len(n.text); from > 0 && end < len(document) && document[end] == '"' && string(document[from:end]) == n.text {
			n.text = unsafe.String(unsafe.SliceData(document), len(document))[from:end]
		}
	}
	for i := range n.items {
		n.items[i].share(document)
	}
	for i := range n.members {
		n.members[i].value.share(document)
	}
}

// plain is the value as encoding/json would decode it, with numbers as
// json.Number.
func (n *node) plain() any {
	switch n.kind {
	case boolNode:
		return n.text == "true"
	case numberNode:
		return json.Number(n.text)
	case textNode:
		return n.text
	case listNode:
		out := make([]any, len(n.items))
		for i := range n.items {
			out[i] = n.items[i].plain()
		}
		return out
	case objectNode:
		out := make(map[string]any, len(n.members))
		for i := range n.members {
			out[n.members[i].name] = n.members[i].value.plain()
		}
		return out
	}
	return nil
}

// told is a value for a message: a short text in quotes, or its kind.
func (n *node) told() string {
	switch n.kind {
	case textNode:
		return strconv.Quote(short(n.text))
	case listNode, objectNode:
		return n.kind.String()
	}
	return short(string(n.appendJSON(nil)))
}

func item(pointer string, i int) string { return pointer + "/" + strconv.Itoa(i) }
