package native

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// indexed is a graph of pieces with indexes on columns of all kinds, with and
// without nulls, with few values and with many, and a policy on them.
func indexed(t testing.TB) *memory.Graph {
	s, err := schema.Parse("indexed.yaml", []byte(`
format: trellis.schema.v1
nodes:
  piece:
    key: id
    policy: node.owner == caller.tenant || caller.principal == "all"
    properties:
      id: string
      owner: {type: enum, values: [a, b, c], nullable: false}
      kind: {type: enum, values: [x, y, z], index: true, nullable: false}
      good: {type: bool, index: true}
      name: {type: string, index: true}
      word: {type: string, index: true, nullable: false}
      price: {type: float, index: true, nullable: false}
      rating: {type: float, index: true}
      cost: {type: decimal, scale: 2, index: true}
      count: {type: int64, index: true, nullable: false}
      number: {type: int32, index: true}
      made: {type: date, index: true}
      at: {type: datetime, index: true, nullable: false}
      uid: {type: uuid, index: true, nullable: false}
  tag: {key: value, policy: public, properties: {value: string}}
relationships:
  TAGGED: {from: piece, to: tag, policy: public}
`))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	for i := range 12 {
		b.Node("tag", memory.Values{"value": fmt.Sprint("tag", i)})
	}
	for i := range 3000 {
		id := fmt.Sprintf("p%05d", i*7919%10_007)
		b.Node("piece", pieceOf(id, i))
		for j := range i % 4 {
			b.Relationship("TAGGED", graph.ID("piece", id), graph.ID("tag", fmt.Sprint("tag", (i+j*j)%11)), nil)
		}
	}
	g, err := b.Build()
	require.NoError(t, err)
	return g
}

func pieceOf(id string, i int) memory.Values {
	v := memory.Values{"id": id, "owner": string(rune('a' + i%3)), "kind": string(rune('x' + i*i%3)), "word": fmt.Sprint("word", i%17),
		"price": float64(i*31%400)/4 - 20, "count": i * 37 % 1000, "at": fmt.Sprintf("2024-01-%02dT10:00:00Z", 1+i%28),
		"uid": fmt.Sprintf("6ba7b810-9dad-11d1-80b4-%012d", i*7919%3001)}
	if i%10 > 0 {
		v["name"], v["rating"], v["number"] = fmt.Sprint("Name ", i*13%2000), float64(i%11)/2, i%100-50
	}
	if i%7 > 0 {
		v["good"], v["cost"], v["made"] = i%2 == 0, fmt.Sprintf("%d.%02d", i*7%300-100, i%100), fmt.Sprintf("20%02d-03-05", i%40)
	}
	return v
}

// T35: whatever indexes, marks and bounds a page and its total are made of, it is
// the part of the whole answer that it says it is, for each caller, also where
// nodes came and went since the graph was built, or only went.
func TestT35PagesByIndexArePartsOfTheWhole(t *testing.T) {
	g := indexed(t)
	patched, thinned := memory.NewLive(g), memory.NewLive(g)
	changes, fewer := memory.NewBatch(g.Schema()), memory.NewBatch(g.Schema())
	for i := range 200 {
		gone := graph.ID("piece", fmt.Sprintf("p%05d", i*11*7919%10_007))
		changes.DeleteNode(gone)
		fewer.DeleteNode(gone)
		id := fmt.Sprintf("late%03d", i*7%200)
		changes.Node("piece", pieceOf(id, i*3))
		changes.Relationship("TAGGED", graph.ID("piece", id), graph.ID("tag", fmt.Sprint("tag", i%12)), nil)
	}
	changes.DeleteNode(graph.ID("tag", "tag7"))
	for live, batch := range map[*memory.Live]*memory.Batch{patched: changes, thinned: fewer} {
		_, err := live.Apply(batch)
		require.NoError(t, err)
	}
	scopes := map[string]*graph.Scope{"all": {Tenant: "a", Principal: "all"}, "some": {Tenant: "b", Principal: "b"}}
	rnd := rand.New(rand.NewPCG(1, 2))
	for name, src := range map[string]memory.Source{"built": g, "patched": patched, "thinned": thinned} {
		st := New(src, Options{HideStatements: true})
		for who, scope := range scopes {
			t.Run(name+"/"+who, func(t *testing.T) {
				check := func(q *graph.FindNodes, offset func(n int) int) (n int) {
					whole := *q
					whole.Limit, whole.Page = 5000, nil
					res, _ := pageAs(t, st, g.Schema(), scope, &whole)
					n = len(res.Nodes)
					at := min(max(0, offset(n)), n)
					q.Page = &graph.Page{Offset: at}
					part, out := pageAs(t, st, g.Schema(), scope, q)
					to := min(at+q.Limit, n)
					require.Equal(t, idsOf(res.Nodes[at:to]), idsOf(part.Nodes), "%+v", q)
					require.EqualValues(t, n, *out.Total, "%+v", q)
					require.Equal(t, to < n, out.TruncatedBy == graph.TruncatedRows, "%+v", q)
					return n
				}
				filled := 0
				for range 250 {
					q := randomList(rnd)
					q.Limit = 1 + rnd.IntN(40)
					if check(q, func(n int) int { return []int{0, 0, 1, n / 3, n - 300, n - 10, n}[rnd.IntN(7)] }) > 0 {
						filled++
					}
				}
				// Where the values end and the nulls begin.
				for behind := 0; behind < 600; behind += 25 {
					q := &graph.FindNodes{NodePattern: graph.NodePattern{Label: "piece"}, Properties: []string{}, Limit: 30, OrderBy: []graph.Order{{Property: "rating"}}}
					check(q, func(n int) int { return n - behind })
				}
				require.Greater(t, filled, 120)
			})
		}
	}
}

