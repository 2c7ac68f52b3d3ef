package engine

import (
	"context"
	"fmt"
	"math"
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
// allowed, and cursors continue behind it. What is not allowed takes no room in
// an answer, and shortens no text of it.
type Redact struct {
	Labels []string
	// Properties are, by label, those that Allow needs: always read, whole and
	// unmasked, whatever was asked for and whoever asks, hidden ones too. Of a
	// label without an entry Allow gets labels and ids. What the caller sees
	// does not change by it, but for the text of statements, if these are shown.
	// With a property that the schema does not have, calls are INTERNAL.
	Properties map[string][]string
	// Allow says of each node whether the context's scope may see it. A node has
	// its label, its id and the label's Properties, in their order, and nothing
	// that the caller could choose. It is safe for concurrent use. If it fails,
	// or does not answer for every node, the call is INTERNAL.
	Allow func(ctx context.Context, scope *graph.Scope, nodes []graph.Node) ([]bool, error)
}

// redacted answers a plan with what Redact allows of it. The store is asked
// again, from where it stopped, until the page is full and one more node is
// known to follow, or none does. So the answer is the one of a graph that holds
// nothing else, and says nothing of how much there was to hide; only where the
// store is asked too often, or has a budget that ends, an answer is incomplete.
func (e *Engine) redacted(ctx context.Context, c *call) (collected, error) {
	r, err := e.reader(c, c.plan)
	if err != nil {
		return collected{}, err
	}
	_, _, slot := target(c.plan)
	limit := int(c.plan.Params[slot].Int())
	fit := store.NewFitter(c.plan.Limits.Bytes)
	var first collected
	var page []*graph.Node
	// next is the position behind the last node looked at or, of a full page,
	// behind its last one; at is that of the round.
	var next, at []graph.Value
	var truncated graph.Truncation
rounds:
	for {
		full := len(page) == limit
		want := limit
		if !full {
			want -= len(page)
		}
		part, err := r.next(ctx, at, want)
		if err == errRounds {
			truncated = graph.TruncatedBudget
			break
		}
		if err != nil {
			return collected{}, err
		}
		if first.result == nil {
			first = part.collected
		}
		last := -1 // the last node of the round in the page
		for i := range part.nodes {
			if !part.allowed[i] {
				continue
			}
			if full {
				truncated = graph.TruncatedRows
				break rounds
			}
			n := shownNode(c.plan, &part.nodes[i])
			if !fit.Fit(store.Piece{Nodes: []*graph.Node{n}, Always: len(page) == 0}) {
				truncated = graph.TruncatedBytes
				if next, err = r.behind(ctx, at, part.nodes, last); err != nil {
					return collected{}, err
				}
				break rounds
			}
			page, last = append(page, n), i
		}
		if at = part.Next; !full {
			next = at
		}
		switch {
		case part.TruncatedBy == graph.TruncatedBudget:
			truncated = graph.TruncatedBudget
			break rounds
		case part.Next == nil:
			next = nil
			break rounds
		}
	}
	first.result.Nodes = make([]graph.Node, len(page))
	for i, n := range page {
		first.result.Nodes[i] = *n
	}
	first.ran = r.ran
	first.Returned, first.TruncatedBy, first.Next = len(page), truncated, next
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
	named := &graph.FindNodes{NodePattern: graph.NodePattern{Label: label.Name}, Properties: []string{}, Limit: min(len(ids), e.Limits().Rows)}
	for _, id := range ids {
		named.IDs = append(named.IDs, graph.String(id))
	}
	plan, err := e.compiler.CheckWith(nil, c.snapshot.Statistics, c.snapshot.Schema, c.scope, named)
	if err != nil {
		return err
	}
	r, err := e.reader(c, plan)
	if err != nil {
		return err
	}
	r.left = math.MaxInt // the ids are few, and every round has some
	for at, more := []graph.Value(nil), true; more; more = at != nil {
		part, err := r.next(ctx, at, named.Limit)
		if err != nil {
			return err
		}
		for i, n := range part.nodes {
			seen[n.ID] = seen[n.ID] || part.allowed[i]
		}
		at = part.Next
	}
	out.ran = append(out.ran, r.ran...)
	for i, id := range ids {
		if !seen[id] {
			out.Warnings = append(out.Warnings, store.NotFound(fmt.Sprintf("/ids/%d", i), label, id))
		}
	}
	return nil
}
