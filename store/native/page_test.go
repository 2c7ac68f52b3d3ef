package native

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/memory"
)

// pageOf answers a query with its plan checked under limits that clip nothing.
func pageOf(t testing.TB, st store.Store, s *schema.Schema, q *graph.FindNodes) (*graph.Result, store.Outcome) {
	return pageAs(t, st, s, nil, q)
}

// pageAs is pageOf for a caller.
func pageAs(t testing.TB, st store.Store, s *schema.Schema, scope *graph.Scope, q *graph.FindNodes) (*graph.Result, store.Outcome) {
	const all = 1_000_000
	plan, err := compile.New(compile.Options{Limits: graph.Limits{Rows: all, ListRows: all, Bytes: 1 << 30}}).Check(s, scope, q)
	require.NoError(t, err)
	res := &graph.Result{}
	out, err := st.Run(context.Background(), plan, graph.Collector{Result: res})
	require.NoError(t, err)
	return res, out
}

// T35: whatever the offset, a page of many nodes, which several processors look
// at, is the part of the whole answer that it says it is, also where nodes came
// and went since the graph was built.
func TestT35PagesArePartsOfTheWhole(t *testing.T) {
	g := many(t)
	live := memory.NewLive(g)
	changes := memory.NewBatch(g.Schema())
	for i := range 500 {
		changes.DeleteNode(graph.ID("item", i*37))
		changes.Node("item", memory.Values{"id": 1_000_000 - i*3, "name": fmt.Sprint("late", i), "weight": i, "length": 0.5, "made": "2020-01-01"})
	}
	_, err := live.Apply(changes)
	require.NoError(t, err)
	light := graph.Compare{Property: "weight", Op: graph.Lt, Value: graph.Int(100 << 48)}
	queries := map[string]*graph.FindNodes{
		"all":               {},
		"filtered":          {NodePattern: graph.NodePattern{Filter: light}},
		"of some boxes":     {NodePattern: graph.NodePattern{Related: []graph.Related{{Relationships: []graph.Step{{Types: []string{"NEAR"}}}}}}},
		"by weight":         {OrderBy: []graph.Order{{Property: "weight", Direction: graph.Desc}}},
		"filtered, by name": {NodePattern: graph.NodePattern{Filter: light}, OrderBy: []graph.Order{{Property: "name"}}},
		"by price":          {OrderBy: []graph.Order{{Property: "price"}}},
		"ids":               {NodePattern: graph.NodePattern{IDs: graph.IDs(7, 37, 5, 999_997, 70_000)}},
	}
	for name, src := range map[string]memory.Source{"built": g, "patched": live} {
		st := New(src, Options{HideStatements: true})
		for what, q := range queries {
			t.Run(name+"/"+what, func(t *testing.T) {
				whole := *q
				whole.Label, whole.Properties = "item", []string{}
				res, out := pageOf(t, st, g.Schema(), &whole)
				require.Nil(t, out.Total)
				require.Equal(t, graph.Complete, out.TruncatedBy)
				n := len(res.Nodes)
				for _, offset := range []int{0, 1, 63, 64, 65, 1000, n / 2, n - 3, n - 2, n - 1, n, n + 1, parallelRows, graph.MaxOffset} {
					paged := whole
					paged.Page, paged.Limit = &graph.Page{Offset: max(0, offset)}, 2
					part, out := pageOf(t, st, g.Schema(), &paged)
					from, to := min(paged.Page.Offset, n), min(paged.Page.Offset+2, n)
					require.Equal(t, idsOf(res.Nodes[from:to]), idsOf(part.Nodes), "offset %d of %d", offset, n)
					require.EqualValues(t, n, *out.Total)
					require.Equal(t, to < n, out.TruncatedBy == graph.TruncatedRows, "offset %d of %d", offset, n)
					require.Nil(t, out.Next)
				}
			})
		}
	}
}

func idsOf(nodes []graph.Node) []string {
	ids := make([]string, len(nodes))
	for i := range nodes {
		ids[i] = nodes[i].ID
	}
	return ids
}

