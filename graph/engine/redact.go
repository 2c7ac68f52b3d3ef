package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
)

// Redact decides, after the store, what no condition in a store can: which of
// the nodes that were found the caller may see. The zero value decides nothing.
//
// Nodes of the labels can be asked for by find_nodes, and as the targets of a
// traverse_relationships of one hop in its last step and without connections;
// any other way to come to them is UNSUPPORTED. Pages are filled with what is
// allowed, and cursors continue behind it.
type Redact struct {
	Labels []string
	// Allow says of each node whether the context's scope may see it. It can
	// rely on label and id; of the properties it gets those that were asked
	// for, masked as they will be shown. It is safe for concurrent use. If it
	// fails, or does not answer for every node, the call is INTERNAL.
	Allow func(ctx context.Context, scope *graph.Scope, nodes []graph.Node) ([]bool, error)
}

// mostRounds bounds how often a store is asked for one page.
const mostRounds = 50

// redacts reports whether a plan's rows are Redact's to decide.
func (r *Redact) redacts(p *compile.Plan) bool {
	if len(r.Labels) == 0 {
		return false
	}
	switch root := p.Root.(type) {
	case *compile.Find:
		return slices.Contains(r.Labels, root.Nodes.Label().Name)
	case *compile.Traverse:
		return slices.Contains(r.Labels, root.Target().Label().Name)
	}
	return false
}

// A page is what of an answer's rows may be seen, while it is put together.
type page struct {
	nodes []graph.Node
	bytes int
	// next is the position behind the last node looked at or, of a full page,
	// behind its last one.
	next []graph.Value
	full bool
}

// redacted answers a plan with what Redact allows of it. The store is asked
// again, from where it stopped, until the page is full and one more node is
// known to follow, or none does. So the answer is the one of a graph that holds
// nothing else, and says nothing of how much there was to hide; only where the
// store is asked too often, or has a budget that ends, an answer is incomplete.
func (e *Engine) redacted(ctx context.Context, c *call) (collected, error) {
	limit := limitOf(c.plan)
	var p page
	var first collected
	var ran []graph.Statement
	plan, truncated := c.plan, graph.TruncatedBudget
rounds:
	for round := range mostRounds {
		from := p.next
		part, err := e.collect(ctx, plan)
		if err != nil {
			return part, err
		}
		ran = append(ran, part.Statements...)
		if round == 0 {
			first = part
		}
		allowed, err := e.allowed(ctx, c.scope, part.result.Nodes[:part.Returned])
		if err != nil {
			return part, err
		}
		if p.full && len(allowed) > 0 {
			truncated = graph.TruncatedRows
			break
		}
		if n := sizeOf(allowed); len(p.nodes) == 0 || p.bytes+n <= c.plan.Limits.Bytes {
			p.nodes, p.bytes = append(p.nodes, allowed...), p.bytes+n
		} else { // the store gives one node at least, even where none fits
			p.next, truncated = from, graph.TruncatedBytes
			break
		}
		if !p.full {
			p.next, p.full = part.Next, len(p.nodes) == limit
		}
		switch {
		case part.TruncatedBy == graph.TruncatedBudget:
			break rounds
		case part.Next == nil:
			p.next, truncated = nil, graph.Complete
			break rounds
		}
		if p.full {
			plan = c.plan.After(part.Next, limit)
			continue
		}
		plan = c.plan.After(part.Next, limit-len(p.nodes))
		plan.Limits.Bytes = max(1, c.plan.Limits.Bytes-p.bytes)
	}
	first.result.Nodes = p.nodes
	first.ran = ran
	first.Returned, first.TruncatedBy, first.Next = len(p.nodes), truncated, p.next
	return first, e.missing(ctx, c, &first)
}

// missing puts its own warnings of ids in the place of the store's, which knows
// of nodes that the caller may not see: an id of such a one, and one of none,
// are told alike.
func (e *Engine) missing(ctx context.Context, c *call, out *collected) error {
	root, ok := c.plan.Root.(*compile.Find)
	if !ok || root.Nodes.Keys.N < 0 {
		return nil
	}
	// The store looks up ids only where some did not come.
	out.Statements = out.Statements[:min(1, len(out.Statements))]
	out.Warnings = slices.DeleteFunc(slices.Clone(out.Warnings), func(w graph.Warning) bool { return w.Code == graph.NotFound })
	seen := map[string]bool{}
	for _, n := range out.result.Nodes {
		seen[n.ID] = true
	}
	keys, label := root.Nodes.Keys, root.Nodes.Label()
	ids := make([]string, keys.N)
	whole := true
	for i := range ids {
		first := int(keys.First) + i*len(label.Key)
		ids[i] = graph.KeyText(c.plan.Params[first : first+len(label.Key)])
		whole = whole && seen[ids[i]]
	}
	if whole {
		return nil
	}
	for plan := c.plan.Named(len(ids)); plan != nil; {
		part, err := e.collect(ctx, plan)
		if err != nil {
			return err
		}
		out.ran = append(out.ran, part.Statements...)
		allowed, err := e.allowed(ctx, c.scope, part.result.Nodes)
		if err != nil {
			return err
		}
		for _, n := range allowed {
			seen[n.ID] = true
		}
		if part.Next == nil {
			break
		}
		plan = plan.After(part.Next, len(ids))
	}
	for i, id := range ids {
		if !seen[id] {
			out.Warnings = append(out.Warnings, store.NotFound(fmt.Sprintf("/ids/%d", i), label, id))
		}
	}
	return nil
}

// allowed returns the nodes that the caller may see.
func (e *Engine) allowed(ctx context.Context, scope *graph.Scope, nodes []graph.Node) ([]graph.Node, error) {
	if len(nodes) == 0 {
		return nil, nil
	}
	verdict, err := e.redact.Allow(ctx, scope, slices.Clone(nodes))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil && len(verdict) != len(nodes):
		err = fmt.Errorf("Redact.Allow answered for %d of %d nodes", len(verdict), len(nodes))
	}
	if err != nil {
		return nil, &graph.Error{Code: graph.Internal, Message: "the call could not be answered", Cause: err}
	}
	var out []graph.Node
	for i := range nodes {
		if verdict[i] {
			out = append(out, nodes[i])
		}
	}
	return out, nil
}

// sizeOf is how many bytes nodes have in an answer.
func sizeOf(nodes []graph.Node) (n int) {
	var b []byte
	for i := range nodes {
		b = nodes[i].AppendJSON(b[:0])
		n += len(b) + len(",")
	}
	return n
}

// limitOf is the number of nodes that a plan asks for.
func limitOf(p *compile.Plan) int {
	var at compile.Slot
	switch root := p.Root.(type) {
	case *compile.Find:
		at = root.Page.Limit
	case *compile.Traverse:
		at = root.Page.Limit
	}
	return int(p.Params[at].Int())
}
