package embedded_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/embedded"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/tools"
)

// forum has relationships in a join table, in foreign keys of either side and
// in a table that types share.
const forum = `
format: trellis.schema.v1
nodes:
  person: {key: id, properties: {id: int64, name: {type: string, index: true}, age: int32}}
  post: {key: id, properties: {id: int64, title: string}}
  tag: {key: name, properties: {name: string}}
relationships:
  KNOWS: {from: person, to: person, properties: {since: date}}
  WROTE: {from: person, to: post, foreign_key: {side: to, column: author}}
  TAGGED: {from: post, to: tag, table: edge, match: {kind: t}, from_column: a, to_column: b}
  LIKES: {from: person, to: tag, table: edge, match: {kind: l}, from_column: a, to_column: b}
`

func forumGraph(t testing.TB) *memory.Graph {
	t.Helper()
	s, err := schema.Parse("forum.yaml", []byte(forum))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	const persons, posts, tags = 500, 1500, 40
	tag := func(i int) graph.NodeID { return graph.ID("tag", fmt.Sprint("t", i%tags)) }
	for i := range tags {
		b.Node("tag", memory.Values{"name": fmt.Sprint("t", i)})
	}
	for i := range persons {
		b.Node("person", memory.Values{"id": i, "name": fmt.Sprint("n", i%50), "age": i % 70})
		b.Relationship("LIKES", graph.ID("person", i), tag(i), nil)
		for j := range 5 {
			b.Relationship("KNOWS", graph.ID("person", i), graph.ID("person", (i*7+j*j*13+1)%persons), nil)
		}
	}
	for i := range posts {
		b.Node("post", memory.Values{"id": i, "title": fmt.Sprint("p", i)})
		b.Relationship("WROTE", graph.ID("person", i%persons), graph.ID("post", i), nil)
		b.Relationship("TAGGED", graph.ID("post", i), tag(i), nil)
		b.Relationship("TAGGED", graph.ID("post", i), tag(i+1), nil)
	}
	g, err := b.Build()
	require.NoError(t, err)
	return g
}

// A caller makes tool calls on a store.
type caller struct {
	tools  *tools.Tools
	engine *engine.Engine
}

func newCaller(s *schema.Schema, st store.Store) caller {
	e := engine.New(schema.NewCatalog(s), st, engine.Options{})
	return caller{tools.New(e, tools.Options{}), e}
}

func (c caller) query(t testing.TB, tool, args string) graph.Query {
	t.Helper()
	q, err := c.tools.Query(context.Background(), tool, []byte(args))
	require.NoError(t, err)
	return q
}

func (c caller) call(t testing.TB, tool, args string) *graph.Result {
	t.Helper()
	answer, err := c.engine.Run(context.Background(), c.query(t, tool, args))
	require.NoError(t, err)
	return answer
}

// explain returns the statements of a call and the engine's plan of each.
func (c caller) explain(t testing.TB, st store.Store, tool, args string) store.Explanation {
	t.Helper()
	plan, err := c.engine.Check(context.Background(), c.query(t, tool, args))
	require.NoError(t, err)
	x, err := st.Explain(context.Background(), plan)
	require.NoError(t, err)
	require.NotEmpty(t, x.Database)
	return x
}

