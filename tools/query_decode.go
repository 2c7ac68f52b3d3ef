package tools

import (
	"fmt"
	"strconv"

	"github.com/trellisgraph/trellis/graph"
)

// decode reads the parameters of a call and puts the query's arguments together.
// Once the parameters are right, the mistakes are those of these arguments;
// filled tells them again in words of the parameters.
func (q *query) decode(scope *graph.Scope, args []byte, limits *graph.Limits) (graph.Query, *filled, graph.Errors) {
	if len(args) > limits.ArgumentBytes {
		return nil, nil, graph.Errors{tooLarge(args, limits)}
	}
	d := &decoder{reader: reader{src: string(args), maxDepth: limits.ArgumentDepth}, limits: limits, conditions: &conditions{}}
	values := make([]graph.Value, len(q.parameters))
	for i, p := range q.parameters {
		values[i] = p.def
	}
	o, ok := d.open(q.shape)
	for ok && d.next(&o) {
		i := q.shape.index(o.key)
		values[i] = q.parameters[i].read(d)
	}
	d.end()
	switch {
	case d.failed != nil:
		return nil, nil, graph.Errors{d.failed}
	case len(d.errs) > 0:
		return nil, nil, d.errs
	}
	f := &filled{values: values, of: callerOf(scope)}
	text, err := f.fill(q.template)
	if err != nil {
		return nil, nil, graph.Errors{err}
	}
	query, mistakes := decode(q.Tool, text, limits, &conditions{})
	return query, f, mistakes
}

// read reads a parameter's value, of its type.
func (p *parameter) read(d *decoder) graph.Value {
	if !p.List {
		return p.one(d)
	}
	if !d.openList("a list of values", `"tf-0123456789`) {
		return unreadable
	}
	list := []graph.Value{}
	for i := 0; d.element(i); i++ {
		if i == d.limits.ListValues {
			d.mistake(graph.LimitExceeded, parentOf(d.pointer()), fmt.Sprintf("%q has over %d values", p.Name, i))
		}
		if i >= d.limits.ListValues {
			d.skip()
			continue
		}
		list = append(list, p.one(d))
	}
	return graph.List(list...)
}

func (p *parameter) one(d *decoder) graph.Value {
	v := d.scalar()
	if d.failed != nil || v.Kind() == graph.KindInvalid {
		return v
	}
	typed, e := p.property.Coerce(v, false)
	if e == nil {
		return typed
	}
	if d.full() {
		return unreadable
	}
	at := d.pointer()
	e.Path = at + e.Path
	for i := range e.Fix {
		e.Fix[i].Path = at + e.Fix[i].Path
	}
	d.errs = append(d.errs, e)
	return unreadable
}

// claimOf is what a scope has for a $caller; null for nothing, or for what is no
// value and no list of values. An empty text is nothing: it would be a part of
// any other.
func claimOf(scope *graph.Scope, path []string) graph.Value {
	if len(path) == 1 {
		switch path[0] {
		case "tenant":
			return textOrNull(scope.Tenant)
		case "principal":
			return textOrNull(scope.Principal)
		case "token_id":
			return textOrNull(scope.TokenID)
		}
	}
	var at any = scope.Claims
	for _, name := range path {
		members, ok := at.(map[string]any)
		if !ok {
			return graph.Null()
		}
		at = members[name]
	}
	v := graph.Of(at)
	if v.Kind() == graph.KindList {
		for _, item := range v.List() {
			if !isClaim(item) {
				return graph.Null()
			}
		}
		return v
	}
	if !isClaim(v) {
		return graph.Null()
	}
	return v
}

func isClaim(v graph.Value) bool {
	switch v.Kind() {
	case graph.KindString:
		return v.Text() != ""
	case graph.KindBool, graph.KindInt, graph.KindFloat, graph.KindNumber:
		return true
	}
	return false
}

func textOrNull(s string) graph.Value {
	if s == "" {
		return graph.Null()
	}
	return graph.String(s)
}

// callerOf returns what finds the values of a scope.
func callerOf(scope *graph.Scope) func(path []string) (graph.Value, *graph.Error) {
	return func(path []string) (graph.Value, *graph.Error) {
		if scope == nil {
			return graph.Null(), &graph.Error{Code: graph.NoScope, Message: "this query answers nobody without a scope", Hint: "the host sets the scope with graph.WithScope"}
		}
		v := claimOf(scope, path)
		if v.IsNull() {
			return v, forbidden()
		}
		return v, nil
	}
}

func forbidden() *graph.Error {
	return &graph.Error{Code: graph.Forbidden, Message: "the caller lacks the rights that this query needs"}
}

func tooLarge(args []byte, limits *graph.Limits) *graph.Error {
	return &graph.Error{Code: graph.TooLarge,
		Message: "the arguments have " + strconv.Itoa(len(args)) + " bytes, over the cap of " + strconv.Itoa(limits.ArgumentBytes)}
}
