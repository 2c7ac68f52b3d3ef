package schema

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// The limits of what one caller's claims can make of the policies.
const (
	maxClaimItems  = 1_000     // of one list
	maxClaimBytes  = 1 << 20   // of all claims that are read
	maxComparisons = 2_000     // in one guard
	maxGuardValues = 10_000    // in the lists of one guard
	maxPolicySteps = 200_000   // to evaluate one policy
	maxViewSteps   = 2_000_000 // to evaluate all of them
)

// An evaluation gives policies the claims of one caller. What remains are
// conditions on rows.
//
// It is done by two questions that need no third truth value: which rows make
// the rule true, and which make it false. Rows for which it is unknown are in
// neither; a missing claim leaves both empty.
type evaluation struct {
	variables []any // the values of the lists' items; the scope is the first
	absent    func(*walk) bool
	steps     int  // done
	most      int  // that may be done by the end of this policy
	over      bool // more were asked for
}

// all returns the condition on the rows that a policy shows.
func (ev *evaluation) all(p *policy) graph.Filter {
	ev.most = min(ev.steps+maxPolicySteps, maxViewSteps)
	return ev.rows(p.rule, true)
}

// rows returns the condition that a rule is true, or that it is false, in
// negation normal form.
func (ev *evaluation) rows(r *rule, want bool) graph.Filter {
	if ev.spend() {
		return never
	}
	switch r.kind {
	case ruleConst:
		return constant(r.holds == want)
	case ruleNot:
		return ev.rows(r.rules[0], !want)
	case ruleAnd, ruleOr:
		list := make([]graph.Filter, 0, len(r.rules))
		for _, part := range r.rules {
			list = append(list, ev.rows(part, want))
		}
		if (r.kind == ruleAnd) == want {
			return allOf(list)
		}
		return oneOf(list)
	case ruleNull:
		if r.a.prop != nil {
			return graph.Compare{Property: r.a.prop.Name, Op: graph.IsNull, Value: graph.Bool(want)}
		}
		v, ok := ev.claim(&r.a)
		return constant(ok && (v == nil) == want)
	case ruleTrue:
		v, _ := ev.value(&r.a)
		return constant(v.Kind() == graph.KindBool && v.Bool() == want)
	case ruleHas:
		return ev.has(r, want)
	case ruleCompare:
		return ev.compare(r, want)
	case ruleIn:
		return ev.in(r, want)
	case ruleSome:
		return ev.some(r, want)
	case ruleWalk:
		return ev.walk(r, want)
	}
	return never
}

// spend counts a step, and reports whether there were too many.
func (ev *evaluation) spend() bool {
	ev.steps++
	ev.over = ev.over || ev.steps > ev.most
	return ev.over
}

// claim returns a claim as the host wrote it.
func (ev *evaluation) claim(o *operand) (any, bool) {
	v := ev.variables[o.variable]
	for _, name := range o.path {
		var ok bool
		if v, ok = claimField(v, name); !ok {
			return nil, false
		}
	}
	return v, true
}

// value returns a literal, or a claim that is one value; null if there is none.
func (ev *evaluation) value(o *operand) (graph.Value, bool) {
	if o.isLiteral() {
		return o.literal, true
	}
	v, ok := ev.claim(o)
	if !ok {
		return graph.Value{}, false
	}
	value, ok := claimValue(v)
	return value, ok && !value.IsNull()
}

// has finds out whether a claim is there. Of what is no map, nothing is known.
func (ev *evaluation) has(r *rule, want bool) graph.Filter {
	last := len(r.a.path) - 1
	parent, ok := ev.claim(&operand{variable: r.a.variable, path: r.a.path[:last]})
	if !ok || !claimIsMap(parent) {
		return never
	}
	_, there := claimField(parent, r.a.path[last])
	return constant(there == want)
}

// opposite are the operators that are true where others are false.
var opposite = map[graph.Op]graph.Op{
	graph.Eq: graph.Ne, graph.Ne: graph.Eq,
	graph.Lt: graph.Gte, graph.Gte: graph.Lt,
	graph.Gt: graph.Lte, graph.Lte: graph.Gt,
	graph.In: graph.NotIn, graph.NotIn: graph.In,
}

func (ev *evaluation) compare(r *rule, want bool) graph.Filter {
	v, ok := ev.value(&r.b)
	pattern := turned[r.op] == ""
	if !ok || pattern && v.Text() == "" {
		return never
	}
	p := r.a.prop
	if p == nil {
		a, ok := ev.value(&r.a)
		if !ok {
			return never
		}
		holds, known := compareValues(a, r.op, v)
		return constant(known && holds == want)
	}
	if !r.b.isLiteral() {
		var e *graph.Error
		if v, e = p.Coerce(v, false); e != nil {
			return never
		}
	}
	c := graph.Compare{Property: p.Name, Op: r.op, Value: v}
	if want {
		return c
	}
	return negated(c)
}

// negated is true where a comparison is false.
func negated(c graph.Compare) graph.Filter {
	if c.Op == graph.IsNull {
		c.Value = graph.Bool(!c.Value.Bool())
		return c
	}
	if op := opposite[c.Op]; op != "" {
		c.Op = op
		return c
	}
	return graph.Not{Filter: c}
}