// Every statement that the compiler makes of a traversal joins by lookup.
func TestTraversalsJoinByLookup(t *testing.T) {
	g := forumGraph(t)
	st, err := embedded.New(g, embedded.Options{})
	require.NoError(t, err)
	defer st.Close()
	c := newCaller(g.Schema(), st)
	for name, args := range map[string]string{
		"one hop":             `{"from": {"label": "person", "ids": ["7"]}, "relationships": [{"type": "KNOWS"}], "to": {"label": "person"}}`,
		"back":                `{"from": {"label": "person", "ids": ["7"]}, "relationships": [{"type": "KNOWS", "direction": "incoming"}], "to": {"label": "person"}, "order_by": [{"property": "age"}]}`,
		"both ways":           `{"from": {"label": "person", "ids": ["7"]}, "relationships": [{"type": "KNOWS", "direction": "both"}], "to": {"label": "person"}}`,
		"two hops":            `{"from": {"label": "person", "ids": ["7"]}, "relationships": [{"type": "KNOWS", "min_hops": 2}], "to": {"label": "person", "filters": {"age": {"gte": 10}}}}`,
		"one to three hops":   `{"from": {"label": "person", "ids": ["7"]}, "relationships": [{"type": "KNOWS", "min_hops": 1, "max_hops": 3}], "to": {"label": "person"}}`,
		"both ways, two hops": `{"from": {"label": "person", "ids": ["7"]}, "relationships": [{"type": "KNOWS", "direction": "both", "max_hops": 2}], "to": {"label": "person"}}`,
		"foreign key":         `{"from": {"label": "person", "ids": ["7"]}, "relationships": [{"type": "WROTE"}], "to": {"label": "post"}}`,
		"foreign key back":    `{"from": {"label": "post", "ids": ["7"]}, "relationships": [{"type": "WROTE", "direction": "incoming"}], "to": {"label": "person"}}`,
		"three steps":         `{"from": {"label": "person", "ids": ["7"]}, "relationships": [{"type": "KNOWS"}, {"type": "WROTE"}, {"type": "TAGGED"}], "to": {"label": "tag"}}`,
		"several types":       `{"from": {"label": "person", "ids": ["7"]}, "relationships": [{"type": "WROTE"}, {"type": ["TAGGED"]}, {"type": ["LIKES"], "direction": "incoming"}], "to": {"label": "person"}}`,
		"from a filter":       `{"from": {"label": "person", "filters": {"name": "n3"}}, "relationships": [{"type": "KNOWS"}], "to": {"label": "person", "filters": {"age": {"lt": 60}}}}`,
		"many starts":         `{"from": {"label": "person", "ids": ["1", "2", "3"]}, "relationships": [{"type": "KNOWS", "filters": {"since": {"is_null": true}}}], "to": {"label": "person"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			x := c.explain(t, st, graph.ToolTraverse, args)
			for i, text := range x.Database {
				for _, slow := range []string{"HashJoin", "MergeJoin", "InnerJoin", "CrossJoin"} {
					require.NotContains(t, text, slow, x.Statements[i].SQL)
				}
				require.False(t, strings.Contains(text, "─ Table\n"), "a table is scanned:\n%s\n%s", x.Statements[i].SQL, text)
			}
			require.Positive(t, c.call(t, graph.ToolTraverse, args).Returned)
		})
	}
}

// Names that differ in case alone, and columns with points and quotes.
func TestNamesThatAreHardToTellApart(t *testing.T) {
	s, err := schema.Parse("names.yaml", []byte(`
format: trellis.schema.v1
nodes:
  follows: {key: id, properties: {id: {type: int64, column: "i.d"}, name: {type: string, column: "na me.`+"`"+`x", index: true}, Name2: {type: string, column: NAME2}}}
relationships:
  FOLLOWS: {from: follows, to: follows, from_column: "a.b", to_column: "a.c"}
  LIKES: {from: follows, to: follows, table: Follows}
`))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	for i := range 30 {
		b.Node("follows", memory.Values{"id": i, "name": fmt.Sprint("n", i%5), "Name2": "x"})
		b.Relationship("FOLLOWS", graph.ID("follows", i), graph.ID("follows", (i+1)%30), nil)
		b.Relationship("LIKES", graph.ID("follows", i), graph.ID("follows", (i+2)%30), nil)
	}
	g, err := b.Build()
	require.NoError(t, err)
	st, err := embedded.New(g, embedded.Options{})
	require.NoError(t, err)
	defer st.Close()
	c := newCaller(s, st)
	for typ, want := range map[string]string{"FOLLOWS": "4", "LIKES": "5"} {
		args := `{"from": {"label": "follows", "ids": ["3"]}, "relationships": [{"type": "` + typ + `"}], "to": {"label": "follows", "filters": {"Name2": "x"}}}`
		c.explain(t, st, graph.ToolTraverse, args)
		answer := c.call(t, graph.ToolTraverse, args)
		require.Equal(t, 1, answer.Returned)
		require.Equal(t, want, answer.Nodes[0].ID)
	}
	answer := c.call(t, graph.ToolFindNodes, `{"node_label": "follows", "filters": {"name": "n3"}}`)
	require.Equal(t, 6, answer.Returned)
}
