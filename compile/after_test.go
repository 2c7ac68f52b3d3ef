package compile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

func afterSchema(t *testing.T) *schema.Schema {
	s, err := schema.Parse("after.yaml", []byte(`
format: trellis.schema.v1
nodes:
  book:
    key: id
    properties:
      id: int64
      title: {type: string, search: true}
relationships:
  CITES: {from: book, to: book}
`))
	require.NoError(t, err)
	return s
}

// After is Check with the cursor of the same row: shape, values and SQL.
func TestAfterIsTheNextPage(t *testing.T) {
	s := afterSchema(t)
	c := New(Options{Cursors: RandomCursorKeys()})
	find := func(cursor string, limit int) graph.Query {
		return &graph.FindNodes{NodePattern: graph.NodePattern{Label: "book", Filter: graph.Where("title", "Emma")},
			OrderBy: []graph.Order{{Property: "title"}}, Limit: limit, Cursor: cursor}
	}
	traverse := func(cursor string, limit int) graph.Query {
		return &graph.Traverse{From: graph.NodePattern{Label: "book"}, Relationships: []graph.Step{{Types: []string{"CITES"}}},
			To: graph.NodePattern{Label: "book"}, OrderBy: []graph.Order{{Property: "title"}}, OmitConnections: true, Limit: limit, Cursor: cursor}
	}
	for name, tc := range map[string]struct {
		query    func(cursor string, limit int) graph.Query
		position [][]graph.Value
	}{
		"find": {find, [][]graph.Value{
			{graph.String("Emma"), graph.Int(7)}, {graph.Null(), graph.Int(8)}, {graph.String("Emma"), graph.Int(9)},
		}},
		"traverse": {traverse, [][]graph.Value{
			{graph.String("Emma"), graph.Int(1), graph.Int(7)}, {graph.Null(), graph.Int(1), graph.Int(8)}, {graph.Null(), graph.Int(2), graph.Int(7)},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			first, err := c.Check(s, nil, tc.query("", 5))
			require.NoError(t, err)
			before, params := first.String(), len(first.Params)
			plan := first
			for i, last := range tc.position {
				limit := 5 - i
				// A cursor is bound to its call, limit included.
				page, err := c.Check(s, nil, tc.query("", limit))
				require.NoError(t, err)
				want, err := c.Check(s, nil, tc.query(c.Cursor(page, last), limit))
				require.NoError(t, err)

				plan = plan.After(last, limit)
				require.NoError(t, plan.Verify())
				require.Equal(t, want.Shape(), plan.Shape())
				require.Equal(t, want.Params, plan.Params)
				for _, d := range Dialects() {
					a, err := SQL(want, d)
					require.NoError(t, err)
					b, err := SQL(plan, d)
					require.NoError(t, err)
					require.Equal(t, a, b)
				}
			}
			require.Equal(t, before, first.String(), "the first plan stays as it was")
			require.Len(t, first.Params, params)
			require.Nil(t, pageOf(first).Seek)
		})
	}
}

func pageOf(p *Plan) *Page {
	if f, ok := p.Root.(*Find); ok {
		return &f.Page
	}
	return &p.Root.(*Traverse).Page
}

func TestAfterIsForNodesInOrder(t *testing.T) {
	s := afterSchema(t)
	for _, q := range []graph.Query{&graph.Describe{}, &graph.Aggregate{NodePattern: graph.NodePattern{Label: "book"},
		Aggregations: []graph.Aggregation{{Function: graph.Count}}}} {
		p, err := New(Options{}).Check(s, nil, q)
		require.NoError(t, err)
		require.Nil(t, p.After([]graph.Value{graph.Int(1)}, 1))
	}
}
