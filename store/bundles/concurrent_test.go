package bundles_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store/bundles"
)

// stamped is a bundle of which every entity and every tag says whose it is, and
// which one.
func stamped(t testing.TB, tenant string, n int) []string {
	stamp := fmt.Sprintf("%s/%d", tenant, n)
	rows := make([]string, 20+n%5)
	for i := range rows {
		rows[i] = fmt.Sprintf("{id: p%02d, name: %q, brand_id: b1, tags: [%q]}", i, stamp, stamp)
	}
	return rows
}

// Two tenants with equal type names: 50 concurrent changes of each, over two
// libraries of one repository, and 200 readers. Nothing crosses, nothing tears.
// (T33, T58)
func TestConcurrentChangesAndReaders(t *testing.T) {
	const changes, readers = 50, 200
	ctx := context.Background()
	here := newWorld(t, bundles.Options{})
	there := over(t, here.repo, bundles.Options{})
	worlds, tenants := []*world{here, there}, []string{"acme", "umbrella"}
	for _, tenant := range tenants {
		here.apply(tenant, shop(t, stamped(t, tenant, 0)...))
		_, err := here.lib.ApplyViews(ctx, tenant, []byte("format: trellis.views.v1\nviews: {part: {bundles: [shop], labels: [product]}}\n"), bundles.ChangeOptions{})
		require.NoError(t, err)
	}
	stop := make(chan struct{})
	var writing, reading sync.WaitGroup
	for n := 1; n <= changes; n++ {
		for i, tenant := range tenants {
			b := shop(t, stamped(t, tenant, n)...)
			writing.Go(func() {
				_, err := worlds[(n+i)%2].lib.Apply(ctx, tenant, b, bundles.ChangeOptions{})
				assert.NoError(t, err)
				assert.NoError(t, worlds[(n+i+1)%2].lib.Refresh(ctx))
			})
		}
	}
	for n := range readers {
		reading.Go(func() {
			w, tenant, view := worlds[n%2], tenants[n/2%2], []string{"", "part"}[n/4%2]
			for once := true; ; once = false {
				oneAnswer(t, w, tenant, view)
				select {
				case <-stop:
					if !once {
						return
					}
				default:
				}
			}
		})
	}
	writing.Wait()
	close(stop)
	reading.Wait()
	for _, tenant := range tenants {
		history, err := here.lib.History(ctx, tenant, "shop")
		require.NoError(t, err)
		require.Len(t, history, changes+1)
		for _, w := range worlds {
			require.NoError(t, w.lib.Refresh(ctx))
			b, err := w.lib.Export(ctx, tenant, "shop", 0)
			require.NoError(t, err)
			product, _ := b.Type("product")
			require.Len(t, w.ids(tenant, "", "product"), len(product.Entities))
		}
	}
}

// oneAnswer asks in three ways, each of which must be of one content of the
// tenant.
func oneAnswer(t *testing.T, w *world, tenant, view string) {
	ctx := scoped(tenant, view)
	answer, err := w.tools.Call(ctx, "list_product", []byte(`{"limit": 500}`))
	if !assert.NoError(t, err, string(answer)) {
		return
	}
	var list struct {
		Items []struct {
			Name string
			Tags []string
		}
		Total int
	}
	assert.NoError(t, json.Unmarshal(answer, &list))
	stamp := list.Items[0].Name
	assert.True(t, strings.HasPrefix(stamp, tenant+"/"), "%s sees %s", tenant, stamp)
	var n int
	fmt.Sscanf(stamp, tenant+"/%d", &n)
	assert.Len(t, list.Items, 20+n%5)
	assert.Equal(t, len(list.Items), list.Total)
	for _, item := range list.Items {
		assert.Equal(t, stamp, item.Name)
		assert.Equal(t, []string{stamp}, item.Tags)
	}

	answer, err = w.tools.Call(ctx, "aggregate_nodes", []byte(`{"node_label": "product_tags", "aggregations": [{"function": "count"}], "group_by": [{"property": "value"}]}`))
	if !assert.NoError(t, err, string(answer)) {
		return
	}
	var groups struct{ Rows []struct{ Value string } }
	assert.NoError(t, json.Unmarshal(answer, &groups))
	assert.Len(t, groups.Rows, 1)
	assert.True(t, strings.HasPrefix(groups.Rows[0].Value, tenant+"/"))

	_, err = w.lib.Snapshot(context.Background(), &graph.Scope{Tenant: tenant, View: view})
	assert.NoError(t, err)
}
