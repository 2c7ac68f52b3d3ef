package compile_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

const shopSchema = `
format: trellis.schema.v1
nodes:
  customer:
    key: id
    properties:
      id: {type: int64}
      name: {type: string, search: true}
      city: {type: string, index: true}
      joined: {type: date, index: true, nullable: true}
      vip: {type: bool}
      size: {type: enum, values: [s, m, l, xl]}
  order:
    key: id
    properties:
      id: {type: int64}
      note: {type: string}
      total: {type: int64}
  tag: {key: id, properties: {id: {type: int64}, text: {type: string}}}
relationships:
  PLACED: {from: customer, to: order}
  TAGGED: {from: order, to: tag}
  KNOWS: {from: customer, to: customer, properties: {since: date}}
`

// shop is a shop of 100,000 customers with ten orders each.
func shop(t testing.TB) (*schema.Schema, *compile.Statistics) {
	s, err := schema.Parse("shop.yaml", []byte(shopSchema))
	require.NoError(t, err)
	return s, &compile.Statistics{
		Labels: map[string]compile.LabelStatistics{
			"customer": {Nodes: 100_000, Properties: map[string]compile.PropertyStatistics{
				"name": {Distinct: 50_000}, "city": {Distinct: 100}, "joined": {Distinct: 1000, Nulls: 0.4}, "vip": {Distinct: 2}, "size": {Distinct: 4},
			}},
			"order": {Nodes: 1_000_000, Properties: map[string]compile.PropertyStatistics{"note": {Distinct: 900_000}, "total": {Distinct: 1000}}},
			"tag":   {Nodes: 100, Properties: map[string]compile.PropertyStatistics{"text": {Distinct: 100}}},
		},
		Relationships: map[string]compile.PairStatistics{
			"customer PLACED order":   {Relationships: 1_000_000, Out: compile.Degree{Average: 10, Most: 1000, Nodes: 90_000}, In: compile.Degree{Average: 1, Most: 1, Nodes: 1_000_000}},
			"order TAGGED tag":        {Relationships: 500_000, Out: compile.Degree{Average: 0.5, Most: 5, Nodes: 300_000}, In: compile.Degree{Average: 5000, Most: 5000, Nodes: 100}},
			"customer KNOWS customer": {Relationships: 1_000_000, Out: compile.Degree{Average: 10, Most: 10, Nodes: 100_000}, In: compile.Degree{Average: 10, Most: 10, Nodes: 100_000}},
		},
	}
}

func customers(f graph.Filter) graph.NodePattern {
	return graph.NodePattern{Label: "customer", Filter: f}
}

func is(property string, op graph.Op, v graph.Value) graph.Filter {
	return graph.Compare{Property: property, Op: op, Value: v}
}

