package compile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/schema"
)

func TestReadings(t *testing.T) {
	s, err := schema.Parse("s.yaml", []byte(`
format: trellis.schema.v1
nodes:
  user: {key: [area, no], properties: {no: int64, area: string, name: {type: string, column: full}}}
  cat: {table: animal, match: {kind: cat}, key: id, properties: {id: int64}}
  dog: {table: animal, match: {kind: dog}, key: id, properties: {id: int64}}
relationships:
  KEEPS: {pairs: [{from: user, to: cat, foreign_key: animal_id}, {from: user, to: dog, foreign_key: animal_id}]}
  MET: {from: cat, to: cat, table: met, properties: {at: date}}`))
	require.NoError(t, err)
	keeps := " FROM `user` AS t WHERE t.`area` IS NOT NULL AND t.`no` IS NOT NULL AND t.`animal_id` IS NOT NULL" +
		" AND EXISTS (SELECT 1 FROM `user` AS e WHERE e.`area` = t.`area` AND e.`no` = t.`no`)" +
		" AND EXISTS (SELECT 1 FROM `animal` AS e WHERE e.`id` = t.`animal_id` AND e.`kind` = ? AND CAST(e.`kind` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_0900_bin = ?) ORDER BY t.`area`, t.`no`, t.`animal_id`"
	want := []string{
		"SELECT t.`id` FROM `animal` AS t WHERE t.`kind` = ? AND CAST(t.`kind` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_0900_bin = ? ORDER BY t.`id`",
		"SELECT t.`id` FROM `animal` AS t WHERE t.`kind` = ? AND CAST(t.`kind` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_0900_bin = ? ORDER BY t.`id`",
		"SELECT t.`no`, t.`area`, t.`full` FROM `user` AS t ORDER BY t.`area`, t.`no`",
		"SELECT t.`area`, t.`no`, t.`animal_id`" + keeps,
		"SELECT t.`area`, t.`no`, t.`animal_id`" + keeps,
		"SELECT t.`from_id`, t.`to_id`, CAST(t.`at` AS CHAR) FROM `met` AS t WHERE t.`from_id` IS NOT NULL AND t.`to_id` IS NOT NULL ORDER BY t.`from_id`, t.`to_id`",
	}
	var got []string
	for _, r := range compile.MySQL().Readings(s) {
		got = append(got, r.Text(nil))
		require.True(t, (r.Label == nil) != (r.Pair == nil))
	}
	require.Equal(t, want, got)
	last := compile.Postgres().Readings(s)[1]
	require.Equal(t, `SELECT t."id" FROM "animal" AS t WHERE t."kind" = $1 ORDER BY t."id"`, last.Text(nil))
	args, _ := last.Bind(nil)
	require.Equal(t, []any{"dog"}, args)
}

// What a server calls its state becomes part of a statement, so it is looked at.
func TestSnapshotsAreAdoptedByName(t *testing.T) {
	for _, d := range compile.Dialects() {
		text, ok := d.AdoptSnapshot("00000003-0000001B-1")
		require.Equal(t, d.ExportSnapshot() != "", ok, d.Name())
		require.True(t, !ok || text == "SET TRANSACTION SNAPSHOT '00000003-0000001B-1'")
		for _, name := range []string{"", "1'; DROP TABLE a; --", "x", "1 2"} {
			_, ok := d.AdoptSnapshot(name)
			require.False(t, ok, name)
		}
	}
}
