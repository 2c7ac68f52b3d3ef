package storetest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
)

func parseSchema(t testing.TB, text string) *schema.Schema {
	s, err := schema.Parse("schema.yaml", []byte(text))
	require.NoError(t, err)
	return s
}

// A forgetful store forgets one of the nodes of every answer that has several.
type forgetful struct{ store.Store }

func (l forgetful) Run(ctx context.Context, p *compile.Plan, w graph.Writer) (store.Outcome, error) {
	var kept graph.Result
	out, err := l.Store.Run(ctx, p, graph.Collector{Result: &kept})
	if err != nil {
		return out, err
	}
	if out.Returned > 1 {
		kept.Nodes = kept.Nodes[1:]
		out.Returned--
	}
	for i := range kept.Nodes {
		if err := w.Node(&kept.Nodes[i]); err != nil {
			return out, err
		}
	}
	return out, nil
}

func TestWrongAnswersAreMadeSmall(t *testing.T) {
	open := func(t testing.TB, g *memory.Graph) store.Store {
		st := native.New(g, native.Options{})
		return forgetful{st}
	}
	r := &differential{t: t, open: open, world: randomWorld(7)}
	g, err := r.world.build()
	require.NoError(t, err)
	st := open(t, g)
	defer st.Close()
	c, ref, d := NewCaller(g.Schema(), st, graph.Limits{}), NewReference(g, graph.Limits{}), newDice(7, 2)
	for range 100 {
		a, ok := randomCall(d, ref, graph.ToolFindNodes)
		require.True(t, ok)
		v := r.pages(c, ref, &a, true)
		if !v.wrong() || len(r.world.nodes) < 10 {
			continue
		}
		f := r.shrink(a, v)
		require.Len(t, f.world.nodes, 2, f.script())
		require.Empty(t, f.world.rels)
		require.Empty(t, f.world.schema.types)
		require.Len(t, f.world.schema.labels, 1)
		require.JSONEq(t, `{"node_label": "`+f.world.nodes[0].label+`"}`, string(Arguments(f.asked.Query)))

		_, block, _ := strings.Cut(f.script(), "# script\n")
		cases, err := parse("printed", "graph printed\n"+block)
		require.NoError(t, err)
		require.Len(t, cases, 1)
		require.Equal(t, render(referenceAnswer(t, f)), cases[0].want)
		return
	}
	t.Fatal("the forgetful store was not found out")
}

// A moody store fails in one way where an answer has several nodes, and in
// another where it has none or one.
type moody struct{ store.Store }

func (m moody) Run(ctx context.Context, p *compile.Plan, w graph.Writer) (store.Outcome, error) {
	var answer graph.Result
	out, err := m.Store.Run(ctx, p, graph.Collector{Result: &answer})
	switch {
	case err != nil:
		return out, err
	case out.Returned > 1:
		return out, errors.New(`no function "f1" takes these arguments`)
	}
	return out, errors.New("the table is gone")
}

// A failure is not made smaller until it is another one.
func TestFailuresStayTheSameKind(t *testing.T) {
	open := func(_ testing.TB, g *memory.Graph) store.Store { return moody{native.New(g, native.Options{})} }
	r := &differential{t: t, open: open, world: randomWorld(7)}
	g, err := r.world.build()
	require.NoError(t, err)
	c, ref, d := NewCaller(g.Schema(), open(t, g), graph.Limits{}), NewReference(g, graph.Limits{}), newDice(7, 2)
	for range 100 {
		a, ok := randomCall(d, ref, graph.ToolFindNodes)
		require.True(t, ok)
		v := r.pages(c, ref, &a, true)
		require.True(t, v.wrong())
		if !strings.Contains(v.kind, "function") {
			continue
		}
		require.Equal(t, "answer, INTERNAL function takes these arguments", v.kind)
		f := r.shrink(a, v)
		require.Len(t, f.world.nodes, 2, f.script())
		require.Contains(t, strings.Join(f.got, "\n"), "takes these arguments")
		return
	}
	t.Fatal("no answer has several nodes")
}

// What an error is about does not depend on names and numbers.
func TestKindsOfFailures(t *testing.T) {
	internal := &graph.Error{Code: graph.Internal}
	one := kindOf(internal, `level=ERROR msg="call failed" cause="Binder Error: column \"c3p1\" not found in FROM at 12"`)
	require.Equal(t, one, kindOf(internal, `level=ERROR msg="call failed" cause="Binder Error: column \"name\" not found in FROM at 7"`))
	require.NotEqual(t, one, kindOf(internal, `level=ERROR msg="call failed" cause="Out of Range Error: overflow"`))
	require.Equal(t, "OUT_OF_RANGE", kindOf(&graph.Error{Code: graph.OutOfRange, Path: "/aggregations/1"}, ""))
	require.Equal(t, "answer", kindOf(nil, ""))
}

func referenceAnswer(t *testing.T, f counterexample) *graph.Result {
	g, err := f.world.build()
	require.NoError(t, err)
	r, err := NewReference(g, graph.Limits{}).Answer(f.asked)
	require.NoError(t, err)
	return r
}

// The same seed gives the same schema, graph and calls.
func TestRandomFollowsTheSeed(t *testing.T) {
	ask := func(seed uint64) string {
		w := randomWorld(seed)
		g, err := w.build()
		require.NoError(t, err)
		ref, d := NewReference(g, graph.Limits{}), newDice(seed, 2)
		text := counterexample{world: w}.files()
		for range 20 {
			if a, ok := randomCall(d, ref, pickTool(d)); ok {
				text += string(Arguments(a.Query)) + "\n"
			}
		}
		return text
	}
	require.Equal(t, ask(11), ask(11))
	require.NotEqual(t, ask(11), ask(12))
}
