package native

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// shelves are books, each by one author who lives in some towns, with subjects.
func shelves(t testing.TB, rng *rand.Rand, books int) *memory.Graph {
	s, err := schema.Parse("shelves.yaml", []byte(`
format: trellis.schema.v1
nodes:
  town: {key: id, properties: {id: int64, name: string}}
  author: {key: id, properties: {id: int64, name: string, born: int32}}
  subject: {key: id, properties: {id: int64, name: {type: string, nullable: false}}}
  book: {key: id, properties: {id: int64, year: int32, size: int64, kind: string}}
relationships:
  BY: {from: book, to: author}
  LIVES: {from: author, to: town}
  ABOUT: {from: book, to: subject}
  KNOWS: {from: author, to: author}
`))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	towns, authors, subjects := 1+rng.IntN(20), 1+rng.IntN(80), 1+rng.IntN(60)
	for i := range towns {
		b.Node("town", memory.Values{"id": i, "name": fmt.Sprint("town ", i%7)}) // some share a name
	}
	for i := range subjects {
		b.Node("subject", memory.Values{"id": i, "name": fmt.Sprint("subject ", i)})
	}
	once := map[string]bool{}
	link := func(typ, from string, i int, to string, j int) {
		if at := fmt.Sprint(typ, i, " ", j); !once[at] {
			once[at] = true
			b.Relationship(typ, graph.ID(from, i), graph.ID(to, j), nil)
		}
	}
	for i := range authors {
		b.Node("author", memory.Values{"id": i, "name": fmt.Sprint("author ", i%11), "born": 1900 + i%50})
		for range rng.IntN(4) {
			link("LIVES", "author", i, "town", rng.IntN(towns))
			link("KNOWS", "author", i, "author", rng.IntN(authors))
		}
	}
	for i := range books {
		v := memory.Values{"id": i, "year": 1950 + rng.IntN(70), "size": rng.IntN(9)}
		if i%5 > 0 {
			v["kind"] = string(rune('a' + rng.IntN(3)))
		}
		b.Node("book", v)
		link("BY", "book", i, "author", min(rng.IntN(authors), rng.IntN(authors)))
		for range rng.IntN(3) {
			link("ABOUT", "book", i, "subject", min(rng.IntN(subjects), rng.IntN(subjects)))
		}
	}
	g, err := b.Build()
	require.NoError(t, err)
	return g
}

// Nodes that are only counted are counted in shorter ways. The counts are those
// of a call that wants a figure besides, for which every node is looked at.
func TestShortWaysCountTheSame(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 9))
		g := shelves(t, rng, 1+rng.IntN(300))
		for range 20 {
			agree(t, g, randomCount(rng), fmt.Sprint("seed ", seed))
		}
	}
	if !testing.Short() {
		rng := rand.New(rand.NewPCG(1, 9))
		g := shelves(t, rng, parallelRows+1000) // two processors
		for i := range 40 {
			agree(t, g, randomCount(rng), fmt.Sprint("large ", i))
		}
	}
}

func agree(t *testing.T, g *memory.Graph, q graph.Aggregate, name string) {
	t.Helper()
	short, long := q, q
	short.Aggregations = []graph.Aggregation{{Function: graph.Count}}
	long.Aggregations = append(short.Aggregations, graph.Aggregation{Function: graph.CountDistinct, Property: "id", As: "besides"})
	got, want := rowsOf(t, g, &short), rowsOf(t, g, &long)
	for _, row := range want {
		require.Equal(t, row["count"], row["besides"], "%s: %v", name, q)
		delete(row, "besides")
	}
	require.Equal(t, want, got, "%s: %v", name, q)
}

