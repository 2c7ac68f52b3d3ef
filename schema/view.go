package schema

import "github.com/trellisgraph/trellis/graph"

// A View is what one caller may see of a schema: a schema without what is
// invisible, and the conditions that policies put on rows. It is immutable and
// safe for concurrent use.
type View struct {
	schema *Schema
	labels map[*Label]graph.Filter
	pairs  map[*Pair]graph.Filter
}

// View returns what a caller may see of the schema; of a schema without
// policies, everything, whatever the scope. The error is NO_SCOPE if the schema
// has policies and there is no scope, or it lacks the tenant that they ask for.
//
// In the view's schema, properties that the caller may not see are Hidden, or
// Masked where a mask stands in; labels and pairs that no row of could be seen
// are not there at all. Callers with the same rights share one schema, so that
// what is cached by its hash serves them all.
func (s *Schema) View(scope *graph.Scope) (*View, error) {
	if !s.policies {
		return &View{schema: s}, nil
	}
	if scope == nil {
		return nil, &graph.Error{Code: graph.NoScope, Message: "this graph answers nobody without a scope", Hint: "the host sets the scope with graph.WithScope"}
	}
	return nil, &graph.Error{Code: graph.Unsupported, Message: "policies are not evaluated"}
}

// Schema is what the caller may see. Its labels, pairs and properties are the
// view's own.
func (v *View) Schema() *Schema { return v.schema }

// Guard is the condition on a label's rows, a label of the view's schema. It
// may name hidden properties. Nil means that all rows are visible.
func (v *View) Guard(l *Label) graph.Filter { return v.labels[l] }

// PairGuard is the condition on a pair's relationships, on their own
// properties; the rows at both ends have guards of their own.
func (v *View) PairGuard(p *Pair) graph.Filter { return v.pairs[p] }