// Each row is a rule of the estimate.
func TestEstimateCost(t *testing.T) {
	s, stats := shop(t)
	find := func(f graph.Filter) graph.Query { return &graph.FindNodes{NodePattern: customers(f)} }
	text := graph.String
	ids := func(label string, n int) graph.NodePattern {
		p := graph.NodePattern{Label: label}
		for i := range n {
			p.IDs = append(p.IDs, graph.Int(int64(i)))
		}
		return p
	}
	step := func(typ string, dir graph.Direction, to *graph.NodePattern) graph.Step {
		return graph.Step{Types: []string{typ}, Direction: dir, To: to}
	}
	walk := func(from, to graph.NodePattern, steps ...graph.Step) graph.Query {
		return &graph.Traverse{From: from, To: to, Relationships: steps}
	}
	related := func(r graph.Related) graph.Query {
		n := customers(nil)
		n.Related = []graph.Related{r}
		return &graph.FindNodes{NodePattern: n}
	}
	order, tag := graph.NodePattern{Label: "order"}, graph.NodePattern{Label: "tag"}
	tag7 := ids("tag", 1)
	count := []graph.Aggregation{{Function: graph.Count}}
	start := graph.NodeID{Label: "customer", ID: graph.Int(1)}
	other := graph.NodeID{Label: "customer", ID: graph.Int(2)}
	knows := func(mode graph.PathMode, hops, limit int) graph.Query {
		return &graph.Paths{From: start, To: other, Mode: mode, MaxHops: hops, RelationshipTypes: []string{"KNOWS"}, Limit: limit}
	}

	for _, row := range []struct {
		name       string
		q          graph.Query
		rows, rels float64
		texts      float64 // nodes whose texts are compared
		says       string
	}{
		{"keys", &graph.FindNodes{NodePattern: ids("customer", 3)}, 3, 0, 0, "customer: 3 read, by key"},
		{"more keys than nodes", &graph.FindNodes{NodePattern: ids("tag", 200)}, 100, 0, 0, "by key"},
		{"the first page", find(nil), 31, 0, 0, "customer: the first 31 in the order of their keys"},
		{"the first page by key", &graph.FindNodes{NodePattern: customers(nil), OrderBy: []graph.Order{{Property: "id", Direction: graph.Desc}}, Limit: 10}, 11, 0, 0, "the first 11"},
		{"the first page by something else", &graph.FindNodes{NodePattern: customers(nil), OrderBy: []graph.Order{{Property: "name"}}}, 100_000, 0, 0, "all of them"},
		{"equality, indexed", find(is("city", graph.Eq, text("x"))), 1000, 0, 0, "by the index on city"},
		{"equality, on the key", find(is("id", graph.Eq, graph.Int(7))), 1, 0, 0, "by key"},
		{"values, indexed", find(is("city", graph.In, graph.List(text("x"), text("y")))), 2000, 0, 0, "by the index on city"},
		{"range, indexed, with nulls", find(is("joined", graph.Gte, text("2026-01-01"))), 20_000, 0, 0, "by the index on joined"},
		{"beginning, indexed", find(is("city", graph.StartsWith, text("x"))), 10_000, 0, 0, "by the index on city"},
		{"end, indexed", find(is("city", graph.EndsWith, text("x"))), 100_000, 0, 100_000, "all of them, comparing texts"},
		{"unequal, indexed", find(is("city", graph.Ne, text("x"))), 100_000, 0, 100_000, "all of them, comparing texts"},
		{"equality, text", find(is("name", graph.Eq, text("x"))), 100_000, 0, 100_000, "all of them, comparing texts"},
		{"equality, no text", find(is("vip", graph.Eq, graph.Bool(true))), 100_000, 0, 0, "all of them"},
		{"null of a text", find(is("name", graph.IsNull, graph.Bool(false))), 100_000, 0, 0, "all of them"},
		{"the cheapest of and", find(graph.And{is("joined", graph.Gte, text("2026-01-01")), is("city", graph.Eq, text("x"))}), 1000, 0, 0, "by the index on city"},
		{"and, the rest tested", find(graph.And{is("city", graph.Eq, text("x")), is("name", graph.Eq, text("x"))}), 1000, 0, 1000, "by the index on city, comparing texts"},
		{"or, all indexed", find(graph.Or{is("city", graph.Eq, text("x")), is("id", graph.Eq, graph.Int(7))}), 1001, 0, 0, "by indexes"},
		{"or, one not", find(graph.Or{is("city", graph.Eq, text("x")), is("vip", graph.Eq, graph.Bool(true))}), 100_000, 0, 100_000, "all of them, comparing texts"},
		{"not", find(graph.Not{Filter: is("city", graph.Eq, text("x"))}), 100_000, 0, 100_000, "all of them"},
		{"nothing", find(is("city", graph.In, graph.List())), 0, 0, 0, "customer: 0 read"},
		{"search", &graph.FindNodes{NodePattern: graph.NodePattern{Label: "customer", Search: "x"}}, 100_000, 0, 100_000, "all of them, comparing texts"},

		{"a hop from many keys", walk(ids("customer", 5), order, step("PLACED", "", nil)), 55, 50, 0, "PLACED: 50 relationships"},
		{"a hop from one key", walk(ids("customer", 1), order, step("PLACED", "", nil)), 47.4, 46.4, 0, "PLACED: 46 relationships"},
		{"two hops", walk(ids("customer", 5), tag, step("PLACED", "", &order), step("TAGGED", "", nil)), 5 + 50 + 22.1, 75, 0, "TAGGED: 25 relationships"},
		{"two hops from the cheaper end", walk(customers(nil), ids("tag", 1), step("PLACED", "", &order), step("TAGGED", "", nil)), 1 + 5000 + 4877, 10_000, 0, "tag: 1 read, by key"},
		{"hops of a step", walk(ids("customer", 5), customers(nil), graph.Step{Types: []string{"KNOWS"}, MaxHops: 2}), 5 + 548.6, 550, 0, "KNOWS, up to 2 hops"},
		{"distinct nodes have an end", walk(ids("customer", 1), customers(nil), graph.Step{Types: []string{"KNOWS"}, MaxHops: 3}), 1 + 1104, 1 * (10 + 100 + 1000), 0, "KNOWS, up to 3 hops"},
		{"text where a step ends", walk(ids("customer", 5), graph.NodePattern{Label: "order", Filter: is("note", graph.Contains, text("x"))}, step("PLACED", "", nil)), 55, 50, 50, "order: 50 reached"},

		{"a semi-join from its end", related(graph.Related{Relationships: []graph.Step{step("PLACED", "", &order), step("TAGGED", "", &tag7)}}), 1 + 5000 + 4877, 10_000, 0, "customer: 4900 read, those related"},
		{"the absence of one", related(graph.Related{None: true, Relationships: []graph.Step{step("PLACED", "", &order), step("TAGGED", "", &tag7)}}), 100_000 + 1 + 5000, 10_000, 0, "customer: 100000 read, all of them"},

		{"explore", &graph.Neighbors{Start: start, MaxHops: 1, RelationshipTypes: []string{"KNOWS"}, Limit: 30}, 21, 20, 0, "hop 1: 20 relationships to 20 nodes"},
		{"explore, while the page is not full", &graph.Neighbors{Start: start, MaxHops: 3, RelationshipTypes: []string{"KNOWS"}, Limit: 15}, 21, 20, 0, "hop 1"},
		{"explore, a second hop", &graph.Neighbors{Start: start, MaxHops: 2, RelationshipTypes: []string{"KNOWS"}, Limit: 30}, 420, 420, 0, "hop 2: 400 relationships"},

		{"a path", knows(graph.Shortest, 1, 0), 22, 20, 0, "hop 1: 20 relationships"},
		{"a path from both ends", knows(graph.Shortest, 2, 0), 42, 40, 0, "hop 1: 20 relationships"},
		{"a path, until the ends have met", knows(graph.Shortest, 6, 0), 842, 840, 0, "hop 2: 400 relationships"},
		{"paths, until enough have met", knows(graph.AllPaths, 6, 10), 842 + 7636, 840 + 7980, 0, "hop 3: 8000 relationships"},

		{"aggregate", &graph.Aggregate{NodePattern: customers(nil), Aggregations: count}, 100_000, 0, 0, "all of them"},
		{"aggregate of related groups", &graph.Aggregate{NodePattern: customers(is("city", graph.Eq, text("x"))), Aggregations: count,
			GroupBy: []graph.GroupKey{{Relationships: []graph.Step{step("PLACED", "", &order)}, Property: "total"}}}, 1000 + 9950, 10_000, 0, "PLACED: 10000 relationships"},
		{"aggregate of a part", &graph.Aggregate{NodePattern: customers(is("city", graph.Eq, text("x"))),
			Aggregations: []graph.Aggregation{{Function: graph.Count, Filter: is("name", graph.Eq, text("x"))}}}, 1000, 0, 1000, "the condition of count is tested on 1000"},
		{"the schema", &graph.Describe{}, 0, 0, 0, ""},
	} {
		c := compile.New(compile.Options{})
		plan, err := c.Check(s, nil, row.q)
		require.NoError(t, err, row.name)
		e := compile.EstimateCost(plan, stats)
		says := strings.Join(e.Parts, "; ")
		assert.InEpsilon(t, row.rows+1, e.Rows+1, 0.02, "%s: rows %v: %s", row.name, e.Rows, says)
		assert.InEpsilon(t, row.rels+1, e.Relationships+1, 0.02, "%s: relationships %v: %s", row.name, e.Relationships, says)
		assert.InDelta(t, e.Rows+e.Relationships+9*row.texts, e.Cost, 1, "%s: %s", row.name, says)
		assert.Contains(t, says, row.says, row.name)
		require.Equal(t, e, compile.EstimateCost(plan, stats), row.name)
	}
}

