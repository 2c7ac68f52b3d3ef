package memory_test

import (
	"fmt"
	"log"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

const roads = `
format: trellis.schema.v1
nodes: {town: {key: id, properties: {id: int64, name: {type: string, nullable: false}}}}
relationships: {ROAD: {from: town, to: town}}
`

func ExampleBuilder() {
	s, err := schema.Parse("roads.yaml", []byte(roads))
	if err != nil {
		log.Fatal(err)
	}
	b := memory.NewBuilder(s)
	b.Node("town", memory.Values{"id": 1, "name": "Oslo"})
	b.Node("town", memory.Values{"id": 2, "name": "Bergen"})
	b.Relationship("ROAD", graph.ID("town", 1), graph.ID("town", 2), nil)
	g, err := b.Build()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Size())
	// Output: 2 1
}

// Whoever took a snapshot sees it unchanged, whatever is applied later.
func ExampleLive() {
	s, err := schema.Parse("roads.yaml", []byte(roads))
	if err != nil {
		log.Fatal(err)
	}
	empty, err := memory.NewBuilder(s).Build()
	if err != nil {
		log.Fatal(err)
	}
	live := memory.NewLive(empty)
	changes := memory.NewBatch(s)
	changes.Node("town", memory.Values{"id": 1, "name": "Oslo"})
	changes.Relationship("ROAD", graph.ID("town", 1), graph.ID("town", 1), nil)
	if _, err := live.Apply(changes); err != nil {
		log.Fatal(err)
	}
	fmt.Println(empty.Size())
	fmt.Println(live.Graph().Size())
	// Output:
	// 0 0
	// 1 1
}
