package native_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
)

// A clock is a graph whose nodes and relationships all tell the version of the
// graph, and how many nodes there are. Two schemas tell it as a number and as a
// text.
type clock struct {
	schemas [2]*schema.Schema
	live    *memory.Live
	catalog *schema.Catalog
	now     int // the schema of the newest graph
	version int
	there   map[int]bool
}

// mostCells is how many cells there may be; cell 0 is always there.
const mostCells = 24

func newClock(t testing.TB) *clock {
	c := &clock{there: map[int]bool{0: true, 5: true, 9: true}}
	for i, typ := range []string{"int64", "string"} {
		s, err := schema.Parse("clock.yaml", fmt.Appendf(nil, `
format: trellis.schema.v1
nodes:
  cell: {key: id, properties: {id: int64, version: {type: %[1]s, index: true}, total: int64}}
relationships:
  NEXT: {from: cell, to: cell, properties: {version: %[1]s}}
`, typ))
		require.NoError(t, err)
		c.schemas[i] = s
	}
	c.live = memory.NewLive(c.build(t))
	c.catalog = schema.NewCatalog(c.schemas[c.now])
	return c
}

// a writer is a Builder or a Batch.
type writer interface {
	Node(label string, values memory.Values)
	Relationship(typ string, from, to graph.NodeID, values memory.Values)
}

// write writes all nodes, and relationships from the first to all others.
func (c *clock) write(w writer) {
	var version any = c.version
	if c.now == 1 {
		version = strconv.Itoa(c.version)
	}
	for i := range mostCells {
		if c.there[i] {
			w.Node("cell", memory.Values{"id": i, "version": version, "total": len(c.there)})
		}
	}
	for i := range mostCells {
		if i > 0 && c.there[i] {
			w.Relationship("NEXT", graph.ID("cell", 0), graph.ID("cell", i), memory.Values{"version": version})
		}
	}
}

// tick makes the next version, by a batch.
func (c *clock) tick(t testing.TB, d *rand.Rand) {
	b := memory.NewBatch(c.schemas[c.now])
	for range 3 {
		if i := 1 + d.IntN(mostCells-1); c.there[i] {
			delete(c.there, i)
			b.DeleteNode(graph.ID("cell", i))
		} else {
			c.there[i] = true
		}
	}
	c.version++
	c.write(b)
	_, err := c.live.Apply(b)
	require.NoError(t, err)
}

// build builds the graph of the version.
func (c *clock) build(t testing.TB) *memory.Graph {
	b := memory.NewBuilder(c.schemas[c.now])
	c.write(b)
	g, err := b.Build()
	require.NoError(t, err)
	return g
}

// swap replaces graph and schema, with batches before and after each.
func (c *clock) swap(t testing.TB, d *rand.Rand) {
	c.now = 1 - c.now
	c.version++
	c.live.Replace(c.build(t))
	c.tick(t, d)
	c.catalog.Swap(c.schemas[c.now])
}

// told is the version that a value tells.
func told(v graph.Value) int {
	if v.Kind() == graph.KindInt {
		return int(v.Int())
	}
	n, err := strconv.Atoi(v.Text())
	if err != nil {
		return -1
	}
	return n
}

// An asking is a query, and what its answer tells: a version, or why it is not
// that of one snapshot.
type asking struct {
	query graph.Query
	check func(*graph.Result) (version int, torn string)
}

// agree finds the version of nodes, which must be the same of all.
func agree(res *graph.Result, want func(total int) int) (version int, torn string) {
	if len(res.Nodes) == 0 {
		return 0, "no nodes"
	}
	property := func(list []graph.Property, name string) graph.Value {
		for _, p := range list {
			if p.Name == name {
				return p.Value
			}
		}
		return graph.Null()
	}
	version = told(property(res.Nodes[0].Properties, "version"))
	total := int(property(res.Nodes[0].Properties, "total").Int())
	for _, n := range res.Nodes {
		if v, all := told(property(n.Properties, "version")), int(property(n.Properties, "total").Int()); v != version || all != total {
			return 0, fmt.Sprintf("node %s is of version %d with %d cells, the first of version %d with %d", n.ID, v, all, version, total)
		}
	}
	for _, r := range res.Relationships {
		if v := told(property(r.Properties, "version")); v != version {
			return 0, fmt.Sprintf("a relationship of version %d among nodes of version %d", v, version)
		}
	}
	if len(res.Nodes) != want(total) {
		return 0, fmt.Sprintf("%d nodes of %d", len(res.Nodes), total)
	}
	return version, ""
}