// Whatever the host hands in, an estimate is a number.
func TestEstimateOfStrangeStatistics(t *testing.T) {
	s, _ := shop(t)
	nan, inf := math.NaN(), math.Inf(1)
	degree := compile.Degree{Average: nan, Most: -1}
	for name, stats := range map[string]*compile.Statistics{
		"none":  nil,
		"empty": {},
		"negative": {Labels: map[string]compile.LabelStatistics{"customer": {Nodes: -1, Properties: map[string]compile.PropertyStatistics{"city": {Distinct: -1, Nulls: 7}}}},
			Relationships: map[string]compile.PairStatistics{"customer KNOWS customer": {Relationships: -1, Out: degree, In: degree}}},
		"no numbers": {Labels: map[string]compile.LabelStatistics{"customer": {Nodes: math.MaxInt, Properties: map[string]compile.PropertyStatistics{"city": {Distinct: math.MaxInt, Nulls: nan}}}},
			Relationships: map[string]compile.PairStatistics{"customer KNOWS customer": {Relationships: math.MaxInt, Out: compile.Degree{Average: inf, Most: math.MaxInt}, In: degree}}},
	} {
		for _, q := range []graph.Query{
			&graph.FindNodes{NodePattern: customers(is("city", graph.Eq, graph.String("x")))},
			&graph.Traverse{From: customers(is("city", graph.Ne, graph.String("x"))), To: customers(nil), Relationships: []graph.Step{{Types: []string{"KNOWS"}, MaxHops: 3}}},
			&graph.Neighbors{Start: graph.NodeID{Label: "customer", ID: graph.Int(1)}, MaxHops: 3},
			&graph.Paths{From: graph.NodeID{Label: "customer", ID: graph.Int(1)}, To: graph.NodeID{Label: "customer", ID: graph.Int(2)}, MaxHops: 6},
		} {
			plan, err := compile.New(compile.Options{}).Check(s, nil, q)
			require.NoError(t, err)
			e := compile.EstimateCost(plan, stats)
			require.True(t, e.Cost >= 0 && !math.IsInf(e.Cost, 0), "%s: %v of %s", name, e, plan)
			_, err = json.Marshal(e)
			require.NoError(t, err)
		}
	}
}

