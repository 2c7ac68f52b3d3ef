package schema

import (
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// never holds for no row, and always for all.
var (
	never  graph.Filter = graph.Or{}
	always graph.Filter = graph.And{}
)

func constant(holds bool) graph.Filter {
	if holds {
		return always
	}
	return never
}

func isNever(f graph.Filter) bool {
	or, ok := f.(graph.Or)
	return ok && len(or) == 0
}

func isAlways(f graph.Filter) bool {
	and, ok := f.(graph.And)
	return ok && len(and) == 0
}

// orNone is nil for what always holds.
func orNone(f graph.Filter) graph.Filter {
	if isAlways(f) {
		return nil
	}
	return f
}

// allOf joins conditions that must all hold.
func allOf(list []graph.Filter) graph.Filter {
	var and graph.And
	for _, f := range list {
		if isNever(f) {
			return never
		}
		if nested, ok := f.(graph.And); ok {
			and = append(and, nested...)
		} else {
			and = append(and, f)
		}
	}
	and = joinValues(and, graph.Ne, graph.NotIn)
	and = joinWalks(and, false)
	if len(and) == 1 {
		return and[0]
	}
	return and
}

// oneOf joins conditions of which one must hold.
func oneOf(list []graph.Filter) graph.Filter {
	var or graph.Or
	for _, f := range list {
		if isAlways(f) {
			return always
		}
		if nested, ok := f.(graph.Or); ok {
			or = append(or, nested...)
		} else {
			or = append(or, f)
		}
	}
	or = joinValues(or, graph.Eq, graph.In)
	or = joinPrefixes(or)
	or = joinWalks(or, true)
	switch {
	case len(or) == 0:
		return never
	case len(or) == 1:
		return or[0]
	}
	return or
}

// joinValues makes one list of what a property is compared with: x == 1 or
// x == 2 is x in [1, 2]. The values are sorted, so that the order of a
// caller's claims makes no other guard.
func joinValues[L ~[]graph.Filter](list L, one, many graph.Op) L {
	joins := func(f graph.Filter) bool {
		c, ok := f.(graph.Compare)
		return ok && (c.Op == one || c.Op == many)
	}
	if !slices.ContainsFunc(list, joins) {
		return list
	}
	at := map[string]int{}
	out := list[:0:0]
	for _, f := range list {
		c, _ := f.(graph.Compare)
		if !joins(f) {
			out = append(out, f)
			continue
		}
		values := c.Value.List()
		if c.Op == one {
			values = []graph.Value{c.Value}
		}
		i, ok := at[c.Property]
		if !ok {
			i = len(out)
			at[c.Property] = i
			out = append(out, graph.Compare{Property: c.Property, Op: many})
		}
		first := out[i].(graph.Compare)
		first.Value = graph.List(append(first.Value.List(), values...)...)
		out[i] = first
	}
	kept := out[:0]
	for i, f := range out {
		c, _ := f.(graph.Compare)
		if !joins(f) || at[c.Property] != i {
			kept = append(kept, f)
			continue
		}
		values := slices.Clone(c.Value.List())
		slices.SortFunc(values, graph.Value.Compare)
		values = slices.CompactFunc(values, func(a, b graph.Value) bool { return a.Compare(b) == 0 })
		switch {
		case len(values) > 1:
			kept = append(kept, graph.Compare{Property: c.Property, Op: many, Value: graph.List(values...)})
		case len(values) == 1:
			kept = append(kept, graph.Compare{Property: c.Property, Op: one, Value: values[0]})
		case one == graph.Ne: // unequal to nothing: any value
			kept = append(kept, graph.Compare{Property: c.Property, Op: graph.IsNull, Value: graph.Bool(false)})
		}
	}
	return kept
}

// joinPrefixes leaves out prefixes that begin with another one.
func joinPrefixes(list graph.Or) graph.Or {
	byProperty := map[string][]string{}
	for _, f := range list {
		if c, ok := f.(graph.Compare); ok && c.Op == graph.StartsWith {
			byProperty[c.Property] = append(byProperty[c.Property], c.Value.Text())
		}
	}
	if len(byProperty) == 0 {
		return list
	}
	for name, prefixes := range byProperty {
		slices.Sort(prefixes)
		kept := prefixes[:0]
		for _, p := range prefixes {
			if len(kept) == 0 || !strings.HasPrefix(p, kept[len(kept)-1]) {
				kept = append(kept, p)
			}
		}
		byProperty[name] = kept
	}
	out := list[:0:0]
	for _, f := range list {
		c, ok := f.(graph.Compare)
		if !ok || c.Op != graph.StartsWith {
			out = append(out, f)
			continue
		}
		for _, p := range byProperty[c.Property] {
			out = append(out, graph.Compare{Property: c.Property, Op: graph.StartsWith, Value: graph.String(p)})
		}
		byProperty[c.Property] = nil
	}
	return out
}

// joinWalks makes one walk of walks over the same relationships: to the nodes
// that any of them looks for. Unless want, they are walks that must find
// nothing.
func joinWalks[L ~[]graph.Filter](list L, want bool) L {
	walks := func(f graph.Filter) (e graph.Exists, ok bool) {
		if want {
			e, ok = f.(graph.Exists)
		} else if not, isNot := f.(graph.Not); isNot {
			e, ok = not.Filter.(graph.Exists)
		}
		return e, ok
	}
	if !slices.ContainsFunc(list, func(f graph.Filter) bool { _, ok := walks(f); return ok }) {
		return list
	}
	type way struct {
		kind, label string
		direction   graph.Direction
	}
	at := map[way]int{}
	ends := map[way][]graph.Filter{}
	out := list[:0:0]
	for _, f := range list {
		e, ok := walks(f)
		if !ok {
			out = append(out, f)
			continue
		}
		step := e.Relationships[0]
		w := way{step.Types[0], step.To.Label, step.Direction}
		if _, ok := at[w]; !ok {
			at[w] = len(out)
			out = append(out, f)
		}
		end := step.To.Filter
		if end == nil {
			end = always
		}
		ends[w] = append(ends[w], end)
	}
	for w, i := range at {
		if len(ends[w]) < 2 {
			continue
		}
		var f graph.Filter = graph.Exists{Relationships: []graph.Step{{
			Types: []string{w.kind}, Direction: w.direction,
			To: &graph.NodePattern{Label: w.label, Filter: orNone(oneOf(ends[w]))},
		}}}
		if !want {
			f = graph.Not{Filter: f}
		}
		out[i] = f
	}
	return out
}

// complement holds exactly where a condition does not, null or not.
func complement(f graph.Filter) graph.Filter {
	switch f := f.(type) {
	case graph.And:
		return oneOf(complements(f))
	case graph.Or:
		return allOf(complements(f))
	case graph.Not:
		if c, ok := f.Filter.(graph.Compare); ok {
			return oneOf([]graph.Filter{c, isNull(c.Property)})
		}
		return f.Filter
	case graph.Compare:
		if f.Op == graph.IsNull {
			return negated(f)
		}
		return oneOf([]graph.Filter{negated(f), isNull(f.Property)})
	}
	return graph.Not{Filter: f}
}

func complements(list []graph.Filter) []graph.Filter {
	out := make([]graph.Filter, len(list))
	for i, f := range list {
		out[i] = complement(f)
	}
	return out
}

func isNull(property string) graph.Filter {
	return graph.Compare{Property: property, Op: graph.IsNull, Value: graph.Bool(true)}
}

// chained writes walks from walks as walks of several steps, where that says
// the same.
func chained(f graph.Filter) graph.Filter {
	switch f := f.(type) {
	case graph.And:
		out := make(graph.And, len(f))
		for i, part := range f {
			out[i] = chained(part)
		}
		return out
	case graph.Or:
		out := make(graph.Or, len(f))
		for i, part := range f {
			out[i] = chained(part)
		}
		return out
	case graph.Not:
		return graph.Not{Filter: chained(f.Filter)}
	case graph.Exists:
		step := f.Relationships[0]
		to := *step.To
		step.To = &to
		if to.Filter == nil {
			return f
		}
		to.Filter = chained(to.Filter)
		var further []graph.Step
		switch inner := to.Filter.(type) {
		case graph.Exists:
			to.Filter, further = nil, inner.Relationships
		case graph.And:
			i := slices.IndexFunc(inner, isWalk)
			rest := slices.Concat(inner[:max(i, 0)], inner[i+1:])
			if i < 0 || slices.ContainsFunc(rest, isWalk) {
				break
			}
			further = inner[i].(graph.Exists).Relationships
			to.Filter = rest
			if len(rest) == 1 {
				to.Filter = rest[0]
			}
		}
		return graph.Exists{Relationships: append([]graph.Step{step}, further...)}
	}
	return f
}

func isWalk(f graph.Filter) bool {
	_, ok := f.(graph.Exists)
	return ok
}

// weigh counts the comparisons of a condition, and the values in its lists.
func weigh(f graph.Filter) (comparisons, values int) {
	add := func(part graph.Filter) {
		c, v := weigh(part)
		comparisons, values = comparisons+c, values+v
	}
	switch f := f.(type) {
	case graph.And:
		for _, part := range f {
			add(part)
		}
	case graph.Or:
		for _, part := range f {
			add(part)
		}
	case graph.Not:
		add(f.Filter)
	case graph.Compare:
		return 1, len(f.Value.List())
	case graph.Exists:
		comparisons++
		for _, step := range f.Relationships {
			add(step.To.Filter)
		}
	}
	return comparisons, values
}