func rowsOf(t *testing.T, g *memory.Graph, q graph.Query) []map[string]any {
	t.Helper()
	p, err := compile.New(compile.Options{}).Check(g.Schema(), nil, q)
	require.NoError(t, err)
	w := graph.NewJSONWriter(nil, p.Tool())
	out, err := New(g, Options{HideStatements: true}).Run(context.Background(), p, w)
	require.NoError(t, err)
	b, err := w.Finish(&graph.Summary{Returned: out.Returned, TruncatedBy: out.TruncatedBy})
	require.NoError(t, err)
	var answer struct {
		Rows      []map[string]any `json:"rows"`
		Truncated bool             `json:"truncated"`
	}
	require.NoError(t, json.Unmarshal(b, &answer))
	return append(answer.Rows, map[string]any{"truncated": answer.Truncated})
}

// randomCount is a question of how many books there are, without figures.
func randomCount(rng *rand.Rand) graph.Aggregate {
	one := func(list ...int) bool { return rng.IntN(len(list)+2) == 0 }
	step := func(typ string, to graph.NodePattern) graph.Step { return graph.Step{Types: []string{typ}, To: &to} }
	author := graph.NodePattern{Label: "author"}
	if one(1) {
		author.Filter = graph.Cmp("born", graph.Lt, 1900+rng.IntN(50))
	}
	q := graph.Aggregate{NodePattern: graph.NodePattern{Label: "book"}, Limit: 1 + rng.IntN(12)}
	var conds graph.And
	if one(1) {
		conds = append(conds, graph.Cmp("year", []graph.Op{graph.Gte, graph.Lt, graph.Ne}[rng.IntN(3)], 1950+rng.IntN(70)))
	}
	if one(1, 2) {
		conds = append(conds, graph.Where("kind", "b"))
	}
	if len(conds) > 0 {
		q.Filter = conds
	}
	some := func(r graph.Related) graph.Related {
		r.None = one(1, 2)
		return r
	}
	if one() {
		by := step("BY", graph.NodePattern{Label: "author", Filter: graph.Cmp("born", graph.Gte, 1900+rng.IntN(50))})
		q.Related = append(q.Related, some(graph.Related{Relationships: []graph.Step{by}}))
	}
	if one(1) {
		q.Related = append(q.Related, some(graph.Related{Relationships: []graph.Step{step("ABOUT", graph.NodePattern{Label: "subject", IDs: graph.IDs(0, 1, 2)})}}))
	}
	if one(1) {
		knows := graph.Step{Types: []string{"KNOWS"}, MaxHops: 1 + rng.IntN(3), To: &graph.NodePattern{Label: "author", IDs: graph.IDs(0)}}
		q.Related = append(q.Related, some(graph.Related{Relationships: []graph.Step{step("BY", graph.NodePattern{Label: "author"}), knows}}))
	}
	group := func(property string, steps ...graph.Step) {
		q.GroupBy = append(q.GroupBy, graph.GroupKey{Relationships: steps, Property: property})
	}
	switch rng.IntN(8) {
	case 0:
	case 1:
		group("kind")
	case 2:
		group("name", step("ABOUT", graph.NodePattern{Label: "subject"}))
	case 3:
		group("name", step("BY", author))
	case 4:
		group("name", step("BY", author), step("LIVES", graph.NodePattern{Label: "town"}))
	case 5:
		group("", step("BY", author), graph.Step{Types: []string{"KNOWS"}, To: &graph.NodePattern{Label: "author"}})
	case 6:
		group("name", step("BY", author), graph.Step{Types: []string{"KNOWS"}, To: &graph.NodePattern{Label: "author"}}, step("LIVES", graph.NodePattern{Label: "town"}))
	case 7:
		group("id", step("BY", author))
	}
	if one() && len(q.GroupBy) > 0 {
		q.OrderBy = []graph.ColumnOrder{{As: "count", Direction: []graph.SortDirection{graph.Desc, graph.Asc}[rng.IntN(2)]}}
	}
	if one(1, 2) && len(q.GroupBy) > 0 {
		q.Having = []graph.Having{{As: "count", Op: graph.Gte, Value: graph.Int(int64(1 + rng.IntN(20)))}}
	}
	return q
}
