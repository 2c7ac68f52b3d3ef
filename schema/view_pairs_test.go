package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

const pairedSchema = `
format: trellis.schema.v1
nodes:
  a: {key: [x, y], policy: public, properties: {x: int64, y: int64, name: {type: string, visible: caller.admin}}}
  b: {key: id, policy: caller.admin, properties: {id: int64}}
  c: {key: id, policy: public, properties: {id: int64}}
relationships:
  R:
    pairs:
      - {from: a, to: b, table: r1, policy: relationship.n == 1, from_column: [fx, fy], properties: {n: int64}}
      - {from: a, to: c, table: r2, policy: relationship.n == 2, from_column: [fx, fy], properties: {n: int64}}
      - {from: c, to: c, table: r3, policy: relationship.n == 3, properties: {n: int64}}
      - {from: b, to: c, table: r4, policy: relationship.n == 4, properties: {n: int64}}
`

// Every pair of a type has its own guard, also in a view that lacks some of
// them, the first included; and keys are whole.
func TestPairsKeepTheirGuards(t *testing.T) {
	s, err := Parse("p.yaml", []byte(pairedSchema))
	require.NoError(t, err)
	for _, c := range []struct {
		scope *graph.Scope
		want  string
	}{
		{claims("admin", true), "a-b: n eq 1, a-c: n eq 2, c-c: n eq 3, b-c: n eq 4"},
		{claims(), "a-c: n eq 2, c-c: n eq 3"},
	} {
		v, err := s.View(c.scope)
		require.NoError(t, err)
		var got []string
		r, ok := v.Schema().Relationship("R")
		require.True(t, ok)
		for _, p := range r.Pairs {
			require.Same(t, r, p.Type)
			got = append(got, fmt.Sprintf("%s-%s: %s", p.From.Name, p.To.Name, filterText(v.PairGuard(p))))
		}
		require.Equal(t, c.want, strings.Join(got, ", "))
		a, _ := v.Schema().Label("a")
		require.Len(t, a.Key, 2)
		for _, k := range a.Key {
			own, _ := a.Property(k.Name)
			require.Same(t, own, k)
		}
	}
}

// Of what is not the view's own, a view shows nothing.
func TestGuardsOfOtherViews(t *testing.T) {
	s, err := Parse("p.yaml", []byte(pairedSchema))
	require.NoError(t, err)
	part, err := s.View(claims())
	require.NoError(t, err)
	all, err := s.View(claims("admin", true))
	require.NoError(t, err)
	label, _ := all.Schema().Label("a")
	typ, _ := all.Schema().Relationship("R")
	require.Nil(t, all.Guard(label))
	require.Equal(t, "never", filterText(part.Guard(label)))
	require.Equal(t, "never", filterText(part.PairGuard(typ.Pairs[1])))
}

// As many comparisons as one guard may have, and as many values; and one more.
func TestGuardsAreBounded(t *testing.T) {
	list := func(n int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprintf("%04d", i)
		}
		return out
	}
	ten := "node.path in caller.l" + strings.Repeat(" && node.path in caller.l", 9)
	for _, c := range []struct {
		policy string
		ok     bool
	}{
		{`caller.l.exists(x, node.path.contains(x) || node.title.contains(x))`, true},
		{`caller.l.exists(x, node.path.contains(x) || node.title.contains(x)) || node.open`, false},
		{ten, true},
		{ten + ` && node.title in ["a", "b"]`, false},
	} {
		_, err := policedSchema(t, c.policy).View(claims("l", list(1000)))
		if c.ok {
			require.NoError(t, err, c.policy)
			continue
		}
		require.ErrorIs(t, err, graph.Forbidden, c.policy)
	}
}
