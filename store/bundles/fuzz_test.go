package bundles_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema/bundle"
	"github.com/trellisgraph/trellis/store/bundles"
)

// Any bytes are views that fit, and then each view has tools, or mistakes that
// are told with their places.
func FuzzViews(f *testing.F) {
	w := newWorld(f, bundles.Options{})
	w.apply("acme", shop(f))
	f.Add([]byte(strings.ReplaceAll(document, "issues", "shop")))
	f.Add([]byte("format: trellis.views.v1\nviews: {a: {bundles: [shop], labels: [product], tools: []}}\n"))
	f.Add([]byte("format: trellis.views.v1\nviews: {a: {bundles: [shp], labels: [produkt], tools: [list_product, list_brand]}, A: 7}\n"))
	f.Add([]byte("format: &a !!str x\n? [a]\n: {<<: *a}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		ctx := context.Background()
		err := w.lib.CheckViews(ctx, "acme", data)
		var problems bundle.Problems
		switch {
		case errors.As(err, &problems):
			for _, p := range problems {
				if p.Message == "" || p.File == "" {
					t.Fatalf("a mistake without a place or a text: %+v", p)
				}
			}
		case err != nil:
			t.Fatal(err)
		default:
			if _, err := w.lib.ApplyViews(ctx, "acme", data, bundles.ChangeOptions{}); err != nil {
				t.Fatal(err)
			}
			views, err := w.lib.Views(ctx, "acme")
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range views {
				if _, err := w.lib.Snapshot(context.Background(), &graph.Scope{Tenant: "acme", View: v.Name}); err != nil {
					t.Fatalf("%q: %v", v.Name, err)
				}
			}
		}
	})
}
