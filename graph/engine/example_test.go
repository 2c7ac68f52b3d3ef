package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/embedded"
	"github.com/trellisgraph/trellis/store/memory"
)

// metro builds a small underground railway: which stop comes after which.
func metro() (*memory.Graph, error) {
	s, err := schema.Parse("metro.yaml", []byte(`
format: trellis.schema.v1
nodes:
  stop:
    key: code
    display: name
    properties:
      code: string
      name: {type: string, nullable: false, search: true}
      zone: {type: int32, nullable: false}
relationships:
  NEXT: {from: stop, to: stop, properties: {minutes: {type: int32, nullable: false}}}
`))
	if err != nil {
		return nil, err
	}
	b := memory.NewBuilder(s)
	for i, name := range []string{"Airport", "Bridge", "Castle", "Docks"} {
		b.Node("stop", memory.Values{"code": name[:1], "name": name, "zone": 1 + i/2})
	}
	for _, hop := range []string{"AB", "BC", "CD", "AD"} {
		b.Relationship("NEXT", graph.ID("stop", hop[:1]), graph.ID("stop", hop[1:]), memory.Values{"minutes": 4})
	}
	return b.Build()
}

func Example() {
	g, err := metro()
	if err != nil {
		log.Fatal(err)
	}
	st, err := embedded.New(g, embedded.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()
	eng := engine.New(schema.NewCatalog(g.Schema()), st, engine.Options{})
	ctx := context.Background()

	res, err := eng.Run(ctx, &graph.Paths{From: graph.ID("stop", "A"), To: graph.ID("stop", "D"), Mode: graph.AllPaths, Direction: graph.Outgoing})
	if err != nil {
		log.Fatal(err)
	}
	for _, path := range res.Paths {
		for _, n := range path.Nodes {
			fmt.Print(n.ID, " ")
		}
		fmt.Println("in", path.Length)
	}

	res, err = eng.Run(ctx, &graph.Neighbors{Start: graph.ID("stop", "B"), MaxHops: 1})
	if err != nil {
		log.Fatal(err)
	}
	for _, n := range res.Answers() {
		fmt.Println(n.Value("name").Text(), n.Distance)
	}

	_, err = eng.Run(ctx, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "stop", Filter: graph.Where("zon", 1)}})
	var mistake *graph.Error
	if errors.As(err, &mistake) {
		fmt.Println(mistake.Code, mistake.Path, mistake.DidYouMean)
	}
	// Output:
	// A D in 1
	// A B C D in 3
	// Airport 1
	// Castle 1
	// UNKNOWN_PROPERTY /filters/zon [zone]
}

// Explain tells how a query would be answered.
func ExampleEngine_Explain() {
	g, err := metro()
	if err != nil {
		log.Fatal(err)
	}
	st, err := embedded.New(g, embedded.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()
	eng := engine.New(schema.NewCatalog(g.Schema()), st, engine.Options{})
	ex, err := eng.Explain(context.Background(), &graph.FindNodes{
		NodePattern: graph.NodePattern{Label: "stop", Filter: graph.Cmp("zone", graph.Lt, 3)},
		Properties:  []string{"name"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ex.Plan)
	for _, s := range ex.Statements {
		fmt.Println(s.SQL)
	}
	// Output:
	// find stop where zone < 3
	//   show name
	//   order by code limit 30
	// SELECT n.`code`, n.`name` FROM `stop` AS n WHERE n.`zone` < ? ORDER BY n.`code` LIMIT ?
}
