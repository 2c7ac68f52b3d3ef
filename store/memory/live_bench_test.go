package memory_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

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

// BenchmarkHub applies batches of one operation at a node that so many of
// 200,000 nodes are next to, each with eight relationships besides; a degree of 0 is
// an ordinary node. What sweeping up costs is within the figures, as it comes;
// worst is the longest Apply.
func BenchmarkHub(b *testing.B) {
	const nodes = 200_000
	s := parse(b, `
format: trellis.schema.v1
nodes:
  person: {key: id, properties: {id: int64, name: string, city: {type: string, index: true}, rank: float}}
relationships:
  KNOWS: {from: person, to: person, table: knows, from_column: a, to_column: b, properties: {since: int32}}
`)
	person := func(id, n int) memory.Values {
		return memory.Values{"id": id, "name": fmt.Sprint("person number ", id), "city": fmt.Sprint("city ", n%500), "rank": float64(n)}
	}
	const hub = nodes / 2
	node := func(id int) graph.NodeID { return graph.ID("person", id) }
	for _, degree := range []int{0, 100, 1_000, 10_000, 100_000} {
		build := memory.NewBuilder(s)
		for id := range nodes {
			build.Node("person", person(id, id))
			for i := range 4 {
				build.Relationship("KNOWS", node(id), node((id+7*i+1)%nodes), memory.Values{"since": i})
			}
		}
		step := 1
		if degree > 0 {
			step = nodes / degree
		}
		member := func(i int) int { // not next to the hub besides
			return (i*step + hub + 100) % nodes
		}
		for i := range degree - 100 {
			build.Relationship("KNOWS", node(member(i)), node(hub), nil)
		}
		g, err := build.Build()
		require.NoError(b, err)
		for _, c := range []struct {
			name      string
			operation func(batch *memory.Batch, i int)
		}{
			{"hub", func(batch *memory.Batch, i int) { batch.Node("person", person(hub, i)) }},
			{"member", func(batch *memory.Batch, i int) {
				id := member(i * 7919 % max(1, degree-100))
				batch.Node("person", person(id, i))
			}},
			{"relationship", func(batch *memory.Batch, i int) {
				batch.Relationship("KNOWS", node(member(i*7919%max(1, degree-100))), node(hub), memory.Values{"since": i})
			}},
			{"addition", func(batch *memory.Batch, i int) {
				from := node((hub + 101 + i*7919%1000) % nodes)
				if i%2 == 0 {
					batch.Relationship("KNOWS", from, node(hub), nil)
				} else {
					batch.DeleteRelationship("KNOWS", node((hub+101+(i-1)*7919%1000)%nodes), node(hub), nil)
				}
			}},
		} {
			b.Run(fmt.Sprintf("%s/degree=%d", c.name, degree), func(b *testing.B) {
				live := memory.NewLive(g)
				apply := func(i int) time.Duration {
					batch := memory.NewBatch(s)
					c.operation(batch, i)
					before := time.Now()
					if _, err := live.Apply(batch); err != nil {
						b.Fatal(err)
					}
					return time.Since(before)
				}
				apply(1) // columns are copied once
				apply(2)
				worst := time.Duration(0)
				b.ReportAllocs()
				for i := 3; b.Loop(); i++ {
					worst = max(worst, apply(i))
				}
				b.ReportMetric(float64(worst.Microseconds())/1000, "worst-ms")
			})
		}
	}
}
