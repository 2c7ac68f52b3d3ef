package store_test

import (
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/embedded"
	"github.com/trellisgraph/trellis/store/memory"
)

// What a caller may see masked only is masked in every answer: of a list, of a
// walk's targets, of what connects them, of relationships, of a search.
func TestMasksInEveryAnswer(t *testing.T) {
	const admin = `visible: 'caller.role == "admin"'`
	s, err := schema.Parse("people.yaml", []byte(`
format: trellis.schema.v1
nodes:
  person:
    key: id
    policy: public
    default_properties: [email, card, born]
    properties:
      id: int64
      email: {type: string, `+admin+`, mask: hash}
      card: {type: string, `+admin+`, mask: last4}
      born: {type: date, nullable: false, `+admin+`, mask: "null"}
relationships:
  KNOWS:
    from: person
    to: person
    properties: {pin: {type: string, `+admin+`, mask: last4}}
`))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	for id := int64(1); id <= 3; id++ {
		b.Node("person", memory.Values{"id": id, "email": "ada@example.org", "card": "4111222233334444", "born": "1815-12-10"})
	}
	for id := int64(1); id <= 2; id++ {
		b.Relationship("KNOWS", graph.NodeID{Label: "person", ID: graph.Int(id)}, graph.NodeID{Label: "person", ID: graph.Int(id + 1)}, memory.Values{"pin": "123456"})
	}
	g, err := b.Build()
	require.NoError(t, err)
	st, err := embedded.New(g, embedded.Options{})
	require.NoError(t, err)
	defer st.Close()
	eng := engine.New(schema.NewCatalog(s), st, engine.Options{Log: slog.New(slog.DiscardHandler), Statements: engine.HideStatements})

	one, three := graph.NodeID{Label: "person", ID: graph.Int(1)}, graph.NodeID{Label: "person", ID: graph.Int(3)}
	for _, q := range []graph.Query{
		&graph.FindNodes{NodePattern: graph.NodePattern{Label: "person"}},
		&graph.Traverse{
			From:          graph.NodePattern{Label: "person", IDs: []graph.Value{graph.Int(1)}},
			Relationships: []graph.Step{{Types: []string{"KNOWS"}, MinHops: 2, MaxHops: 2}}, To: graph.NodePattern{Label: "person"}},
		&graph.Traverse{
			From:          graph.NodePattern{Label: "person", IDs: []graph.Value{graph.Int(1)}},
			Relationships: []graph.Step{{Types: []string{"KNOWS"}, MaxHops: 2}}, To: graph.NodePattern{Label: "person"}},
		&graph.Neighbors{Start: one},
		&graph.Paths{From: one, To: three},
	} {
		for _, role := range []string{"guest", "admin"} {
			res, err := eng.Run(graph.WithScope(t.Context(), &graph.Scope{Claims: map[string]any{"role": role}}), q)
			require.NoError(t, err, q.Tool())
			require.GreaterOrEqual(t, len(res.Nodes), 3)
			if q.Tool() != graph.ToolFindNodes {
				require.Len(t, res.Relationships, 2)
			}
			for i := range res.Nodes {
				n := &res.Nodes[i]
				if role == "admin" {
					require.Equal(t, "ada@example.org", n.Value("email").Text())
					continue
				}
				require.Regexp(t, "^h:[0-9a-f]{32}$", n.Value("email").Text())
				require.Equal(t, res.Nodes[0].Value("email"), n.Value("email"), "equal texts have equal hashes")
				require.Equal(t, "****4444", n.Value("card").Text())
				require.True(t, n.Value("born").IsNull())
			}
			for i := range res.Relationships {
				want := graph.String("****3456")
				if role == "admin" {
					want = graph.String("123456")
				}
				require.Equal(t, want, res.Relationships[i].Value("pin"))
			}
			document, err := json.Marshal(res)
			require.NoError(t, err)
			if role == "guest" {
				require.NotRegexp(t, "ada@|4111|1815|123456", string(document))
			}
		}
	}
}