// compareValues compares two values that no row has a part in. Of different
// kinds nothing is known.
func compareValues(a graph.Value, op graph.Op, b graph.Value) (holds, known bool) {
	var c int
	switch ka, kb := a.Kind(), b.Kind(); {
	case ka == graph.KindString && kb == graph.KindString:
		s, t := a.Text(), b.Text()
		switch op {
		case graph.Contains:
			return strings.Contains(s, t), true
		case graph.StartsWith:
			return strings.HasPrefix(s, t), true
		case graph.EndsWith:
			return strings.HasSuffix(s, t), true
		}
		c = strings.Compare(s, t)
	case ka == graph.KindBool && kb == graph.KindBool && (op == graph.Eq || op == graph.Ne):
		c = a.Compare(b)
	case ka == graph.KindInt && kb == graph.KindInt:
		c = a.Compare(b)
	default:
		x, y := number(a), number(b)
		if x == nil || y == nil {
			return false, false
		}
		c = x.Cmp(y)
	}
	switch op {
	case graph.Eq:
		return c == 0, true
	case graph.Ne:
		return c != 0, true
	case graph.Lt:
		return c < 0, true
	case graph.Lte:
		return c <= 0, true
	case graph.Gt:
		return c > 0, true
	case graph.Gte:
		return c >= 0, true
	}
	return false, false
}

// number is the exact size of a number, nil of anything else. One with a point
// is a double, as in CEL.
func number(v graph.Value) *big.Rat {
	switch v.Kind() {
	case graph.KindInt:
		return new(big.Rat).SetInt64(v.Int())
	case graph.KindFloat:
		return new(big.Rat).SetFloat64(v.Float())
	case graph.KindNumber:
		if s := v.Text(); integerText(s) {
			n, _ := new(big.Rat).SetString(s)
			return n
		}
		if f, err := strconv.ParseFloat(v.Text(), 64); err == nil {
			return new(big.Rat).SetFloat64(f)
		}
	}
	return nil
}

// in finds the rows whose property is in a list, or whether a claim is. An item
// that cannot be compared is unequal to everything, but whether the value is
// not in the list is then unknown.
func (ev *evaluation) in(r *rule, want bool) graph.Filter {
	items, known, ok := ev.items(r)
	if !ok {
		return never
	}
	p := r.a.prop
	if p == nil {
		a, ok := ev.value(&r.a)
		if !ok {
			return never
		}
		for _, v := range items {
			holds, comparable := compareValues(a, graph.Eq, v)
			if holds {
				return constant(want)
			}
			known = known && comparable
		}
		return constant(known && !want)
	}
	values := items[:0]
	for _, v := range items {
		if w, e := p.Coerce(v, false); e == nil {
			values = append(values, w)
		} else {
			known = false
		}
	}
	switch {
	case want:
		return oneOf([]graph.Filter{graph.Compare{Property: p.Name, Op: graph.In, Value: graph.List(values...)}})
	case !known:
		return never
	}
	return allOf([]graph.Filter{graph.Compare{Property: p.Name, Op: graph.NotIn, Value: graph.List(values...)}})
}

// items returns the values of a list that have one; known is false if there
// are others.
func (ev *evaluation) items(r *rule) (values []graph.Value, known, ok bool) {
	known = true
	if r.list != nil {
		for i := range r.list {
			v, ok := ev.value(&r.list[i])
			if !ok {
				known = false
				continue
			}
			values = append(values, v)
		}
		return values, known, true
	}
	list, ok := ev.claim(&r.b)
	if !ok {
		return nil, false, false
	}
	n, ok := claimLen(list)
	if !ok {
		return nil, false, false
	}
	for i := range n {
		if ev.spend() {
			return nil, false, false
		}
		v, ok := claimValue(claimAt(list, i))
		if !ok || v.IsNull() {
			known = false
			continue
		}
		values = append(values, v)
	}
	return values, known, true
}

// some finds the rows for which a condition holds with one of a list's items.
func (ev *evaluation) some(r *rule, want bool) graph.Filter {
	list, ok := ev.claim(&r.a)
	if !ok {
		return never
	}
	n, ok := claimLen(list)
	if !ok {
		return never
	}
	depth := len(ev.variables)
	found := make([]graph.Filter, 0, min(n, 16))
	for i := range n {
		ev.variables = append(ev.variables[:depth], claimAt(list, i))
		found = append(found, ev.rows(r.rules[0], want))
	}
	ev.variables = ev.variables[:depth]
	if want {
		return oneOf(found)
	}
	return allOf(found)
}

// walk finds the rows from which a walk leads to a node that makes the
// condition true; or from which it leads to no node but those that make it
// false.
func (ev *evaluation) walk(r *rule, want bool) graph.Filter {
	if ev.absent(r.walk) {
		return never // also the opposite: what is not seen permits nothing
	}
	to := ev.rows(r.rules[0], want)
	if !want {
		to = complement(to)
	}
	w := r.walk
	if isNever(to) {
		return constant(!want)
	}
	e := graph.Exists{Relationships: []graph.Step{{
		Types:     []string{w.pair.Type.Name},
		Direction: w.direction,
		To:        &graph.NodePattern{Label: w.to.Name, Filter: orNone(to)},
	}}}
	if want {
		return e
	}
	return graph.Not{Filter: e}
}
