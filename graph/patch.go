package graph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// ApplyFix applies the fix of an error to the arguments it was found in and
// returns the mended arguments. It knows the operations add, remove, replace
// and move of RFC 6902. Numbers keep their digits and members their order; a
// replaced member keeps its place, a moved one takes the end.
//
// Arguments that are not JSON, and patches that do not fit them, are errors.
func ApplyFix(args []byte, fix []Patch) ([]byte, error) {
	root, err := parsePatched(args)
	if err != nil {
		return nil, fmt.Errorf("graph: the arguments cannot be patched: %w", err)
	}
	for i, p := range fix {
		if root, err = p.apply(root); err != nil {
			return nil, fmt.Errorf("graph: operation %d (%s %s): %w", i, p.Op, p.Path, err)
		}
	}
	return root.append(nil), nil
}

func (p Patch) apply(root *patched) (*patched, error) {
	switch p.Op {
	case "add", "replace":
		raw, err := json.Marshal(p.Value)
		if err != nil {
			return nil, err
		}
		v, err := parsePatched(raw)
		if err != nil {
			return nil, err
		}
		return root.put(p.Path, v, p.Op == "replace")
	case "remove":
		root, _, err := root.remove(p.Path)
		return root, err
	case "move":
		if within(p.Path, p.From) {
			return nil, fmt.Errorf("%q cannot move into itself", p.From)
		}
		root, v, err := root.remove(p.From)
		if err != nil {
			return nil, err
		}
		return root.put(p.Path, v, false)
	}
	return nil, fmt.Errorf("unknown operation %q", p.Op)
}

// A patched is a JSON value whose parts can be exchanged: an object or a list
// with children, or the text of a scalar.
type patched struct {
	open     byte // '{', '[', or 0 for a scalar
	text     string
	names    []string // of an object's children
	children []*patched
}

func parsePatched(raw []byte) (*patched, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	v, err := parseNext(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows the value")
	}
	return v, nil
}

func parseNext(dec *json.Decoder) (*patched, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Delim:
		v := &patched{open: byte(t)}
		for dec.More() {
			if v.open == '{' {
				name, err := dec.Token()
				if err != nil {
					return nil, err
				}
				v.names = append(v.names, name.(string))
			}
			child, err := parseNext(dec)
			if err != nil {
				return nil, err
			}
			v.children = append(v.children, child)
		}
		_, err := dec.Token() // the closing bracket
		return v, err
	case string:
		return &patched{text: string(AppendJSONString(nil, t))}, nil
	case json.Number:
		return &patched{text: t.String()}, nil
	case bool:
		return &patched{text: strconv.FormatBool(t)}, nil
	}
	return &patched{text: "null"}, nil
}

func (v *patched) append(b []byte) []byte {
	if v.open == 0 {
		return append(b, v.text...)
	}
	b = append(b, v.open)
	for i, child := range v.children {
		b = comma(b, i)
		if v.open == '{' {
			b = AppendJSONString(b, v.names[i])
			b = append(b, ':')
		}
		b = child.append(b)
	}
	return append(b, v.open+2) // '}' and ']' stand two after their partners
}

// child finds a child by a token of a pointer. With grow, an index may be one
// past the end, or "-" for it.
func (v *patched) child(token string, grow bool) (int, error) {
	switch v.open {
	case '{':
		return slices.Index(v.names, token), nil
	case '[':
		n := len(v.children)
		if token == "-" && grow {
			return n, nil
		}
		i, err := strconv.Atoi(token)
		if err != nil || i < 0 || strconv.Itoa(i) != token || i > n || i == n && !grow {
			return 0, fmt.Errorf("a list of %d has no element %q", n, token)
		}
		return i, nil
	}
	return 0, fmt.Errorf("a scalar has no %q", token)
}

// find returns the value that holds what a pointer names, and the pointer's
// last token; no value for the pointer to the whole.
func (v *patched) find(pointer string) (parent *patched, last string, err error) {
	if pointer == "" {
		return nil, "", nil
	}
	if pointer[0] != '/' {
		return nil, "", fmt.Errorf("a pointer begins with a slash")
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, t := range tokens {
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(t, "~1", "/"), "~0", "~")
	}
	for _, t := range tokens[:len(tokens)-1] {
		i, err := v.child(t, false)
		if err != nil {
			return nil, "", err
		}
		if i < 0 {
			return nil, "", fmt.Errorf("there is no member %q", t)
		}
		v = v.children[i]
	}
	return v, tokens[len(tokens)-1], nil
}

// put places a value at a pointer and returns the new root. With must, there
// has to be a value there already.
func (v *patched) put(pointer string, value *patched, must bool) (*patched, error) {
	parent, last, err := v.find(pointer)
	if err != nil {
		return nil, err
	}
	if parent == nil {
		return value, nil
	}
	i, err := parent.child(last, !must)
	switch {
	case err != nil:
		return nil, err
	case i < 0 && must:
		return nil, fmt.Errorf("there is no member %q", last)
	case i < 0:
		parent.names = append(parent.names, last)
		parent.children = append(parent.children, value)
	case must || parent.open == '{':
		parent.children[i] = value
	default:
		parent.children = slices.Insert(parent.children, i, value)
	}
	return v, nil
}

// remove takes the value at a pointer out and returns the root and the value.
func (v *patched) remove(pointer string) (root, taken *patched, err error) {
	parent, last, err := v.find(pointer)
	if err != nil {
		return nil, nil, err
	}
	if parent == nil {
		return nil, nil, fmt.Errorf("the whole cannot be removed")
	}
	i, err := parent.child(last, false)
	if err != nil {
		return nil, nil, err
	}
	if i < 0 {
		return nil, nil, fmt.Errorf("there is no member %q", last)
	}
	taken = parent.children[i]
	parent.children = slices.Delete(parent.children, i, i+1)
	if parent.open == '{' {
		parent.names = slices.Delete(parent.names, i, i+1)
	}
	return v, taken, nil
}
