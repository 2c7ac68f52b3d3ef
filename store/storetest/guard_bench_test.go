package storetest_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/store/storetest"
)

// The benchmarks of this file make some calls with a policy on every label and
// without one, in turns, and report what the policy costs: the ratio of the two
// medians. Every row is the caller's, so that both answer the same.
//
//	go test ./store/storetest -run '^$' -bench Guard -benchtime 100x

// guardSchema is a small social network in which every row has a tenant; {}
// stands where a label's policy may.
const guardSchema = `
format: trellis.schema.v1
nodes:
  person:
    key: id
    {}
    properties:
      id: int64
      tenant: {type: string, nullable: false}
      name: {type: string, nullable: false}
      browser: {type: string, nullable: false}
      gender: {type: string, nullable: false}
      born: {type: date, nullable: false}
  post:
    key: id
    {}
    properties:
      id: int64
      tenant: {type: string, nullable: false}
      title: {type: string, nullable: false}
      created: {type: date, nullable: false}
  tag:
    key: id
    {}
    properties:
      id: int64
      tenant: {type: string, nullable: false}
      name: {type: string, nullable: false}
  place:
    key: id
    {}
    properties:
      id: int64
      tenant: {type: string, nullable: false}
      name: {type: string, nullable: false}
relationships:
  KNOWS: {from: person, to: person, properties: {since: date}}
  LIKES: {from: person, to: post}
  HAS_TAG: {from: post, to: tag}
  HAS_CREATOR: {from: post, to: person, foreign_key: creator_id}
  IS_LOCATED_IN: {from: person, to: place, foreign_key: place_id}
`

// guardSize is how many nodes of each label there are, and how many
// relationships of the join tables: 20,000 and 100,000 together.
var guardSize = struct{ persons, posts, tags, places, knows, likes, tagged int }{4_000, 15_000, 800, 200, 32_000, 19_000, 30_000}

// guardGraph fills the network; policy is what each label has.
func guardGraph(b *testing.B, policy string) *memory.Graph {
	s, err := schema.Parse("guard.yaml", []byte(strings.ReplaceAll(guardSchema, "{}\n", policy+"\n")))
	require.NoError(b, err)
	dice, size := rand.New(rand.NewPCG(1, 2)), guardSize
	build := memory.NewBuilder(s)
	word := func(words ...string) string { return words[dice.IntN(len(words))] }
	day := func(first, days int) string {
		return time.Date(first, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, dice.IntN(days)).Format(time.DateOnly)
	}
	nodes := func(label string, n int, more func(memory.Values)) {
		for i := range n {
			v := memory.Values{"id": i, "tenant": "acme"}
			more(v)
			build.Node(label, v)
		}
	}
	named := func(v memory.Values) { v["name"] = "n" + word("a", "b", "c") + word("x", "y", "z") + day(2000, 300) }
	nodes("place", size.places, named)
	nodes("tag", size.tags, named)
	nodes("person", size.persons, func(v memory.Values) {
		v["name"], v["browser"] = word("Jan", "Ada", "Li", "Bo", "Eve"), word("Opera", "Firefox", "Chrome", "Safari")
		v["gender"], v["born"] = word("female", "male"), day(1970, 10_000)
	})
	nodes("post", size.posts, func(v memory.Values) { v["title"], v["created"] = "post of "+day(2010, 900), day(2010, 1_000) })
	seen := map[[3]any]bool{}
	link := func(typ, from string, a int, to string, z int, v memory.Values) bool {
		if seen[[3]any{typ, a, z}] {
			return false
		}
		seen[[3]any{typ, a, z}] = true
		build.Relationship(typ, graph.ID(from, a), graph.ID(to, z), v)
		return true
	}
	many := func(n int, one func() bool) {
		for made := 0; made < n; {
			if one() {
				made++
			}
		}
	}
	for i := range size.posts {
		link("HAS_CREATOR", "post", i, "person", dice.IntN(size.persons), nil)
	}
	for i := range size.persons {
		link("IS_LOCATED_IN", "person", i, "place", dice.IntN(size.places), nil)
	}
	many(size.knows, func() bool {
		return link("KNOWS", "person", dice.IntN(size.persons), "person", dice.IntN(size.persons), memory.Values{"since": day(2010, 900)})
	})
	many(size.likes, func() bool {
		return link("LIKES", "person", dice.IntN(size.persons), "post", dice.IntN(size.posts), nil)
	})
	many(size.tagged, func() bool {
		return link("HAS_TAG", "post", dice.IntN(size.posts), "tag", dice.IntN(size.tags), nil)
	})
	g, err := build.Build()
	require.NoError(b, err)
	return g
}

type guardCall struct {
	name  string
	query graph.Query
}

