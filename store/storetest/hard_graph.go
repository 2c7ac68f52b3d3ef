package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

const hardSchema = `
format: trellis.schema.v1
nodes:
  spot:
    key: id
    default_properties: []
    properties: {id: int32}
relationships:
  RAIL: {from: spot, to: spot}
  ROAD: {from: spot, to: spot}
`

// Where the parts of the hard graph lie. They are not connected with each
// other.
const (
	loop   = 1   // a road to itself
	pair   = 2   // roads to 3 and back
	mixed  = 4   // rails to 5 and back, a road to 5; a road to 6, a rail back
	clique = 100 // 31 spots, roads from each to each
	// A road from outside leads into the clique, one from there to outside.
	entrance, exit = 98, 99
	hub            = 1000 // roads to all leaves after it
	source         = 500  // of the lattice: roads to the first of its layers
	sink           = 600  // roads from the last of its layers

	cliqueSize          = 31
	leaves              = 100_000
	layers, layerSize   = 5, 16 // 16^5 = 1,048,576 paths of 6 hops
	farthest, firstLeaf = layers + 1, hub + 1
)

// hardGraph holds what makes walks long: loops, cycles, a clique, a hub and a
// lattice.
func hardGraph(t testing.TB) *memory.Graph {
	s, err := schema.Parse("hard.yaml", []byte(hardSchema))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	spots := func(first, n int) {
		for i := range n {
			b.Node("spot", memory.Values{"id": first + i})
		}
	}
	link := func(typ string, from, to int) { b.Relationship(typ, graph.ID("spot", from), graph.ID("spot", to), nil) }
	spots(loop, 6)
	link("ROAD", loop, loop)
	link("ROAD", pair, pair+1)
	link("ROAD", pair+1, pair)
	link("RAIL", mixed, mixed+1)
	link("RAIL", mixed+1, mixed)
	link("ROAD", mixed, mixed+1)
	link("RAIL", mixed+2, mixed)
	link("ROAD", mixed, mixed+2)

	spots(entrance, 2+cliqueSize)
	link("ROAD", entrance, clique)
	link("ROAD", clique, exit)
	for i := range cliqueSize {
		for j := range cliqueSize {
			if i != j {
				link("ROAD", clique+i, clique+j)
			}
		}
	}

	spots(hub, 1+leaves)
	for i := range leaves {
		link("ROAD", hub, firstLeaf+i)
	}

	spots(source, 1+layers*layerSize)
	spots(sink, 1)
	at := func(layer, i int) int { return source + 1 + layer*layerSize + i }
	for i := range layerSize {
		link("ROAD", source, at(0, i))
		link("ROAD", at(layers-1, i), sink)
		for layer := range layers - 1 {
			for j := range layerSize {
				link("ROAD", at(layer, i), at(layer+1, j))
			}
		}
	}
	g, err := b.Build()
	require.NoError(t, err)
	return g
}
