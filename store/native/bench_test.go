package native_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
)

// The benchmarks ask ten questions of the LDBC SNB SF0.1 data set, a graph
// directory that TRELLIS_SNB names:
//
//	TRELLIS_SNB=… go test ./store/native -run '^$' -bench . -count 10 | benchstat -

var snb struct {
	once  sync.Once
	graph *memory.Graph
	err   error
}

func socialGraph(b testing.TB) *memory.Graph {
	dir := os.Getenv("TRELLIS_SNB")
	if dir == "" {
		b.Skip("skipped: needs the data set's directory in TRELLIS_SNB")
	}
	snb.once.Do(func() { snb.graph, snb.err = memory.Open(context.Background(), dir, memory.Options{}) })
	require.NoError(b, snb.err)
	return snb.graph
}

// someone is the first person who knows so many others.
func someone(g *memory.Graph, known uint32) graph.Value {
	l, _ := g.Schema().Label("person")
	t, _ := g.Schema().Relationship("KNOWS")
	for row := range uint32(g.NodeCount(l)) {
		if first, end := g.Out(t.Pairs[0], row); end-first == known {
			return g.Value(l, row, l.Key[0])
		}
	}
	return graph.Null()
}

func day(y int, m time.Month, d int) graph.Value {
	return graph.DateTime(time.Date(y, m, d, 0, 0, 0, 0, time.UTC))
}

// questions are the ten.
func questions(g *memory.Graph) []struct {
	name  string
	query graph.Query
} {
	x, y := someone(g, 13), someone(g, 7)
	knows := func(least, most int) graph.Step {
		return graph.Step{Types: []string{"KNOWS"}, MinHops: least, MaxHops: most}
	}
	person := func(f graph.Filter) graph.NodePattern { return graph.NodePattern{Label: "person", Filter: f} }
	only := func(v graph.Value) graph.NodePattern {
		return graph.NodePattern{Label: "person", IDs: []graph.Value{v}}
	}
	to := func(s graph.Step, n graph.NodePattern) graph.Step {
		s.To = &n
		return s
	}
	step := func(typ string, n graph.NodePattern) graph.Step { return to(graph.Step{Types: []string{typ}}, n) }
	count := []graph.Aggregation{{Function: graph.Count}}
	top := []graph.ColumnOrder{{As: "count", Direction: graph.Desc}}
	byID := []graph.Order{{Property: "id"}}
	return []struct {
		name  string
		query graph.Query
	}{
		{"q1", &graph.FindNodes{NodePattern: only(x)}},
		{"q2", &graph.FindNodes{NodePattern: person(graph.And{graph.Where("firstName", "Jan"),
			graph.Cmp("birthday", graph.Gte, "1985-01-01")}), OrderBy: byID, Limit: 30}},
		{"q3", &graph.Traverse{From: only(x), Relationships: []graph.Step{knows(1, 1)}, To: person(nil), OrderBy: byID, Limit: 30}},
		{"q4", &graph.Traverse{From: only(x), Relationships: []graph.Step{knows(2, 2)}, To: person(graph.Where("browserUsed", "Opera")),
			OrderBy: byID, Limit: 30, OmitConnections: true}},
		{"q5", &graph.Aggregate{NodePattern: graph.NodePattern{Label: "person",
			Related: []graph.Related{{Relationships: []graph.Step{to(knows(1, 3), only(x))}}}}, Aggregations: count}},
		{"q6", &graph.Neighbors{Start: graph.NodeID{Label: "person", ID: x}, MaxHops: 2, Limit: 100}},
		{"q7", &graph.Paths{From: graph.NodeID{Label: "person", ID: x}, To: graph.NodeID{Label: "person", ID: y},
			RelationshipTypes: []string{"KNOWS"}, Direction: graph.Outgoing, MaxHops: 6}},
		{"q8", &graph.Aggregate{NodePattern: graph.NodePattern{Label: "post"}, Aggregations: count, OrderBy: top, Limit: 10,
			GroupBy: []graph.GroupKey{{Relationships: []graph.Step{step("HAS_TAG", graph.NodePattern{Label: "tag"})}, Property: "name"}}}},
		{"q9", &graph.Aggregate{NodePattern: graph.NodePattern{Label: "post", Filter: graph.Compare{Property: "creationDate", Op: graph.Gte, Value: day(2012, 1, 1)},
			Related: []graph.Related{{Relationships: []graph.Step{step("HAS_CREATOR", person(graph.Where("gender", "female")))}}}},
			Aggregations: count, OrderBy: top, Limit: 10,
			GroupBy: []graph.GroupKey{{Relationships: []graph.Step{step("HAS_CREATOR", person(nil)),
				step("IS_LOCATED_IN", graph.NodePattern{Label: "place"})}, Property: "name"}}}},
		{"q10", &graph.Traverse{From: only(x), Relationships: []graph.Step{step("KNOWS", person(nil)), {Types: []string{"HAS_CREATOR"}, Direction: graph.Incoming}},
			To:      graph.NodePattern{Label: "post", Filter: graph.Compare{Property: "creationDate", Op: graph.Lte, Value: day(2011, 6, 1)}},
			OrderBy: []graph.Order{{Property: "creationDate", Direction: graph.Desc}}, Limit: 20, OmitConnections: true}},
	}
}

// BenchmarkRun is a whole call: check, plan, run, and the answer as JSON.
func BenchmarkRun(b *testing.B) {
	g := socialGraph(b)
	e := engine.New(schema.NewCatalog(g.Schema()), native.New(g, native.Options{HideStatements: true}), engine.Options{
		Statements: engine.HideStatements, Limits: graph.Limits{Rows: 100}, Prompt: true,
	})
	for _, q := range questions(g) {
		b.Run(q.name, func(b *testing.B) {
			var buf []byte
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if buf, err = e.RunJSON(context.Background(), buf[:0], q.query); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(buf)), "bytes")
		})
	}
}

// BenchmarkStore is the store's part of a call: from the plan to the answer's
// JSON.
func BenchmarkStore(b *testing.B) {
	g := socialGraph(b)
	st := native.New(g, native.Options{HideStatements: true})
	e := engine.New(schema.NewCatalog(g.Schema()), st, engine.Options{Limits: graph.Limits{Rows: 100}})
	for _, q := range questions(g) {
		b.Run(q.name, func(b *testing.B) {
			plan, err := e.Check(context.Background(), q.query)
			require.NoError(b, err)
			w := discard{}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := st.Run(context.Background(), plan, &w); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// discard is a writer that encodes what it is given, and keeps nothing.
type discard struct{ buf []byte }

func (d *discard) Node(n *graph.Node) error {
	d.buf = n.AppendJSON(d.buf[:0])
	return nil
}

func (d *discard) Relationship(r *graph.Relationship) error {
	d.buf = r.AppendJSON(d.buf[:0])
	return nil
}

func (d *discard) Path(p *graph.Path) error {
	d.buf = p.AppendJSON(d.buf[:0])
	return nil
}

func (d *discard) Columns([]graph.Column) error { return nil }

func (d *discard) Row(values []graph.Value) error {
	d.buf = d.buf[:0]
	for _, v := range values {
		d.buf = v.AppendJSON(d.buf)
	}
	return nil
}
