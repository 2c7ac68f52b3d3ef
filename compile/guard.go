package compile

import (
	"errors"
	"fmt"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// Rights reach a plan in one way. A reference to a table is made with a guard,
// which all references to the same label or pair share; when the shape of the
// plan is known, guards walks through it, asks the schema's policies and the
// host for the condition of every guard that it meets, and puts it in. A guard
// without its condition is refused by Verify, so that what is forgotten is
// closed and not open.
//
// The values of guards take their slots in the order in which the plan comes
// by them, behind those of the query: where a slot lies depends on the plan's
// shape alone.

// A guard is what the caller's rights ask of the rows of a label or of a pair.
type guard struct {
	label *schema.Label // or
	pair  *schema.Pair
	// cond is nil until it is asked for.
	cond  Cond
	asked bool
}

func (g *guard) condition() Cond {
	if g == nil {
		return nil
	}
	return g.cond
}

// restricts reports whether a guard leaves some rows out.
func restricts(guard Cond) bool { return guard != nil && guard != Const(true) }

// Guarded says what a guard is asked for: the nodes of a label, or the
// relationships of a type between two labels.
type Guarded struct {
	Label          string // or
	Type, From, To string
}

// rights are where guards come from, and those that one query has.
type rights struct {
	view   *schema.View
	host   func(scope *graph.Scope, on Guarded) (graph.Filter, error)
	labels map[*schema.Label]*guard
	pairs  map[*schema.Pair]*guard
	// within says that what is asked for is walked over by another guard.
	within bool
}

// enter finds out what the caller may see. It reports whether there is anything
// to go on with.
func (k *checker) enter(s *schema.Schema) bool {
	k.schema, k.plan.Schema = s, s
	if k.plan.guarded = s.HasPolicies() || k.hostGuard != nil; !k.plan.guarded {
		return true
	}
	view, err := s.View(k.scope)
	if err != nil {
		k.refuse(err, graph.Internal, "the caller's rights could not be told")
		return false
	}
	if k.hostGuard != nil && k.scope == nil {
		k.report(errNoScope())
		return false
	}
	k.schema = view.Schema()
	k.plan.Schema = k.schema
	k.rights = rights{view: view, host: k.hostGuard, labels: map[*schema.Label]*guard{}, pairs: map[*schema.Pair]*guard{}}
	return true
}

// refuse reports the failure of something that callers must not learn more of;
// only what is Trellis's own error says more itself.
func (k *checker) refuse(err error, code graph.Code, message string) {
	var known *graph.Error
	if errors.As(err, &known) && code == graph.Internal {
		k.report(known)
		return
	}
	k.report(&graph.Error{Code: code, Message: message, Cause: err})
}

// node refers to a label's rows, and rel to a pair's. They are the only makers
// of such references: whatever the scope's rights ask for is put on here.
func (k *checker) node(l *schema.Label) NodeRef {
	r := NodeRef{label: l, sealed: true}
	if k.plan.guarded {
		if r.guard = k.rights.labels[l]; r.guard == nil {
			r.guard = &guard{label: l}
			k.rights.labels[l] = r.guard
		}
	}
	return r
}

func (k *checker) rel(p *schema.Pair) RelRef {
	r := RelRef{pair: p, sealed: true}
	if k.plan.guarded {
		if r.guard = k.rights.pairs[p]; r.guard == nil {
			r.guard = &guard{pair: p}
			k.rights.pairs[p] = r.guard
		}
	}
	return r
}

// guards puts their conditions into the guards of a plan. It does nothing for
// those that have theirs, and after a mistake.
func (k *checker) guards(root Root) {
	if !k.plan.guarded || len(k.errs) > 0 {
		return
	}
	refs := references{
		node: func(r NodeRef) { k.ask(r.guard) },
		rel:  func(r RelRef) { k.ask(r.guard) },
	}
	refs.root(root)
}

// ask puts its condition into a guard.
func (k *checker) ask(g *guard) {
	if len(k.errs) > 0 {
		return
	}
	if !g.asked {
		g.asked = true
		k.put(g)
	} else if g.cond == nil {
		k.badGuard(g, errors.New("the guard walks over itself"))
	}
	if k.rights.within && walks(g.cond) {
		k.badGuard(g, errors.New("the guard walks, and a guard that walks goes over it"))
	}
}

func (k *checker) put(g *guard) {
	on, own := Guarded{}, graph.Filter(nil)
	var l lowering
	if g.label != nil {
		on.Label, own = g.label.Name, k.rights.view.Guard(g.label)
		l = lowering{checker: k, label: g.label, property: g.label.Property}
	} else {
		on.Type, on.From, on.To, own = g.pair.Type.Name, g.pair.From.Name, g.pair.To.Name, k.rights.view.PairGuard(g.pair)
		l = lowering{checker: k, property: g.pair.Property}
	}
	cond, err := l.guard(own)
	if err != nil {
		k.badGuard(g, err)
		return
	}
	if k.rights.host != nil {
		filter, err := askHost(k.rights.host, k.scope, on)
		if err != nil {
			k.report(&graph.Error{Code: graph.Forbidden, Message: "the call is not allowed", Cause: err})
			return
		}
		more, err := l.guard(filter)
		if err != nil {
			k.badGuard(g, err)
			return
		}
		cond = both(cond, more)
	}
	g.cond = cond
	k.plan.guards = append(k.plan.guards, g)
}

// askHost asks the host's function. That it fails, in whatever way, denies.
func askHost(host func(*graph.Scope, Guarded) (graph.Filter, error), scope *graph.Scope, on Guarded) (f graph.Filter, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the host's guard panicked: %v", p)
		}
	}()
	return host(scope, on)
}