// BenchmarkPage is the store's part of a page of 50 of 10,000 nodes, and of their
// total.
func BenchmarkPage(b *testing.B) {
	s, err := schema.Parse("shop.yaml", []byte(`
format: trellis.schema.v1
nodes:
  product:
    key: id
    properties: {id: string, kind: {type: enum, values: [a, b, c, d, e], index: true}, price: {type: float, index: true}, name: string}
  tag: {key: value, properties: {value: string}}
relationships:
  TAGGED: {from: product, to: tag}
`))
	require.NoError(b, err)
	build := memory.NewBuilder(s)
	for i := range 20 {
		build.Node("tag", memory.Values{"value": fmt.Sprint("tag", i)})
	}
	for i := range 10_000 {
		for j := range 2 {
			build.Relationship("TAGGED", graph.ID("product", fmt.Sprintf("product-%05d", i*7919%10_000)), graph.ID("tag", fmt.Sprint("tag", (i/3+j*7)%20)), nil)
		}
		build.Node("product", memory.Values{"id": fmt.Sprintf("product-%05d", i*7919%10_000), "kind": string(rune('a' + i%5)), "price": i * 31 % 1000, "name": fmt.Sprint("Name ", i)})
	}
	g, err := build.Build()
	require.NoError(b, err)
	kind := graph.NodePattern{Label: "product", Filter: graph.Where("kind", "b")}
	cheap := graph.NodePattern{Label: "product", Filter: graph.Compare{Property: "price", Op: graph.Lt, Value: graph.Float(500)}}
	byPrice := []graph.Order{{Property: "price"}}
	for _, c := range []struct {
		name string
		q    graph.FindNodes
	}{
		{"all", graph.FindNodes{NodePattern: graph.NodePattern{Label: "product"}}},
		{"indexed", graph.FindNodes{NodePattern: kind}},
		{"filtered", graph.FindNodes{NodePattern: cheap}},
		{"range", graph.FindNodes{NodePattern: graph.NodePattern{Label: "product", Filter: graph.And{
			graph.Compare{Property: "price", Op: graph.Gte, Value: graph.Float(300)}, graph.Compare{Property: "price", Op: graph.Lt, Value: graph.Float(500)}}}}},
		{"contains", graph.FindNodes{NodePattern: graph.NodePattern{Label: "product", Related: []graph.Related{{Relationships: []graph.Step{
			{Types: []string{"TAGGED"}, To: &graph.NodePattern{Label: "tag", Filter: graph.Where("value", "tag3")}}}}}}}},
		{"sorted", graph.FindNodes{NodePattern: kind, OrderBy: byPrice}},
		{"sorted all", graph.FindNodes{NodePattern: graph.NodePattern{Label: "product"}, OrderBy: byPrice}},
		{"sorted down", graph.FindNodes{NodePattern: cheap, OrderBy: []graph.Order{{Property: "price", Direction: graph.Desc}}}},
		{"by name", graph.FindNodes{NodePattern: cheap, OrderBy: []graph.Order{{Property: "name"}}}},
		{"far", graph.FindNodes{NodePattern: graph.NodePattern{Label: "product"}, OrderBy: byPrice, Page: &graph.Page{Offset: 5000}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			if c.q.Page == nil {
				c.q.Page = &graph.Page{}
			}
			st := New(g, Options{HideStatements: true})
			plan := kept(b, g, &c.q)
			var w graph.JSONWriter
			var buf []byte
			b.ReportAllocs()
			for b.Loop() {
				w.Reset(buf[:0], plan.Tool())
				out, err := st.Run(context.Background(), plan, &w)
				if err != nil {
					b.Fatal(err)
				}
				if buf, err = w.Finish(&graph.Summary{Total: out.Total}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// kept is the plan of a query that a compiler has met before.
func kept(t testing.TB, g *memory.Graph, q graph.Query) (plan *compile.Plan) {
	c := compile.New(compile.Options{})
	for range 3 {
		var err error
		plan, err = c.Check(g.Schema(), nil, q)
		require.NoError(t, err)
	}
	require.True(t, plan.Kept())
	return plan
}
