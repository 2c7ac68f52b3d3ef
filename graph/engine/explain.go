package engine

import (
	"context"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
)

// An Explanation tells how a query is answered.
type Explanation struct {
	// Plan is the plan's text, the guards with their values among it; it is for
	// the host.
	Plan string `json:"plan"`
	// Asked is Plan without the guards, which a caller may be told.
	Asked string `json:"-"`
	// Guards are what the caller's rights put on each label and pair that the
	// plan refers to; it is for the host.
	Guards []string `json:"guards,omitempty"`
	// Estimate is what the query is expected to cost, with the snapshot's
	// statistics, or those of Options.Cost; nil without them. It counts what is in the store, whoever
	// may see it: it is for the host.
	Estimate *compile.Estimate `json:"estimate,omitempty"`
	store.Explanation
}

// Explain tells how a query would be answered: the plan, its statements as far
// as Options.Statements shows them, and, where it hides nothing, the database's
// own plan of them. It is a call like Run.
func (e *Engine) Explain(ctx context.Context, q graph.Query) (*Explanation, error) {
	return e.explanation(ctx, &call{tool: toolOf(q), query: q, kind: explained})
}

// DryRun tells whether a query would be answered, and by which plan, without
// asking the store: rights, rates, limits and costs refuse it as they would
// refuse the call. It is a call like Run.
func (e *Engine) DryRun(ctx context.Context, q graph.Query) (*Explanation, error) {
	return e.explanation(ctx, &call{tool: toolOf(q), query: q, kind: dry})
}

// ExplainCall is Explain for a tool call, which may be unreadable: see Call.
func (e *Engine) ExplainCall(ctx context.Context, r Request) (*Explanation, error) {
	return e.explanation(ctx, &call{tool: r.Tool, request: &r, kind: explained})
}

// DryRunCall is DryRun for a tool call, which may be unreadable: see Call.
func (e *Engine) DryRunCall(ctx context.Context, r Request) (*Explanation, error) {
	return e.explanation(ctx, &call{tool: r.Tool, request: &r, kind: dry})
}

func (e *Engine) explanation(ctx context.Context, c *call) (*Explanation, error) {
	if _, err := e.do(ctx, c); err != nil {
		return nil, err
	}
	return c.explanation, nil
}

// explain asks the store how it would run a call's plan.
func (e *Engine) explain(ctx context.Context, c *call) error {
	c.explanation = &Explanation{Plan: c.plan.String(), Asked: c.plan.Asked(), Guards: c.plan.Guards(), Estimate: e.compiler.Estimate(c.plan, c.snapshot.Statistics)}
	if _, ok := c.plan.Root.(*compile.Describe); ok || c.kind == dry {
		return nil
	}
	plan, err := e.redact.reading(c.plan)
	if err != nil {
		return err
	}
	ex, err := stored(ctx, e, c, func(ctx context.Context) (store.Explanation, error) { return c.snapshot.Store.Explain(ctx, plan) })
	if err != nil {
		return err
	}
	ex.Statements = e.shown(ex.Statements)
	if e.statements != ShowStatements { // the database's plan repeats texts and values
		ex.Database = nil
	}
	c.explanation.Explanation = ex
	return nil
}
