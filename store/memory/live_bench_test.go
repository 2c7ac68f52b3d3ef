package memory_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store/memory"
)

// BenchmarkApply applies batches of several sizes to graphs of several sizes, with
// four relationships a node. Of ten operations, four change a node, one adds
// one with a relationship, one deletes one, and three add or delete a
// relationship. What making labels dense again costs is within the figures, as
// it comes.
func BenchmarkApply(b *testing.B) {
	s := parse(b, `
format: trellis.schema.v1
nodes:
  person: {key: id, properties: {id: int64, name: string, city: {type: string, index: true}, born: {type: date, index: true}, rank: float}}
relationships:
  KNOWS: {from: person, to: person, table: knows, from_column: a, to_column: b, properties: {since: int32}}
`)
	dice := rand.New(rand.NewPCG(1, 9))
	values := func(id int) memory.Values {
		return memory.Values{"id": id, "name": fmt.Sprint("person number ", id), "city": fmt.Sprint("city ", dice.IntN(500)),
			"born": graph.DateFromDays(dice.Int64N(20_000)), "rank": dice.Float64()}
	}
	for _, nodes := range []int{10_000, 100_000, 1_000_000} {
		var g *memory.Graph
		for _, size := range []int{1, 10, 100, 1000} {
			b.Run(fmt.Sprintf("nodes=%d/operations=%d", nodes, size), func(b *testing.B) {
				if g == nil {
					build := memory.NewBuilder(s)
					for id := range nodes {
						build.Node("person", values(2*id))
					}
					for range 4 {
						// A permutation, so that no relationship comes twice.
						step := 2*dice.IntN(nodes/2) + 1
						for id := range nodes {
							if to := (id + step) % nodes; id != to {
								build.Relationship("KNOWS", graph.ID("person", 2*id), graph.ID("person", 2*to), memory.Values{"since": id % 50})
							}
						}
					}
					var err error
					g, err = build.Build()
					require.NoError(b, err)
				}
				live := memory.NewLive(g)
				id := func() graph.NodeID { return graph.ID("person", 2*dice.IntN(nodes)) }
				operation := func(batch *memory.Batch) {
					switch n := dice.IntN(10); {
					case n < 5:
						batch.Node("person", values(int(id().ID.Int())))
					case n < 6:
						odd := 2*dice.IntN(nodes) + 1
						batch.Node("person", values(odd))
						batch.Relationship("KNOWS", graph.ID("person", odd), graph.ID("person", odd), memory.Values{"since": 1})
					case n < 7:
						batch.DeleteNode(graph.ID("person", 2*dice.IntN(nodes)+1))
					default:
						batch.DeleteRelationship("KNOWS", id(), id(), nil)
						x := values(int(id().ID.Int()))
						batch.Node("person", x)
						batch.Relationship("KNOWS", graph.ID("person", x["id"]), graph.ID("person", x["id"]), memory.Values{"since": dice.IntN(50)})
					}
				}
				warm := memory.NewBatch(s) // columns are copied once
				operation(warm)
				_, err := live.Apply(warm)
				require.NoError(b, err)
				b.ReportAllocs()
				for b.Loop() {
					batch := memory.NewBatch(s)
					for batch.Len() < size {
						operation(batch)
					}
					_, err := live.Apply(batch)
					if err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size), "ns/operation")
			})
		}
	}
}
