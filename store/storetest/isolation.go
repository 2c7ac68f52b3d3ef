package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// IsolationOptions say how often each part of Isolation is tried. Zero values
// mean the defaults.
type IsolationOptions struct {
	// Seed chooses the schemas, their policies, the graphs and the calls: the
	// same ones for the same seed.
	Seed uint64
	// Calls is how many calls are compared with those of a graph that holds
	// only what the caller may see; 2,000 by default.
	Calls int
	// Canaries is how many calls are searched for what other tenants own;
	// 2,000 by default.
	Canaries int
	// Pairs is how many calls are made before and after a change to what the
	// caller may not see, and how many with more and with fewer rights; 400 by
	// default.
	Pairs int
	// CallsPerGraph is how many calls are made of one graph; 100 by default. A
	// store that is slow to open wants more.
	CallsPerGraph int
}

func (o IsolationOptions) withDefaults() IsolationOptions {
	set := func(n *int, def int) {
		if *n == 0 {
			*n = def
		}
	}
	set(&o.Calls, 2000)
	set(&o.Canaries, 2000)
	set(&o.Pairs, 400)
	set(&o.CallsPerGraph, 100)
	return o
}

// paired are the options of the parts that need two stores, or one that few
// graphs suit.
func (o IsolationOptions) paired() IsolationOptions {
	o.CallsPerGraph = max(1, o.CallsPerGraph/2)
	return o
}

// Isolation makes random calls of random graphs under random policies, on
// behalf of several tenants, and fails t where a caller learns of what policies
// hide from it.
//
//   - filtered: a call answers what the Reference answers of a graph that
//     physically holds only what CEL's own evaluator says that the caller may
//     see.
//   - canaries: no answer, error or statement holds a text of another tenant.
//   - interference: after any change to what a caller may not see, and after
//     other tenants' graphs were doubled, its calls answer the same bytes:
//     cursors, errors, warnings, statements and the description of the schema.
//   - rights: who may see less is answered a part of what others are.
//   - tenants: what is known to have gone wrong elsewhere, by name.
//   - names: what a caller may not see is refused with the same words as what
//     does not exist, and is not described.
func Isolation(t *testing.T, open Opener, opts IsolationOptions) {
	opts = opts.withDefaults()
	t.Run("filtered", func(t *testing.T) { isolatedCalls(t, open, opts) })
	t.Run("canaries", func(t *testing.T) { canaryCalls(t, open, opts) })
	t.Run("interference", func(t *testing.T) { interference(t, open, opts.paired()) })
	t.Run("rights", func(t *testing.T) { fewerRights(t, open, opts.paired()) })
	t.Run("tenants", func(t *testing.T) { tenantThreats(t, open) })
	t.Run("names", func(t *testing.T) { hiddenNames(t, opts) })
}

// graphs runs a part of the proof over as many graphs as its calls need. part
// returns how many calls it made.
func (o IsolationOptions) graphs(t *testing.T, calls int, strict func(seed uint64) bool, part func(t *testing.T, w *world, d dice, calls int) int) {
	made := 0
	for n := 0; made < calls && !t.Failed() && n < 100+10*calls/o.CallsPerGraph; n++ {
		seed := o.Seed + uint64(n)
		t.Run(fmt.Sprintf("graph %d", seed), func(t *testing.T) {
			made += part(t, policyWorld(seed, strict(seed)), newDice(seed, 6), min(o.CallsPerGraph, calls-made))
		})
	}
	t.Logf("%d calls", made)
	if made < calls && !t.Failed() {
		t.Errorf("only %d of %d calls could be made", made, calls)
	}
}

// everyOther makes every other graph one where tenants see nothing of each
// other.
func everyOther(seed uint64) bool { return seed%2 == 0 }

func always(uint64) bool { return true }

// A viewer is a caller with what it may see.
type viewer struct {
	world *world // what it may see, without policies
	ref   *Reference
}

// viewer sees a world through a scope.
func (w *world) viewer(scope *graph.Scope, limits graph.Limits) (*viewer, error) {
	full, err := w.build()
	if err != nil {
		return nil, err
	}
	seen, err := w.filtered(scope, full.Schema())
	if err != nil {
		return nil, err
	}
	if len(seen.schema.labels) == 0 { // there is no schema of nothing
		return &viewer{world: seen, ref: &Reference{limits: limits.WithDefaults()}}, nil
	}
	g, err := seen.build()
	if err != nil {
		return nil, fmt.Errorf("what the caller may see: %w\n%s", err, seen.schema.yaml())
	}
	v := &viewer{world: seen, ref: NewReference(g, limits)}
	v.ref.strangers = map[string][]graph.Value{}
	for _, n := range w.nodes {
		id := w.idOf(n)
		if seen.schema.label(n.label) != nil && v.ref.vertex(n.label, id.ID) == nil {
			v.ref.strangers[n.label] = append(v.ref.strangers[n.label], id.ID)
		}
	}
	return v, nil
}

