package schema

import "github.com/trellisgraph/trellis/graph"

// A View is what one caller may see of a schema: a schema without what is
// invisible, and the conditions that policies put on rows. It is immutable and
// safe for concurrent use.
type View struct {
	schema *Schema
	labels map[*Label]graph.Filter
	pairs  map[*Pair]graph.Filter
	weight int // of the guards, in comparisons and values
}

// View returns what a caller may see of the schema; of a schema without
// policies, everything, whatever the scope. The error is NO_SCOPE if the schema
// has policies and there is no scope, or it lacks the tenant that they ask for,
// and FORBIDDEN if the scope's claims make more of a policy than can be
// evaluated.
//
// In the view's schema, properties that the caller may not see are Hidden, or
// Masked where a mask stands in; labels and pairs that no row of could be seen
// are not there at all. Callers with the same rights share one schema, so that
// what is cached by its hash serves them all. Its View method is that of the
// schema it comes from.
func (s *Schema) View(scope *graph.Scope) (*View, error) {
	s = s.Base()
	if !s.policies {
		return &View{schema: s}, nil
	}
	if scope == nil {
		return nil, &graph.Error{Code: graph.NoScope, Message: "this graph answers nobody without a scope", Hint: "the host sets the scope with graph.WithScope"}
	}
	if s.policySet.tenant && scope.Tenant == "" {
		return nil, &graph.Error{Code: graph.NoScope, Message: "this graph answers nobody without a tenant", Hint: "the host sets Scope.Tenant"}
	}
	return s.policySet.view(s, scope)
}

// Schema is what the caller may see. Its labels, pairs and properties are the
// view's own.
func (v *View) Schema() *Schema { return v.schema }

// Guard is the condition on a label's rows, a label of the view's schema. It
// is in negation normal form, its values have their properties' types, and it
// may name hidden and masked properties. Nil means that all rows are visible.
// Of a label that is not the view's, none is.
func (v *View) Guard(l *Label) graph.Filter {
	if !v.schema.policies {
		return nil
	}
	f, ok := v.labels[l]
	if !ok {
		return never
	}
	return f
}

// PairGuard is the condition on a pair's relationships, on their own
// properties; the rows at both ends have guards of their own.
func (v *View) PairGuard(p *Pair) graph.Filter {
	if !v.schema.policies {
		return nil
	}
	f, ok := v.pairs[p]
	if !ok {
		return never
	}
	return f
}

var errClaims = graph.Error{Code: graph.Forbidden, Message: "the caller's claims are too many to evaluate", Hint: "policies read lists of at most 1,000 items, and a guard has at most 2,000 comparisons"}

// evaluate gives the policies a caller's claims.
func (ps *policySet) evaluate(s *Schema, scope *graph.Scope) (*View, error) {
	ev := &evaluation{variables: []any{(*caller)(scope)}}
	labels := make(map[*Label]graph.Filter, len(s.labels))
	pairs := map[*Pair]graph.Filter{}
	tooMany := false
	weight := 1
	guard := func(p *policy) graph.Filter {
		if p == nil {
			return nil
		}
		f := chained(ev.all(p))
		comparisons, values := weigh(f)
		tooMany = tooMany || comparisons > maxComparisons || values > maxGuardValues
		weight += comparisons + values
		return orNone(f)
	}
	for _, t := range s.types {
		for _, p := range t.Pairs {
			pairs[p] = guard(ps.pairs[p])
		}
	}
	// Policies that walk come last: what they walk over is known then.
	for _, walks := range []bool{false, true} {
		for _, l := range s.labels {
			if p := ps.labels[l]; (p != nil && len(p.walks) > 0) == walks {
				labels[l] = guard(p)
			}
		}
		ev.absent = func(w *walk) bool { return isNever(labels[w.to]) || isNever(pairs[w.pair]) }
	}
	seen := ps.structure(s, ev, labels, pairs)
	if ev.over || tooMany {
		e := errClaims
		return nil, &e
	}
	shown := ps.views.schema(seen, func() *Schema { return s.part(seen) })
	v := &View{schema: shown, labels: make(map[*Label]graph.Filter, len(shown.labels)), pairs: map[*Pair]graph.Filter{}, weight: weight}
	for l, f := range labels {
		if own := shown.byLabel[l.Name]; own != nil {
			v.labels[own] = f
		}
	}
	for p, f := range pairs {
		if own := shown.pairOf(p); own != nil {
			v.pairs[own] = f
		}
	}
	return v, nil
}

// pairOf returns the view's pair for one of the schema that it comes from.
func (s *Schema) pairOf(p *Pair) *Pair {
	t := s.byType[p.Type.Name]
	if t == nil {
		return nil
	}
	for _, own := range t.Pairs {
		if own.From.Name == p.From.Name && own.To.Name == p.To.Name {
			return own
		}
	}
	return nil
}
