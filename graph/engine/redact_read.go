package engine

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
)

// mostRounds bounds how often a store is asked for one page.
const mostRounds = 50

// roundBytes bounds what a store reads in one round. It is for the memory, and
// nothing in an answer depends on it: a round that is larger is asked again for
// fewer nodes.
const roundBytes = 64 << 20

// A reader asks the store for the nodes of a plan, round by round, and Redact
// about them.
type reader struct {
	*Engine
	call *call
	plan *compile.Plan
	most int // nodes of one round, as far as is known
	left int // rounds
	ran  []graph.Statement
}

// errRounds says that a reader has no rounds left.
var errRounds = errors.New("the store was asked too often")

// A round is a part of what a plan finds.
type round struct {
	collected
	nodes   []graph.Node // as they were read
	allowed []bool
}

// reader returns a reader of a call, for a plan as it was checked.
func (e *Engine) reader(c *call, p *compile.Plan) (*reader, error) {
	reading, err := e.redact.reading(p)
	return &reader{Engine: e, call: c, plan: reading, most: math.MaxInt, left: mostRounds}, err
}

// next reads at most limit nodes behind a position, nil for the start. All have
// whole texts: where a round would be too large for that, it is of fewer nodes.
func (r *reader) next(ctx context.Context, after []graph.Value, limit int) (round, error) {
	for ; r.left > 0; r.left-- {
		n := min(limit, r.most)
		part, err := r.collect(ctx, r.call.snapshot.Store, r.part(after, n))
		if err != nil {
			return round{}, undetailed(err)
		}
		r.ran = append(r.ran, part.Statements...)
		nodes := part.result.Nodes
		shortened := func(n graph.Node) bool { return len(n.Cut) > 0 }
		if n > 1 && (part.TruncatedBy == graph.TruncatedBytes || slices.ContainsFunc(nodes, shortened)) {
			r.most = max(1, len(nodes)/2)
			continue
		}
		r.left--
		allowed, err := r.allowed(ctx, r.call.scope, nodes)
		return round{part, nodes, allowed}, err
	}
	return round{}, errRounds
}

// part is the plan of at most n nodes behind a position.
func (r *reader) part(after []graph.Value, n int) *compile.Plan {
	plan := *r.plan
	if after != nil {
		plan = *plan.After(after, n)
	} else {
		_, _, limit := target(&plan)
		plan.Params = slices.Clone(plan.Params)
		plan.Params[limit] = graph.Int(int64(n))
	}
	if plan.Limits.Bytes = roundBytes; n == 1 {
		plan.Limits.Bytes = math.MaxInt // the store has the one node in memory, whatever its size
	}
	return &plan
}

// undetailed keeps from the caller which node has a stored value that does not
// fit its type, and which property: either may be hidden.
func undetailed(err error) error {
	if !errors.Is(err, graph.InvalidData) {
		return err
	}
	return &graph.Error{Code: graph.InvalidData, Message: "a stored value does not fit the schema", Cause: err}
}

// behind returns the position behind one of the nodes that were read behind
// another position; that position itself for a negative index.
func (r *reader) behind(ctx context.Context, after []graph.Value, nodes []graph.Node, index int) ([]graph.Value, error) {
	if index < 0 {
		return after, nil
	}
	part, err := r.collect(ctx, r.call.snapshot.Store, r.part(after, index+1))
	if err != nil {
		return nil, undetailed(err)
	}
	r.ran = append(r.ran, part.Statements...)
	if again := part.result.Nodes; len(again) != index+1 || again[index].ID != nodes[index].ID || part.Next == nil {
		return nil, &graph.Error{Code: graph.Unavailable, Message: "the graph changed while it was read", Retryable: true}
	}
	return part.Next, nil
}
