package storetest

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// schema is the schema of the best counterexample.
func (s *shrinker) schema() *schema.Schema {
	g, err := s.best.world.build()
	if err != nil {
		s.t.Fatal(err) // it was built before
	}
	return g.Schema()
}

// A candidate is a call's arguments with something left out.
type candidate struct {
	args  []byte
	where map[string]graph.Filter
}

// smallerArguments lists the ways to leave one member or element out of a
// call, or to put a part of a where expression in its place.
func smallerArguments(args []byte, where map[string]graph.Filter) []candidate {
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	var root any
	if d.Decode(&root) != nil {
		return nil
	}
	var out []candidate
	put := func(more map[string]graph.Filter) {
		b, err := json.Marshal(root)
		if err == nil {
			out = append(out, candidate{b, more})
		}
	}
	var visit func(v any, set func(any))
	visit = func(v any, set func(any)) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				member := v[name]
				delete(v, name)
				put(where)
				v[name] = member
				if text, ok := member.(string); ok && name == "where" {
					parts := partsOf(where[text])
					for _, part := range slices.Sorted(maps.Keys(parts)) {
						v[name] = part
						more := maps.Clone(where)
						more[part] = parts[part]
						put(more)
					}
					v[name] = member
				}
				visit(member, func(x any) { v[name] = x })
			}
		case []any:
			for i := range v {
				set(slices.Delete(slices.Clone(v), i, i+1))
				put(where)
			}
			set(v)
			for i := range v {
				visit(v[i], func(x any) { v[i] = x })
			}
		}
	}
	visit(root, func(any) {})
	return out
}

// partsOf lists the expressions that an expression is made of. Their literals
// tell the types of their properties.
func partsOf(f graph.Filter) map[string]graph.Filter {
	var parts []graph.Filter
	less := func(list []graph.Filter, make func([]graph.Filter) graph.Filter) {
		parts = append(parts, list...)
		for i := range list {
			if len(list) > 2 {
				parts = append(parts, make(slices.Delete(slices.Clone(list), i, i+1)))
			}
		}
	}
	switch f := f.(type) {
	case graph.And:
		less(f, func(l []graph.Filter) graph.Filter { return graph.And(l) })
	case graph.Or:
		less(f, func(l []graph.Filter) graph.Filter { return graph.Or(l) })
	case graph.Not:
		parts = append(parts, f.Filter)
		for _, inner := range partsOf(f.Filter) {
			parts = append(parts, graph.Not{Filter: inner})
		}
	}
	out := map[string]graph.Filter{}
	for _, p := range parts {
		out[celText(p)] = p
	}
	return out
}
