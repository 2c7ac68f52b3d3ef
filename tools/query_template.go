package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A template is a part of a query's arguments: an object or a list with parts of
// its own, a literal, or a gap.
type template struct {
	open      byte     // '{', '[', or 0 for a literal or a gap
	text      string   // a literal's JSON
	names     []string // of an object's parts
	parts     []*template
	claim     []string // of a gap for the caller's: the path
	gap       bool     // for a parameter
	parameter int      // its number in query.parameters
	path      string   // in the template
}

// maxTemplateDepth is deeper than any arguments are.
const maxTemplateDepth = 32

// templateOf reads a query's arguments and resolves its gaps.
func (c *queryLoader) templateOf(q *query) {
	dec := json.NewDecoder(bytes.NewReader(q.Arguments))
	dec.UseNumber()
	root, err := readTemplate(dec, "", 0)
	if err == nil {
		if _, next := dec.Token(); next != io.EOF {
			err = errors.New("something follows them")
		}
	}
	switch {
	case err != nil:
		c.report("/arguments", "the arguments are not JSON: "+err.Error())
		return
	case root.open != '{':
		c.report("/arguments", "the arguments are not an object")
		return
	}
	q.template = c.gaps(q, root, slotsOf[q.Tool])
	for _, p := range q.order {
		if !p.used {
			c.report(graph.Pointer("/parameters", p.Name), `the parameter "`+p.Name+`" is not used`)
		}
		if p.cursor && (p.Type != schema.String || p.List || !p.Optional || p.Default != nil) {
			c.report(graph.Pointer("/parameters", p.Name), "a parameter that stands for the cursor is an optional string without default")
		}
	}
}

func readTemplate(dec *json.Decoder, path string, depth int) (*template, error) {
	if depth > maxTemplateDepth {
		return nil, errors.New("they are nested too deep")
	}
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	t := &template{path: path}
	switch v := token.(type) {
	case json.Delim:
		t.open = byte(v)
		for dec.More() {
			at := path + "/" + strconv.Itoa(len(t.parts))
			if t.open == '{' {
				name, err := dec.Token()
				if err != nil {
					return nil, err
				}
				t.names = append(t.names, name.(string))
				at = graph.Pointer(path, name.(string))
			}
			part, err := readTemplate(dec, at, depth+1)
			if err != nil {
				return nil, err
			}
			t.parts = append(t.parts, part)
		}
		_, err = dec.Token()
		return t, err
	case string:
		t.text = string(graph.AppendJSONString(nil, v))
	case json.Number:
		t.text = v.String()
	case bool:
		t.text = strconv.FormatBool(v)
	default:
		t.text = "null"
	}
	return t, nil
}

// The members by which a gap is known.
const (
	gapParameter = "$parameter"
	gapCaller    = "$caller"
)

// gaps resolves the gaps of a part, at a place of the given kind, and returns
// the part or the gap that it is.
func (c *queryLoader) gaps(q *query, t *template, s *slots) *template {
	switch {
	case t.open == '{' && slices.ContainsFunc(t.names, func(n string) bool { return strings.HasPrefix(n, "$") }):
		return c.gap(q, t, s)
	case t.open == '{':
		for i, name := range t.names {
			t.parts[i] = c.gaps(q, t.parts[i], s.member(name))
		}
	case t.open == '[':
		for i := range t.parts {
			t.parts[i] = c.gaps(q, t.parts[i], s.element())
		}
	}
	return t
}

func (c *queryLoader) gap(q *query, t *template, s *slots) *template {
	at := "/arguments" + t.path
	var name string
	if len(t.names) != 1 || t.names[0] != gapParameter && t.names[0] != gapCaller || json.Unmarshal([]byte(t.parts[0].text), &name) != nil || name == "" {
		c.report(at, `a gap is {"$parameter": "name"} or {"$caller": "claim"}, and nothing else`)
		return t
	}
	if s == nil || !s.value {
		c.report(at, "a gap stands for a value only; labels, types, properties, operators and expressions are written out")
	}
	if t.names[0] == gapCaller {
		claim := strings.Split(name, ".")
		if slices.Contains(claim, "") || len(claim) > maxTemplateDepth {
			c.report(at, `"`+short(name)+`" is no claim of a caller`)
		}
		return &template{claim: claim, path: t.path}
	}
	i := q.shape.index(name)
	if i < 0 {
		c.report(at, `there is no parameter "`+short(name)+`"`).DidYouMean = schema.Suggest(name, q.shape.fields)
		return t
	}
	p := q.parameters[i]
	p.used, p.cursor = true, p.cursor || s != nil && s.cursor
	return &template{gap: true, parameter: i, path: t.path}
}

// filled are a template's arguments for one call.
type filled struct {
	values []graph.Value // of the parameters; null for those not given
	of     func(claim []string) (graph.Value, *graph.Error)
	every  bool // note the places of all parts
	at     []place
}

// A place is where a part of the template has come to stand.
type place struct {
	pointer string
	part    *template
}

// fill returns the arguments as JSON.
func (f *filled) fill(t *template) ([]byte, *graph.Error) {
	b, _, err := f.part(nil, t, "")
	return b, err
}

// part appends a part and reports whether there is anything of it.
func (f *filled) part(b []byte, t *template, pointer string) (_ []byte, there bool, err *graph.Error) {
	if f.every || t.gap || t.claim != nil {
		f.at = append(f.at, place{pointer, t})
	}
	switch {
	case t.gap:
		v := f.values[t.parameter]
		if v.IsNull() {
			f.at = f.at[:len(f.at)-1]
			return b, false, nil
		}
		return v.AppendJSON(b), true, nil
	case t.claim != nil:
		v, err := f.of(t.claim)
		return v.AppendJSON(b), true, err
	case t.open == 0:
		return append(b, t.text...), true, nil
	}
	start, n := len(b), 0
	b = append(b, t.open)
	for i, part := range t.parts {
		before := len(b)
		if n > 0 {
			b = append(b, ',')
		}
		at := pointer + "/" + strconv.Itoa(n)
		if t.open == '{' {
			b = append(graph.AppendJSONString(b, t.names[i]), ':')
			at = graph.Pointer(pointer, t.names[i])
		}
		if b, there, err = f.part(b, part, at); err != nil {
			return b, false, err
		}
		if !there {
			b = b[:before]
			continue
		}
		n++
	}
	if n == 0 && len(t.parts) > 0 && t.path != "" {
		return b[:start], false, nil
	}
	return append(b, t.open+2), true, nil // '}' and ']' stand two after their partners
}
