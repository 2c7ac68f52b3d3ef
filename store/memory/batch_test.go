package memory_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store/memory"
)

func forge(t testing.TB) *memory.Live {
	b := memory.NewBuilder(parse(t, mapped))
	b.Node("user", memory.Values{"id": 1, "name": "Ada"})
	b.Node("user", memory.Values{"id": 2, "name": "Grace"})
	b.Node("issue", memory.Values{"id": 7, "author": 1, "title": "first"})
	b.Node("issue", memory.Values{"id": 9})
	b.Relationship("WROTE", graph.ID("user", 1), graph.ID("issue", 7), nil)
	b.Relationship("BLOCKS", graph.ID("issue", 7), graph.ID("issue", 7), nil)
	g, err := b.Build()
	require.NoError(t, err)
	return memory.NewLive(g)
}

func TestBatchesChangeTheGraph(t *testing.T) {
	live := forge(t)
	before := live.Graph()
	was := dump(before)
	b := memory.NewBatch(before.Schema())
	b.Node("user", memory.Values{"id": 0, "name": "Mary"})
	b.Node("user", memory.Values{"id": 1, "name": "Ada King"})
	b.DeleteRelationship("WROTE", graph.ID("user", 1), graph.ID("issue", 7), nil)
	b.Relationship("WROTE", graph.ID("user", 0), graph.ID("issue", 7), nil)
	b.Node("issue", memory.Values{"id": 7, "author": 0})
	b.DeleteNode(graph.ID("user", 2))
	b.DeleteNode(graph.ID("user", 3))
	require.Equal(t, 7, b.Len())
	after, err := live.Apply(b)
	require.NoError(t, err)
	require.Same(t, after, live.Graph())
	require.Equal(t, was, dump(before))
	require.Equal(t, `issue id=7 author=0 title=null
issue id=9 author=null title=null
user id=0 name="Mary"
user id=1 name="Ada King"
BLOCKS issue/0 issue/0
WROTE user/0 issue/0
`, dump(after.Dense()))

	user, _ := after.Schema().Label("user")
	require.Equal(t, 2, after.NodeCount(user))
	require.Equal(t, uint32(4), after.RowCount(user))
	require.Equal(t, uint32(2), after.Ordered(user))
	require.Equal(t, []uint32{2, 3}, after.Late(user))
	require.Equal(t, []uint64{0b11}, after.Dead(user))

	again, err := live.Apply(b)
	require.NoError(t, err)
	require.Equal(t, dump(after.Dense()), dump(again.Dense()), "a batch may be applied again")

	same := memory.NewBatch(before.Schema())
	same.Node("user", memory.Values{"id": 1, "name": "Ada King"})
	same.Relationship("BLOCKS", graph.ID("issue", 7), graph.ID("issue", 7), nil)
	same.DeleteRelationship("BLOCKS", graph.ID("issue", 7), graph.ID("issue", 9), nil)
	got, err := live.Apply(same)
	require.NoError(t, err)
	require.Same(t, again, got, "what changes nothing makes no snapshot")
}

