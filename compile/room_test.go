package compile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

// askedOften are queries of every tool that plans are kept for.
func askedOften() []graph.Query {
	filters := map[string]graph.Filter{"person": graph.Where("firstName", "Jan"), "post": graph.Where("language", "nl")}
	return []graph.Query{
		&graph.FindNodes{NodePattern: graph.NodePattern{Label: "person", Where: `firstName.startsWith("J") && birthday >= date("1985-01-01")`}},
		twoHop(933),
		&graph.Neighbors{Start: graph.ID("person", 933), Filters: filters, Properties: map[string][]string{"person": {"id"}, "post": {}}},
		&graph.Paths{From: graph.ID("person", 933), To: graph.ID("person", 4139), Filters: filters},
		&graph.Aggregate{NodePattern: graph.NodePattern{Label: "post", Filter: graph.And{graph.OneOf("language", "nl", "de")}},
			Aggregations: []graph.Aggregation{{Function: graph.Count}}},
	}
}

// A plan that is known costs no memory in a room, whatever its tool.
func TestKnownPlansInARoomCostNoMemory(t *testing.T) {
	s := benchSchema(t)
	for _, q := range askedOften() {
		c := New(Options{})
		var room Room
		for range 3 {
			_, err := c.CheckWith(&room, nil, s, nil, q)
			require.NoError(t, err)
		}
		allocations := testing.AllocsPerRun(100, func() {
			p, err := c.CheckWith(&room, nil, s, nil, q)
			if err != nil || !p.Kept() {
				t.Fatal("the plan is not known", err)
			}
			room.Clear()
		})
		require.Zero(t, allocations, "%T", q)
	}
}

// What a plan in a room refers to is not the room's.
func TestRoomsKeepNothing(t *testing.T) {
	s, c := benchSchema(t), New(Options{})
	var room Room
	for range 2 {
		_, err := c.CheckWith(&room, nil, s, nil, twoHop(933))
		require.NoError(t, err)
	}
	first, err := c.CheckWith(&room, nil, s, nil, twoHop(933))
	require.NoError(t, err)
	root, shape := first.Root, first.Shape()
	room.Clear()
	require.Nil(t, first.Root)
	for _, v := range first.Params[:cap(first.Params)] {
		require.True(t, v.IsNull(), "a value of a call that is over")
	}
	second, err := c.CheckWith(&room, nil, s, nil, twoHop(4139))
	require.NoError(t, err)
	require.Same(t, root, second.Root)
	require.Equal(t, shape, second.Shape())
	require.Contains(t, second.String(), "4139")
	require.NotContains(t, second.String(), "933")
}

// More shapes than are kept are planned all the same.
func TestPlansAreGivenUpForOthers(t *testing.T) {
	s, c := benchSchema(t), New(Options{})
	known := 0
	for i := range maxPrepared + 100 {
		q := &graph.FindNodes{NodePattern: graph.NodePattern{Label: "person"}}
		for bit := range 13 {
			q.Properties = append(q.Properties, []string{"id", "firstName"}[i>>bit&1])
		}
		for range 3 {
			p, err := c.Check(s, nil, q)
			require.NoError(t, err)
			require.Equal(t, q.Properties[0], p.Root.(*Find).Show[0].Name)
			if p.Kept() {
				known++
			}
		}
	}
	require.LessOrEqual(t, c.prepared.kept, maxPrepared)
	require.Greater(t, known, maxPrepared)
}

// What a call brings is gone with it, also where its plan stays.
func TestKeptPlansHoldNothingOfACaller(t *testing.T) {
	s, c := benchSchema(t), New(Options{})
	scope := &graph.Scope{Tenant: "acme", Principal: "ada"}
	for range 3 {
		_, err := c.Check(s, scope, twoHop(933))
		require.NoError(t, err)
	}
	kept := 0
	for i := range c.prepared.heads.Load() {
		for p := c.prepared.heads.Load()[i].Load(); p != nil; p = p.next {
			kept++
			require.Nil(t, p.plan.scope)
			require.NotEmpty(t, p.binds)
			for _, b := range p.binds {
				require.Zero(t, p.plan.Params[b.slot])
			}
		}
	}
	require.Equal(t, 1, kept)
}
