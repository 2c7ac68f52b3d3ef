package storetest_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// What the schema maps and SQLite has not is found before a store is made, with
// what is meant; columns that every table has are there, and so are a view's.
func TestSQLiteMissing(t *testing.T) {
	s, err := schema.Parse("schema.yaml", []byte(`{format: trellis.schema.v1, nodes: {
  user: {table: users, key: id, properties: {id: int64, name: string, age: int64}},
  place: {key: rowid, properties: {rowid: int64, no: int64}},
  pet: {table: {schema: zoo, name: pet}, match: {kind: cat}, key: id, properties: {id: int64}},
  seen: {key: id, properties: {id: int64, name: string}}},
relationships: {LIKES: {from: user, to: place}, HOME: {from: user, to: place, foreign_key: home_id}}}`))
	require.NoError(t, err)
	file := "file:" + filepath.Join(t.TempDir(), "x.db")
	db := open(t, "sqlite", file)
	for _, text := range []string{
		"CREATE TABLE `user` (id INTEGER PRIMARY KEY)", "CREATE TABLE place (NO INTEGER)", "CREATE TABLE `zoo.pet` (id INTEGER PRIMARY KEY)",
		"CREATE VIEW seen AS SELECT id, 'x' AS nam FROM `user`", "CREATE TABLE LIKES (from_id INTEGER, to_id INTEGER)",
	} {
		exec(t, db, text)
	}
	missing := func() (out []string) {
		found, err := store.CheckConnection(t.Context(), open(t, "sqlite", file+"?mode=ro"), compile.SQLite(), s)
		require.NoError(t, err)
		for _, f := range found {
			require.Equal(t, store.Missing, f.Kind)
			out = append(out, f.Message)
		}
		return out
	}
	require.Equal(t, []string{
		`tables that the schema maps are not there: "users" (did you mean "user"?)`,
		`columns that the schema maps are not there: "kind" of table "zoo.pet", "name" of table "seen" (did you mean "nam"?)`,
	}, missing())
	_, err = store.Checked(t.Context(), open(t, "sqlite", file+"?mode=ro"), compile.SQLite(), s, func(store.Finding) {})
	require.ErrorContains(t, err, `did you mean "user"?`)
	for _, text := range []string{"ALTER TABLE `user` RENAME TO users", "ALTER TABLE users ADD COLUMN name TEXT", "ALTER TABLE users ADD COLUMN Age INT", "ALTER TABLE `zoo.pet` ADD COLUMN kind TEXT", "DROP VIEW seen", "CREATE TABLE seen (id, name TEXT)"} {
		exec(t, db, text)
	}
	require.Equal(t, []string{`columns that the schema maps are not there: "home_id" of table "users"`}, missing())
	exec(t, db, "ALTER TABLE users ADD COLUMN home_id INTEGER")
	require.Empty(t, missing())
}
