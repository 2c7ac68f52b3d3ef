package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// RandomSame makes random calls of random graphs on two stores, every other
// graph under random policies and for each of its callers, and fails t where the
// documents differ in a byte: page after page, with cursors, warnings and errors.
// Only what was executed may differ. Calls that a store refuses as UNSUPPORTED or
// TOO_COSTLY, for which statements may be too long, or does not answer in time,
// are counted and left out: a tenth at most. Of opts, Complete is not looked at.
func RandomSame(t *testing.T, a, b Opener, opts DifferentialOptions) {
	opts = opts.withDefaults()
	s := &sameRandom{opens: [2]Opener{a, b}}
	for n := uint64(0); s.calls < opts.Calls && !t.Failed() && n < 100+10*uint64(opts.Calls/opts.CallsPerGraph); n++ {
		seed := opts.Seed + n
		t.Run(fmt.Sprintf("graph %d", seed), func(t *testing.T) {
			s.graph(t, seed, min(opts.CallsPerGraph, opts.Calls-s.calls))
		})
	}
	t.Logf("%d calls, %d of them answered, %d with rows, %d pages after the first, %d for callers with rights, %d left out",
		s.calls, s.answered, s.rows, s.pages, s.guarded, s.refused)
	if t.Failed() {
		return
	}
	require.GreaterOrEqual(t, s.calls, opts.Calls, "calls made")
	require.LessOrEqual(t, 10*s.refused, s.calls, "calls left out")
	require.GreaterOrEqual(t, 10*s.rows, 4*s.calls, "calls that are answered with rows")
}

// sameRandom counts what was compared.
type sameRandom struct {
	opens                                          [2]Opener
	calls, answered, rows, pages, guarded, refused int
}

// graph makes calls of one graph.
func (s *sameRandom) graph(t *testing.T, seed uint64, calls int) {
	w, d := randomWorld(seed), newDice(seed, 11)
	if seed%2 == 1 {
		w = policyWorld(seed, seed%4 == 1)
	}
	g, err := w.build()
	require.NoError(t, err, "%s", w.schema.yaml())
	keys := compile.RandomCursorKeys()
	var sides [2]*Caller
	for i, open := range s.opens {
		st := open(t, g)
		defer func(st store.Store) { require.NoError(t, st.Close()) }(st)
		sides[i] = newCaller(g.Schema(), st, engine.Options{Limits: w.limits, Cursors: keys, Statements: engine.HideStatements})
	}
	if len(w.scopes) == 0 {
		s.ask(t, w, d, NewReference(g, w.limits), nil, sides, calls)
		return
	}
	for i, scope := range w.scopes {
		v, err := w.viewer(scope, w.limits)
		require.NoError(t, err, "%s\n%s", scopeJSON(scope), w.schema.yaml())
		s.ask(t, w, d, v.ref, scope, sides, calls*(i+1)/len(w.scopes)-calls*i/len(w.scopes))
	}
}

// ask makes calls for one caller, which knows of the graph what ref holds.
func (s *sameRandom) ask(t *testing.T, w *world, d dice, ref *Reference, scope *graph.Scope, sides [2]*Caller, calls int) {
	if len(ref.vertices) == 0 {
		return
	}
	for range calls {
		a, ok := randomCall(d, ref, pickTool(d))
		if !ok {
			continue
		}
		if !s.compare(t, w, a, scope, sides) {
			return
		}
	}
	s.search(t, w, d, ref, scope, sides)
}

// search asks for nodes by a letter with which some texts begin and which others
// have elsewhere, so that their rank orders them: other calls seldom do.
func (s *sameRandom) search(t *testing.T, w *world, d dice, ref *Reference, scope *graph.Scope, sides [2]*Caller) {
	for l := range ref.schema.Labels() {
		if !slices.ContainsFunc(l.Properties, func(p *schema.Property) bool { return p.Search }) {
			continue
		}
		for range 2 {
			nodes := graph.NodePattern{Label: l.Name, Search: pickOne(d, []string{"a", "b", "e", "R", "s"})}
			q := &graph.FindNodes{NodePattern: nodes, Limit: pickOne(d, []int{0, 2, 5})}
			if !s.compare(t, w, Asked{Query: q}, scope, sides) {
				return
			}
		}
	}
}

// compare makes a call of both stores, page after page, and reports whether the
// documents are the same.
func (s *sameRandom) compare(t *testing.T, w *world, a Asked, scope *graph.Scope, sides [2]*Caller) bool {
	for cursor, page := "", 0; page == 0 || cursor != "" && page < 4; page++ {
		args := withCursor(a.Query, cursor)
		var results [2]*graph.Result
		var documents [2]string
		for i, c := range sides {
			r, err := c.As(scope).Call(asked(a.Query), args)
			if errors.Is(err, graph.Unsupported) || errors.Is(err, graph.TooCostly) || errors.Is(err, graph.Timeout) {
				s.refused++
				return true
			}
			results[i], documents[i] = r, documentOf(t, r, err)
		}
		if documents[0] != documents[1] {
			who := "everybody"
			if scope != nil {
				who = scopeJSON(scope)
			}
			t.Errorf("%s %s for %s\none   %s\nother %s\n\n%s", asked(a.Query), args, who, documents[0], documents[1], w.schema.yaml())
			return false
		}
		cursor = s.count(results[0], scope, page)
	}
	return true
}

// count notes an answer, and returns where the next page begins.
func (s *sameRandom) count(r *graph.Result, scope *graph.Scope, page int) (cursor string) {
	if page > 0 {
		s.pages++
	} else {
		s.calls++
		if scope != nil {
			s.guarded++
		}
	}
	if r == nil {
		return ""
	}
	if page == 0 {
		s.answered++
		if r.Returned > 0 {
			s.rows++
		}
	}
	return r.NextCursor
}

// documentOf is an answer, without what was executed, or a refusal, as text.
func documentOf(t testing.TB, r *graph.Result, err error) string {
	if err != nil {
		return errorText(err)
	}
	r.Executed = ""
	b, err := r.MarshalJSON()
	require.NoError(t, err)
	return string(b)
}
