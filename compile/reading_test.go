package compile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// Reading adds properties to what is read, hidden and masked ones too, and
// leaves everything else as it is.
func TestReadingAddsAndUnmasks(t *testing.T) {
	s, err := schema.Parse("reading.yaml", []byte(`
format: trellis.schema.v1
nodes:
  book:
    key: id
    policy: node.house == caller.tenant
    properties:
      id: int64
      house: {type: string, visible: false, column: house_of_book}
      title: string
      price: {type: string, visible: caller.role == "clerk", mask: last4}
relationships:
  CITES: {from: book, to: book, policy: public}
`))
	require.NoError(t, err)
	c := New(Options{})
	scope := &graph.Scope{Tenant: "a"}
	book := graph.NodePattern{Label: "book"}
	cites := []graph.Step{{Types: []string{"CITES"}}}
	show := func(p *Plan) (names []string) {
		var props []*schema.Property
		switch r := p.Root.(type) {
		case *Find:
			props = r.Show
		case *Traverse:
			require.Len(t, r.Show, 1)
			props = r.Show[r.Target().Label()]
		}
		for _, prop := range props {
			names = append(names, prop.Name)
		}
		return names
	}
	for name, q := range map[string]graph.Query{
		"find":     &graph.FindNodes{NodePattern: book, Properties: []string{"price", "id"}},
		"traverse": &graph.Traverse{From: book, Relationships: cites, To: book, Properties: map[string][]string{"book": {"price", "id"}}, OmitConnections: true},
	} {
		t.Run(name, func(t *testing.T) {
			var plan *Plan
			for range 3 { // also of one that is kept
				plan, err = c.Check(s, scope, q)
				require.NoError(t, err)
			}
			price, _ := schemaLabel(t, plan.Schema, "book").Property("price")
			before := plan.String()
			reading, err := plan.Reading([]string{"house", "price", "house"})
			require.NoError(t, err)
			require.NoError(t, reading.Verify())
			require.False(t, reading.Kept())
			require.Equal(t, []string{"price", "id", "house"}, show(reading))
			require.Equal(t, plan.Guards(), reading.Guards())
			require.Equal(t, graph.String("123456"), reading.Mask(price, graph.String("123456")))
			for _, d := range Dialects() {
				prog, err := SQL(reading, d)
				require.NoError(t, err)
				require.Contains(t, prog.Main.Text(reading.Params), "house_of_book")
			}
			after := reading.After([]graph.Value{graph.Int(1), graph.Int(1)}, 1)
			require.Equal(t, graph.String("123456"), after.Mask(price, graph.String("123456")))

			require.Equal(t, before, plan.String(), "the plan itself stays as it was")
			require.Equal(t, []string{"price", "id"}, show(plan))
			require.Equal(t, graph.String("****3456"), plan.Mask(price, graph.String("123456")))

			_, err = plan.Reading([]string{"house", "colour"})
			require.ErrorIs(t, err, graph.Internal)
			require.NotContains(t, err.Error(), "colour")
		})
	}
	for name, q := range map[string]graph.Query{
		"connections": &graph.Traverse{From: book, Relationships: cites, To: book},
		"neighbors":   &graph.Neighbors{Start: graph.ID("book", 1)},
		"aggregate":   &graph.Aggregate{NodePattern: book, Aggregations: []graph.Aggregation{{Function: graph.Count}}},
		"describe":    &graph.Describe{},
	} {
		plan, err := c.Check(s, scope, q)
		require.NoError(t, err, name)
		_, err = plan.Reading(nil)
		require.ErrorIs(t, err, graph.Internal, name)
	}
}

func schemaLabel(t *testing.T, s *schema.Schema, name string) *schema.Label {
	l, ok := s.Label(name)
	require.True(t, ok)
	return l
}
