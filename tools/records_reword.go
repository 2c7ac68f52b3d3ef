package tools

import (
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// What the check has to say of the query is told of the call's own arguments.

// invalidInput begins the message of every refusal that the arguments of a tool
// of records are at fault for.
const invalidInput = "[INVALID_INPUT] "

// reword tells mistakes at the arguments that they come from.
func (c *recordCall) reword(list graph.Errors) graph.Errors {
	out := make(graph.Errors, len(list))
	for i, e := range list {
		out[i] = c.rewordOne(e)
	}
	return out
}

func (c *recordCall) rewordOne(e *graph.Error) *graph.Error {
	switch e.Code {
	case graph.NoScope, graph.Forbidden, graph.RateLimited, graph.QuotaExceeded, graph.Conflict:
		return e
	}
	told := *e
	if c.read {
		told.Path, told.Fix = c.place(e.Path), c.patch(e.Fix)
	}
	if e.Code.Refusal() && !strings.HasPrefix(e.Message, invalidInput) {
		told.Message = invalidInput + e.Message
	}
	return &told
}

// place is the pointer into the call's arguments for one into the query's.
func (c *recordCall) place(pointer string) string {
	if rest, ok := strings.CutPrefix(pointer, "/related/"); ok {
		at, rest, _ := strings.Cut(rest, "/")
		i, err := strconv.Atoi(at)
		if err != nil || i < 0 || i >= len(c.related) {
			return "/filters"
		}
		f := c.related[i]
		prefix := "relationships/0/to/" + strings.TrimPrefix(graph.Pointer("filters", f.column), "/")
		below, _ := strings.CutPrefix(rest, prefix)
		if below == rest {
			below = ""
		}
		return graph.Pointer("/filters", f.name) + below
	}
	switch {
	case pointer == "/related":
		return "/filters"
	case strings.HasPrefix(pointer, "/order_by"):
		at, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(pointer, "/order_by"), "/"), "/")
		if !c.sortList || at == "" {
			return "/sort"
		}
		return "/sort/" + at
	case c.single && strings.HasPrefix(pointer, "/ids"):
		return "/id"
	}
	return pointer
}

// patch tells a fix; nil if it is about something that the call does not have.
func (c *recordCall) patch(fix []graph.Patch) []graph.Patch {
	for _, p := range fix {
		if strings.HasPrefix(p.Path, "/related") || strings.HasPrefix(p.Path, "/order_by") || c.single && p.From == "" && strings.HasPrefix(p.Path, "/ids/") {
			return nil
		}
	}
	return fix
}

// rewordWarnings does the same with an answer's warnings. That a reference means
// nothing is told by hints.
func (c *recordCall) rewordWarnings(list []graph.Warning) []graph.Warning {
	var out []graph.Warning
	for _, w := range list {
		if w.Code == graph.EmptyMatch && strings.HasPrefix(w.Path, "/related") {
			continue
		}
		if c.form.Kind == graph.RecordsByID && w.Code == graph.NotFound {
			out = append(out, w) // which the answer tells otherwise
			continue
		}
		if w.Code == graph.EmptyMatch {
			w.Message, w.Fix = strings.Replace(w.Message, "contains finds parts of it", "find_nodes finds parts of it with contains", 1), nil
		}
		w.Path, w.Fix = c.place(w.Path), c.patch(w.Fix)
		out = append(out, w)
	}
	return out
}
