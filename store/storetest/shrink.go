package storetest

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/tools"
)

// A counterexample is a graph and a call of it that a store answers wrongly.
type counterexample struct {
	world *world
	asked Asked
	kind  string // of the wrong answer, so that it does not become another
	want  []string
	got   []string
	// after is how many rows the pages before the wrong one have.
	after int
}

func newCounterexample(w *world, a Asked, v verdict) counterexample {
	c := counterexample{world: w, asked: a, kind: v.kind, want: v.want, got: v.got, after: a.Offset}
	c.asked.Offset = 0
	return c
}

// A shrinker makes a counterexample smaller by leaving out one thing after the other,
// as long as the answer stays wrong in the same way.
type shrinker struct {
	t    testing.TB
	open Opener
	best counterexample
	end  time.Time
}

// A scope is a part of a test with an end of its own.
type scope struct {
	testing.TB
	undo []func()
}

// Cleanup calls f at the end of the scope.
func (s *scope) Cleanup(f func()) { s.undo = append(s.undo, f) }

func (s *scope) close() {
	for len(s.undo) > 0 {
		last := s.undo[len(s.undo)-1]
		s.undo = s.undo[:len(s.undo)-1]
		last()
	}
}

// shrinkTime bounds how long a wrong answer is made smaller.
const shrinkTime = 30 * time.Second

// shrink returns the smallest counterexample it finds.
func (r *differential) shrink(a Asked, v verdict) counterexample {
	s := &shrinker{t: r.t, open: r.open, end: time.Now().Add(shrinkTime)}
	s.best = newCounterexample(r.world, a, v)
	for smaller := true; smaller && time.Now().Before(s.end); {
		smaller = false
		for _, pass := range []func() bool{s.fewerRelationships, s.smallerCall, s.fewerNodes, s.fewerPolicies, s.smallerSchema, s.fewerValues} {
			smaller = pass() || smaller
		}
	}
	return s.best
}

// try takes a candidate if it fails like the one before.
func (s *shrinker) try(w *world, a Asked) (taken bool) {
	if time.Now().After(s.end) {
		return false
	}
	defer func() {
		if recover() != nil { // a call that no longer fits the schema
			taken = false
		}
	}()
	one := &scope{TB: s.t}
	defer one.close()
	caller, ref, st, err := w.sides(one, s.open)
	if err != nil {
		return false
	}
	defer st.Close()
	r := &differential{}
	v := r.pages(caller, ref, &a, true)
	if !v.wrong() || v.kind != s.best.kind {
		return false
	}
	s.best = newCounterexample(w, a, v)
	return true
}

// without tries to leave out runs of items, long ones first.
func without[T any](list []T, try func(rest []T) bool) (smaller bool) {
	for size := max(1, len(list)/2); size > 0; size /= 2 {
		for at := 0; at < len(list); {
			rest := slices.Delete(slices.Clone(list), at, min(at+size, len(list)))
			if try(rest) {
				list, smaller = rest, true
			} else {
				at += size
			}
		}
	}
	return smaller
}

func (s *shrinker) fewerRelationships() bool {
	return without(s.best.world.rels, func(rels []relSpec) bool {
		w := *s.best.world
		w.rels = rels
		return s.try(&w, s.best.asked)
	})
}

func (s *shrinker) fewerNodes() bool {
	return without(s.best.world.nodes, func(nodes []nodeSpec) bool {
		w := *s.best.world
		w.nodes = nodes
		return s.try(&w, s.best.asked)
	})
}

// smallerSchema leaves out types, labels and properties.
func (s *shrinker) smallerSchema() bool {
	try := func(change func(*schemaSpec, *world)) bool {
		w := *s.best.world
		spec := *w.schema
		w.schema = &spec
		change(&spec, &w)
		return s.try(&w, s.best.asked)
	}
	smaller := without(s.best.world.schema.types, func(types []*typeSpec) bool {
		return try(func(spec *schemaSpec, _ *world) { spec.types = types })
	})
	smaller = without(s.best.world.schema.labels, func(labels []*labelSpec) bool {
		return try(func(spec *schemaSpec, _ *world) { spec.labels = labels })
	}) || smaller
	for _, t := range s.best.world.schema.types {
		smaller = len(t.pairs) > 1 && without(t.pairs, func(pairs []*pairSpec) bool {
			return len(pairs) > 0 && try(func(spec *schemaSpec, _ *world) {
				spec.types = replaced(spec.types, func(o *typeSpec) bool { return o.name == t.name }, &typeSpec{name: t.name, pairs: pairs})
			})
		}) || smaller
	}
	for _, l := range s.best.world.schema.labels {
		smaller = without(l.props, func(props []*propSpec) bool {
			return try(func(spec *schemaSpec, w *world) {
				changed := *l
				changed.props, changed.defaults = props, nil
				spec.labels = replaced(spec.labels, func(o *labelSpec) bool { return o.name == l.name }, &changed)
				w.nodes = slices.Clone(w.nodes)
				for i, n := range w.nodes {
					if n.label == l.name {
						w.nodes[i].values = kept(n.values, props)
					}
				}
			})
		}) || smaller
	}
	return smaller
}

func kept(values map[string]graph.Value, props []*propSpec) map[string]graph.Value {
	out := maps.Clone(values)
	maps.DeleteFunc(out, func(name string, _ graph.Value) bool { return propNamed(props, name) == nil })
	return out
}

func replaced[T any](list []T, is func(T) bool, by T) []T {
	out := slices.Clone(list)
	out[slices.IndexFunc(out, is)] = by
	return out
}

// fewerValues makes values null.
func (s *shrinker) fewerValues() bool {
	smaller := false
	for i := range s.best.world.nodes {
		for _, name := range slices.Sorted(maps.Keys(s.best.world.nodes[i].values)) {
			w := s.best.world.clone()
			w.nodes[i].values = maps.Clone(w.nodes[i].values)
			delete(w.nodes[i].values, name)
			smaller = s.try(w, s.best.asked) || smaller
		}
	}
	for i := range s.best.world.rels {
		for _, name := range slices.Sorted(maps.Keys(s.best.world.rels[i].values)) {
			w := s.best.world.clone()
			w.rels[i].values = maps.Clone(w.rels[i].values)
			delete(w.rels[i].values, name)
			smaller = s.try(w, s.best.asked) || smaller
		}
	}
	return smaller
}

// smallerCall leaves out members and elements of the call's arguments.
func (s *shrinker) smallerCall() bool {
	smaller := false
	for again := true; again; {
		again = false
		for _, c := range smallerArguments(Arguments(s.best.asked.Query), s.best.asked.Where) {
			tool, page := paged(asked(s.best.asked.Query))
			q, mistakes := tools.Graph(s.schema(), graph.Limits{}).Decode(tool, c.args)
			if len(mistakes) > 0 {
				continue
			}
			if s.try(s.best.world, Asked{Query: onPage(q, page), Where: c.where}) {
				again, smaller = true, true
				break
			}
		}
	}
	return smaller
}
