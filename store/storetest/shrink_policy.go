package storetest

import (
	"maps"
	"slices"

	"github.com/trellisgraph/trellis/graph"
)

// fewerPolicies opens what a policy hides, and takes away claims.
func (s *shrinker) fewerPolicies() bool {
	if s.best.world.asking == nil {
		return false
	}
	smaller := false
	try := func(change func(*schemaSpec)) {
		w := *s.best.world
		w.schema = w.schema.clone()
		change(w.schema)
		smaller = s.try(&w, s.best.asked) || smaller
	}
	for i, l := range s.best.world.schema.labels {
		if l.policy != "public" {
			try(func(spec *schemaSpec) { spec.labels[i].policy = "public" })
		}
		for j, p := range l.props {
			if p.hidden || p.visibleIf != "" {
				try(func(spec *schemaSpec) { spec.labels[i].props[j].open() })
			}
		}
	}
	for i, t := range s.best.world.schema.types {
		for j, pair := range t.pairs {
			if pair.policy != "" {
				try(func(spec *schemaSpec) { spec.types[i].pairs[j].policy = "" })
			}
			for n, p := range pair.props {
				if p.hidden || p.visibleIf != "" {
					try(func(spec *schemaSpec) { spec.types[i].pairs[j].props[n].open() })
				}
			}
		}
	}
	asking := s.best.world.asking
	for _, name := range slices.Sorted(maps.Keys(asking.Claims)) {
		w := *s.best.world
		w.asking = &graph.Scope{Tenant: asking.Tenant, Principal: asking.Principal, TokenID: asking.TokenID, Claims: maps.Clone(s.best.world.asking.Claims)}
		delete(w.asking.Claims, name)
		smaller = s.try(&w, s.best.asked) || smaller
	}
	return smaller
}

// open shows a property to everyone.
func (p *propSpec) open() { p.hidden, p.visibleIf, p.mask = false, "", "" }

// clone copies a schema down to its properties.
func (s *schemaSpec) clone() *schemaSpec {
	props := func(list []*propSpec) []*propSpec {
		out := make([]*propSpec, len(list))
		for i, p := range list {
			c := *p
			out[i] = &c
		}
		return out
	}
	out := &schemaSpec{}
	for _, l := range s.labels {
		c := *l
		c.props = props(l.props)
		out.labels = append(out.labels, &c)
	}
	for _, t := range s.types {
		c := &typeSpec{name: t.name}
		for _, p := range t.pairs {
			pc := *p
			pc.props = props(p.props)
			c.pairs = append(c.pairs, &pc)
		}
		out.types = append(out.types, c)
	}
	return out
}
