package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
)

// An asked is a tool call on its way into the engine.
type asked struct {
	tools *Tools
	scope *graph.Scope
	name  string
	args  []byte
	// request has the call's functions, which are made once for all the calls
	// that use the asked one after the other.
	request engine.Request
	// Of a named query, once its parameters have been read:
	query  *query
	filled *filled
	// Of a tool of records, once its arguments have been read:
	record *recordCall
}

// decode reads the call with a caller's tools.
func (a *asked) decode(r *Registry) (q graph.Query, mistakes graph.Errors) {
	if named, ok := r.queries[a.name]; ok {
		q, a.filled, mistakes = named.decode(a.scope, a.args, &r.limits)
		a.query = named
		return q, mistakes
	}
	if t, ok := r.records[a.name]; ok {
		q, a.record, mistakes = t.decode(a.args, &r.limits)
		return q, mistakes
	}
	return r.Decode(a.name, a.args)
}

// reword tells mistakes in terms of the call's own arguments.
func (a *asked) reword(list graph.Errors) graph.Errors {
	if a.record != nil {
		return a.record.reword(list)
	}
	if a.filled == nil {
		return list
	}
	return a.filled.reword(a.query, list)
}

// rewordError does so with what an engine returns.
func (a *asked) rewordError(err error) error {
	var list graph.Errors
	if a.filled == nil && a.record == nil || !errors.As(err, &list) {
		return err
	}
	return a.reword(list)
}

// rewordWarnings does so with an answer's warnings.
func (a *asked) rewordWarnings(list []graph.Warning) []graph.Warning {
	if a.record != nil {
		return a.record.rewordWarnings(list)
	}
	if a.filled == nil {
		return list
	}
	return a.filled.rewordWarnings(a.query, list)
}

// form is the form of the answer of a tool of records.
func (a *asked) form() *graph.RecordForm {
	if a.record == nil {
		return nil
	}
	return &a.record.form
}

// whenEmpty advises who has listed nothing.
func (a *asked) whenEmpty(s *graph.Summary, ask engine.Ask) []graph.Warning {
	if a.record == nil || len(a.record.references) == 0 {
		return nil
	}
	limits := a.tools.engine.Limits()
	return a.record.whenEmpty(s, ask, &limits)
}

// ask begins a call, and done ends it where nobody can hold on to it: a call
// that failed may still be read by who was abandoned in the middle of that.
func (t *Tools) ask(ctx context.Context, name string, args []byte) *asked {
	a, ok := t.asked.Get().(*asked)
	if !ok {
		a = &asked{tools: t}
		a.request = engine.Request{
			Decode: func(s *schema.Schema) (graph.Query, graph.Errors) { return a.decode(t.of(s)) },
			Reword: a.reword, RewordWarnings: a.rewordWarnings, Records: a.form, WhenEmpty: a.whenEmpty,
			Offered: func(s *schema.Schema) bool {
				_, ok := t.of(s).byName[a.name]
				return ok
			},
		}
	}
	a.scope, a.name, a.args = graph.ScopeFrom(ctx), name, args
	a.request.Tool, a.request.Arguments = name, args
	return a
}

func (a *asked) done() {
	a.scope, a.name, a.args, a.query, a.filled, a.record = nil, "", nil, nil, nil, nil
	a.request.Tool, a.request.Arguments = "", nil
	a.tools.asked.Put(a)
}

// Call answers a tool call with its JSON document: the answer, or, with the
// error that it documents, the refusal. The bytes are always there. The answer
// of a named query is that of the tool which it asks.
func (t *Tools) Call(ctx context.Context, name string, args []byte) ([]byte, error) {
	room, ok := t.documents.Get().(*[]byte)
	if !ok {
		room = new([]byte)
	}
	doc, err := t.AppendCall(ctx, (*room)[:0], name, args)
	out := slices.Clone(doc)
	if cap(doc) <= maxDocument {
		*room = doc
		t.documents.Put(room)
	}
	return out, err
}

// maxDocument is how large a document may be whose memory is kept for others.
const maxDocument = 1 << 20

// AppendCall is Call for who has memory for the document: it appends it to dst.
func (t *Tools) AppendCall(ctx context.Context, dst []byte, name string, args []byte) ([]byte, error) {
	a := t.ask(ctx, name, args)
	doc, err := t.engine.CallJSON(ctx, dst, a.request)
	if err != nil {
		return append(dst, refusal(name, err)...), err
	}
	a.done()
	return doc, nil
}

// Result is Call for who shows the answer in another form: the answer itself, or
// the error that Call documents.
func (t *Tools) Result(ctx context.Context, name string, args []byte) (*graph.Result, error) {
	a := t.ask(ctx, name, args)
	res, err := t.engine.Call(ctx, a.request)
	if err != nil {
		return nil, err
	}
	a.done()
	return res, nil
}

// Query decodes a call's arguments and checks what could be decoded, so that
// all mistakes, of form and of meaning, come together as graph.Errors. The query
// of a named query is the call that it stands for. It is for hosts that compile
// only: no rate bounds it, no time, and no record tells of it.
func (t *Tools) Query(ctx context.Context, name string, args []byte) (graph.Query, error) {
	ctx, err := t.engine.Pin(ctx)
	if err != nil {
		return nil, err
	}
	q, _, err := t.read(ctx, name, args)
	return q, err
}

// read is Query in a pinned context: the tools and the check are of one snapshot.
func (t *Tools) read(ctx context.Context, name string, args []byte) (graph.Query, *asked, error) {
	r, err := t.Registry(ctx)
	if err != nil {
		return nil, nil, err
	}
	a := t.ask(ctx, name, args)
	q, mistakes := a.decode(r)
	if len(mistakes) == 0 {
		return q, a, nil
	}
	if q != nil {
		var more graph.Errors
		if _, err := t.engine.Check(ctx, q); errors.As(err, &more) {
			mistakes = mistakes.Merge(more)
		}
	}
	return nil, nil, a.reword(mistakes)
}

// Check returns the plan of a call without running it, as engine.Engine.Check
// does.
func (t *Tools) Check(ctx context.Context, name string, args []byte) (*compile.Plan, error) {
	ctx, err := t.engine.Pin(ctx)
	if err != nil {
		return nil, err
	}
	q, a, err := t.read(ctx, name, args)
	if err != nil {
		return nil, err
	}
	p, err := t.engine.Check(ctx, q)
	if err != nil {
		return nil, a.rewordError(err)
	}
	return p, nil
}

// Explain tells how a call would be answered. It is a call like Call, with its
// rates, its deadline and its record; see engine.Engine.Explain.
func (t *Tools) Explain(ctx context.Context, name string, args []byte) (*engine.Explanation, error) {
	return t.engine.ExplainCall(ctx, t.ask(ctx, name, args).request)
}

// DryRun tells whether a call would be answered, without asking the store. It
// is a call like Call, with its rates and its record; see engine.Engine.DryRun.
func (t *Tools) DryRun(ctx context.Context, name string, args []byte) (*engine.Explanation, error) {
	return t.engine.DryRunCall(ctx, t.ask(ctx, name, args).request)
}

func refusal(name string, err error) []byte { return marshal(graph.NewErrorDocument(name, err)) }

// marshal writes a document of Trellis's own types, which all have a JSON form.
func marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte(`{"format":"` + graph.ErrorFormat + `","errors":[],"errors_total":0}`)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