func TestBadBatchesAreReportedExactly(t *testing.T) {
	issue, user := graph.ID("issue", 7), graph.ID("user", 1)
	for _, tt := range []struct {
		name  string
		batch func(b *memory.Batch)
		want  string
	}{
		{"values", func(b *memory.Batch) {
			b.Node("user", memory.Values{"id": 3})
			b.Node("user", memory.Values{"id": 4, "name": "x", "nmae": "y"})
			b.Node("usr", nil)
			b.DeleteNode(graph.ID("user", "x"))
			b.DeleteNode(graph.ID("users", 1))
			b.DeleteNode(graph.NodeID{Label: "user"})
		}, `user:1: name: missing
user:2: unknown property "nmae"; did you mean "name"?
user:4: key: "x" is not an int32
user:6: key: missing
users:5: unknown label "users"; did you mean "user"?
usr:3: unknown label "usr"; did you mean "user"?`},
		{"relationships", func(b *memory.Batch) {
			b.Relationship("WROTE", issue, user, nil)
			b.Relationship("WROET", user, issue, nil)
			b.DeleteRelationship("WROET", user, issue, nil)
			b.Relationship("WROTE", user, issue, memory.Values{"at": 1})
			b.DeleteRelationship("WROTE", user, issue, 1)
			b.DeleteRelationship("WROTE", user, graph.ID("issue", "x"), nil)
			b.Relationship("BLOCKS", graph.ID("issue", 8), graph.ID("issue", 10), nil)
		}, `BLOCKS:7: from: there is no issue "8"
BLOCKS:7: to: there is no issue "10"
WROET:2: unknown relationship type "WROET"; did you mean "WROTE"?
WROET:3: unknown relationship type "WROET"; did you mean "WROTE"?
WROTE:1: WROTE does not lead from "issue" to "user"; it leads from user to issue
WROTE:4: unknown property "at"
WROTE:5: a key, but WROTE from user to issue has none
WROTE:6: to: "x" is not an int64`},
		{"at its turn", func(b *memory.Batch) {
			b.Relationship("BLOCKS", graph.ID("issue", 9), graph.ID("issue", 8), nil)
			b.Node("issue", memory.Values{"id": 8})
			b.DeleteNode(graph.ID("issue", 9))
			b.Relationship("BLOCKS", graph.ID("issue", 8), graph.ID("issue", 9), nil)
		}, `BLOCKS:1: to: there is no issue "8"
BLOCKS:4: to: there is no issue "9"`},
		{"no false dangling", func(b *memory.Batch) {
			b.Node("issue", memory.Values{"id": 8, "titel": ""})
			b.Relationship("BLOCKS", graph.ID("issue", 9), graph.ID("issue", 8), nil)
		}, `issue:1: unknown property "titel"; did you mean "title"?`},
		{"two targets", func(b *memory.Batch) {
			b.Relationship("BLOCKS", issue, graph.ID("issue", 9), nil)
		}, `BLOCKS:1: issue "7" leads to issue "7" and to issue "9", but its foreign key blocked_id holds one`},
		{"other key", func(b *memory.Batch) {
			b.DeleteRelationship("WROTE", user, issue, nil)
			b.Relationship("WROTE", graph.ID("user", 2), issue, nil)
		}, `WROTE:2: issue "7" leads to user "2", but its author is "1"`},
		{"key without relationship", func(b *memory.Batch) {
			b.DeleteNode(graph.ID("user", 2))
			b.DeleteNode(user)
		}, `issue:2: author: "1", but no WROTE says so`},
		{"relationship without key", func(b *memory.Batch) {
			b.Node("issue", memory.Values{"id": 7})
		}, `WROTE:1: issue "7" leads to user "1", but its author is null`},
		{"match", func(b *memory.Batch) {
			b.Node("cat", memory.Values{"id": 7, "kind": "cat"})
			b.Node("cat", memory.Values{"id": 8, "kind": "dog"})
		}, `cat:2: kind: "dog", but every cat has "cat"`},
	} {
		t.Run(tt.name, func(t *testing.T) { refuse(t, forge(t), tt.batch, tt.want) })
		t.Run(tt.name+", hubs", func(t *testing.T) {
			live := forge(t)
			live.SetHubs(1, 0)
			refuse(t, live, tt.batch, tt.want)
		})
	}
}

// refuse applies a batch that must be refused for some problems.
func refuse(t *testing.T, live *memory.Live, batch func(b *memory.Batch), want string) {
	g := live.Graph()
	was := dump(g)
	b := memory.NewBatch(g.Schema())
	batch(b)
	got, err := live.Apply(b)
	require.Nil(t, got)
	var le *memory.LoadError
	require.ErrorAs(t, err, &le)
	require.ErrorIs(t, err, graph.InvalidData)
	lines := ""
	for i, p := range le.Problems {
		if i > 0 {
			lines += "\n"
		}
		lines += p.String()
	}
	require.Equal(t, want, lines)
	require.Contains(t, err.Error(), " in the batch; nothing was changed\n")
	require.Same(t, g, live.Graph())
	require.Equal(t, was, dump(g))
}