// guardCalls are calls of every kind.
func guardCalls() []guardCall {
	id := func(label string, n int64) graph.NodePattern {
		return graph.NodePattern{Label: label, IDs: []graph.Value{graph.Int(n)}}
	}
	node := func(label string, f graph.Filter) graph.NodePattern {
		return graph.NodePattern{Label: label, Filter: f}
	}
	step := func(typ string, to graph.NodePattern) graph.Step {
		return graph.Step{Types: []string{typ}, To: &to}
	}
	knows := func(least, most int) graph.Step {
		return graph.Step{Types: []string{"KNOWS"}, MinHops: least, MaxHops: most}
	}
	near := step("KNOWS", id("person", 7))
	near.MaxHops = 2
	count := []graph.Aggregation{{Function: graph.Count}}
	top := []graph.ColumnOrder{{As: "count", Direction: graph.Desc}}
	byID := []graph.Order{{Property: "id"}}
	return []guardCall{
		{"q01 by id", &graph.FindNodes{NodePattern: id("person", 7)}},
		{"q02 by filters", &graph.FindNodes{NodePattern: node("person", graph.And{graph.Where("name", "Jan"),
			graph.Cmp("born", graph.Gte, "1985-01-01")}), OrderBy: byID, Limit: 30}},
		{"q03 hop", &graph.Traverse{From: id("person", 7), Relationships: []graph.Step{knows(1, 1)}, To: node("person", nil), OrderBy: byID, Limit: 30}},
		{"q04 two hops", &graph.Traverse{From: id("person", 7), Relationships: []graph.Step{knows(2, 2)},
			To: node("person", graph.Where("browser", "Opera")), OrderBy: byID, Limit: 30, OmitConnections: true}},
		{"q05 related count", &graph.Aggregate{NodePattern: graph.NodePattern{Label: "person",
			Related: []graph.Related{{Relationships: []graph.Step{near}}}}, Aggregations: count}},
		{"q06 explore", &graph.Neighbors{Start: graph.NodeID{Label: "person", ID: graph.Int(7)}, MaxHops: 2, Limit: 30}},
		{"q07 path", &graph.Paths{From: graph.NodeID{Label: "person", ID: graph.Int(7)}, To: graph.NodeID{Label: "person", ID: graph.Int(9)},
			RelationshipTypes: []string{"KNOWS"}, Direction: graph.Outgoing, MaxHops: 6}},
		{"q08 group", &graph.Aggregate{NodePattern: node("post", nil), Aggregations: count, OrderBy: top, Limit: 10,
			GroupBy: []graph.GroupKey{{Relationships: []graph.Step{step("HAS_TAG", node("tag", nil))}, Property: "name"}}}},
		{"q09 group two hops", &graph.Aggregate{NodePattern: graph.NodePattern{Label: "post", Filter: graph.Cmp("created", graph.Gte, "2012-01-01"),
			Related: []graph.Related{{Relationships: []graph.Step{step("HAS_CREATOR", node("person", graph.Where("gender", "female")))}}}},
			Aggregations: count, OrderBy: top, Limit: 10,
			GroupBy: []graph.GroupKey{{Relationships: []graph.Step{step("HAS_CREATOR", node("person", nil)),
				step("IS_LOCATED_IN", node("place", nil))}, Property: "name"}}}},
		{"q10 newest", &graph.Traverse{From: id("person", 7), Relationships: []graph.Step{step("KNOWS", node("person", nil)),
			{Types: []string{"HAS_CREATOR"}, Direction: graph.Incoming}},
			To:      node("post", graph.Cmp("created", graph.Lte, "2011-06-01")),
			OrderBy: []graph.Order{{Property: "created", Direction: graph.Desc}}, Limit: 20, OmitConnections: true}},
		{"q11 page of related", &graph.FindNodes{NodePattern: graph.NodePattern{Label: "person",
			Related: []graph.Related{{Relationships: []graph.Step{step("LIKES", node("post", graph.Cmp("created", graph.Gte, "2012-01-01")))}}}},
			OrderBy: byID, Limit: 30}},
	}
}

// guardCost makes the calls of two stores, the second of which has policies.
func guardCost(b *testing.B, open func(g *memory.Graph) store.Store) {
	caller := func(policy string) *engine.Engine {
		g := guardGraph(b, policy)
		return engine.New(schema.NewCatalog(g.Schema()), open(g), engine.Options{Statements: engine.HideStatements})
	}
	plain, guarded := caller(""), caller("policy: node.tenant == caller.tenant")
	ctx := graph.WithScope(context.Background(), &graph.Scope{Tenant: "acme"})
	for _, c := range guardCalls() {
		b.Run(c.name, func(b *testing.B) {
			var buf []byte
			answer := func(e *engine.Engine) string {
				r, err := e.Run(ctx, c.query)
				require.NoError(b, err)
				r.NextCursor = "" // it is bound to the schema
				buf, err = r.AppendJSON(buf[:0])
				require.NoError(b, err)
				return string(buf)
			}
			require.Equal(b, answer(plain), answer(guarded))
			var times [2][]time.Duration
			for b.Loop() {
				for i, e := range []*engine.Engine{plain, guarded} {
					start := time.Now()
					answer(e)
					times[i] = append(times[i], time.Since(start))
				}
			}
			for i := range times {
				slices.Sort(times[i])
			}
			without, with := times[0][len(times[0])/2], times[1][len(times[1])/2]
			b.ReportMetric(0, "ns/op") // of both together: says nothing
			b.ReportMetric(float64(without.Nanoseconds())/1e3, "open-µs")
			b.ReportMetric(float64(with.Nanoseconds())/1e3, "guarded-µs")
			b.ReportMetric(float64(with)/float64(without), "ratio")
			b.ReportMetric(float64(times[1][0])/float64(times[0][0]), "ratio-of-minima")
		})
	}
}

func BenchmarkGuardEmbedded(b *testing.B) {
	guardCost(b, func(g *memory.Graph) store.Store { return inProcess(b, g) })
}

func BenchmarkGuardNative(b *testing.B) {
	guardCost(b, func(g *memory.Graph) store.Store { return native.New(g, native.Options{HideStatements: true}) })
}

func BenchmarkGuardMariaDB(b *testing.B) { guardCost(b, shared(b, mariaDB(b))) }

func BenchmarkGuardPostgreSQL(b *testing.B) { guardCost(b, shared(b, postgreSQL(b))) }

// shared opens one database for both callers: policies change no row.
func shared(b *testing.B, open storetest.Opener) func(g *memory.Graph) store.Store {
	var s store.Store
	return func(g *memory.Graph) store.Store {
		if s == nil {
			s = open(b, g)
		}
		return s
	}
}
