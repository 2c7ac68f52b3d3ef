package memory_test

import (
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// A spot is a node of a memory graph.
type spot struct {
	label *schema.Label
	row   uint32
}

// A meter walks a memory graph as a store would and counts what it reads.
type meter struct {
	*memory.Graph
	rows, rels int
}

// hop follows moves from distinct nodes and returns the distinct nodes reached
// that are not in seen.
func (m *meter) hop(moves []*compile.Move, from []spot, backwards bool, seen map[spot]bool) []spot {
	var next []spot
	found := map[spot]bool{}
	for _, at := range from {
		for _, move := range moves {
			pair := move.Rel.Pair()
			out := move.Incoming == backwards
			source, target, rows := pair.From, pair.To, []uint32(nil)
			if !out {
				source, target = target, source
			}
			if source != at.label {
				continue
			}
			if out {
				first, end := m.Out(pair, at.row)
				rows = m.Targets(pair)[first:end]
			} else {
				rows = m.Sources(pair, at.row)
			}
			m.rels += len(rows)
			for _, r := range rows {
				if to := (spot{target, r}); !found[to] && !seen[to] {
					found[to] = true
					next = append(next, to)
				}
			}
		}
	}
	m.rows += len(next)
	return next
}

// where keeps the nodes of a label whose property is accepted.
func (m *meter) where(nodes []spot, label, property string, accept func(graph.Value) bool) []spot {
	return slices.DeleteFunc(slices.Clone(nodes), func(at spot) bool {
		if at.label.Name != label {
			return true
		}
		p, _ := at.label.Property(property)
		return !accept(m.Value(at.label, at.row, p))
	})
}

// The estimates of the ten queries of the benchmark are within a factor of ten
// of what a walk by hand reads, and none of them is refused or warned of; what
// reads every post's text is. TRELLIS_SNB names the directory of the
// benchmark's graph of scale 0.1.
func TestCostOfBenchmark(t *testing.T) {
	dir := os.Getenv("TRELLIS_SNB")
	if dir == "" {
		t.Skip("skipped: needs the data set's directory in TRELLIS_SNB")
	}
	g, err := memory.Open(t.Context(), dir, memory.Options{})
	require.NoError(t, err)
	s, stats := g.Schema(), g.Statistics()
	person, _ := s.Label("person")
	post, _ := s.Label("post")
	knows, _ := s.Relationship("KNOWS")
	x := spot{label: person}
	for ; ; x.row++ { // somebody with 13 friends
		if first, end := g.Out(knows.Pairs[0], x.row); end-first == 13 {
			break
		}
	}
	y := spot{person, (x.row + 700) % uint32(g.NodeCount(person))}
	id := func(at spot) graph.Value { return g.Value(at.label, at.row, at.label.Key[0]) }
	firstName, _ := person.Property("firstName")
	name := g.Value(person, x.row, firstName)
	since, until := graph.String("2012-07-01T00:00:00Z"), graph.String("2011-06-01T00:00:00Z")
	after := func(v graph.Value) bool { return v.Text() >= since.Text() }

	step := func(typ string, dir graph.Direction, to *graph.NodePattern) graph.Step {
		return graph.Step{Types: []string{typ}, Direction: dir, To: to}
	}
	one := graph.NodePattern{Label: "person", IDs: []graph.Value{id(x)}}
	byID := []graph.Order{{Property: "id"}}
	count := []graph.Aggregation{{Function: graph.Count}}
	top := []graph.ColumnOrder{{As: "count", Direction: graph.Desc}}

	within := func(m *meter, x *compile.Expand, from spot, backwards bool, levels, page int) []spot {
		seen, at := map[spot]bool{from: true}, []spot{from}
		var all []spot
		for h := 0; h < levels && len(all) < page; h++ {
			at = m.hop(x.Moves, at, backwards, seen)
			for _, n := range at {
				seen[n] = true
			}
			all = append(all, at...)
		}
		return all
	}
	everything := math.MaxInt
	queries := []struct {
		name string
		q    graph.Query
		read func(m *meter, root compile.Root)
	}{
		{"q1", &graph.FindNodes{NodePattern: one}, func(m *meter, _ compile.Root) { m.rows++ }},
		{"q2", &graph.FindNodes{NodePattern: graph.NodePattern{Label: "person", Where: `birthday >= date("1985-01-01")`, Filter: graph.Compare{Property: "firstName", Op: graph.Eq, Value: name}}, OrderBy: byID},
			func(m *meter, _ compile.Root) {
				rows, _ := m.Rows(person, firstName, name)
				m.rows += len(rows)
			}},
		{"q3", &graph.Traverse{From: one, Relationships: []graph.Step{step("KNOWS", "", nil)}, To: graph.NodePattern{Label: "person"}, OrderBy: byID},
			func(m *meter, r compile.Root) { within(m, r.(*compile.Traverse).Steps[0], x, false, 1, everything) }},
		{"q4", &graph.Traverse{From: one, Relationships: []graph.Step{{Types: []string{"KNOWS"}, MinHops: 2, MaxHops: 2}},
			To: graph.NodePattern{Label: "person", Filter: graph.Compare{Property: "browserUsed", Op: graph.Eq, Value: graph.String("Firefox")}}, OrderBy: byID},
			func(m *meter, r compile.Root) { within(m, r.(*compile.Traverse).Steps[0], x, false, 2, everything) }},
		{"q5", &graph.Aggregate{NodePattern: graph.NodePattern{Label: "person", Related: []graph.Related{{Relationships: []graph.Step{{Types: []string{"KNOWS"}, Direction: graph.Both, MaxHops: 3, To: &one}}}}}, Aggregations: count},
			func(m *meter, r compile.Root) {
				within(m, r.(*compile.Aggregate).Nodes.Related[0].Steps[0], x, true, 3, everything)
			}},
		{"q6", &graph.Neighbors{Start: graph.NodeID{Label: "person", ID: id(x)}, MaxHops: 2, Limit: 100},
			func(m *meter, r compile.Root) { within(m, r.(*compile.Neighbors).Step, x, false, 2, 100) }},
		{"q7", &graph.Paths{From: graph.NodeID{Label: "person", ID: id(x)}, To: graph.NodeID{Label: "person", ID: id(y)}, RelationshipTypes: []string{"KNOWS"}, MaxHops: 6},
			func(m *meter, r compile.Root) { meet(m, r.(*compile.Paths).Step, x, y) }},
		{"q8", &graph.Aggregate{NodePattern: graph.NodePattern{Label: "post"}, Aggregations: count, OrderBy: top, Limit: 10,
			GroupBy: []graph.GroupKey{{Relationships: []graph.Step{step("HAS_TAG", "", &graph.NodePattern{Label: "tag"})}, Property: "name"}}},
			func(m *meter, r compile.Root) {
				m.hop(r.(*compile.Aggregate).Chains[0][0].Moves, m.all(post), false, nil)
			}},
		{"q9", &graph.Aggregate{NodePattern: graph.NodePattern{Label: "post", Filter: graph.Compare{Property: "creationDate", Op: graph.Gte, Value: since},
			Related: []graph.Related{{Relationships: []graph.Step{step("HAS_CREATOR", "", &graph.NodePattern{Label: "person", Filter: graph.Compare{Property: "gender", Op: graph.Eq, Value: graph.String("female")}})}}}},
			Aggregations: count, OrderBy: top, Limit: 10,
			GroupBy: []graph.GroupKey{{Relationships: []graph.Step{step("HAS_CREATOR", "", &graph.NodePattern{Label: "person"}), step("IS_LOCATED_IN", "", &graph.NodePattern{Label: "place"})}, Property: "name"}}},
			func(m *meter, r compile.Root) {
				posts := m.where(m.all(post), "post", "creationDate", after)
				m.rows = len(posts)
				chain := r.(*compile.Aggregate).Chains[0]
				m.hop(r.(*compile.Aggregate).Nodes.Related[0].Steps[0].Moves, posts, false, nil)
				m.hop(chain[1].Moves, m.hop(chain[0].Moves, posts, false, nil), false, nil)
			}},
		{"q10", &graph.Traverse{From: one, Relationships: []graph.Step{step("KNOWS", "", &graph.NodePattern{Label: "person"}), step("HAS_CREATOR", graph.Incoming, nil)},
			To: graph.NodePattern{Label: "post", Filter: graph.Compare{Property: "creationDate", Op: graph.Lte, Value: until}}, OrderBy: []graph.Order{{Property: "creationDate", Direction: graph.Desc}}, Limit: 20},
			func(m *meter, r compile.Root) {
				steps := r.(*compile.Traverse).Steps
				m.hop(steps[1].Moves, m.hop(steps[0].Moves, []spot{x}, false, nil), false, nil)
			}},
	}
	c := compile.New(compile.Options{Limits: graph.Limits{Rows: 100}, Cost: compile.Cost{Statistics: func() *compile.Statistics { return stats }}})
	t.Logf("%-4s %12s %12s %12s %12s %7s %12s", "", "rows", "real", "followed", "real", "ratio", "cost")
	for _, of := range queries {
		plan, err := c.Check(s, nil, of.q)
		require.NoError(t, err, of.name)
		require.Empty(t, plan.Warnings, of.name)
		e := c.Estimate(plan, nil)
		m := &meter{Graph: g}
		of.read(m, plan.Root)
		ratio := (e.Rows + e.Relationships) / float64(m.rows+m.rels)
		t.Logf("%-4s %12.0f %12d %12.0f %12d %7.2f %12.0f", of.name, e.Rows, m.rows, e.Relationships, m.rels, ratio, e.Cost)
		require.True(t, ratio > 0.1 && ratio < 10, "%s: %v", of.name, e.Parts)
	}

	for name, n := range map[string]graph.NodePattern{
		"equality": {Label: "post", Filter: graph.Compare{Property: "content", Op: graph.Eq, Value: graph.String("x")}},
		"contains": {Label: "comment", Where: `content.contains("x")`},
	} {
		_, err := c.Check(s, nil, &graph.FindNodes{NodePattern: n})
		var refusal *graph.Error
		require.True(t, errors.As(err, &refusal), name)
		require.Equal(t, graph.TooCostly, refusal.Code)
		require.Contains(t, refusal.Hint, "filter by creationDate")
		t.Log(refusal, refusal.Hint)
	}
}

// all reads all nodes of a label.
func (m *meter) all(l *schema.Label) []spot {
	list := make([]spot, m.NodeCount(l))
	for i := range list {
		list[i] = spot{l, uint32(i)}
	}
	m.rows += len(list)
	return list
}

// meet searches from both ends until the two meet.
func meet(m *meter, x *compile.Expand, a, b spot) {
	seen := [2]map[spot]bool{{a: true}, {b: true}}
	at := [2][]spot{{a}, {b}}
	for h := 0; h < x.Max; h++ {
		side := 0
		if len(at[1]) < len(at[0]) {
			side = 1
		}
		at[side] = m.hop(x.Moves, at[side], side == 1, seen[side])
		for _, n := range at[side] {
			if seen[1-side][n] {
				return
			}
			seen[side][n] = true
		}
	}
}