// randomList asks for pieces by bounds, kinds and tags, in some order.
func randomList(rnd *rand.Rand) *graph.FindNodes {
	q := &graph.FindNodes{NodePattern: graph.NodePattern{Label: "piece"}, Properties: []string{}}
	lower, upper := []graph.Op{graph.Gt, graph.Gte}[rnd.IntN(2)], []graph.Op{graph.Lt, graph.Lte}[rnd.IntN(2)]
	var all graph.And
	between := func(property string, lo, hi graph.Value) {
		if rnd.IntN(4) > 0 {
			all = append(all, graph.Compare{Property: property, Op: lower, Value: lo})
		}
		if rnd.IntN(4) > 0 {
			all = append(all, graph.Compare{Property: property, Op: upper, Value: hi})
		}
	}
	for range rnd.IntN(4) {
		at := rnd.IntN(100)
		switch rnd.IntN(9) {
		case 0:
			between("price", graph.Float(float64(at)-25), graph.Float(float64(at)))
		case 1:
			between("rating", graph.Float(float64(at%5)), graph.Float(float64(at%9)))
		case 2:
			between("number", graph.Int(int64(at-60)), graph.Int(int64(at-20)))
		case 3:
			between("count", graph.Int(int64(at*5)), graph.Int(int64(at*10)))
		case 4:
			all = append(all, graph.Where("kind", string(rune('x'+at%3))))
		case 5:
			all = append(all, graph.OneOf("number", at-50, at-49, 7, 7, at-50))
		case 6:
			all = append(all, graph.OneOf("kind", "z", string(rune('x'+at%3))), graph.Where("good", at%2 == 0))
		case 7:
			between("name", graph.String(fmt.Sprint("Name ", at)), graph.String(fmt.Sprint("Name ", at%7)))
			between("word", graph.String(fmt.Sprint("word", at%20)), graph.String("word9"))
		case 8:
			all = append(all, graph.OneOf("name", "Name 13", "Name 26", fmt.Sprint("Name ", at*13), "nobody"),
				graph.OneOf("word", "word1", "word2", "word3", fmt.Sprint("word", at)))
		}
	}
	rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if len(all) > 0 {
		q.Filter = all
		if rnd.IntN(6) == 0 {
			q.Filter = graph.Not{Filter: all}
		}
	}
	if rnd.IntN(3) == 0 {
		tags := graph.Where("value", fmt.Sprint("tag", rnd.IntN(13)))
		if rnd.IntN(2) == 0 {
			tags = graph.Compare{Property: "value", Op: graph.In, Value: graph.List(
				graph.String(fmt.Sprint("tag", rnd.IntN(13))), graph.String("tag3"), graph.String("tag3"))}
		}
		q.Related = append(q.Related, graph.Related{Relationships: []graph.Step{{Types: []string{"TAGGED"}, To: &graph.NodePattern{Label: "tag", Filter: tags}}}, None: rnd.IntN(4) == 0})
	}
	if rnd.IntN(10) == 0 {
		for i := range 60 {
			q.IDs = append(q.IDs, graph.IDs(fmt.Sprintf("p%05d", i*7919%10_007), fmt.Sprintf("late%03d", i*3))...)
		}
	}
	properties := []string{"kind", "good", "name", "word", "price", "rating", "cost", "count", "number", "made", "at", "uid"}
	for range rnd.IntN(8) / 3 {
		q.OrderBy = append(q.OrderBy, graph.Order{Property: properties[rnd.IntN(len(properties))], Direction: []graph.SortDirection{graph.Asc, graph.Desc}[rnd.IntN(2)]})
	}
	if len(q.OrderBy) == 2 && q.OrderBy[0].Property == q.OrderBy[1].Property {
		q.OrderBy = q.OrderBy[:1]
	}
	return q
}
