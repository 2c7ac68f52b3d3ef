package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPolicyWorlds builds many worlds: what is generated is a schema that
// loads, with a graph in it, and policies that CEL itself reads.
func TestPolicyWorlds(t *testing.T) {
	visible, hidden := 0, 0
	for seed := range uint64(300) {
		w := policyWorld(seed, seed%2 == 0)
		g, err := w.build()
		require.NoError(t, err, "seed %d\n%s", seed, w.schema.yaml())
		require.True(t, g.Schema().HasPolicies())
		for _, scope := range w.scopes {
			o, err := newOracle(w, scope)
			require.NoError(t, err)
			for i := range w.nodes {
				if o.visibleNode(i) {
					visible++
				} else {
					hidden++
				}
			}
			for i := range w.rels {
				o.visibleRel(i)
			}
			require.NoError(t, o.broken)
		}
	}
	t.Logf("%d nodes are visible, %d are not", visible, hidden)
	require.Greater(t, visible, hidden/9)
	require.Greater(t, hidden, visible/9)
}
