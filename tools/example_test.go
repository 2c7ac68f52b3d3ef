package tools_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools"
)

func Example() {
	ctx := context.Background()
	g, err := memory.Open(ctx, "testdata/forge", memory.Options{}) // schema.yaml and CSV files
	if err != nil {
		log.Fatal(err)
	}
	st := native.New(g, native.Options{}) // or store.SQL(db, compile.Postgres()) over your own *sql.DB
	defer st.Close()
	eng := engine.New(schema.NewCatalog(g.Schema()), st, engine.Options{Statements: engine.HideStatements})

	// A language model gets offered.List(ctx) and sends a name and JSON arguments.
	offered := tools.New(eng, tools.Options{})
	answer, err := offered.Call(ctx, "find_nodes", []byte(`{"node_label": "gl_issue", "search": "login"}`))
	fmt.Println(string(answer), err) // an error's document is an answer to the model, too

	// Go code asks without JSON.
	opened := graph.NodePattern{Label: "gl_issue", Filter: graph.Where("state", "opened")}
	res, err := eng.Run(ctx, &graph.FindNodes{NodePattern: opened})
	if err != nil {
		log.Fatal(err)
	}
	for _, issue := range res.Answers() {
		fmt.Println(issue.ID, issue.Value("title"))
	}

	// Output:
	// {"format":"knowledge_graph.result.v1","tool":"find_nodes","nodes":[{"label":"gl_issue","id":"102","properties":{"id":102,"title":"Login loses the session","state":"opened"}}],"returned":1,"truncated":false,"truncated_by":null,"next_cursor":null,"warnings":[],"executed":"native"} <nil>
	// 101 "Fog horn is silent"
	// 102 "Login loses the session"
}

// A label with records in its schema has tools of its own: whoever needs a list
// or a record by its id calls them without knowing of a graph.
func ExampleTools_records() {
	s, err := schema.Parse("shop.yaml", []byte(`
format: trellis.schema.v1
nodes:
  tea:
    description: A tea on the shelf.
    key: id
    records: true
    properties:
      id: string
      kind: {type: enum, values: [green, black], index: true}
      grams: {type: int32, index: true}
`))
	if err != nil {
		log.Fatal(err)
	}
	b := memory.NewBuilder(s)
	b.Node("tea", memory.Values{"id": "sencha", "kind": "green", "grams": 100})
	b.Node("tea", memory.Values{"id": "assam", "kind": "black", "grams": 250})
	b.Node("tea", memory.Values{"id": "keemun", "kind": "black", "grams": 50})
	g, err := b.Build()
	if err != nil {
		log.Fatal(err)
	}
	offered := tools.New(engine.New(schema.NewCatalog(s), native.New(g, native.Options{}), engine.Options{}), tools.Options{})
	for _, call := range [][2]string{
		{"list_tea", `{"filters": {"kind": "black"}, "sort": "-grams", "limit": 1}`},
		{"get_tea", `{"ids": ["sencha", "oolong"]}`},
		{"get_tea", `{"id": "oolong"}`},
	} {
		answer, err := offered.Call(context.Background(), call[0], []byte(call[1]))
		fmt.Println(string(answer), err)
	}
	_, err = offered.Call(context.Background(), "list_tea", []byte(`{"limit": 501}`))
	fmt.Println(err)

	// Output:
	// {"items":[{"id":"assam","kind":"black","grams":250}],"total":2} <nil>
	// {"entities":[{"id":"sencha","kind":"green","grams":100}],"not_found":["oolong"]} <nil>
	// null <nil>
	// OUT_OF_RANGE /limit: [INVALID_INPUT] limit must be between 1 and 500
}
