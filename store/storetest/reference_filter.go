package storetest

import (
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A truth is a value of three-valued logic.
type truth int

// The three truths, in the order that and and or go by.
const (
	no truth = iota
	unknown
	yes
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// A bearer has the properties that a filter speaks of.
type bearer struct {
	values map[string]graph.Value
	named  func(string) (*schema.Property, bool)
}

func (v *vertex) bearer() bearer { return bearer{v.props, v.label.Property} }
func (e *edge) bearer() bearer   { return bearer{e.props, e.pair.Property} }

// holds says whether a condition is true of what bears the properties.
func holds(f graph.Filter, b bearer) bool { return evaluate(f, b) == yes }

func evaluate(f graph.Filter, b bearer) truth {
	switch f := f.(type) {
	case graph.And:
		out := yes
		for _, part := range f {
			out = min(out, evaluate(part, b))
		}
		return out
	case graph.Or:
		out := no
		for _, part := range f {
			out = max(out, evaluate(part, b))
		}
		return out
	case graph.Not:
		return yes - evaluate(f.Filter, b)
	case graph.Compare:
		return evaluateCompare(f, b)
	}
	return yes // no condition
}

func evaluateCompare(c graph.Compare, b bearer) truth {
	p, ok := b.named(c.Property)
	if !ok {
		return unknown
	}
	return compared(p, b.values[p.Name], c.Op, c.Value)
}

// compared says whether a property's value compares to an argument.
func compared(p *schema.Property, have graph.Value, op graph.Op, arg graph.Value) truth {
	if op == graph.IsNull {
		return truthOf(have.IsNull() == arg.Bool())
	}
	if have.IsNull() {
		return unknown
	}
	isOne := func() bool {
		return slices.ContainsFunc(arg.List(), func(v graph.Value) bool { return compareTyped(p, have, typed(p, v)) == 0 })
	}
	order := func() int { return compareTyped(p, have, typed(p, arg)) }
	switch op {
	case graph.In:
		return truthOf(isOne())
	case graph.NotIn:
		return truthOf(!isOne())
	case graph.Contains:
		return truthOf(strings.Contains(have.Text(), arg.Text()))
	case graph.StartsWith:
		return truthOf(strings.HasPrefix(have.Text(), arg.Text()))
	case graph.EndsWith:
		return truthOf(strings.HasSuffix(have.Text(), arg.Text()))
	case graph.Ne:
		return truthOf(order() != 0)
	case graph.Lt:
		return truthOf(order() < 0)
	case graph.Lte:
		return truthOf(order() <= 0)
	case graph.Gt:
		return truthOf(order() > 0)
	case graph.Gte:
		return truthOf(order() >= 0)
	}
	return truthOf(order() == 0)
}

// folded is a text with the letters A to Z as a to z.
func folded(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// searched lists the folded texts that a search of a node looks into.
func (v *vertex) searched() []string {
	var out []string
	for _, p := range v.label.Properties {
		if value := v.props[p.Name]; p.Search && !value.IsNull() {
			out = append(out, folded(value.Text()))
		}
	}
	return out
}

// found says whether every term of a search occurs in some searched text.
func (v *vertex) found(search string) bool {
	texts := v.searched()
	for _, term := range strings.Fields(folded(search)) {
		if !slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, term) }) {
			return false
		}
	}
	return true
}

// rank says how well a node matches a search: 0 where a whole text is equal to
// it, 1 where one begins with it, 2 otherwise.
func (v *vertex) rank(search string) int {
	best := 2
	for _, t := range v.searched() {
		switch {
		case t == folded(search):
			best = 0
		case strings.HasPrefix(t, folded(search)):
			best = min(best, 1)
		}
	}
	return best
}

// matching lists the nodes that a pattern means, by label and key.
func (a *answering) matching(n *graph.NodePattern) []*vertex {
	var out []*vertex
	for _, v := range a.vertices {
		if a.matches(v, n) {
			out = append(out, v)
		}
	}
	return out
}

// matches says whether a node is one that a pattern means.
func (a *answering) matches(v *vertex, n *graph.NodePattern) bool {
	if v.label.Name != n.Label || !v.found(n.Search) {
		return false
	}
	if n.IDs != nil && !slices.ContainsFunc(n.IDs, func(id graph.Value) bool { return idText(v.label, id) == v.id }) {
		return false
	}
	if !holds(n.Filter, v.bearer()) || n.Where != "" && !holds(a.Where[n.Where], v.bearer()) {
		return false
	}
	for i := range n.Related {
		if !a.isRelated(v, &n.Related[i]) {
			return false
		}
	}
	return true
}
