package compile

import (
	"errors"
	"fmt"
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A lowering turns the filter of a guard into a condition. Unlike a caller's
// filter it may name hidden properties, and use any with every operator that its
// type has; it comes from policies or from the host, so what is wrong with it
// is nobody's to mend.
type lowering struct {
	*checker
	label    *schema.Label // nil for a pair
	property func(name string) (*schema.Property, bool)
	hops     int // of Exists around it
	depth    int
}

const (
	// maxGuardDepth is how deep a guard may nest.
	maxGuardDepth = 64
	// maxGuardHops is how many hops a guard may go, one Exists within another.
	maxGuardHops = 3
)

// guard lowers the whole of a guard; nil leaves all rows visible.
func (l lowering) guard(f graph.Filter) (Cond, error) {
	if f == nil {
		return Const(true), nil
	}
	return l.lower(f)
}

func (l lowering) lower(f graph.Filter) (Cond, error) {
	if l.depth++; l.depth > maxGuardDepth {
		return nil, fmt.Errorf("it nests more than %d levels deep", maxGuardDepth)
	}
	switch f := f.(type) {
	case graph.And:
		return l.all(f, true)
	case graph.Or:
		return l.all(f, false)
	case graph.Not:
		c, err := l.lower(f.Filter)
		if value, constant := c.(Const); constant && err == nil {
			return !value, nil
		}
		return Not{c}, err
	case graph.Compare:
		return l.compare(f)
	case graph.Exists:
		return l.exists(f)
	}
	return nil, fmt.Errorf("%T is no condition of a guard", f)
}

// all lowers a conjunction, or a disjunction: neutral is what an empty one is.
func (l lowering) all(list []graph.Filter, neutral bool) (Cond, error) {
	conds := make([]Cond, 0, len(list))
	decided := false
	for _, f := range list {
		c, err := l.lower(f)
		if err != nil {
			return nil, err
		}
		if value, constant := c.(Const); constant {
			decided = decided || bool(value) != neutral
			continue
		}
		conds = append(conds, c)
	}
	switch {
	case decided:
		return Const(!neutral), nil
	case len(conds) == 0:
		return Const(neutral), nil
	case len(conds) == 1:
		return conds[0], nil
	case neutral:
		return And(conds), nil
	}
	return Or(conds), nil
}

func (l lowering) compare(f graph.Compare) (Cond, error) {
	p, ok := l.property(f.Property)
	if !ok {
		return nil, fmt.Errorf("there is no property %q", f.Property)
	}
	c := Compare{Property: p, Op: f.Op, Slot: Slot(len(l.plan.Params))}
	if c.Op == "" {
		c.Op = graph.Eq
	}
	if !slices.Contains(opsOf(&schema.Property{Type: p.Type}), c.Op) {
		return nil, fmt.Errorf("%q does not take the operator %s", p.Name, c.Op)
	}
	switch c.Op {
	case graph.IsNull:
		if f.Value.Kind() != graph.KindBool {
			return nil, fmt.Errorf("is_null of %q takes true or false", p.Name)
		}
		c.Null = f.Value.Bool()
		return c, nil
	case graph.In, graph.NotIn:
		if f.Value.Kind() != graph.KindList {
			return nil, fmt.Errorf("%s of %q takes a list", c.Op, p.Name)
		}
		for _, v := range f.Value.List() {
			if err := l.value(p, v); err != nil {
				return nil, err
			}
			c.N++
		}
		l.pad(c.N, 1)
		return c, nil
	}
	c.N = 1
	return c, l.value(p, f.Value)
}

// value takes a value into the plan.
func (l lowering) value(p *schema.Property, v graph.Value) error {
	out, bad := p.Coerce(v, false)
	if bad != nil {
		return fmt.Errorf("%q: %s", p.Name, bad.Message)
	}
	l.slot(out)
	return nil
}

// exists lowers a walk. Along types or to labels that the caller does not see
// it leads nowhere.
func (l lowering) exists(f graph.Exists) (Cond, error) {
	if l.label == nil {
		return nil, errors.New("a relationship leads nowhere by itself")
	}
	if l.rights.within {
		return nil, errors.New("the guard walks, and a guard that walks goes over it")
	}
	if l.hops += len(f.Relationships); len(f.Relationships) == 0 || l.hops > maxGuardHops {
		return nil, fmt.Errorf("a guard walks 1 to %d hops", maxGuardHops)
	}
	var x Exists
	from := []*schema.Label{l.label}
	for i := range f.Relationships {
		step, err := l.step(from, &f.Relationships[i])
		if err != nil {
			return nil, err
		}
		if len(step.Moves) == 0 {
			return Const(false), nil
		}
		x.Steps = append(x.Steps, step)
		from = from[:0:0]
		for _, end := range step.Ends {
			from = append(from, end.label)
		}
	}
	l.rights.within = true
	references{
		node: func(r NodeRef) { l.ask(r.guard) },
		rel:  func(r RelRef) { l.ask(r.guard) },
	}.steps(x.Steps)
	l.rights.within = false
	return x, nil
}

// step lowers one hop.
func (l lowering) step(from []*schema.Label, s *graph.Step) (*Expand, error) {
	if s.MinHops > 1 || s.MaxHops > 1 {
		return nil, errors.New("the steps of a guard are single hops")
	}
	var types []*schema.RelationshipType
	for _, name := range s.Types {
		if t, ok := l.schema.Relationship(name); ok {
			types = append(types, t)
		}
	}
	x := &Expand{Min: 1, Max: 1}
	for _, at := range from {
		for _, m := range l.movesFrom(at, types, l.direction(nil, s.Direction, graph.Outgoing)) {
			if s.To != nil && m.Target.label.Name != s.To.Label {
				continue
			}
			if s.Filter != nil {
				var err error
				if m.Cond, err = (lowering{checker: l.checker, property: m.Rel.pair.Property, hops: l.hops, depth: l.depth}).guard(s.Filter); err != nil {
					return nil, err
				}
			}
			x.Moves = append(x.Moves, m)
			if !slices.ContainsFunc(x.Ends, func(n *NodeSet) bool { return n.label == m.Target.label }) {
				x.Ends = append(x.Ends, &NodeSet{NodeRef: m.Target, Keys: Keys{N: -1}})
			}
		}
	}
	if s.To == nil {
		return x, nil
	}
	if to := s.To; to.IDs != nil || to.Where != "" || to.Search != "" || to.Related != nil {
		return nil, errors.New("a guard has no other conditions on a node than filters")
	}
	for _, end := range x.Ends {
		var err error
		below := lowering{checker: l.checker, label: end.label, property: end.label.Property, hops: l.hops, depth: l.depth}
		if end.Cond, err = below.guard(s.To.Filter); err != nil {
			return nil, err
		}
		if end.Cond == Const(true) {
			end.Cond = nil
		}
	}
	return x, nil
}
