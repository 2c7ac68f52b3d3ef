package bundles_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema/bundle"
	"github.com/trellisgraph/trellis/store/bundles"
	"github.com/trellisgraph/trellis/store/repository"
	"github.com/trellisgraph/trellis/tools"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "bundles")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	repo, err := repository.Folder(dir, repository.Options{})
	if err != nil {
		log.Fatal(err)
	}
	lib := bundles.New(repo, bundles.Options{})
	defer lib.Close()

	b, err := bundle.ReadDir("../../schema/bundle/testdata/shop", bundle.Options{})
	if err != nil {
		log.Fatal(err) // every mistake with its file, line and column
	}
	if _, err := lib.Apply(ctx, "acme", b, bundles.ChangeOptions{Author: "ada"}); err != nil {
		log.Fatal(err) // all that the tenant's other bundles and views have against it
	}

	offered := tools.New(engine.NewFrom(lib, engine.Options{Prompt: true, Statements: engine.HideStatements}), tools.Options{})
	answer, err := offered.Call(graph.WithScope(ctx, &graph.Scope{Tenant: "acme"}), "list_product_ids", []byte(`{"filters": {"tags": "ash"}}`))
	fmt.Println(string(answer), err)
	// Output:
	// {"items":[{"id":"SP-2","name":"Long spade","price":34.5}],"total":1} <nil>
}
