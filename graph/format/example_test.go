package format_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/graph/format"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
)

func ExampleAppend() {
	ctx := context.Background()
	g, err := memory.Open(ctx, "../../tools/testdata/forge", memory.Options{})
	if err != nil {
		log.Fatal(err)
	}
	st := native.New(g, native.Options{})
	defer st.Close()
	eng := engine.New(schema.NewCatalog(g.Schema()), st, engine.Options{})
	res, err := eng.Run(ctx, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "gl_user"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range []format.Format{format.CSV, format.Markdown} {
		text, err := format.Append(nil, f, res)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(text))
	}
	// Output:
	// gl_user
	// @id,id,name
	// 1,1,Mira Solberg
	// 2,2,Tomás Oliveira
	//
	// ### gl_user
	//
	// |@id|id|name|
	// |-|-|-|
	// |1|1|Mira Solberg|
	// |2|2|Tomás Oliveira|
}
