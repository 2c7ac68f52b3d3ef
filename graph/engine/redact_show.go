package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// own is r with lists that the host does not have.
func (r Redact) own() Redact {
	r.Labels, r.Properties = slices.Clone(r.Labels), maps.Clone(r.Properties)
	for label, names := range r.Properties {
		r.Properties[label] = slices.Clone(names)
	}
	return r
}

// target is the label of the nodes that a plan asks for, what it shows of them,
// and how many it wants; nil for plans of which Redact decides nothing.
func target(p *compile.Plan) (l *schema.Label, show []*schema.Property, limit compile.Slot) {
	switch root := p.Root.(type) {
	case *compile.Find:
		return root.Nodes.Label(), root.Show, root.Page.Limit
	case *compile.Traverse:
		l := root.Target().Label()
		return l, root.Show[l], root.Page.Limit
	}
	return nil, nil, 0
}

// redacts reports whether a plan's rows are Redact's to decide.
func (r *Redact) redacts(p *compile.Plan) bool {
	if len(r.Labels) == 0 {
		return false
	}
	l, _, _ := target(p)
	return l != nil && slices.Contains(r.Labels, l.Name)
}

// reading returns the plan that a store runs in the place of one: with all that
// Allow needs if it decides, and the same plan otherwise.
func (r *Redact) reading(p *compile.Plan) (*compile.Plan, error) {
	if !r.redacts(p) {
		return p, nil
	}
	l, _, _ := target(p)
	return p.Reading(r.Properties[l.Name])
}

// allowed says of nodes, read by a plan of reading, which the caller may see.
// Allow gets copies that have what it asked for, and nothing that depends on the
// call.
func (e *Engine) allowed(ctx context.Context, scope *graph.Scope, nodes []graph.Node) ([]bool, error) {
	if len(nodes) == 0 {
		return nil, nil
	}
	told := make([]graph.Node, len(nodes))
	for i := range nodes {
		n := &nodes[i]
		told[i] = graph.Node{Label: n.Label, ID: n.ID}
		for _, name := range e.redact.Properties[n.Label] {
			told[i].Properties = append(told[i].Properties, graph.Property{Name: name, Value: n.Value(name)})
		}
	}
	verdict, err := e.redact.Allow(ctx, scope, told)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil && len(verdict) != len(nodes):
		err = fmt.Errorf("Redact.Allow answered for %d of %d nodes", len(verdict), len(nodes))
	}
	if err != nil {
		return nil, &graph.Error{Code: graph.Internal, Message: "the call could not be answered", Cause: err}
	}
	return verdict, nil
}

// shownNode is what a plan shows of a node that was read for Allow.
func shownNode(p *compile.Plan, n *graph.Node) *graph.Node {
	_, show, _ := target(p)
	out := &graph.Node{Label: n.Label, ID: n.ID, Distance: n.Distance, Properties: make([]graph.Property, len(show))}
	for i, prop := range show {
		out.Properties[i] = graph.Property{Name: prop.Name, Value: p.Mask(prop, n.Value(prop.Name))}
	}
	return out
}
