package native

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/memory"
)

// many are more nodes than one processor is to look at.
func many(t testing.TB) *memory.Graph {
	s, err := schema.Parse("many.yaml", []byte(`
format: trellis.schema.v1
nodes:
  box: {key: id, properties: {id: int64, kind: string}}
  item:
    key: id
    properties:
      id: int64
      name: string
      weight: {type: int64}
      price: {type: decimal, scale: 2}
      length: {type: float}
      made: {type: date}
relationships:
  IN: {from: item, to: box, foreign_key: box_id}
  NEAR: {from: item, to: box}
`))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	for i := range 50 {
		b.Node("box", memory.Values{"id": i, "kind": string(rune('a' + i%4))})
	}
	for i := range parallelRows + 5000 {
		v := memory.Values{"id": i, "name": fmt.Sprint("n", i*7919%100_003), "weight": int64(i%1000) << 48, "length": float64(i) / 3,
			"made": fmt.Sprintf("20%02d-0%d-01", i%30, 1+i%9)}
		if i%11 > 0 {
			v["price"] = fmt.Sprintf("%d.%02d", i*i%100_000, i%100)
		}
		if i%1000 == 7 {
			v["price"] = "-123456789012345678901.25"
		}
		b.Node("item", v)
		b.Relationship("IN", graph.ID("item", i), graph.ID("box", i%50), nil)
		if i%3 == 0 {
			b.Relationship("NEAR", graph.ID("item", i), graph.ID("box", i*13%50), nil)
		}
	}
	g, err := b.Build()
	require.NoError(t, err)
	return g
}

// looksAtMany returns queries that look at very many items.
func looksAtMany() map[string]graph.Query {
	figures := []graph.Aggregation{{Function: graph.Count}}
	for _, f := range []graph.Function{graph.Sum, graph.Avg, graph.Min, graph.Max, graph.CountDistinct} {
		for _, p := range []string{"price", "length", "weight"} {
			if f == graph.Sum && p == "weight" {
				continue // does not fit
			}
			figures = append(figures, graph.Aggregation{Function: f, Property: p})
		}
	}
	figures = append(figures, graph.Aggregation{Function: graph.Count, As: "late", Filter: graph.Cmp("made", graph.Gt, "2020-01-01")})
	box := func(types ...string) []graph.Step {
		return []graph.Step{{Types: types, To: &graph.NodePattern{Label: "box"}}}
	}
	item := graph.NodePattern{Label: "item"}
	near := graph.NodePattern{Label: "item", Related: []graph.Related{{Relationships: []graph.Step{{Types: []string{"NEAR"},
		To: &graph.NodePattern{Label: "box", Filter: graph.Where("kind", "b")}}}}}}
	counts := []graph.Aggregation{{Function: graph.Count}}
	boxed := graph.NodePattern{Label: "item", Related: []graph.Related{{Relationships: []graph.Step{{Types: []string{"IN"},
		To: &graph.NodePattern{Label: "box", Filter: graph.Where("kind", "b")}}}}}}
	return map[string]graph.Query{
		"by ends":        &graph.Aggregate{NodePattern: boxed, Aggregations: counts, GroupBy: []graph.GroupKey{{Relationships: box("IN"), Property: "kind"}}},
		"one row":        &graph.Aggregate{NodePattern: item, Aggregations: figures},
		"groups":         &graph.Aggregate{NodePattern: item, Aggregations: figures, GroupBy: []graph.GroupKey{{Property: "made", Truncate: graph.Year}}},
		"pairs":          &graph.Aggregate{NodePattern: near, Aggregations: figures, GroupBy: []graph.GroupKey{{Property: "made"}, {Relationships: box("IN"), Property: "kind"}}, Limit: 100},
		"chain":          &graph.Aggregate{NodePattern: item, Aggregations: figures, GroupBy: []graph.GroupKey{{Relationships: box("NEAR", "IN"), Property: "kind"}}},
		"order":          &graph.FindNodes{NodePattern: item, OrderBy: []graph.Order{{Property: "name", Direction: graph.Desc}}},
		"order of a few": &graph.FindNodes{NodePattern: near, OrderBy: []graph.Order{{Property: "price"}}},
		"order of words": &graph.FindNodes{NodePattern: item, OrderBy: []graph.Order{{Property: "made"}, {Property: "length", Direction: graph.Desc}}},
	}
}

// document is the answer of a store to a plan, or its error.
func document(st store.Store, p *compile.Plan) string {
	w := graph.NewJSONWriter(nil, p.Tool())
	out, err := st.Run(context.Background(), p, w)
	if err != nil {
		return err.Error()
	}
	b, err := w.Finish(&graph.Summary{Returned: out.Returned, TruncatedBy: out.TruncatedBy})
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// Answers are the same however many processors look for them, also where several
// calls share them.
func TestProcessorsAgree(t *testing.T) {
	g := many(t)
	st := New(g, Options{HideStatements: true})
	c := compile.New(compile.Options{Limits: graph.Limits{Aggregations: 20}})
	for name, q := range looksAtMany() {
		t.Run(name, func(t *testing.T) {
			p, err := c.Check(g.Schema(), nil, q)
			require.NoError(t, err)
			before := runtime.GOMAXPROCS(1)
			defer runtime.GOMAXPROCS(before)
			want := document(st, p)
			require.Contains(t, want, `"returned"`)
			runtime.GOMAXPROCS(4)
			var wait sync.WaitGroup
			got := make([]string, 3)
			for i := range got {
				wait.Add(1)
				go func() {
					defer wait.Done()
					got[i] = document(st, p)
				}()
			}
			wait.Wait()
			for _, g := range got {
				require.Equal(t, want, g)
			}
		})
	}
}

// What panics on another processor is a panic of the call, and not of the
// process.
func TestPanicsComeBack(t *testing.T) {
	r, _ := planned(t, items(t), &graph.FindNodes{NodePattern: graph.NodePattern{Label: "item"}})
	require.PanicsWithValue(t, "part 2", func() {
		r.inParallel(4, func(_ *run, i int) {
			if i == 2 {
				panic("part 2")
			}
		})
	})
}