// What is refused as too costly is answered once its fix is applied, or names
// what would make it cheap.
func TestTooCostly(t *testing.T) {
	s, stats := shop(t)
	check := func(q graph.Query, cost compile.Cost) (*compile.Plan, *graph.Error) {
		cost.Statistics = func() *compile.Statistics { return stats }
		p, err := compile.New(compile.Options{Cost: cost}).Check(s, nil, q)
		var e *graph.Error
		errors.As(err, &e)
		return p, e
	}
	knows := func(n int) graph.Step { return graph.Step{Types: []string{"KNOWS"}, MaxHops: n} }
	vip := customers(is("vip", graph.Eq, graph.Bool(true)))
	one := graph.NodePattern{Label: "customer", IDs: []graph.Value{graph.Int(1)}}
	someone := graph.NodeID{Label: "customer", ID: graph.Int(1)}
	withRelated := one
	withRelated.Related = []graph.Related{{Relationships: []graph.Step{knows(3)}, Count: []graph.CountBound{{Op: graph.Gte, N: 1}}}}
	for _, row := range []struct {
		name   string
		q      graph.Query
		refuse float64
		path   string
		hint   string
		fix    string
	}{
		{"a scan of texts", &graph.FindNodes{NodePattern: graph.NodePattern{Label: "order", Filter: is("note", graph.Contains, graph.String("x"))}}, 0,
			"", "all nodes of order would be read: give ids", "null"},
		{"a scan beside an index", &graph.FindNodes{NodePattern: customers(is("name", graph.Eq, graph.String("x")))}, 500_000,
			"", "all nodes of customer would be read: give ids, or filter by joined, which is indexed", "null"},
		{"a text that an index finds by its beginning", &graph.FindNodes{NodePattern: customers(graph.And{is("vip", graph.Eq, graph.Bool(true)), is("city", graph.Contains, graph.String("x"))})}, 500_000,
			"", "filter by joined, which is indexed", `[{"op":"move","from":"/filters/city/contains","path":"/filters/city/starts_with"}]`},
		{"where a walk begins", &graph.Traverse{From: customers(is("city", graph.Contains, graph.String("x"))), To: customers(nil), Relationships: []graph.Step{{Types: []string{"KNOWS"}}}}, 1_000_000,
			"/from", "filter by joined, which is indexed", `[{"op":"move","from":"/from/filters/city/contains","path":"/from/filters/city/starts_with"}]`},
		{"two at once", &graph.FindNodes{NodePattern: customers(graph.And{is("city", graph.StartsWith, graph.String("x")), is("city", graph.Contains, graph.String("x"))})}, 50_000,
			"", "filters that fewer nodes fulfil", "null"},
		{"steps", &graph.Traverse{From: vip, To: customers(nil), Relationships: []graph.Step{knows(3)}}, 1_000_000,
			"/relationships/0", "fewer hops help", `[{"op":"add","path":"/relationships/0/max_hops","value":1}]`},
		{"one hop less is enough", &graph.Traverse{From: one, To: customers(nil), Relationships: []graph.Step{knows(3)}}, 500,
			"/relationships/0", "fewer hops help", `[{"op":"add","path":"/relationships/0/max_hops","value":2}]`},
		{"explore by default", &graph.Neighbors{Start: someone, RelationshipTypes: []string{"KNOWS"}}, 500,
			"/max_hops", "fewer hops help", `[{"op":"add","path":"/max_hops","value":1}]`},
		{"paths", &graph.Paths{From: someone, To: graph.NodeID{Label: "customer", ID: graph.Int(2)}, MaxHops: 5, RelationshipTypes: []string{"KNOWS"}}, 500,
			"/max_hops", "fewer hops help", `[{"op":"add","path":"/max_hops","value":2}]`},
		{"both of two steps", &graph.Traverse{From: one, To: customers(nil), Relationships: []graph.Step{{Types: []string{"KNOWS"}, MaxHops: 3, To: &graph.NodePattern{Label: "customer"}}, knows(3)}}, 300,
			"/relationships/1", "fewer hops help", `[{"op":"add","path":"/relationships/0/max_hops","value":1},{"op":"add","path":"/relationships/1/max_hops","value":1}]`},
		{"a semi-join", &graph.FindNodes{NodePattern: withRelated}, 500,
			"/related/0", "fewer hops help", `[{"op":"add","path":"/related/0/relationships/0/max_hops","value":2}]`},
	} {
		_, e := check(row.q, compile.Cost{Refuse: row.refuse})
		require.NotNil(t, e, row.name)
		fix, err := json.Marshal(e.Fix)
		require.NoError(t, err)
		require.Equal(t, graph.TooCostly, e.Code, row.name)
		require.Equal(t, []string{row.path, row.fix}, []string{e.Path, string(fix)}, row.name)
		require.Contains(t, e.Hint, row.hint, row.name)

		// The same call below the bound is answered, warned of, or neither.
		p, e := check(row.q, compile.Cost{Refuse: -1, Warn: max(row.refuse, 1)})
		require.Nil(t, e, row.name)
		require.Len(t, p.Warnings, 1, row.name)
		require.Equal(t, graph.TooCostly, p.Warnings[0].Code)
		require.Equal(t, row.path, p.Warnings[0].Path)
		p, e = check(row.q, compile.Cost{Refuse: -1, Warn: -1})
		require.Nil(t, e, row.name)
		require.Empty(t, p.Warnings, row.name)
	}

	scan := &graph.FindNodes{NodePattern: customers(is("name", graph.Eq, graph.String("x")))} // 1,000,000 by default is its cost
	p, e := check(scan, compile.Cost{})
	require.Nil(t, e)
	require.Len(t, p.Warnings, 1)
	stats.Labels["customer"] = compile.LabelStatistics{Nodes: 100_001}
	_, e = check(scan, compile.Cost{})
	require.NotNil(t, e)
	require.Equal(t, "the call is too costly: it would read about 100000 nodes and follow about 0 relationships", e.Message)

	stats = nil // as long as there are none, nothing is refused
	_, e = check(scan, compile.Cost{})
	require.Nil(t, e)
}