func askings() []asking {
	all := func(total int) int { return total }
	cell := graph.NodePattern{Label: "cell"}
	hub := graph.NodePattern{Label: "cell", IDs: []graph.Value{graph.Int(0)}}
	next := []graph.Step{{Types: []string{"NEXT"}}}
	nodes := func(res *graph.Result) (int, string) { return agree(res, all) }
	return []asking{
		{&graph.FindNodes{NodePattern: cell, Limit: 30}, nodes},
		{&graph.FindNodes{NodePattern: cell, Limit: 30, OrderBy: []graph.Order{{Property: "version"}, {Property: "id", Direction: graph.Desc}}}, nodes},
		{&graph.Neighbors{Start: graph.NodeID{Label: "cell", ID: graph.Int(0)}, MaxHops: 1}, nodes},
		{&graph.Traverse{From: hub, Relationships: next, To: cell, Limit: 30}, func(res *graph.Result) (int, string) {
			if res.Returned == 0 { // nothing leads anywhere from the only cell
				return 0, ""
			}
			return agree(res, all)
		}},
		{&graph.Aggregate{NodePattern: cell, Aggregations: []graph.Aggregation{{Function: graph.Count}, {Function: graph.Min, Property: "version"},
			{Function: graph.Max, Property: "version"}, {Function: graph.Min, Property: "total"}, {Function: graph.Max, Property: "total"}}},
			func(res *graph.Result) (int, string) {
				row := res.Rows[0]
				// As texts, the least and the greatest of one are the same, too.
				if row[1].Text() != row[2].Text() || told(row[1]) != told(row[2]) || row[0].Int() != row[3].Int() || row[0].Int() != row[4].Int() {
					return 0, fmt.Sprint(row)
				}
				return told(row[1]), ""
			}},
	}
}

// Readers get every answer from exactly one snapshot, while batches and swaps of
// schema and graph go on, and never from an older one than before.
func TestReadersUnderWriters(t *testing.T) {
	duration := 3 * time.Second
	if testing.Short() {
		duration = 300 * time.Millisecond
	}
	c := newClock(t)
	e := engine.New(c.catalog, native.New(c.live, native.Options{HideStatements: true}), engine.Options{
		Statements: engine.HideStatements, Concurrency: 200, Prompt: true, QueueTimeout: time.Minute, Limits: graph.Limits{Timeout: time.Minute},
	})
	var stop atomic.Bool
	var answers, again, versions atomic.Int64
	var readers sync.WaitGroup
	for n := range 100 {
		readers.Go(func() {
			d := rand.New(rand.NewPCG(uint64(n), 7))
			list := askings()
			last := 0
			for !stop.Load() && !t.Failed() {
				a := list[d.IntN(len(list))]
				res, err := e.Run(context.Background(), a.query)
				if errors.Is(err, graph.Unavailable) {
					again.Add(1)
					continue
				}
				if err != nil {
					t.Errorf("%T: %v", a.query, err)
					return
				}
				version, torn := a.check(res)
				switch {
				case torn != "":
					t.Errorf("%T is not of one snapshot: %s", a.query, torn)
				case version != 0 && version < last:
					t.Errorf("%T is of version %d, after one of version %d", a.query, version, last)
				case version > last:
					last = version
					versions.Add(1)
				}
				answers.Add(1)
			}
		})
	}
	d := rand.New(rand.NewPCG(1, 2))
	swaps := 0
	const enough = 100 // versions, for which a busy machine needs longer
	for begin := time.Now(); !t.Failed() && time.Since(begin) < time.Minute && (time.Since(begin) < duration || versions.Load() <= enough); {
		c.tick(t, d)
		if d.IntN(10) == 0 {
			c.swap(t, d)
			swaps++
		}
		time.Sleep(time.Duration(d.IntN(200)) * time.Microsecond)
	}
	stop.Store(true)
	readers.Wait()
	t.Logf("%d answers of %d versions and %d swaps; %d calls to be made again", answers.Load(), c.version, swaps, again.Load())
	require.Greater(t, versions.Load(), int64(enough), "readers must see what is new")
	require.Less(t, again.Load()*10, answers.Load()+10, "few calls are to be made again")
}

// A call that was checked before a swap is answered from the last graph of its
// schema. One that two swaps overtake, or that comes between a catalog's swap
// and its graph, is to be made again.
func TestCallsOvertakenBySwaps(t *testing.T) {
	c := newClock(t)
	d := rand.New(rand.NewPCG(1, 1))
	st := native.New(c.live, native.Options{HideStatements: true})
	e := engine.New(c.catalog, st, engine.Options{})
	find := askings()[0]
	run := func(s *schema.Schema) (int, error) {
		p, err := compile.New(compile.Options{}).Check(s, nil, find.query)
		require.NoError(t, err)
		res := &graph.Result{}
		if _, err := st.Run(context.Background(), p, graph.Collector{Result: res}); err != nil {
			return 0, err
		}
		version, torn := find.check(res)
		require.Empty(t, torn)
		return version, nil
	}
	before := c.version
	c.swap(t, d)
	version, err := run(c.schemas[0])
	require.NoError(t, err)
	require.Equal(t, before, version)
	version, err = run(c.schemas[1])
	require.NoError(t, err)
	require.Equal(t, c.version, version)

	other, err := schema.Parse("clock.yaml", []byte(`
format: trellis.schema.v1
nodes: {cell: {key: id, properties: {id: string, version: int64, total: int64}}}
`))
	require.NoError(t, err)
	_, err = run(other)
	var refused *graph.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, graph.Unavailable, refused.Code)
	require.True(t, refused.Retryable)
	c.catalog.Swap(other) // before its graph
	_, err = e.Run(context.Background(), find.query)
	require.ErrorIs(t, err, graph.Unavailable)

	same, err := schema.Parse("clock.yaml", []byte(`
format: trellis.schema.v1
nodes: {cell: {key: id, properties: {id: int64, version: string}}}
`))
	require.NoError(t, err)
	p, err := compile.New(compile.Options{}).Check(same, nil, find.query)
	require.NoError(t, err)
	_, err = st.Run(context.Background(), p, graph.Collector{Result: &graph.Result{}})
	require.NoError(t, err, "a schema of which the graph has all")
}
