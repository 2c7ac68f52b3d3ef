package storetest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
)

// fewerRights makes the same calls with more and with fewer rights: what is
// answered with fewer must be a part of what is answered with more.
func fewerRights(t *testing.T, open Opener, opts IsolationOptions) {
	opts.graphs(t, opts.Pairs, everyOther, func(t *testing.T, w *world, d dice, calls int) (made int) {
		limits := generous
		wide := pickOne(d, w.scopes)
		narrow := d.fewer(wide)
		more, err := w.viewer(wide, limits)
		require.NoError(t, err, "%s\n%s", scopeJSON(wide), w.schema.yaml())
		less, err := w.viewer(narrow, limits)
		require.NoError(t, err, "%s\n%s", scopeJSON(narrow), w.schema.yaml())
		if len(less.ref.vertices) == 0 || !less.within(more) {
			return 0
		}
		g, err := w.build()
		require.NoError(t, err)
		st := open(t, g)
		defer func() { require.NoError(t, st.Close()) }()
		caller := w.caller(st, g.Schema(), compile.RandomCursorKeys(), limits)
		for range calls {
			q := monotone(d, less.ref)
			if q == nil {
				continue
			}
			args := Arguments(q)
			a, err := caller.As(narrow).Call(q.Tool(), args)
			if unanswered(err) {
				continue
			}
			var b *graph.Result
			if err == nil {
				b, err = caller.As(wide).Call(q.Tool(), args)
			}
			if err == nil {
				err = within(a, b)
			}
			made++
			if err != nil {
				t.Errorf("fewer rights do not give less: %v\nscope %s\nscope %s\ncall %s\n%s\n\n%s", err, scopeJSON(narrow), scopeJSON(wide), q.Tool(), args, counterexample{world: w}.files())
				return made
			}
		}
		return made
	})
}

// fewer takes rights from a scope.
func (d dice) fewer(s *graph.Scope) *graph.Scope {
	c := *s
	c.Claims = maps.Clone(s.Claims)
	for _, name := range some(d, []string{"teams", "grants", "level", "path", "role", "roles", "vip"}, 1, 3) {
		switch list := c.Claims[name].(type) {
		case []string:
			c.Claims[name] = list[:len(list)/2]
		case []any:
			c.Claims[name] = list[:len(list)/2]
		default:
			delete(c.Claims, name)
		}
	}
	return &c
}

// within says whether all that one viewer sees is seen by another, in a schema
// of the same names.
func (v *viewer) within(o *viewer) bool {
	if v.world.schema.yaml() != o.world.schema.yaml() {
		return false
	}
	have := map[string]bool{}
	for _, u := range o.ref.vertices {
		have[u.label.Name+u.id] = true
	}
	if slices.ContainsFunc(v.ref.vertices, func(u *vertex) bool { return !have[u.label.Name+u.id] }) {
		return false
	}
	rels := func(v *viewer) map[string]bool {
		out := map[string]bool{}
		for _, r := range v.world.rels {
			out[r.typ+nodeText(r.from)+nodeText(r.to)+fmt.Sprint(r.values)] = true
		}
		return out
	}
	return subset(rels(v), rels(o)) == nil
}

// monotone makes a call whose answer can only grow with what there is to see.
func monotone(d dice, ref *Reference) graph.Query {
	k := asker{d, ref, map[string]graph.Filter{}}
	v := pickOne(d, ref.vertices)
	switch d.IntN(4) {
	case 0:
		q := k.findNodes(v).(*graph.FindNodes)
		q.NodePattern = growing(q.NodePattern)
		return limited(q, generous.Rows)
	case 1:
		q, ok := k.traverse(v).(*graph.Traverse)
		if !ok {
			return nil
		}
		q.From, q.To, q.Relationships, q.OmitConnections = growing(q.From), growing(q.To), growingSteps(q.Relationships), true
		return limited(q, generous.Rows)
	case 2:
		return limited(k.neighbors(v), generous.Rows)
	}
	return &graph.Aggregate{NodePattern: growing(k.pattern(v, true)), Aggregations: []graph.Aggregation{{Function: graph.Count}}}
}

// growing leaves out what holds of fewer nodes where there is more to see.
func growing(n graph.NodePattern) graph.NodePattern {
	n.Related = slices.DeleteFunc(slices.Clone(n.Related), func(r graph.Related) bool { return r.None || len(r.Count) > 0 })
	if len(n.Related) == 0 {
		n.Related = nil
	}
	return n
}

func growingSteps(list []graph.Step) []graph.Step {
	list = slices.Clone(list)
	for i := range list {
		if list[i].To != nil {
			to := growing(*list[i].To)
			list[i].To = &to
		}
	}
	return list
}

// within says whether one answer is a part of another.
func within(a, b *graph.Result) error {
	if len(a.Rows) > 0 {
		if len(b.Rows) == 0 || a.Rows[0][0].Int() > b.Rows[0][0].Int() {
			return errors.New("there are more of them")
		}
		return nil
	}
	set := func(r *graph.Result) map[string]bool {
		out := map[string]bool{}
		for _, n := range r.Answers() {
			plain := *n
			plain.Distance = 0 // more may lead there sooner
			out[renderNode(&plain, false)] = true
		}
		return out
	}
	return subset(set(a), set(b))
}
