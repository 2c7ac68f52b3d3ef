package tools

import (
	"encoding/json"
	"fmt"
	"iter"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A Tool is what a client has to know to call it. Its fields are those of a
// tool definition in the protocols of language models.
type Tool struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Description says what the tool does and when to use it, with an example;
	// at most 2,000 characters, because clients cut longer ones.
	Description string `json:"description"`
	// Parameters is a JSON Schema (draft-07) of the arguments. It accepts every
	// call that Trellis accepts; Trellis refuses more, where a rule spans
	// several fields.
	Parameters json.RawMessage `json:"parameters"`
	// Asks is the tool that a named query asks, and of others their own name.
	Asks string `json:"-"`
	// Answers names the shape of the answers, for AnswerSchema: of the six their
	// own name, of a named query the tool that it asks; the tools of records have
	// shapes of their own.
	Answers string `json:"-"`
}

// Records reports whether the tool is one of records: list_<label>, get_<label>
// or list_<label>_ids. Its answers are JSON documents of a form of their own.
func (t *Tool) Records() bool { return t.Answers != t.Asks }

// A Registry holds tools in a fixed order. It is immutable and safe for
// concurrent use.
type Registry struct {
	tools  []*Tool
	byName map[string]*Tool
	limits graph.Limits
	about  string // what the schema says about the graph
	// conditions are kept for suggestions.
	conditions conditions
	// queries are the named ones among the tools, and records those of records.
	queries map[string]*query
	records map[string]*recordTool
}

// Graph returns the tools that a schema has by itself: the six tools that ask
// questions to a graph, and then those of its labels whose nodes are records:
// list_<label>, get_<label> and list_<label>_ids, in the order of the labels.
//
// The parameters of the six
// list what the schema has, hidden properties excepted, and the limits that
// hold. Of a large schema they list less, so that all six stay within
// Limits.ToolBytes: first no label's properties by themselves, then no
// properties, then no names; what is left out is in get_graph_schema. The tools
// of records have as much room again: they list less of their filters, first no
// types and values, then no names, which a call with an unknown filter is told.
func Graph(s *schema.Schema, l graph.Limits) *Registry {
	l = l.WithDefaults()
	b := newBuilder(s, l)
	r := &Registry{limits: l, about: s.Description(), byName: map[string]*Tool{}, conditions: b.conditions()}
	for _, t := range detailed(s, l) {
		r.add(t)
	}
	records := recordTools(s)
	r.records = make(map[string]*recordTool, len(records))
	for i, t := range publishRecords(s, l, records) {
		r.add(t)
		r.records[t.Name] = records[i]
	}
	return r
}

// Tools yields the tools in their order.
func (r *Registry) Tools() iter.Seq[*Tool] {
	return func(yield func(*Tool) bool) {
		for _, t := range r.tools {
			if !yield(t) {
				return
			}
		}
	}
}

// Lookup returns the tool of that name.
func (r *Registry) Lookup(name string) (*Tool, bool) {
	t, ok := r.byName[name]
	return t, ok
}

// Limits returns the limits that the tools were made for.
func (r *Registry) Limits() graph.Limits { return r.limits }

// Decode reads the arguments of a call of the named tool, which must be one
// JSON object. Nothing is repaired, converted or cut: what is not exactly right
// is reported, all mistakes at once, with pointers into args.
//
// Decode knows the form of a call; whether its names exist and its values fit
// is for compile.Check. If there are mistakes, the query holds all that could be
// read, so that Check can find more; the caller merges the two with
// graph.Errors.Merge and must not run the query. The query is nil if args could
// not be read at all (SYNTAX, TOO_LARGE, TOO_DEEP) or the tool is unknown. A
// named query that takes something of the caller is refused with NO_SCOPE: only
// Tools know who calls. Of a tool of records, the query is nil if there are
// mistakes.
func (r *Registry) Decode(name string, args []byte) (graph.Query, graph.Errors) {
	if _, ok := r.byName[name]; !ok {
		return nil, graph.Errors{r.unknownTool(name)}
	}
	if q, ok := r.queries[name]; ok {
		query, f, mistakes := q.decode(nil, args, &r.limits)
		if f != nil {
			mistakes = f.reword(q, mistakes)
		}
		return query, mistakes
	}
	if t, ok := r.records[name]; ok {
		query, c, mistakes := t.decode(args, &r.limits)
		return query, c.reword(mistakes)
	}
	return decode(name, args, &r.limits, &r.conditions)
}

func (r *Registry) unknownTool(name string) *graph.Error {
	names := make([]string, len(r.tools))
	for i, t := range r.tools {
		names[i] = t.Name
	}
	e := &graph.Error{Code: graph.UnknownTool, DidYouMean: schema.Suggest(name, names)}
	e.SetGot(name)
	e.SetAllowed(names)
	e.Message = fmt.Sprintf("there is no tool %q", e.Got)
	if len(e.DidYouMean) > 0 {
		e.Message += fmt.Sprintf("; did you mean %q?", e.DidYouMean[0])
	}
	return e
}