// Guards narrow what is read, and what a caller may not see is not counted out
// to them.
func TestCostUnderPolicies(t *testing.T) {
	s, err := schema.Parse("desk.yaml", []byte(`
format: trellis.schema.v1
nodes:
  team:
    policy: node.tenant == caller.tenant
    key: id
    properties: {id: int64, tenant: {type: string, index: true}, name: string}
  ticket:
    policy: node.incoming("OWNS", "team").exists(x, x.name == caller.team)
    key: id
    properties: {id: int64, title: string}
  public: {policy: public, key: id, properties: {id: int64}}
relationships:
  OWNS: {from: team, to: ticket}
`))
	require.NoError(t, err)
	stats := &compile.Statistics{
		Labels: map[string]compile.LabelStatistics{
			"team":   {Nodes: 10_000, Properties: map[string]compile.PropertyStatistics{"tenant": {Distinct: 1000}, "name": {Distinct: 10_000}}},
			"ticket": {Nodes: 1_000_000},
			"public": {Nodes: 1_000_000},
		},
		Relationships: map[string]compile.PairStatistics{
			"team OWNS ticket": {Relationships: 1_000_000, Out: compile.Degree{Average: 100, Most: 100}, In: compile.Degree{Average: 1, Most: 1}},
		},
	}
	cost := compile.Cost{Statistics: func() *compile.Statistics { return stats }, Refuse: -1, Warn: -1}
	scope := &graph.Scope{Tenant: "acme", Claims: map[string]any{"team": "a"}}
	find := func(n graph.NodePattern) graph.Query {
		return &graph.FindNodes{NodePattern: n, OrderBy: []graph.Order{{Property: "id", Direction: graph.Desc}}}
	}
	title := is("title", graph.Contains, graph.String("x"))
	for _, row := range []struct {
		name       string
		q          graph.Query
		rows, rels float64
		says       string
	}{
		{"open", find(graph.NodePattern{Label: "public"}), 31, 0, "the first 31"},
		{"by the guard's index", find(graph.NodePattern{Label: "team"}), 10, 0, "by the index on tenant"},
		{"a condition beside it", find(graph.NodePattern{Label: "team", Filter: is("name", graph.Eq, graph.String("x"))}), 10, 0, "by the index on tenant, comparing texts"},
		{"what is related", &graph.FindNodes{NodePattern: graph.NodePattern{Label: "ticket", Filter: title}}, 11, 0.1, "those related"},
		{"a walk is not thinned out", &graph.Neighbors{Start: graph.NodeID{Label: "ticket", ID: graph.Int(1)}, Limit: 30}, 102, 101, "hop 2: 100"},
	} {
		p, err := compile.New(compile.Options{Cost: cost}).Check(s, scope, row.q)
		require.NoError(t, err, row.name)
		e := compile.EstimateCost(p, stats)
		says := strings.Join(e.Parts, "; ")
		assert.InEpsilon(t, row.rows+1, e.Rows+1, 0.1, "%s: rows %v: %s", row.name, e.Rows, says)
		assert.InEpsilon(t, row.rels+1, e.Relationships+1, 0.1, "%s: relationships %v: %s", row.name, e.Relationships, says)
		assert.Contains(t, says, row.says, row.name)
	}

	cost.Refuse = 0
	stats.Labels["team"] = compile.LabelStatistics{Nodes: 2_000_000}
	_, err = compile.New(compile.Options{Cost: cost}).Check(s, scope, find(graph.NodePattern{Label: "team", Filter: is("name", graph.Eq, graph.String("x"))}))
	var e *graph.Error
	require.True(t, errors.As(err, &e))
	require.Equal(t, graph.TooCostly, e.Code)
	require.Equal(t, "the call is too costly", e.Message)
}