func TestKeyedRelationshipsAreFoundByKey(t *testing.T) {
	b := memory.NewBuilder(parse(t, allTypes))
	for i := range 3 {
		b.Node("thing", memory.Values{"id": i, "label": ""})
	}
	b.Relationship("PAID", graph.ID("thing", 0), graph.ID("thing", 1), memory.Values{"no": 5, "amount": 1})
	b.Relationship("PAID", graph.ID("thing", 0), graph.ID("thing", 1), memory.Values{"no": 6, "amount": 1})
	g, err := b.Build()
	require.NoError(t, err)
	live := memory.NewLive(g)
	c := memory.NewBatch(g.Schema())
	c.Relationship("PAID", graph.ID("thing", 0), graph.ID("thing", 1), memory.Values{"no": 4, "amount": 2})
	c.Relationship("PAID", graph.ID("thing", 2), graph.ID("thing", 0), memory.Values{"no": 5, "amount": 3})
	c.DeleteRelationship("PAID", graph.ID("thing", 0), graph.ID("thing", 2), 6)
	c.Node("thing", memory.Values{"id": 1, "label": "new"})
	g, err = live.Apply(c)
	require.NoError(t, err)
	paid, _ := g.Schema().Relationship("PAID")
	require.Equal(t, 3, g.RelCount(paid.Pairs[0]))
	require.Equal(t, uint32(4), g.RelSpace(paid.Pairs[0]))
	from, to := g.Ends(paid.Pairs[0], 1)
	require.Equal(t, [2]uint32{0, 3}, [2]uint32{from, to}, "the row of thing 1 is another now")
	require.Contains(t, dump(g.Dense()), `PAID thing/0 thing/1 no=4 amount="2.00"
PAID thing/0 thing/1 no=6 amount="1.00"
PAID thing/2 thing/0 no=5 amount="3.00"
`)
	require.Panics(t, func() { g.Targets(paid.Pairs[0]) })

	bad := memory.NewBatch(g.Schema())
	bad.DeleteRelationship("PAID", graph.ID("thing", 0), graph.ID("thing", 1), nil)
	bad.DeleteRelationship("PAID", graph.ID("thing", 0), graph.ID("thing", 1), "x")
	_, err = live.Apply(bad)
	require.EqualError(t, err, `2 problems in the batch; nothing was changed
PAID:1: no: null, but the property is not nullable
PAID:2: no: "x" is not an int64`)
}

func TestReplaceKeepsTheLastGraphOfTheSchemaBefore(t *testing.T) {
	live := forge(t)
	old := live.Graph()
	s1 := old.Schema()
	b := memory.NewBatch(s1)
	b.Node("user", memory.Values{"id": 3, "name": "new"})
	newest, err := live.Apply(b)
	require.NoError(t, err)
	other := load(t, allTypes)
	require.Same(t, newest, live.Replace(other))
	require.Same(t, other, live.Graph())
	require.Same(t, other, live.Snapshot(other.Schema()))
	require.Same(t, newest, live.Snapshot(s1))
	require.Same(t, newest, live.Snapshot(parse(t, mapped)), "the same schema, read again")
	_, err = live.Apply(b)
	require.ErrorIs(t, err, graph.Conflict)
	require.Same(t, other, live.Replace(old))
	require.Same(t, other, live.Snapshot(other.Schema()))
	require.Same(t, old, live.Snapshot(s1))
	require.Same(t, old, old.Snapshot(other.Schema()))
}

// A schema that was read again is the same schema, also when its graph replaces
// one of the schema read before.
func TestSnapshotsAreOfASchemaByItsHash(t *testing.T) {
	build := func(text string) *memory.Graph {
		s := parse(t, "format: trellis.schema.v1\nnodes: {item: {key: id, properties: {id: "+text+"}}}")
		g, err := memory.NewBuilder(s).Build()
		require.NoError(t, err)
		return g
	}
	first, again, other := build("int64"), build("int64"), build("string")
	live := memory.NewLive(first)
	live.Replace(again)
	require.Same(t, again, live.Snapshot(first.Schema()))
	live.Replace(other)
	require.Same(t, again, live.Snapshot(first.Schema()))
	require.Same(t, other, live.Snapshot(other.Schema()))
}
