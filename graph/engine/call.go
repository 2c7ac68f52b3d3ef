package engine

import (
	"context"
	"errors"
	"time"

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
	// Reword tells the call's mistakes in the terms of Arguments, where Decode
	// has made the query out of other ones. Nil leaves them as they are.
	Reword func(graph.Errors) graph.Errors
	// RewordWarnings does so with the warnings of the call's answer.
	RewordWarnings func([]graph.Warning) []graph.Warning
	// Records is the form of the answer of a query that Decode has read; nil, or
	// a function that returns nil, is the form of the query's own tool.
	Records func() *graph.RecordForm
	// WhenEmpty adds warnings to an answer without nodes. It may ask for what it
	// has to know.
	WhenEmpty func(*graph.Summary, Ask) []graph.Warning
	// Offered reports whether Tool is among the tools of a caller who sees this
	// schema. It is asked only of names that are not the six tools', and only
	// for Rates.PerTool, which counts what is not offered as one tool. Nil means
	// that there are no other tools.
	Offered func(*schema.Schema) bool
}

// Call answers a tool call. It is Run for calls that may be unreadable: what
// cannot be decoded is a call too, with a rate, and a record.
//
// A caller that repeats a call which failed, and fails again with the same
// mistakes, is told so in their hints. Callers are told apart by the tenant,
// principal and token of their scopes; who has neither principal nor token may be
// anybody, and is told nothing.
func (e *Engine) Call(ctx context.Context, r Request) (*graph.Result, error) {
	c := e.call(r.Tool)
	defer e.release(c)
	c.requested, c.request = r, &c.requested
	return e.do(ctx, c)
}

// Run answers a query. The context's deadline, and Limits.Timeout, bound it.
// Errors are graph.Errors; what a store has to say about a failure goes to the
// log only, under the error's id.
func (e *Engine) Run(ctx context.Context, q graph.Query) (*graph.Result, error) {
	c := e.call(toolOf(q))
	defer e.release(c)
	c.query = q
	return e.do(ctx, c)
}

// A call is one call on its way through the engine, whatever its entry.
type call struct {
	tool    string
	request *Request    // of Call
	query   graph.Query // of the others
	// requested has the request.
	requested Request
	scope     *graph.Scope
	// snapshot is what the call works on, from its begin; its schema is nil where
	// there is none for the caller.
	snapshot Snapshot
	plan     *compile.Plan
	// statements are those that the store ran.
	statements []graph.Statement
	// held says that the request's functions did not return, and must be asked
	// no more.
	held bool

	kind        kind
	explanation *Explanation // of Explain and DryRun

	// json says that the answer is wanted as a document, at the end of dst. It is
	// in writer where the store has written it, and in the result otherwise.
	json   bool
	dst    []byte
	writer *graph.JSONWriter

	// What follows serves the next call as well, where the engine reuses calls.
	room    compile.Room
	written graph.JSONWriter
	summary graph.Result // of an answer in writer
	// panicked says that the call's end is not known.
	panicked bool
}

// call returns a new call of a tool.
func (e *Engine) call(tool string) *call {
	c, ok := e.calls.Get().(*call)
	if !ok {
		c = &call{}
	}
	c.tool = tool
	return c
}

// release takes a call back that is over. Its answer is the caller's.
func (e *Engine) release(c *call) {
	if !e.reuses || c.panicked {
		return
	}
	c.room.Clear()
	c.written.Clear()
	c.summary = graph.Result{}
	c.request, c.requested, c.query, c.scope, c.snapshot, c.plan = nil, Request{}, nil, nil, Snapshot{}, nil
	c.statements, c.held, c.kind, c.explanation = nil, false, answered, nil
	c.json, c.dst, c.writer = false, nil, nil
	e.calls.Put(c)
}

// form is the form in which records are answered, nil for other answers.
func (c *call) form() *graph.RecordForm {
	if c.request == nil || c.request.Records == nil {
		return nil
	}
	return c.request.Records()
}

// tenant is on whose share a call runs.
func (c *call) tenant() string {
	if c.scope == nil {
		return ""
	}
	return c.scope.Tenant
}

// fits returns the refusal of an answer that has no document, while the call can
// still be recorded as refused.
func (c *call) fits(res *graph.Result) error {
	if c.writer != nil {
		return c.writer.Fits()
	}
	return res.Fits()
}

// A kind says what is wanted of a call.
type kind uint8

const (
	answered  kind = iota // its answer
	explained             // how the store would answer
	dry                   // whether it would be answered
)

// named is the name that a call's tool has for its rate: its own if the caller
// is offered a tool of it, and "" for all the names that callers make up.
func (e *Engine) named(c *call) string {
	switch c.tool {
	case graph.ToolDescribe, graph.ToolFindNodes, graph.ToolTraverse, graph.ToolNeighbors, graph.ToolPaths, graph.ToolAggregate:
		return c.tool
	}
	if c.request == nil || c.request.Offered == nil || !e.limiter.perTool || c.snapshot.Schema == nil {
		return ""
	}
	if visible, errs := view(c.snapshot.Schema, c.scope); errs != nil || !c.request.Offered(visible) {
		return ""
	}
	return c.tool
}

// do is the one way of a call: its rate, its check, its turn, its store, its
// record.
func (e *Engine) do(ctx context.Context, c *call) (*graph.Result, error) {
	c.scope = graph.ScopeFrom(ctx)
	var res *graph.Result
	var errs graph.Errors
	if e.recorder.on() {
		res, errs = e.recorded(ctx, c)
	} else {
		res, errs = e.attempt(ctx, c)
	}
	if errs == nil {
		return res, nil
	}
	if c.request != nil {
		errs = e.repeats.told(c, errs)
	}
	return nil, errs
}

