package schema

import (
	"fmt"
	"slices"

	"cel.dev/cel-go/common/ast"

	"github.com/trellisgraph/trellis/graph"
)

// exists reads LIST.exists(x, CONDITION), where the list is one of the caller
// or the nodes at the end of a walk.
func (r *policyReader) exists(e ast.Expr, c ast.CallExpr) *rule {
	args := c.Args()
	if len(args) != 2 || args[0].Kind() != ast.IdentKind {
		r.fail(r.start(e), "exists takes a name and a condition, such as exists(g, g.level > 3)")
		return nothing
	}
	name := args[0].AsIdent()
	if r.subject.name == name || name == "node" || name == "relationship" ||
		slices.ContainsFunc(r.variables, func(v variable) bool { return v.name == name }) {
		r.fail(r.start(args[0]), "the name %q is taken here; use another", short(name))
		return nothing
	}
	target := c.Target()
	if target.Kind() == ast.CallKind {
		t := target.AsCall()
		if direction := walkDirections[t.FunctionName()]; direction != "" && t.IsMemberFunction() {
			return r.walkTo(target, t, direction, name, args[1])
		}
	}
	list, ok := r.operand(target)
	switch {
	case !ok:
		return nothing
	case !list.isClaim():
		r.fail(r.start(target), "exists goes over a list of the caller, or over nodes").Hint = "such as caller.groups, or node.outgoing(\"TYPE\")"
		return nothing
	}
	r.variables = append(r.variables, variable{name, r.claims(&list).item()})
	inner := r.cond(args[1])
	r.variables = r.variables[:len(r.variables)-1]
	return &rule{kind: ruleSome, a: list, rules: []*rule{inner}}
}

// walkDirections are the functions that walk.
var walkDirections = map[string]graph.Direction{"outgoing": graph.Outgoing, "incoming": graph.Incoming}

// walkTo reads node.outgoing("TYPE", "label").exists(x, CONDITION). The
// condition is about x alone.
func (r *policyReader) walkTo(e ast.Expr, c ast.CallExpr, direction graph.Direction, name string, cond ast.Expr) *rule {
	at := r.start(e)
	from := r.subject
	if t := c.Target(); t.Kind() != ast.IdentKind || t.AsIdent() != from.name || from.label == nil {
		p := r.fail(at, "a walk does not start here")
		p.Hint = "the policy of a label walks from its node"
		if from.label != nil {
			p.Hint = fmt.Sprintf("write %s.%s", from.name, c.FunctionName())
		}
		return nothing
	}
	var names []string
	for _, a := range c.Args() {
		if a.Kind() == ast.LiteralKind {
			if s, ok := a.AsLiteral().Value().(string); ok {
				names = append(names, s)
			}
		}
	}
	if len(names) != len(c.Args()) || len(names) < 1 || len(names) > 2 {
		r.fail(at, `%s takes a relationship type and, if there are several, a label: %s("TYPE", "label")`, c.FunctionName(), c.FunctionName())
		return nothing
	}
	w := r.resolve(at, from.label, direction, names)
	if w == nil {
		return nothing
	}
	w.negated = r.negated
	r.walks = append(r.walks, w)
	r.subject = &subject{name: name, owner: fmt.Sprintf("%q", w.to.Name), label: w.to, props: w.to.Properties}
	inner := r.cond(cond)
	r.subject = from
	return &rule{kind: ruleWalk, walk: w, rules: []*rule{inner}}
}

// resolve finds the one pair that a walk takes; nil after a mistake.
func (r *policyReader) resolve(at int, from *Label, direction graph.Direction, names []string) *walk {
	s := r.b.schema
	t := s.byType[names[0]]
	if t == nil {
		r.fail(at, "there is no relationship type %q", short(names[0])).DidYouMean = s.SuggestRelationship(names[0])
		return nil
	}
	if len(names) == 2 && s.byLabel[names[1]] == nil {
		r.fail(at, "there is no label %q", short(names[1])).DidYouMean = s.SuggestLabel(names[1])
		return nil
	}
	var found []*walk
	var ends []string
	turns := false // whether it would lead somewhere in the other direction
	for _, p := range t.Pairs {
		start, end := p.From, p.To
		if direction == graph.Incoming {
			start, end = end, start
		}
		turns = turns || end == from
		if start == from {
			ends = append(ends, end.Name)
			if len(names) == 1 || names[1] == end.Name {
				found = append(found, &walk{pair: p, direction: direction, to: end, at: at})
			}
		}
	}
	switch {
	case len(found) == 1:
		return found[0]
	case len(found) > 1:
		r.fail(at, "%s of %q leads to several labels; name one", t.Name, from.Name).Hint = "one of " + quoted(ends, ", ")
	case len(ends) > 0:
		r.fail(at, "%s of %q does not lead to %q", t.Name, from.Name, names[1]).Hint = "but to " + quoted(ends, ", ")
	default:
		p := r.fail(at, "no %s is %s at %q", t.Name, direction, from.Name)
		if turns {
			p.Hint = "it is in the other direction"
		}
	}
	return nil
}

// checkWalks refuses walks over labels whose own policies walk: with them there
// would be no end to what one row depends on. And it refuses negated walks over
// what is not open to all: a walk leads only over what the caller sees, so who
// sees less there would be shown more here.
func (b *builder) checkWalks(policies []*policy, byLabel map[*Label]*policy) {
	for _, p := range policies {
		for _, w := range p.walks {
			if over := byLabel[w.to]; over != nil && len(over.walks) > 0 {
				p.reader.fail(w.at, "the policy of %q walks itself, so no policy can walk to it", w.to.Name)
			} else if what := w.guarded(); what != "" && w.negated {
				p.reader.fail(w.at, "%s has a policy, so who sees less of it would see more here: no walk over it can be negated", what).Hint =
					"mark it public, or say the rule positively"
			}
		}
	}
}

// guarded names what on a walk is not open to all, "" if all of it is.
func (w *walk) guarded() string {
	switch {
	case restricts(w.to.Policy):
		return fmt.Sprintf("%q", w.to.Name)
	case restricts(w.pair.Policy):
		return fmt.Sprintf("%s from %q to %q", w.pair.Type.Name, w.pair.From.Name, w.pair.To.Name)
	}
	return ""
}
