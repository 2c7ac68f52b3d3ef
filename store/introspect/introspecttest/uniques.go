package introspecttest

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/introspect"
	"github.com/trellisgraph/trellis/store/load"
	"github.com/trellisgraph/trellis/store/memory"
)

const uniques = `format: trellis.schema.v1
nodes:
  room:
    key: [house, no]
    properties:
      house: string
      no: int64
      name: {type: string, nullable: false, unique: true, index: true}
      code: {type: uuid, unique: true}
      built: {type: date, unique: true}
      long: {type: string, unique: true}
  lamp: {key: id, properties: {id: {type: int64, unique: true}, label: {type: int32, unique: true}}}
  bulb: {table: part, match: {kind: bulb}, key: id, properties: {id: int64, maker: {type: string, unique: true}}}
  wire: {table: part, match: {kind: wire}, key: id, properties: {id: int64, maker: {type: string, unique: true}}}
relationships:
  LIT_BY: {from: room, to: lamp, from_column: [house, no], unique: from}
  SHINES_ON: {from: lamp, to: room, to_column: [house, no], unique: to}
  NEXT: {from: lamp, to: lamp, unique: both}
  HUNG_IN: {from: lamp, to: room, foreign_key: [house, room_no], unique: to}
  SCREWED: {from: bulb, to: lamp, foreign_key: lamp_id, unique: to}
`

func house(t *testing.T, long int) *memory.Graph {
	s, err := schema.Parse("schema.yaml", []byte(uniques))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	text := strings.Repeat("long ", long/5)
	b.Node("room", memory.Values{"house": "a", "no": 1, "name": "hall", "code": "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "built": "1995-02-01", "long": text + "x"})
	// Texts are byte-exact: neither of these is another's.
	b.Node("room", memory.Values{"house": "a", "no": 2, "name": "Hall", "long": text + "X"})
	b.Node("room", memory.Values{"house": "b", "no": 1, "name": "hall ", "long": text + "x "})
	b.Node("room", memory.Values{"house": "b", "no": 2, "name": "hàll"})
	for id := range 3 {
		b.Node("lamp", memory.Values{"id": id, "label": []any{7, nil, nil}[id]})
	}
	b.Node("bulb", memory.Values{"id": 1, "maker": "x"})
	b.Node("wire", memory.Values{"id": 1, "maker": "x"})
	room := func(house string, no int) graph.NodeID { return graph.ID("room", []any{house, no}) }
	b.Relationship("LIT_BY", room("a", 1), graph.ID("lamp", 1), nil)
	b.Relationship("LIT_BY", room("a", 2), graph.ID("lamp", 1), nil)
	b.Relationship("SHINES_ON", graph.ID("lamp", 1), room("a", 1), nil)
	b.Relationship("SHINES_ON", graph.ID("lamp", 1), room("a", 2), nil)
	b.Relationship("NEXT", graph.ID("lamp", 0), graph.ID("lamp", 1), nil)
	b.Relationship("HUNG_IN", graph.ID("lamp", 0), room("a", 1), nil)
	b.Relationship("SCREWED", graph.ID("bulb", 1), graph.ID("lamp", 1), nil)
	g, err := b.Build()
	require.NoError(t, err)
	return g
}

// breaches are rows that the tables must not take, and beside them rows that they
// must, for any number may be without a value.
const breaches = `INSERT INTO room (house, no, name) VALUES ('c', 1, 'hall')
INSERT INTO room (house, no, name, code) VALUES ('c', 1, 'x', '6ba7b810-9dad-11d1-80b4-00c04fd430c8')
INSERT INTO room (house, no, name, built) VALUES ('c', 1, 'x', '1995-02-01')
INSERT INTO lamp (id, label) VALUES (10, 7)
INSERT INTO lamp (id, house, room_no) VALUES (10, 'a', 1)
INSERT INTO "LIT_BY" (house, no, to_id) VALUES ('a', 1, 2)
INSERT INTO "SHINES_ON" (from_id, house, no) VALUES (2, 'a', 1)
INSERT INTO "NEXT" (from_id, to_id) VALUES (0, 2)
INSERT INTO "NEXT" (from_id, to_id) VALUES (2, 1)`

// Uniques loads a graph of what is unique in all ways, again and again. Its schema
// has no drift, and the database takes no row that breaks it. Where no key takes long
// texts the loader says so, as the check does.
func Uniques(t *testing.T, d Database) {
	var unkept []string
	db := d.Open(t, func(db *sql.DB) {
		for _, long := range []int{2, 5000, 2} {
			unkept = nil
			require.NoError(t, load.Load(t.Context(), db, house(t, long), load.Options{Progress: func(p load.Progress) {
				for _, columns := range p.Unkept {
					unkept = append(unkept, p.Table+": "+columns)
				}
			}}))
			if long > 2 && (d.Name == "mariadb" || d.Name == "postgres") {
				require.Equal(t, []string{"room: long"}, unkept)
				report, err := introspect.Check(t.Context(), db, house(t, 2).Schema(), introspect.Options{})
				require.NoError(t, err)
				require.Len(t, report.Drift, 1)
				require.Equal(t, "/nodes/room/properties/long", report.Drift[0].Path)
				continue
			}
			require.Empty(t, unkept)
			fits(t, db, house(t, 2).Schema())
		}
		if d.Name == "clickhouse" { // which has neither keys nor transactions
			return
		}
		require.NoError(t, load.Load(t.Context(), db, house(t, 2), load.Options{Keep: true}))
		for breach := range strings.Lines(breaches) {
			if d.Name == "mariadb" {
				breach = strings.ReplaceAll(breach, `"`, "`")
			}
			_, err := db.Exec(breach)
			require.Error(t, err, breach)
			require.Regexp(t, "(?i)unique|duplicate", err, breach)
		}
		_, err := db.Exec("INSERT INTO lamp (id) VALUES (10), (11)")
		require.NoError(t, err, "any number may be without a value")
	})
	fits(t, db, house(t, 2).Schema())
}
