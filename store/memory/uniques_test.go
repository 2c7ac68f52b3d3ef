package memory_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// uniques is a schema of a house: rooms with a number and a name of their own,
// each with one lamp at most; a wire joins two rooms that have no other.
func uniques(t *testing.T, index bool, said bool) *schema.Schema {
	unique := func(text string) string {
		if said {
			return text
		}
		return ""
	}
	return parse(t, fmt.Sprintf(`
format: trellis.schema.v1
nodes:
  room: {key: id, properties: {id: int64, name: {type: string, index: %t%s}}}
  lamp: {key: id, properties: {id: int64}}
relationships:
  LIT_BY: {from: room, to: lamp%s}
  WIRE: {from: room, to: room, key: no%s}
  HUNG_IN: {from: lamp, to: room, foreign_key: room_id%s}
`, index, unique(", unique: true"), unique(", unique: from"), unique(", unique: both"), unique(", unique: to")))
}

// fillHouse makes two rooms and two lamps that break nothing, and whatever more.
func fillHouse(b interface {
	Node(string, memory.Values)
	Relationship(string, graph.NodeID, graph.NodeID, memory.Values)
}) {
	for id := 1; id <= 3; id++ {
		b.Node("room", memory.Values{"id": id, "name": []any{nil, "hall", nil, "attic"}[id]})
		b.Node("lamp", memory.Values{"id": id})
	}
	b.Relationship("LIT_BY", graph.ID("room", 1), graph.ID("lamp", 1), nil)
	b.Relationship("LIT_BY", graph.ID("room", 2), graph.ID("lamp", 1), nil)
	b.Relationship("WIRE", graph.ID("room", 1), graph.ID("room", 2), memory.Values{"no": 1})
	b.Relationship("WIRE", graph.ID("room", 2), graph.ID("room", 1), memory.Values{"no": 2})
	b.Relationship("HUNG_IN", graph.ID("lamp", 1), graph.ID("room", 1), nil)
}

// breakHouse breaks every rule once.
func breakHouse(b interface {
	Node(string, memory.Values)
	Relationship(string, graph.NodeID, graph.NodeID, memory.Values)
}) {
	b.Node("room", memory.Values{"id": 4, "name": "hall"})
	b.Node("room", memory.Values{"id": 5}) // as many as will may have none
	b.Relationship("LIT_BY", graph.ID("room", 1), graph.ID("lamp", 2), nil)
	b.Relationship("WIRE", graph.ID("room", 1), graph.ID("room", 3), memory.Values{"no": 3})
	b.Relationship("WIRE", graph.ID("room", 3), graph.ID("room", 2), memory.Values{"no": 4})
	b.Relationship("HUNG_IN", graph.ID("lamp", 2), graph.ID("room", 1), nil)
}

func TestWhatIsUniqueIsChecked(t *testing.T) {
	for _, index := range []bool{false, true} {
		s := uniques(t, index, true)
		b := memory.NewBuilder(s)
		fillHouse(b)
		g, err := b.Build()
		require.NoError(t, err)
		b = memory.NewBuilder(s)
		fillHouse(b)
		breakHouse(b)
		_, err = b.Build()
		require.EqualError(t, err, `5 problems in the data; nothing was loaded
HUNG_IN:2: room "1" ends HUNG_IN with lamp "1" and with lamp "2", but it ends one at most
LIT_BY:3: room "1" starts LIT_BY with lamp "1" and with lamp "2", but it starts one at most
WIRE:3: room "1" starts WIRE with room "2" and with room "3", but it starts one at most
WIRE:4: room "2" ends WIRE with room "1" and with room "3", but it ends one at most
room:4: name: "hall" is that of room "1" and of room "4", but no two have the same`)

		live := memory.NewLive(g)
		batch := memory.NewBatch(s)
		breakHouse(batch)
		_, err = live.Apply(batch)
		require.EqualError(t, err, `5 problems in the batch; nothing was changed
HUNG_IN:6: room "1" ends HUNG_IN with lamp "1" and with lamp "2", but it ends one at most
LIT_BY:6: room "1" starts LIT_BY with lamp "1" and with lamp "2", but it starts one at most
WIRE:5: room "2" ends WIRE with room "1" and with room "3", but it ends one at most
WIRE:6: room "1" starts WIRE with room "2" and with room "3", but it starts one at most
room:1: name: "hall" is that of room "1" and of room "4", but no two have the same`)

		// What gives way in the same batch is in nobody's way.
		batch = memory.NewBatch(s)
		batch.Node("room", memory.Values{"id": 1, "name": "cellar"})
		batch.DeleteRelationship("LIT_BY", graph.ID("room", 1), graph.ID("lamp", 1), nil)
		batch.DeleteRelationship("WIRE", graph.ID("room", 1), graph.ID("room", 2), 1)
		batch.DeleteNode(graph.ID("lamp", 1))
		breakHouse(batch)
		_, err = live.Apply(batch)
		require.NoError(t, err)
		for _, call := range []func(b *memory.Batch){
			func(b *memory.Batch) { b.Node("room", memory.Values{"id": 2, "name": "hall"}) },
			func(b *memory.Batch) { b.Relationship("LIT_BY", graph.ID("room", 1), graph.ID("lamp", 3), nil) },
		} {
			batch := memory.NewBatch(s)
			call(batch)
			_, err := live.Apply(batch)
			require.ErrorIs(t, err, graph.InvalidData)
		}
	}
}

// A file whose schema says more than its data keep is refused.
func TestFilesAreCheckedForWhatIsUnique(t *testing.T) {
	loose, strict := uniques(t, true, false), uniques(t, true, true)
	b := memory.NewBuilder(loose)
	fillHouse(b)
	breakHouse(b)
	g, err := b.Build()
	require.NoError(t, err)
	_, err = readBytes(underSchema(bytesOf(t, g), strict), strict)
	require.ErrorContains(t, isFileError(t, err), "one at most")
}