// What a check costs with an estimate, and without.
func BenchmarkCheckOfCost(b *testing.B) {
	s, stats := shop(b)
	order := graph.NodePattern{Label: "order"}
	for name, q := range map[string]graph.Query{
		"key": &graph.FindNodes{NodePattern: graph.NodePattern{Label: "customer", IDs: []graph.Value{graph.Int(1)}}},
		"two steps": &graph.Traverse{From: graph.NodePattern{Label: "customer", IDs: []graph.Value{graph.Int(1)}}, To: graph.NodePattern{Label: "tag"},
			Relationships: []graph.Step{{Types: []string{"PLACED"}, To: &order}, {Types: []string{"TAGGED"}}}},
		"explore": &graph.Neighbors{Start: graph.NodeID{Label: "customer", ID: graph.Int(1)}, MaxHops: 3},
	} {
		for _, statistics := range []func() *compile.Statistics{nil, func() *compile.Statistics { return stats }} {
			c := compile.New(compile.Options{Cost: compile.Cost{Statistics: statistics, Refuse: -1, Warn: -1}})
			b.Run(fmt.Sprintf("%s/estimated=%t", name, statistics != nil), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_, err := c.Check(s, nil, q)
					require.NoError(b, err)
				}
			})
		}
	}
}

// A plan that is known is weighed by what is known when it is asked, and by its own
// limit.
func TestKnownPlansAreWeighed(t *testing.T) {
	s, large := shop(t)
	small := &compile.Statistics{Labels: map[string]compile.LabelStatistics{"customer": {Nodes: 20}}}
	c := compile.New(compile.Options{Cost: compile.Cost{Refuse: 20, Warn: -1}})
	check := func(stats *compile.Statistics, limit int) error {
		_, err := c.CheckWith(nil, stats, s, nil, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "customer"}, Limit: limit})
		return err
	}
	for range 4 {
		require.NoError(t, check(small, 30))
		require.NoError(t, check(large, 10))
		require.ErrorIs(t, check(large, 30), graph.TooCostly)
	}
}
