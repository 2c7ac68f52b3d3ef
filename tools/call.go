package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
)

// An asked is a tool call on its way into the engine.
type asked struct {
	scope *graph.Scope
	name  string
	args  []byte
	// Of a named query, once its parameters have been read:
	query  *query
	filled *filled
}

// decode reads the call with a caller's tools.
func (a *asked) decode(r *Registry) (q graph.Query, mistakes graph.Errors) {
	if named, ok := r.queries[a.name]; ok {
		q, a.filled, mistakes = named.decode(a.scope, a.args, &r.limits)
		a.query = named
		return q, mistakes
	}
	return r.Decode(a.name, a.args)
}

// reword tells mistakes in terms of the call's own arguments.
func (a *asked) reword(list graph.Errors) graph.Errors {
	if a.filled == nil {
		return list
	}
	return a.filled.reword(a.query, list)
}

// rewordError does so with what an engine returns.
func (a *asked) rewordError(err error) error {
	var list graph.Errors
	if a.filled == nil || !errors.As(err, &list) {
		return err
	}
	return a.reword(list)
}

func (t *Tools) ask(ctx context.Context, name string, args []byte) *asked {
	return &asked{scope: graph.ScopeFrom(ctx), name: name, args: args}
}

// request is the call as the engine gets it.
func (t *Tools) request(a *asked) engine.Request {
	return engine.Request{
		Tool: a.name, Arguments: a.args,
		Decode: func(s *schema.Schema) (graph.Query, graph.Errors) { return a.decode(t.of(s)) },
		Reword: a.reword,
		Offered: func(s *schema.Schema) bool {
			_, ok := t.of(s).byName[a.name]
			return ok
		},
	}
}

// Call answers a tool call with its JSON document: the answer, or, with the
// error that it documents, the refusal. The bytes are always there. The answer
// of a named query is that of the tool which it asks.
func (t *Tools) Call(ctx context.Context, name string, args []byte) ([]byte, error) {
	a := t.ask(ctx, name, args)
	res, err := t.engine.Call(ctx, t.request(a))
	if err != nil {
		return refusal(name, err), err
	}
	if res.Schema != nil {
		return marshal(res.Schema), nil
	}
	if a.filled != nil {
		res.Warnings = a.filled.rewordWarnings(a.query, res.Warnings)
	}
	doc, err := res.AppendJSON(nil)
	if err != nil {
		return refusal(name, err), err
	}
	return doc, nil
}

// Query decodes a call's arguments and checks what could be decoded, so that
// all mistakes, of form and of meaning, come together as graph.Errors. The query
// of a named query is the call that it stands for. It is for hosts that compile
// only: no rate bounds it, no time, and no record tells of it.
func (t *Tools) Query(ctx context.Context, name string, args []byte) (graph.Query, error) {
	q, _, err := t.read(ctx, name, args)
	return q, err
}

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
	return t.engine.ExplainCall(ctx, t.request(t.ask(ctx, name, args)))
}

// DryRun tells whether a call would be answered, without asking the store. It
// is a call like Call, with its rates and its record; see engine.Engine.DryRun.
func (t *Tools) DryRun(ctx context.Context, name string, args []byte) (*engine.Explanation, error) {
	return t.engine.DryRunCall(ctx, t.request(t.ask(ctx, name, args)))
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