// sides opens a store on a world and returns who answers its calls, and the
// Reference that knows the answers: under policies, over what the asking caller
// may see.
func (w *world) sides(t testing.TB, open Opener) (c *Caller, ref *Reference, st store.Store, err error) {
	g, err := w.build()
	if err != nil {
		return nil, nil, nil, err
	}
	if w.asking == nil {
		st = open(t, g)
		return NewCaller(g.Schema(), st, w.limits), NewReference(g, w.limits), st, nil
	}
	v, err := w.viewer(w.asking, w.limits)
	if err != nil {
		return nil, nil, nil, err
	}
	st = open(t, g)
	return w.caller(st, g.Schema(), compile.RandomCursorKeys(), w.limits).As(w.asking), v.ref, st, nil
}

// isolatedCalls compares calls under policies with the Reference's of the
// filtered graph.
func isolatedCalls(t *testing.T, open Opener, opts IsolationOptions) {
	s := newShares()
	opts.graphs(t, opts.Calls, everyOther, func(t *testing.T, w *world, d dice, calls int) (made int) {
		g, err := w.build()
		require.NoError(t, err, "%s", w.schema.yaml())
		st := open(t, g)
		defer func() { require.NoError(t, st.Close()) }()
		caller := w.caller(st, g.Schema(), compile.RandomCursorKeys(), w.limits)
		for i, scope := range w.scopes {
			one := *w
			one.asking = scope
			v, err := one.viewer(scope, w.limits)
			require.NoError(t, err, "%s\n%s", scopeJSON(scope), w.schema.yaml())
			if len(v.ref.vertices) == 0 {
				continue
			}
			r := &differential{t: t, open: open, shares: s, world: &one}
			for range calls*(i+1)/len(w.scopes) - calls*i/len(w.scopes) {
				a, ok := randomCall(d, v.ref, pickTool(d))
				if !ok {
					continue
				}
				made++
				verdict := r.pages(caller.As(scope), v.ref, &a, d.chance(50))
				s.add(a, verdict, false)
				if verdict.wrong() {
					r.report(a, verdict)
					return made
				}
			}
		}
		return made
	})
	t.Log("\n" + s.table())
}

// canaryCalls searches what calls return for texts of other tenants. The
// callers read all pages and also ask for what they may not see.
func canaryCalls(t *testing.T, open Opener, opts IsolationOptions) {
	own := 0
	opts.graphs(t, opts.Canaries, always, func(t *testing.T, w *world, d dice, calls int) (made int) {
		g, err := w.build()
		require.NoError(t, err, "%s", w.schema.yaml())
		st := open(t, g)
		defer func() { require.NoError(t, st.Close()) }()
		caller := w.caller(st, g.Schema(), compile.RandomCursorKeys(), w.limits)
		for i, scope := range w.scopes[:3] {
			v, err := w.viewer(scope, w.limits)
			require.NoError(t, err, "%s\n%s", scopeJSON(scope), w.schema.yaml())
			if len(v.ref.vertices) == 0 {
				continue
			}
			for range calls*(i+1)/3 - calls*i/3 {
				tool, args := v.call(d, w)
				if tool == "" {
					continue
				}
				made++
				answer := caller.As(scope).document(tool, args)
				for tenant := range nobody + 1 {
					if tenant != i && strings.Contains(answer, canaryWord(tenant)) {
						t.Errorf("a text of tenant %d is in the answer to a call of tenant %d, %s\ncall %s\n%s\n\n%s\n\n%s", tenant, i, scopeJSON(scope), tool, args, answer, w.schema.yaml())
						return made
					}
				}
				if strings.Contains(answer, canaryWord(i)) {
					own++
				}
			}
		}
		return made
	})
	t.Logf("%d of the answers hold texts of the caller's own", own)
	if own < opts.Canaries/20 && !t.Failed() {
		t.Errorf("only %d of %d answers hold texts of the caller's own", own, opts.Canaries)
	}
}

// call makes a random call; sometimes one with a mistake, or a description.
func (v *viewer) call(d dice, w *world) (tool string, args []byte) {
	if d.chance(2) {
		return graph.ToolDescribe, []byte(describeAll)
	}
	a, ok := randomCall(d, v.ref, pickTool(d))
	if !ok {
		return "", nil
	}
	tool, args = asked(a.Query), Arguments(a.Query)
	if d.chance(10) {
		args = misnamed(d, args, w.names(), w.names())
	}
	return tool, args
}

const describeAll = `{"expand_schema": true, "expand_nodes": ["*"]}`

// caller makes calls of a store that holds the world.
func (w *world) caller(st store.Store, s *schema.Schema, keys *compile.CursorKeys, limits graph.Limits) *Caller {
	return newCaller(s, st, engine.Options{Limits: limits, Cursors: keys})
}

// document is all that a caller gets to see of a call, as text.
func (c *Caller) document(tool string, args []byte) string {
	r, err := c.Call(tool, args)
	if err != nil {
		return errorText(err)
	}
	b, err := json.Marshal(r)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func errorText(err error) string {
	var lines []string
	for _, e := range Mistakes(err) {
		lines = append(lines, describe(e))
	}
	return strings.Join(lines, "\n")
}

// unanswered says that a call is refused for want of a feature, not wrongly.
func unanswered(err error) bool {
	return slices.ContainsFunc([]graph.Code{graph.Unsupported, graph.TooCostly, graph.Timeout}, func(c graph.Code) bool { return errors.Is(err, c) })
}
