package compile

import (
	"math"
	"slices"
	"strconv"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// access estimates how a set of nodes is got at, and returns how many nodes it
// has. at is the place in the arguments that asks for it.
//
// Guards narrow what is read as conditions do, where nodes are got at through
// them. They cost nothing more, and are not thought to thin out what a walk
// reaches: what is related is mostly visible to the same callers.
func (k *estimator) access(e *Estimate, at string, n *NodeSet) float64 {
	total := k.stats.nodes(n.label)
	guard, semis := unfolded(n)
	cond := joined(guard, n.Cond)
	way := k.way(n.label, cond)
	if n.Keys.N >= 0 {
		way = reading{rows: math.Min(float64(n.Keys.N), total), how: "by key"}
	}
	matched := total
	if n.Keys.N >= 0 {
		matched = way.rows
	}
	matched *= k.share(cond, n.label, nil)

	direct := &Estimate{}
	p := part{at: at}
	if way.how == "" {
		p.scan, way.how = n.label, "all of them"
	}
	text := 0.0
	if textCompared(n.Cond, way.by) {
		text = way.rows
		way.how += ", comparing texts"
	}
	direct.add(p, way.rows, text, 0, k.line("%v: %v read, %v", n.label.Name, way.rows, way.how))
	tested := way.rows * k.share(cond, n.label, way.by)
	best := direct
	tests := &Estimate{}
	for i, semi := range semis {
		here := semiAt(at, n, i)
		back, reached := k.semiBack(here, n, semi)
		// The semi-join may also be the way to the nodes: those it reaches are
		// read, and the rest is tested on them.
		if from, ok := k.throughSemi(n, semis, i, back, reached, cond, at); ok && n.Keys.N < 0 {
			best = cheaper(best, from)
		}
		tests.join(cheaper(k.semiAhead(here, n, semi, tested), back))
		matched *= k.semiShare(n.label, semi, reached)
	}
	direct.join(tests)
	e.join(cheaper(direct, best))
	return matched
}

// unfolded returns a set's guard, and its semi-joins with those that the guard
// asks for after them.
func unfolded(n *NodeSet) (Cond, []*Semi) {
	semis := n.Related
	var rest And
	var unfold func(c Cond)
	unfold = func(c Cond) {
		switch c := c.(type) {
		case And:
			for _, part := range c {
				unfold(part)
			}
		case Exists:
			semis = append(semis[:len(semis):len(semis)], &Semi{Steps: c.Steps})
		case nil:
		default:
			rest = append(rest, c)
		}
	}
	unfold(n.Guard())
	if len(rest) == 0 {
		return nil, semis
	}
	return rest, semis
}

// semiAt is the place that asks for a semi-join: guards have none.
func semiAt(at string, n *NodeSet, i int) string {
	if i < len(n.Related) {
		return at + "/related/" + strconv.Itoa(i)
	}
	return at
}

// A reading is a way to the nodes of a label: how many are read, how, and which
// condition is known to hold of them. An empty how means all of them.
type reading struct {
	rows float64
	how  string
	by   Cond
}

// way finds the cheapest way to the nodes that fulfil a condition.
func (k *estimator) way(l *schema.Label, c Cond) reading {
	best := reading{rows: k.stats.nodes(l)}
	switch c := c.(type) {
	case And:
		for _, part := range c {
			if r := k.way(l, part); r.how != "" && r.rows <= best.rows {
				best = r
			}
		}
	case Or:
		sum := reading{how: "by indexes", by: c}
		for _, part := range c {
			r := k.way(l, part)
			if r.how == "" {
				return best
			}
			sum.rows += r.rows
		}
		if sum.rows <= best.rows {
			return sum
		}
	case Const:
		if !c {
			return reading{how: "since nothing can match", by: c}
		}
	case Compare:
		p := c.Property
		if !p.Index && p != l.Key[0] {
			return best
		}
		switch c.Op {
		case graph.Eq, graph.In, graph.Lt, graph.Lte, graph.Gt, graph.Gte, graph.StartsWith:
			how := "by the index on " + p.Name
			if l.IsKey(p) {
				how = "by key"
			}
			return reading{rows: best.rows * k.share(c, l, nil), how: how, by: c}
		}
	}
	return best
}

// share is the part of a label's nodes for which a condition holds, from 0 to
// 1; of those for which given holds already, if it is one of the conditions. l
// is nil for relationships.
func (k *estimator) share(c Cond, l *schema.Label, given Cond) float64 {
	if c == nil || given != nil && same(c, given) {
		return 1
	}
	switch c := c.(type) {
	case And:
		s := 1.0
		for _, part := range c {
			s *= k.share(part, l, given)
		}
		return s
	case Or:
		none := 1.0
		for _, part := range c {
			none *= 1 - k.share(part, l, given)
		}
		return 1 - none
	case Not:
		return 1 - k.share(c.Cond, l, nil)
	case Const:
		if c {
			return 1
		}
		return 0
	case Compare:
		return k.compareShare(c, l)
	case Search:
		return unknownShare
	case Exists:
		if l != nil {
			semi := &Semi{Steps: c.Steps}
			_, reached := k.semiBack("", &NodeSet{NodeRef: NodeRef{label: l}}, semi)
			return k.semiShare(l, semi, reached)
		}
	}
	return 0.5
}

func (k *estimator) compareShare(c Compare, l *schema.Label) float64 {
	some, distinct := k.stats.values(l, c.Property)
	switch c.Op {
	case graph.Eq:
		return some / distinct
	case graph.Ne:
		return some * (1 - 1/distinct)
	case graph.In:
		return some * math.Min(1, float64(c.N)/distinct)
	case graph.NotIn:
		return some * math.Max(0, 1-float64(c.N)/distinct)
	case graph.Lt, graph.Lte, graph.Gt, graph.Gte:
		return some / 3
	case graph.IsNull:
		if c.Null {
			return 1 - some
		}
		return some
	}
	return some * unknownShare // the patterns
}

// same compares conditions of one plan: a slot has one place.
func same(a, b Cond) bool {
	x, ok := a.(Compare)
	y, also := b.(Compare)
	if ok && also {
		return x == y
	}
	o, ok := a.(Or)
	r, also := b.(Or)
	return ok && also && len(o) == len(r) && (len(o) == 0 || &o[0] == &r[0])
}

// textCompared reports whether a condition compares texts, apart from what is
// known to hold.
func textCompared(c, given Cond) bool {
	if given != nil && same(c, given) {
		return false
	}
	compared := func(c Cond) bool { return textCompared(c, given) }
	switch c := c.(type) {
	case And:
		return slices.ContainsFunc(c, compared)
	case Or:
		return slices.ContainsFunc(c, compared)
	case Not:
		return compared(c.Cond)
	case Search:
		return true
	case Compare:
		return c.Property.Type == schema.String && c.Op != graph.IsNull
	}
	return false
}

// joined is the conjunction of two conditions, either of which may be missing.
func joined(a, b Cond) Cond {
	switch {
	case always(a):
		return b
	case always(b):
		return a
	}
	return And{a, b}
}

// semiBack estimates a semi-join from its far end, for all nodes at once, and
// how many nodes it reaches.
func (k *estimator) semiBack(at string, n *NodeSet, semi *Semi) (*Estimate, float64) {
	e := &Estimate{}
	last := semi.Steps[len(semi.Steps)-1].Ends
	var reached frontier
	for _, end := range last {
		reached = reached.with(end.label, k.access(e, stepAt(at, len(semi.Steps)-1)+"/to", end))
	}
	for i := len(semi.Steps) - 1; i >= 0; i-- {
		named := i == len(semi.Steps)-1 && len(last) == 1 && last[0].Keys.N == 1
		reached = k.step(e, stepAt(at, i), semi.Steps[i], reached, named, true)
		if i > 0 {
			reached = k.test(e, stepAt(at, i-1)+"/to", semi.Steps[i-1].Ends, reached)
		}
	}
	return e, reached.of(n.label)
}

// semiAhead estimates a semi-join that is tested on each of some nodes. One
// that asks for a single path ends, on average, half way.
func (k *estimator) semiAhead(at string, n *NodeSet, semi *Semi, nodes float64) *Estimate {
	one := &Estimate{}
	reached := frontier{}.with(n.label, 1)
	for i, x := range semi.Steps {
		reached = k.step(one, stepAt(at, i), x, reached, false, false)
		reached = k.test(one, stepAt(at, i)+"/to", x.Ends, reached)
	}
	if semi.Count == nil {
		nodes /= 2
	}
	e := &Estimate{Rows: one.Rows * nodes, Relationships: one.Relationships * nodes, Cost: one.Cost * nodes}
	e.worst = part{cost: e.Cost, at: at, walk: true}
	if k.tell {
		e.Parts = []string{k.line("related: tested on each of %v, %v relationships", nodes, e.Relationships)}
	}
	return e
}

// throughSemi estimates a set got at through one of its semi-joins.
func (k *estimator) throughSemi(n *NodeSet, semis []*Semi, through int, back *Estimate, reached float64, cond Cond, at string) (*Estimate, bool) {
	if semi := semis[through]; semi.None || semi.Count != nil {
		return nil, false // nodes that it does not reach may belong to the set
	}
	e := &Estimate{}
	e.join(back)
	text := 0.0
	if textCompared(n.Cond, nil) {
		text = reached
	}
	e.add(part{at: at}, reached, text, 0, k.line("%v: %v read, those related", n.label.Name, reached))
	tested := reached * k.share(cond, n.label, nil)
	for i, other := range semis {
		if i == through {
			continue
		}
		here := semiAt(at, n, i)
		far, _ := k.semiBack(here, n, other)
		e.join(cheaper(k.semiAhead(here, n, other, tested), far))
	}
	return e, true
}

// semiShare is the part of a label's nodes for which a semi-join holds that
// reaches so many of them.
func (k *estimator) semiShare(l *schema.Label, semi *Semi, reached float64) float64 {
	share := 0.0
	if total := k.stats.nodes(l); total > 0 {
		share = math.Min(1, reached/total)
	}
	switch {
	case semi.None:
		return 1 - share
	case semi.Count != nil:
		return math.Max(share, unknownShare) / 3
	}
	return share
}
