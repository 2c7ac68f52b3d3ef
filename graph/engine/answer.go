package engine

import (
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
)

// finish adds to an answer what it says beside its rows.
func (e *Engine) finish(res *graph.Result, c *call, out store.Outcome) {
	plan := c.plan
	res.Summary = graph.Summary{
		Returned: out.Returned, Total: out.Total, TruncatedBy: out.TruncatedBy, Executed: out.Executed,
		Warnings: append(plan.Warnings, out.Warnings...),
	}
	if out.Next != nil {
		if res.NextCursor = e.compiler.Cursor(plan, out.Next); res.NextCursor == "" {
			res.Warnings = append(res.Warnings, graph.Warning{Code: graph.LimitExceeded,
				Message: "there is more, and no cursor to it: what the answer is ordered by is too long for one; order it by something shorter"})
		}
	}
	if out.Returned == 0 && (out.Total == nil || *out.Total == 0) {
		res.Warnings = append(res.Warnings, plan.IfEmpty()...)
	}
	if c.request != nil && c.request.RewordWarnings != nil {
		res.Warnings = c.request.RewordWarnings(res.Warnings)
	}
	res.Statements, res.Records = e.shown(out.Statements), c.form()
}

// shown hides of the statements what the host wants hidden. The list stays as
// it is: a store may keep it.
func (e *Engine) shown(list []graph.Statement) []graph.Statement {
	switch e.statements {
	case HideStatements:
		return nil
	case HideValues:
		list = slices.Clone(list)
		for i := range list {
			list[i].Parameters = slices.Clone(list[i].Parameters)
			for j := range list[i].Parameters {
				list[i].Parameters[j].Value = graph.Null()
			}
		}
	}
	return list
}
