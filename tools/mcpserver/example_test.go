package mcpserver_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools"
	"github.com/trellisgraph/trellis/tools/mcpserver"
	"github.com/trellisgraph/trellis/tools/tokens"
)

func ExampleServer_Mount() {
	ctx := context.Background()
	g, err := memory.Open(ctx, "../testdata/forge", memory.Options{})
	if err != nil {
		log.Fatal(err)
	}
	eng := engine.New(schema.NewCatalog(g.Schema()), native.New(g, native.Options{}), engine.Options{Statements: engine.HideStatements})
	offered := tools.New(eng, tools.Options{})

	scopeOf := tokens.Bearer(func(_ context.Context, token string) (*graph.Scope, error) {
		if token != "the-token-of-ada" { // or whatever verifies yours
			return nil, tokens.ErrUnknown
		}
		return &graph.Scope{Principal: "ada"}, nil
	})
	mux := http.NewServeMux()
	mcpserver.New(offered, mcpserver.Options{}).Mount(mux, mcpserver.HTTPOptions{Authenticate: scopeOf})
	server := httptest.NewServer(mux)
	defer server.Close()

	// A client, with the token and without.
	for _, with := range []http.RoundTripper{bearer("the-token-of-ada"), nil} {
		client := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1"}, nil)
		session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: server.URL + "/mcp", HTTPClient: &http.Client{Transport: with}, DisableStandaloneSSE: true}, nil)
		if err != nil {
			fmt.Println("refused:", errors.Unwrap(err) != nil)
			continue
		}
		list, err := session.ListTools(ctx, nil)
		if err != nil {
			log.Fatal(err)
		}
		for _, tool := range list.Tools {
			fmt.Println(tool.Name)
		}
		session.Close()
	}
	// Output:
	// get_graph_schema
	// find_nodes
	// traverse_relationships
	// explore_neighbors
	// find_paths
	// aggregate_nodes
	// refused: true
}
