package tools

import (
	"errors"
	"strings"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// try makes typical calls of a query and reports, at the places of its template,
// what would be wrong with them.
func (c *queryLoader) try(q *query) {
	compiler := compile.New(compile.Options{Limits: c.limits})
	limits := compiler.Limits()
	seen := map[string]bool{}
	for _, t := range q.typical() {
		mistakes, f := t.check(q, c.schema, &limits, compiler.Vet)
		for _, e := range mistakes {
			at, gap := f.origin(e.Path)
			if gap != nil && gap.claim != nil {
				continue // what a caller has is not known before the call
			}
			message := e.Message
			if t.without != "" {
				message = `without "` + t.without + `": ` + message
			}
			if key := at + "\x00" + e.Message; !seen[key] {
				seen[key] = true
				p := c.report("/arguments"+at, message)
				p.Hint = e.Hint
				if !strings.Contains(message, "did you mean") {
					p.DidYouMean = e.DidYouMean
				}
			}
		}
	}
}

// runs reports whether a query can be asked by those who see a schema.
func (q *query) runs(s *schema.Schema, limits *graph.Limits, vet vet) bool {
	for _, t := range q.typical() {
		mistakes, f := t.check(q, s, limits, vet)
		for _, e := range mistakes {
			if _, gap := f.origin(e.Path); gap == nil || gap.claim == nil {
				return false
			}
		}
	}
	return true
}

// A vet reports what would be wrong with a query for who sees a schema.
type vet func(*schema.Schema, graph.Query) error

// A typical is a call that may be made of a query.
type typical struct {
	values  []graph.Value
	without string // the optional parameter that it does not have
}

// typical returns calls with every value of every enum, and without each and
// without all of the optional parameters.
func (q *query) typical() (calls []typical) {
	all := func(n int) typical {
		t := typical{values: make([]graph.Value, len(q.parameters))}
		for i, p := range q.parameters {
			if !p.cursor {
				t.values[i] = p.example(n)
			}
		}
		return t
	}
	most := 1
	for _, p := range q.parameters {
		most = max(most, len(p.Values))
	}
	for n := range most {
		calls = append(calls, all(n))
	}
	none := all(0)
	optional := 0
	for i, p := range q.parameters {
		if p.optional() && p.def.IsNull() {
			one := all(0)
			one.values[i], none.values[i] = graph.Null(), graph.Null()
			one.without, none.without = p.Name, p.Name
			calls = append(calls, one)
			optional++
		}
	}
	if optional > 1 {
		calls = append(calls, none)
	}
	return calls
}

// example is a value of a parameter, the n-th one of an enum.
func (p *parameter) example(n int) graph.Value {
	if !p.def.IsNull() && n == 0 {
		return p.def
	}
	v := graph.Int(1) // within every cap
	switch p.Type {
	case schema.Int32, schema.Int64:
	case schema.Float:
		v = graph.Float(1)
	case schema.Bool:
		v = graph.Bool(true)
	case schema.Enum:
		v = graph.String(p.Values[min(n, len(p.Values)-1)])
	default:
		v = graph.Of(exampleValue(p.property))
	}
	if p.List {
		return graph.List(v)
	}
	return v
}

// check decodes and checks the call, with a text for whatever the caller has;
// without a schema it decodes it.
func (t *typical) check(q *query, s *schema.Schema, limits *graph.Limits, vet vet) (graph.Errors, *filled) {
	f := &filled{values: t.values, every: true, of: func([]string) (graph.Value, *graph.Error) { return graph.String("a"), nil }}
	text, _ := f.fill(q.template)
	query, mistakes := decode(q.Tool, text, limits, &conditions{})
	if query == nil {
		return mistakes, f
	}
	var more graph.Errors
	if s != nil && errors.As(vet(s, query), &more) {
		mistakes = mistakes.Merge(more)
	}
	return mistakes, f
}

// origin finds the part of the template that stands at or above a place of the
// arguments: where in the template the place is, and the part if it is a gap.
func (f *filled) origin(pointer string) (at string, gap *template) {
	var found *place
	for i := range f.at {
		p := &f.at[i]
		if (pointer == p.pointer || strings.HasPrefix(pointer, p.pointer+"/")) && (found == nil || len(p.pointer) > len(found.pointer)) {
			found = p
		}
	}
	if found == nil {
		return "", nil
	}
	if part := found.part; part.gap || part.claim != nil {
		return part.path, part
	}
	return found.part.path + pointer[len(found.pointer):], nil
}
