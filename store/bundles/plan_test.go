package bundles_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store/bundles"
)

func TestPlan(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, bundles.Options{})
	first := shop(t)
	plan, err := w.lib.Plan(ctx, "acme", first)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf(`shop: none → %.12s
  brand: added
    + 2: b1, b2
  product: added
    + 2: p1, p2
  + get_brand
  + get_product
  + list_brand
  + list_brand_ids
  + list_product
`, first.Revision()), plan.String())
	names, err := w.lib.Tenants(ctx)
	require.NoError(t, err)
	require.Empty(t, names, "a plan changes nothing")

	w.apply("acme", first)
	plan, err = w.lib.Plan(ctx, "acme", first)
	require.NoError(t, err)
	require.Equal(t, "shop: nothing would change\n", plan.String())

	var rows []string
	for i := range 30 {
		rows = append(rows, fmt.Sprintf("{id: n%02d, tags: [n00]}", i))
	}
	second := made(t, "shop",
		typ{name: "product", refs: map[string]string{"made": "maker"}, expose: `["list", "list_ids"]`, rows: append(rows, "{id: p2, name: Rake}", "{id: p1, name: Spade, tags: [iron]}")},
		typ{name: "maker", refs: map[string]string{"best": "product"}})
	plan, err = w.lib.Plan(ctx, "acme", second)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf(`shop: %.12s → %.12s
  brand: removed
    - 2: b1, b2
  maker: added
  product: changed, its schema too
    + 30: n00, n01, n02, n03, n04, n05, n06, n07, n08, n09, n10, n11, n12, n13, n14, n15, n16, n17, n18, n19, …
    ~ 2: p1, p2
  + get_maker
  + list_maker
  + list_product_ids
  - get_brand
  - get_product
  - list_brand
  - list_brand_ids
  warning: schemas/product.schema.json:1:351: entity types refer to one another in a circle: maker → product → maker
`, first.Revision(), second.Revision()), plan.String())
	document, err := json.Marshal(plan)
	require.NoError(t, err)
	require.Contains(t, string(document), `{"type":"product","change":"changed","schema":true,"added":{"total":30,"ids":["n00",`)

	w.apply("acme", second)
	plan, err = w.lib.PlanRollback(ctx, "acme", "shop", 1)
	require.NoError(t, err)
	require.Equal(t, second.Revision(), plan.From)
	require.Equal(t, first.Revision(), plan.To)
	plan, err = w.lib.PlanDelete(ctx, "acme", "shop")
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf(`shop: %.12s → none
  maker: removed
  product: removed
    - 32: n00, n01, n02, n03, n04, n05, n06, n07, n08, n09, n10, n11, n12, n13, n14, n15, n16, n17, n18, n19, …
  - get_maker
  - list_maker
  - list_product
  - list_product_ids
`, second.Revision()), plan.String())
	_, err = w.lib.PlanDelete(ctx, "acme", "never")
	code(t, graph.NotFound, err)
	_, err = w.lib.PlanRollback(ctx, "acme", "shop", 7)
	code(t, graph.NotFound, err)
}
