package compile

import (
	"slices"

	"github.com/trellisgraph/trellis/graph"
)

// references calls node and rel with every reference of a plan's shape, those
// within conditions included, in an order that depends on the shape alone.
type references struct {
	node func(NodeRef)
	rel  func(RelRef)
}

func (v references) root(r Root) {
	switch r := r.(type) {
	case *Find:
		v.nodes(r.Nodes)
	case *Traverse:
		v.nodes(r.From)
		v.steps(r.Steps)
	case *Neighbors:
		v.nodes(r.Start)
		v.steps([]*Expand{r.Step})
	case *Paths:
		v.nodes(r.From)
		v.nodes(r.To)
		v.steps([]*Expand{r.Step})
	case *Aggregate:
		v.nodes(r.Nodes)
		for _, c := range r.Chains {
			v.steps(c)
		}
		for _, value := range r.Values {
			v.cond(value.Cond)
		}
	}
}

func (v references) nodes(n *NodeSet) {
	v.node(n.NodeRef)
	v.cond(n.Cond)
	for _, s := range n.Related {
		v.steps(s.Steps)
	}
}

func (v references) steps(steps []*Expand) {
	for _, x := range steps {
		for _, m := range x.Moves {
			v.rel(m.Rel)
			v.cond(m.Cond)
			v.node(m.Target)
		}
		for _, e := range x.Ends {
			v.nodes(e)
		}
	}
}

func (v references) cond(c Cond) { eachExists(c, func(x Exists) { v.steps(x.Steps) }) }

// Verify is the last pass before a plan reaches a store: every reference to a
// table must have been made with the guard that its label or pair has in this
// plan, and the guards' own references, too. Another plan is INTERNAL. SQL
// verifies by itself; a store that runs plans in another way must do so for
// every shape.
func (p *Plan) Verify() error {
	v := guardPass{plan: p, ok: true}
	refs := references{node: v.node, rel: v.rel}
	refs.root(p.Root)
	for _, g := range p.guards {
		refs.cond(g.cond)
		eachExists(g.cond, v.shallow)
	}
	if !v.ok {
		return &graph.Error{Code: graph.Internal, Message: "the plan has a reference without its guard"}
	}
	return nil
}

// guardPass notes whether all references are guarded.
type guardPass struct {
	plan *Plan
	ok   bool
}

func (v *guardPass) node(r NodeRef) {
	v.ok = v.ok && r.sealed && v.has(r.guard) && (r.guard == nil || r.guard.label == r.label)
}

func (v *guardPass) rel(r RelRef) {
	v.ok = v.ok && r.sealed && v.has(r.guard) && (r.guard == nil || r.guard.pair == r.pair)
}

// has reports whether a guard is one of the plan's, with its condition; or
// whether there is none, as must be where rights do not decide.
func (v *guardPass) has(g *guard) bool {
	if !v.plan.guarded {
		return g == nil
	}
	return g != nil && g.cond != nil && slices.Contains(v.plan.guards, g)
}

// shallow refuses guards that walk over what is guarded by a walk itself.
func (v *guardPass) shallow(x Exists) {
	references{
		node: func(r NodeRef) { v.ok = v.ok && !walks(r.Guard()) },
		rel:  func(r RelRef) { v.ok = v.ok && !walks(r.Guard()) },
	}.steps(x.Steps)
}
