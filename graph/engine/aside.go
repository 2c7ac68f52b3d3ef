package engine

import (
	"context"
	"time"

	"github.com/trellisgraph/trellis/graph"
)

// An Ask answers a query in the course of a call: on the call's schema, for its
// caller, in what is left of its time, and as a part of its record.
type Ask func(graph.Query) (*graph.Result, error)

// advise lets the request of an answer that is empty say what its caller would
// want to know; began is when the call did, since Engine.began. What cannot be found out is left unsaid: the answer stands.
func (e *Engine) advise(ctx context.Context, c *call, res *graph.Result, began time.Duration) {
	if res.Returned > 0 {
		return
	}
	left := e.timeout - (time.Since(e.began) - began)
	if left <= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	more := c.request.WhenEmpty(&res.Summary, func(q graph.Query) (*graph.Result, error) {
		plan, err := e.compiler.CheckWith(nil, c.snapshot.Statistics, c.snapshot.Schema, c.scope, q)
		if err != nil {
			return nil, err
		}
		aside := &call{tool: c.tool, scope: c.scope, snapshot: c.snapshot, plan: plan}
		answer, err := e.answer(ctx, aside)
		c.statements = append(c.statements[:len(c.statements):len(c.statements)], aside.statements...)
		return answer, err
	})
	res.Warnings = append(res.Warnings[:len(res.Warnings):len(res.Warnings)], more...)
}
