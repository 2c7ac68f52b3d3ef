package bundles_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store/bundles"
)

// Two tenants with the same schema, applied at the same time, so that its hash is
// the same too: what is kept of calls of the one never serves the other. (T33)
func TestEqualSchemasDoNotMeet(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, bundles.Options{})
	at := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	tenants := []string{"acme", "Acme", "umbrella"}
	for _, tenant := range tenants {
		c := commitOf(t, shop(t, fmt.Sprintf("{id: only, name: %q, brand_id: b1, tags: [%q]}", tenant, tenant)))
		c.Applied = at
		_, err := w.repo.Commit(ctx, tenant, 0, c)
		require.NoError(t, err)
	}
	hashes := map[string]bool{}
	for _, tenant := range tenants {
		s, err := w.lib.Snapshot(context.Background(), &graph.Scope{Tenant: tenant})
		require.NoError(t, err)
		hashes[s.Schema.Hash()] = true
	}
	require.Len(t, hashes, 1)
	for range 3 {
		for _, tenant := range tenants {
			quoted := fmt.Sprintf("%q", tenant)
			for _, call := range [][2]string{
				{"get_product", `{"id": "only"}`}, {"list_product", `{}`}, {"find_nodes", `{"node_label": "product"}`},
				{"traverse_relationships", `{"from": {"label": "brand"}, "relationships": [{"type": "BRAND", "direction": "incoming"}], "to": {"label": "product"}}`},
				{"aggregate_nodes", `{"node_label": "product", "aggregations": [{"function": "count"}], "group_by": [{"property": "name"}]}`},
				{"explore_neighbors", `{"start_node": {"label": "brand", "node_id": "b1"}}`},
			} {
				answer := w.call(tenant, "", call[0], call[1])
				require.Contains(t, answer, quoted, "%v", call)
				for _, other := range tenants {
					if other != tenant {
						require.NotContains(t, answer, fmt.Sprintf("%q", other), "%v", call)
					}
				}
			}
		}
	}
}
