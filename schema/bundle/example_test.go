package bundle_test

import (
	"fmt"
	"log"

	"github.com/trellisgraph/trellis/schema/bundle"
)

func Example() {
	b, err := bundle.ReadDir("testdata/shop", bundle.Options{})
	if err != nil {
		log.Fatal(err) // every mistake with its file, line and column
	}
	product, _ := b.Type("product")
	spade, _ := product.Entity("SP-1")
	fmt.Println(len(product.Entities), string(spade.Document))
	// Output: 3 {"sku":"SP-1","name":"Spade","price":29,"state":"live","category_ids":["digging"],"supplier_code":"oak","tags":["steel"]}
}