func (k *checker) badGuard(g *guard, err error) {
	k.report(&graph.Error{Code: graph.Internal, Message: "the caller's rights could not be told", Cause: fmt.Errorf("guard of %s: %w", g.name(), err)})
}

// name is what the guard is put on.
func (g *guard) name() string {
	if g.label != nil {
		return g.label.Name
	}
	return pairName(g.pair)
}

func pairName(p *schema.Pair) string {
	return p.Type.Name + "(" + p.From.Name + "," + p.To.Name + ")"
}

// both is the condition that two guards must hold.
func both(a, b Cond) Cond {
	switch {
	case a == Const(true):
		return b
	case b == Const(true):
		return a
	}
	return And{a, b}
}

// walks reports whether a condition goes over relationships.
func walks(c Cond) bool {
	found := false
	eachExists(c, func(Exists) { found = true })
	return found
}

// eachExists calls f with the outermost Exists of a condition.
func eachExists(c Cond, f func(Exists)) {
	switch c := c.(type) {
	case And:
		for _, d := range c {
			eachExists(d, f)
		}
	case Or:
		for _, d := range c {
			eachExists(d, f)
		}
	case Not:
		eachExists(c.Cond, f)
	case Exists:
		f(c)
	}
}

// Guards tell what the caller's rights put on each label and pair that the plan
// refers to, such as "document: tenant = ?", without values; what is open to
// the caller is "true". Nil where no call depends on who makes it.
func (p *Plan) Guards() []string {
	if !p.guarded {
		return nil
	}
	out := make([]string, len(p.guards))
	for i, g := range p.guards {
		w := planText{plan: p}
		w.guard(g)
		out[i] = string(w.b)
	}
	return out
}

// guards writes the guards of a plan, each once.
func (w *planText) guards() {
	for i, g := range w.plan.guards {
		if i == 0 {
			w.put("\n  guard ")
		} else {
			w.put("; ")
		}
		w.guard(g)
	}
}

func (w *planText) guard(g *guard) {
	w.put(g.name(), ": ")
	w.cond(g.cond, 0)
}
