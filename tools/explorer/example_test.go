package explorer_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools"
	"github.com/trellisgraph/trellis/tools/explorer"
	"github.com/trellisgraph/trellis/tools/httpapi"
)

// The page stands beside the API that it asks.
func ExampleExplorer_Mount() {
	g, err := memory.Open(context.Background(), "../testdata/forge", memory.Options{})
	if err != nil {
		log.Fatal(err)
	}
	st := native.New(g, native.Options{})
	defer st.Close()
	offered := tools.New(engine.New(schema.NewCatalog(g.Schema()), st, engine.Options{}), tools.Options{})

	mux := http.NewServeMux()
	httpapi.New(offered, httpapi.Options{}).Mount(mux)
	explorer.New(offered, explorer.Options{}).Mount(mux)
	server := httptest.NewServer(mux)
	defer server.Close()

	for _, path := range []string{"/explorer/", "/schema"} {
		res, err := http.Get(server.URL + path)
		if err != nil {
			log.Fatal(err)
		}
		res.Body.Close()
		fmt.Println(res.Status, res.Header.Get("Content-Type"))
	}
	// Output:
	// 200 OK text/html; charset=utf-8
	// 200 OK application/json
}
