package tools

import (
	"fmt"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// What goes wrong with a query's arguments is told in words of its parameters.
// The arguments themselves are the host's: neither what they name nor what they
// compare is shown to a caller.

// reword tells mistakes at the parameters that they come from.
func (f *filled) reword(q *query, list graph.Errors) graph.Errors {
	out := make(graph.Errors, len(list))
	for i, e := range list {
		out[i] = f.rewordOne(q, e)
	}
	return out
}

func (f *filled) rewordOne(q *query, e *graph.Error) *graph.Error {
	switch e.Code {
	case graph.NoScope, graph.Forbidden, graph.RateLimited, graph.QuotaExceeded:
		return e
	}
	told := *e
	at, gap := f.owner(q, e.Path)
	told.Path, told.Allowed, told.AllowedTotal, told.DidYouMean, told.Fix = at, nil, 0, nil, nil
	switch {
	case !e.Code.Refusal():
	case gap == nil:
		told.Got, told.Hint = "", ""
		told.Message = "the query cannot be answered with these arguments"
		if e.Code == graph.TooCostly {
			told.Message = "the query is too costly with these arguments"
		}
	case gap.claim != nil:
		refused := forbidden()
		refused.Cause = e
		return refused
	default:
		told.Hint = ""
		told.Message = f.about(q, gap, e.Code)
		if len(e.Fix) == 1 && e.Fix[0].Op == "replace" && e.Fix[0].Path == e.Path && e.Code == graph.LimitExceeded {
			told.Fix = []graph.Patch{{Op: "replace", Path: at, Value: e.Fix[0].Value}}
			told.Hint = fmt.Sprintf("use at most %v", e.Fix[0].Value)
		}
	}
	return &told
}

// about says what is wrong with a parameter.
func (f *filled) about(q *query, gap *template, code graph.Code) string {
	name := fmt.Sprintf("%q", q.parameters[gap.parameter].Name)
	switch code {
	case graph.OutOfRange:
		return name + " is out of range"
	case graph.LimitExceeded:
		return name + " is over the cap"
	case graph.InvalidCursor:
		return name + " is not a cursor of this call"
	}
	return name + " does not fit"
}

// rewordWarnings does the same with an answer's warnings.
func (f *filled) rewordWarnings(q *query, list []graph.Warning) []graph.Warning {
	var out []graph.Warning
	for _, w := range list {
		at, gap := f.owner(q, w.Path)
		told := graph.Warning{Code: w.Code, Path: at, Message: "the query had nothing to begin with"}
		switch {
		case w.Code == graph.TooCostly:
			told.Message = "the query is costly with these arguments"
		case gap == nil || gap.claim != nil:
			told.Path = ""
		case w.Code == graph.NotFound:
			told.Message = fmt.Sprintf("%q names nothing that is there", q.parameters[gap.parameter].Name)
		default:
			told.Message = fmt.Sprintf("nothing has the value of %q", q.parameters[gap.parameter].Name)
		}
		out = append(out, told)
	}
	return out
}

// owner is the pointer into a call's own arguments for a place in those that the
// query was made of: that of a parameter or of an element of it, "" otherwise.
func (f *filled) owner(q *query, pointer string) (string, *template) {
	for _, p := range f.at {
		if !strings.HasPrefix(pointer, p.pointer) {
			continue
		}
		rest := pointer[len(p.pointer):]
		if rest != "" && rest[0] != '/' {
			continue
		}
		if p.part.claim != nil {
			return "", p.part
		}
		own := q.parameters[p.part.parameter]
		if !own.List {
			rest = ""
		}
		return graph.Pointer("", own.Name) + rest, p.part
	}
	return "", nil
}
