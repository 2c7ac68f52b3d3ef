package native_test

import (
	"context"
	"fmt"
	"log"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
)

func Example() {
	ctx := context.Background()
	g, err := memory.Open(ctx, "../../tools/testdata/forge", memory.Options{})
	if err != nil {
		log.Fatal(err)
	}
	st := native.New(g, native.Options{}) // or of a *memory.Live, which may change
	defer st.Close()
	eng := engine.New(schema.NewCatalog(g.Schema()), st, engine.Options{})
	res, err := eng.Run(ctx, &graph.Traverse{
		From:          graph.NodePattern{Label: "gl_user", IDs: graph.IDs(1)},
		Relationships: []graph.Step{{Types: []string{"AUTHORED_ISSUE"}}},
		To:            graph.NodePattern{Label: "gl_issue"},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, n := range res.Answers() {
		fmt.Println(n.Distance, n.ID, n.Value("title"))
	}
	fmt.Println("executed:", res.Executed)
	// Output:
	// 1 100 "Lamp turns too fast"
	// 1 102 "Login loses the session"
	// executed: native
}
