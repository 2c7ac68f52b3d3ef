package bundle_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema/bundle"
)

// catalog is a bundle of so many products in 100 categories, in canonical form
// or not.
func catalog(products int, flow bool) fstest.MapFS {
	var p, c strings.Builder
	for i := range 100 {
		fmt.Fprintf(&c, "- id: c%d\n  name: Category %d\n", i, i)
	}
	for i := range products {
		if flow {
			fmt.Fprintf(&p, `- {id: p%07d, name: "Product: number %d", price: %d.50, stock: %d, state: live, released: 2025-03-%02d, category_id: c%d, tags: [red, t%d], rating: 4.5, note: 'a note about %d'}`+"\n",
				i, i, i%1000, i%17, i%28+1, i%100, i%50, i)
			continue
		}
		fmt.Fprintf(&p, `- id: p%07d
  name: "Product: number %d"
  price: %d.50
  stock: %d
  state: live
  released: "2025-03-%02d"
  category_id: c%d
  tags:
    - red
    - t%d
  rating: 4.5
  note: |
    a note
    about %d
`, i, i, i%1000, i%17, i%28+1, i%100, i%50, i)
	}
	return folder(map[string]string{
		"manifest.yaml":                "format: trellis.bundle.v1\nname: catalog\n",
		"schemas/category.schema.json": typeOf("category", `, "name": {"type": "string"}`, ""),
		"schemas/product.schema.json": typeOf("product", `, "name": {"type": "string", "minLength": 1}, "price": {"type": "number", "minimum": 0, "x-index": true},
			"stock": {"type": "integer", "x-index": true}, "state": {"enum": ["draft", "live"], "x-index": true}, "released": {"type": "string", "format": "date", "x-index": true},
			"category_id": {"type": "string", "x-ref": "category", "x-index": true}, "tags": {"type": "array", "items": {"type": "string"}, "x-index": true},
			"rating": {"type": "number", "x-derived": true}, "note": {"type": "string"}`, `, "additionalProperties": false`),
		"entities/products.yaml":   p.String(),
		"entities/categories.yaml": c.String(),
	})
}

func BenchmarkRead(b *testing.B) {
	for _, form := range []string{"canonical", "flow"} {
		b.Run(form, func(b *testing.B) {
			fsys := catalog(10_000, form == "flow")
			b.ReportAllocs()
			b.SetBytes(int64(len(fsys["entities/products.yaml"].Data)))
			for b.Loop() {
				_, err := bundle.Read(fsys, bundle.Options{})
				require.NoError(b, err)
			}
		})
	}
}
