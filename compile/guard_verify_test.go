package compile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

func verifySchema(t *testing.T) *schema.Schema {
	s, err := schema.Parse("verify.yaml", []byte(`
format: trellis.schema.v1
nodes:
  a: {key: id, policy: node.owner == caller.tenant, properties: {id: int64, owner: string}}
  b: {key: id, policy: 'node.outgoing("TO").exists(x, x.id > 0)', properties: {id: int64}}
relationships:
  TO: {policy: relationship.open, from: b, to: a, properties: {open: bool}}
`))
	require.NoError(t, err)
	return s
}

// Verify refuses a guard that walks over what another walk guards, be it a node
// or a relationship: there, guards would never end.
func TestVerifyKeepsGuardsShallow(t *testing.T) {
	s := verifySchema(t)
	for _, over := range []string{"a", "TO(b,a)"} {
		plan, err := New(Options{}).Check(s, &graph.Scope{Tenant: "t"}, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "b"}})
		require.NoError(t, err)
		require.NoError(t, plan.Verify())
		byName := map[string]*guard{}
		for _, g := range plan.guards {
			byName[g.name()] = g
		}
		require.Len(t, byName, 3)
		require.True(t, walks(byName["b"].cond))
		for _, walking := range []Cond{byName["b"].cond, Not{byName["b"].cond}, And{Const(true), Or{Const(false), byName["b"].cond}}} {
			had := byName[over].cond
			byName[over].cond = walking
			require.ErrorIs(t, plan.Verify(), graph.Internal, over)
			byName[over].cond = had
			require.NoError(t, plan.Verify())
		}
	}
}

// Verify finds what a walk within another walk's condition refers to.
func TestVerifyLooksIntoConditions(t *testing.T) {
	host := func(_ *graph.Scope, on Guarded) (graph.Filter, error) {
		if on.Label != "c" {
			return nil, nil
		}
		back := graph.Exists{Relationships: []graph.Step{{Types: []string{"AT"}}}}
		return graph.Exists{Relationships: []graph.Step{{Types: []string{"OF"}, To: &graph.NodePattern{Label: "d", Filter: graph.Or{graph.Cmp("id", graph.Eq, 1), back}}}}}, nil
	}
	s, err := schema.Parse("verify.yaml", []byte(`
format: trellis.schema.v1
nodes:
  c: {key: id, properties: {id: int64}}
  d: {key: id, properties: {id: int64}}
  e: {key: id, properties: {id: int64}}
relationships:
  OF: {from: c, to: d}
  AT: {from: d, to: e}
`))
	require.NoError(t, err)
	plan, err := New(Options{Guard: host}).Check(s, &graph.Scope{}, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "c"}})
	require.NoError(t, err)
	require.NoError(t, plan.Verify())
	met := map[string]bool{}
	for _, r := range References(plan) {
		undo := r.Unseal()
		require.ErrorIs(t, plan.Verify(), graph.Internal, r.At)
		undo()
		undo = r.Unguard()
		require.ErrorIs(t, plan.Verify(), graph.Internal, r.At)
		undo()
		met[(*r.guard).name()] = true
	}
	require.Len(t, met, 5, "c, d, e, and what lies between")
	require.NoError(t, plan.Verify())
}