// attempt leads a call to its answer; every error is reported.
func (e *Engine) attempt(ctx context.Context, c *call) (res *graph.Result, errs graph.Errors) {
	defer func() {
		if p := recover(); p != nil {
			c.panicked = true
			res, errs = nil, e.reported(ctx, c, panicked(p))
		}
	}()
	var nothing graph.Errors
	c.snapshot, nothing = e.snapshot(ctx, c.scope)
	if e.limiter != nil {
		if err := e.limiter.admit(time.Now(), c.scope, e.named(c)); err != nil {
			return nil, graph.Errors{err}
		}
	}
	if nothing != nil {
		return nil, e.reported(ctx, c, nothing)
	}
	if e.guards != nil { // one time for all that the call waits for
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, e.timeout)
		defer cancel()
	}
	if err := e.check(ctx, c); err != nil {
		return nil, e.reported(ctx, c, err)
	}
	var err error
	if c.kind == answered {
		var began time.Duration
		advised := c.request != nil && c.request.WhenEmpty != nil
		if advised {
			began = time.Since(e.began)
		}
		if res, err = e.answer(ctx, c); err == nil {
			err = c.fits(res)
		}
		if err == nil && advised {
			e.advise(ctx, c, res, began)
		}
	} else {
		err = e.explain(ctx, c)
	}
	if err != nil {
		return nil, e.reported(ctx, c, err)
	}
	return res, nil
}

// check makes a call's plan.
func (e *Engine) check(ctx context.Context, c *call) (err error) {
	if e.guards == nil {
		c.plan, err = e.planned(c)
		return err
	}
	plan, err := within(ctx, e.guards, func() (*compile.Plan, error) { return e.planned(c) })
	switch {
	case errors.Is(err, errHeld):
		return &graph.Error{Code: graph.Unavailable, Message: "the host's policies do not answer", Retryable: true, RetryAfterMS: 1000,
			Hint: "calls are refused until the host returns from one that it holds"}
	case errors.Is(err, errAbandoned):
		c.held = true
		late := *store.Failure(ctx, err)
		late.Hint = "" // nothing about the call would change it
		return &late
	}
	c.plan = plan
	return err
}

// planned reads a call, if it is still to be read, and checks it. It changes
// nothing of the call, which may have ended when it returns.
func (e *Engine) planned(c *call) (*compile.Plan, error) {
	q := c.query
	if c.request != nil {
		visible, errs := view(c.snapshot.Schema, c.scope)
		if errs != nil {
			return nil, errs
		}
		var mistakes graph.Errors
		if q, mistakes = c.request.Decode(visible); len(mistakes) > 0 {
			var more graph.Errors
			if q != nil {
				if _, err := e.compiler.CheckWith(nil, c.snapshot.Statistics, c.snapshot.Schema, c.scope, q); errors.As(err, &more) {
					mistakes = mistakes.Merge(more)
				}
			}
			return nil, mistakes
		}
	}
	var room *compile.Room
	if e.reuses {
		room = &c.room
	}
	return e.compiler.CheckWith(room, c.snapshot.Statistics, c.snapshot.Schema, c.scope, q)
}

// answer runs a call's plan.
func (e *Engine) answer(ctx context.Context, c *call) (*graph.Result, error) {
	if d, ok := c.plan.Root.(*compile.Describe); ok {
		return &graph.Result{Tool: c.plan.Tool(), Schema: d.Description}, nil
	}
	if e.reuses && c.json {
		if form := c.form(); form != nil {
			c.written.ResetRecords(c.dst, form)
		} else {
			c.written.Reset(c.dst, c.plan.Tool())
		}
		out, err := e.promptly(ctx, c, &c.written)
		if err != nil {
			return nil, err
		}
		c.statements, c.writer = out.Statements, &c.written
		c.summary.Tool = c.plan.Tool()
		e.finish(&c.summary, c, out)
		return &c.summary, nil
	}
	if e.reuses {
		res := &graph.Result{Tool: c.plan.Tool()}
		out, err := e.promptly(ctx, c, graph.Collector{Result: res})
		if err != nil {
			return nil, err
		}
		c.statements = out.Statements
		e.finish(res, c, out)
		return res, nil
	}
	ran, err := stored(ctx, e, c, func(ctx context.Context) (collected, error) {
		if e.redact.redacts(c.plan) {
			return e.redacted(ctx, c)
		}
		if c.json {
			return e.stream(ctx, c)
		}
		return e.collect(ctx, c.snapshot.Store, c.plan)
	})
	if err != nil {
		return nil, err
	}
	c.statements, c.writer = ran.ran, ran.writer
	e.finish(ran.result, c, ran.Outcome)
	return ran.result, nil
}

// A collected is an answer as a store leaves it.
type collected struct {
	result *graph.Result
	store.Outcome
	// ran are all the statements, of which the Outcome has those to show.
	ran []graph.Statement
	// writer has the answer in the place of result; see stream.
	writer *graph.JSONWriter
}

func (e *Engine) collect(ctx context.Context, st store.Store, p *compile.Plan) (collected, error) {
	res := &graph.Result{Tool: p.Tool()}
	out, err := e.run(ctx, st, p, graph.Collector{Result: res})
	return collected{result: res, Outcome: out, ran: out.Statements}, err
}

// run has the store answer a plan.
func (e *Engine) run(ctx context.Context, st store.Store, p *compile.Plan, w graph.Writer) (store.Outcome, error) {
	if !e.prompt {
		w = stoppable{w, ctx}
	}
	return st.Run(ctx, p, w)
}

// toolOf is the tool that a query belongs to, "" for no query.
func toolOf(q graph.Query) string {
	if q == nil {
		return ""
	}
	return q.Tool()
}
