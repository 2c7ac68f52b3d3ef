package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// readJSON reads one JSON value into the tree that YAML makes.
func readJSON(data []byte) (*yaml.Node, *Problem) {
	r := &jsonReader{data: data, dec: json.NewDecoder(bytes.NewReader(data)), line: 1, column: 1}
	r.dec.UseNumber()
	root, err := r.value(0)
	if err == nil {
		if _, err = r.token(); errors.Is(err, io.EOF) {
			return root, nil
		} else if err == nil {
			err = errors.New("text follows the document")
		}
	} else if errors.Is(err, io.EOF) {
		err = errors.New("the document ends too early")
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		r.moveTo(int(syntax.Offset) - 1)
	}
	message := err.Error()
	if err != errTooDeep {
		message = "no JSON: " + short(message)
	}
	return nil, &Problem{Line: r.line, Column: r.column, Message: message}
}

var errTooDeep = fmt.Errorf("the nesting is deeper than %d", maxDepth)

// A jsonReader turns tokens into nodes and keeps count of the place.
type jsonReader struct {
	data []byte
	dec  *json.Decoder

	offset       int
	line, column int
}

// moveTo goes on to a byte of the text.
func (r *jsonReader) moveTo(offset int) {
	for r.offset < min(offset, len(r.data)) {
		c, size := utf8.DecodeRune(r.data[r.offset:])
		r.offset += size
		r.column++
		if c == '\n' {
			r.line, r.column = r.line+1, 1
		}
	}
}

// token returns the next token; the reader stands at its first byte.
func (r *jsonReader) token() (json.Token, error) {
	start := int(r.dec.InputOffset())
	for start < len(r.data) && bytes.IndexByte([]byte(" \t\r\n,:"), r.data[start]) >= 0 {
		start++
	}
	r.moveTo(start)
	return r.dec.Token()
}

func (r *jsonReader) value(depth int) (*yaml.Node, error) {
	token, err := r.token()
	if err != nil {
		return nil, err
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: r.line, Column: r.column}
	switch v := token.(type) {
	case json.Delim:
		if depth > maxDepth {
			return nil, errTooDeep
		}
		n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		if v == '{' {
			n.Kind, n.Tag = yaml.MappingNode, "!!map"
		}
		return n, r.content(n, depth)
	case string:
		n.Tag, n.Value = "!!str", v
	case json.Number:
		n.Tag, n.Value = "!!float", v.String()
		if integer.MatchString(n.Value) {
			n.Tag = "!!int"
		}
	case bool:
		n.Tag, n.Value = "!!bool", "false"
		if v {
			n.Value = "true"
		}
	case nil:
		n.Tag, n.Value = "!!null", "null"
	}
	return n, nil
}

// content reads what a list or a map holds, and its end.
func (r *jsonReader) content(n *yaml.Node, depth int) error {
	for r.dec.More() {
		c, err := r.value(depth + 1) // the name too, in a map
		if err != nil {
			return err
		}
		n.Content = append(n.Content, c)
		if n.Kind == yaml.MappingNode {
			if c, err = r.value(depth + 1); err != nil {
				return err
			}
			n.Content = append(n.Content, c)
		}
	}
	_, err := r.token()
	return err
}
