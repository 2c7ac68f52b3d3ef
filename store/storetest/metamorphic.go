package storetest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
)

// MetamorphicOptions say how often the rules are tried.
type MetamorphicOptions struct {
	// Seed chooses the graphs and the calls.
	Seed uint64
	// Each is how often each rule is tried; 200 by default.
	Each int
	// EachPerGraph is how many of these tries are made on one graph; 10 by
	// default.
	EachPerGraph int
}

func (o MetamorphicOptions) withDefaults() MetamorphicOptions {
	if o.Each == 0 {
		o.Each = 200
	}
	if o.EachPerGraph == 0 {
		o.EachPerGraph = 10
	}
	return o
}

// Metamorphic makes calls of random graphs whose answers must relate to each
// other, whatever they are: a further filter gives a subset, all pages together
// are the unpaged answer, what leads there leads back, and so on. It needs no
// Reference, and so does not share its mistakes.
func Metamorphic(t *testing.T, open Opener, opts MetamorphicOptions) {
	opts = opts.withDefaults()
	tried := map[string]int{}
	for n := 0; ; n++ {
		open := func(part testing.TB, w *world) *metamorph { return newMetamorph(part, open, w) }
		short := slices.DeleteFunc(metamorphicRules(), func(r relation) bool { return tried[r.name] >= opts.Each })
		if len(short) == 0 || t.Failed() || n > 20*opts.Each/opts.EachPerGraph {
			break
		}
		t.Run(fmt.Sprintf("graph %d", opts.Seed+uint64(n)), func(t *testing.T) {
			w := randomWorld(opts.Seed + uint64(n))
			m := open(t, w)
			defer func() { require.NoError(t, m.store.Close()) }()
			m.dice = newDice(opts.Seed+uint64(n), 3)
			for _, r := range short {
				for range opts.EachPerGraph {
					tried[r.name] += m.try(t, r)
				}
			}
		})
	}
	for _, name := range slices.Sorted(maps.Keys(tried)) {
		t.Logf("%-60s %6d", name, tried[name])
	}
	for _, r := range metamorphicRules() {
		if tried[r.name] < opts.Each && !t.Failed() {
			t.Errorf("the rule %q could be tried %d times only", r.name, tried[r.name])
		}
	}
}

// A metamorph tries rules on one graph.
type metamorph struct {
	asker
	t      testing.TB
	open   Opener
	world  *world
	store  store.Store
	caller *Caller
	calls  []string // of the rule that is tried
}

// generous limits clip nothing of the graphs that are asked.
var generous = graph.Limits{
	Rows: 5000, Groups: 5000, Connections: 50000, Bytes: 64 << 20,
	PatternBytes: longCalls.PatternBytes, WhereBytes: longCalls.WhereBytes, ArgumentBytes: longCalls.ArgumentBytes,
}

func newMetamorph(t testing.TB, open Opener, w *world) *metamorph {
	g, err := w.build()
	require.NoError(t, err)
	m := &metamorph{t: t, open: open, world: w, store: open(t, g)}
	m.caller = NewCaller(g.Schema(), m.store, generous)
	m.ref = NewReference(g, generous)
	return m
}

// errOther says that a rule does not apply to what was chosen, or that the
// store does not answer such calls.
var errOther = errors.New("the rule does not apply")

// try tries a rule once and returns how often it did.
func (m *metamorph) try(t testing.TB, r relation) int {
	if len(m.ref.vertices) == 0 {
		return 0
	}
	m.calls, m.where = nil, map[string]graph.Filter{}
	switch err := r.holds(m, pickOne(m.dice, m.ref.vertices)); {
	case errors.Is(err, errOther):
		return 0
	case err != nil:
		f := counterexample{world: m.world}
		t.Errorf("%s: %v\n\n%s\n%s", r.name, err, strings.Join(m.calls, "\n"), f.files())
	}
	return 1
}

// call makes a call.
func (m *metamorph) call(q graph.Query) (*graph.Result, error) { return m.callWith(q, "") }

func (m *metamorph) callWith(q graph.Query, cursor string) (*graph.Result, error) {
	args := withCursor(q, cursor)
	m.calls = append(m.calls, "call "+asked(q)+"\n"+string(args))
	r, err := m.caller.Call(asked(q), args)
	var known *graph.Error
	if errors.As(err, &known) && (known.Code == graph.Unsupported || known.Code == graph.TooCostly || known.Code == graph.Timeout) {
		return nil, errOther
	}
	return r, err
}

// set makes a call and returns the nodes it answers, without their order.
func (m *metamorph) set(q graph.Query) (map[string]bool, error) {
	r, err := m.call(q)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, n := range r.Answers() {
		out[n.Label+" "+n.ID] = true
	}
	return out, nil
}

// relationshipSet makes a call and returns the relationships it shows.
func (m *metamorph) relationshipSet(q graph.Query) (map[string]bool, error) {
	r, err := m.call(q)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for i := range r.Relationships {
		out[relationshipText(&r.Relationships[i])] = true
	}
	return out, nil
}

func relationshipText(r *graph.Relationship) string {
	return r.Type + " " + renderKey(r.From) + " -> " + renderKey(r.To) + renderProperties(r.Properties)
}

func subset(a, b map[string]bool) error {
	for k := range a {
		if !b[k] {
			return fmt.Errorf("%q is in the smaller answer only", k)
		}
	}
	return nil
}

func equalSets(a, b map[string]bool) error { return errors.Join(subset(a, b), subset(b, a)) }

func union(a, b map[string]bool) map[string]bool {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}
