package engine

import (
	"context"
	"errors"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// A Request is a tool call as it came in, not yet read.
type Request struct {
	// Tool is the name of the tool, known or not.
	Tool      string
	Arguments []byte
	// Decode reads Arguments, given the schema that the caller may see. With
	// mistakes, the query holds what could be read, or is nil: it is then
	// checked for more mistakes and never run.
	Decode func(*schema.Schema) (graph.Query, graph.Errors)
}

// Call answers a tool call. It is Run for calls that may be unreadable: what
// cannot be decoded is a call too, with a rate, and a record.
//
// A caller that repeats a call which failed, and fails again with the same
// mistakes, is told so in their hints.
func (e *Engine) Call(ctx context.Context, r Request) (*graph.Result, error) {
	return e.do(ctx, &call{tool: r.Tool, request: &r})
}

// Run answers a query. The context's deadline, and Limits.Timeout, bound it.
// Errors are graph.Errors; what a store has to say about a failure goes to the
// log only, under the error's id.
func (e *Engine) Run(ctx context.Context, q graph.Query) (*graph.Result, error) {
	return e.do(ctx, &call{tool: toolOf(q), query: q})
}

// A call is one call on its way through the engine, whatever its entry.
type call struct {
	tool    string
	request *Request    // of Call
	query   graph.Query // of the others
	scope   *graph.Scope
	plan    *compile.Plan

	kind        kind
	explanation *Explanation // of Explain and DryRun
}

// A kind says what is wanted of a call.
type kind uint8

const (
	answered  kind = iota // its answer
	explained             // how the store would answer
	dry                   // whether it would be answered
)

// do is the one way of a call.
func (e *Engine) do(ctx context.Context, c *call) (*graph.Result, error) {
	c.scope = graph.ScopeFrom(ctx)
	res, err := e.attempt(ctx, c)
	if err != nil {
		return nil, err
	}
	return res, nil
}

// attempt leads a call to its answer; every error is reported.
func (e *Engine) attempt(ctx context.Context, c *call) (res *graph.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			res, err = nil, e.reported(ctx, c, panicked(p))
		}
	}()
	if err := e.check(c); err != nil {
		return nil, e.reported(ctx, c, err)
	}
	if c.kind == answered {
		res, err = e.answer(ctx, c)
	} else {
		err = e.explain(ctx, c)
	}
	if err != nil {
		return nil, e.reported(ctx, c, err)
	}
	return res, nil
}

// check makes a call's plan. A call keeps the schema that it finds here.
func (e *Engine) check(c *call) error {
	s := e.catalog.Current()
	q := c.query
	if c.request != nil {
		visible, errs := view(s, c.scope)
		if errs != nil {
			return errs
		}
		var mistakes graph.Errors
		if q, mistakes = c.request.Decode(visible); len(mistakes) > 0 {
			var more graph.Errors
			if q != nil {
				if _, err := e.compiler.Check(s, c.scope, q); errors.As(err, &more) {
					mistakes = mistakes.Merge(more)
				}
			}
			return mistakes
		}
	}
	var err error
	c.plan, err = e.compiler.Check(s, c.scope, q)
	return err
}

// answer runs a call's plan.
func (e *Engine) answer(ctx context.Context, c *call) (*graph.Result, error) {
	res := &graph.Result{Tool: c.plan.Tool()}
	if d, ok := c.plan.Root.(*compile.Describe); ok {
		res.Schema = d.Description
		return res, nil
	}
	ctx, cancel := context.WithTimeout(ctx, e.Limits().Timeout)
	defer cancel()
	out, err := e.store.Run(ctx, c.plan, graph.Collector{Result: res})
	if err != nil {
		return nil, store.Failure(ctx, err)
	}
	e.finish(res, c.plan, out)
	return res, nil
}

// toolOf is the tool that a query belongs to, "" for no query.
func toolOf(q graph.Query) string {
	if q == nil {
		return ""
	}
	return q.Tool()
}
