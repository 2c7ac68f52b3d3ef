package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools"
	"github.com/trellisgraph/trellis/tools/httpapi"
)

func ExampleAPI_Mount() {
	g, err := memory.Open(context.Background(), "../testdata/forge", memory.Options{})
	if err != nil {
		log.Fatal(err)
	}
	st := native.New(g, native.Options{})
	defer st.Close()
	eng := engine.New(schema.NewCatalog(g.Schema()), st, engine.Options{Statements: engine.HideStatements})

	mux := http.NewServeMux()
	httpapi.New(tools.New(eng, tools.Options{}), httpapi.Options{}).Mount(mux)
	server := httptest.NewServer(mux)
	defer server.Close()

	call := `{"node_label": "gl_issue", "filters": {"state": "opened"}}`
	res, err := http.Post(server.URL+"/tools/find_nodes?format=markdown", "application/json", strings.NewReader(call))
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	fmt.Println(res.Status, err)
	fmt.Println(string(answer))
	// Output:
	// 200 OK <nil>
	// ### gl_issue
	//
	// |@id|id|title|state|
	// |-|-|-|-|
	// |101|101|Fog horn is silent|opened|
	// |102|102|Login loses the session|opened|
}
