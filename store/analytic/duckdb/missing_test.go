package duckdb_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/analytic/duckdb"
)

// What the schema maps and the file has not is found before a store is made.
func TestMissing(t *testing.T) {
	s, err := schema.Parse("schema.yaml", []byte(`{format: trellis.schema.v1, nodes: {
  user: {table: users, key: id, properties: {id: int64, name: string}},
  pet: {table: {schema: zoo, name: pet}, match: {kind: cat}, key: id, properties: {id: int64}}},
relationships: {LIKES: {from: user, to: pet}, HOME: {from: user, to: user, foreign_key: home_id}}}`))
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "x.duckdb")
	db, err := duckdb.OpenToLoad(file, small)
	require.NoError(t, err)
	for _, text := range []string{`CREATE TABLE users ("ID" BIGINT, nam VARCHAR, home_id BIGINT)`, "CREATE SCHEMA zoo", "CREATE TABLE zoo.pet (id BIGINT)"} {
		_, err := db.Exec(text)
		require.NoError(t, err)
	}
	require.NoError(t, db.Close())
	db = opened(t, file)
	found, err := store.CheckConnection(context.Background(), db, compile.DuckDB(), s)
	require.NoError(t, err)
	require.Equal(t, []store.Finding{
		{Kind: store.Missing, Message: `tables that the schema maps are not there: "LIKES"`},
		{Kind: store.Missing, Message: `columns that the schema maps are not there: "kind" of table "zoo.pet", "name" of table "users" (did you mean "nam"?)`},
	}, found)
	_, err = store.Checked(context.Background(), db, compile.DuckDB(), s, func(store.Finding) {})
	require.ErrorContains(t, err, "LIKES")
}

// T48: a host's own handle that has shut external access may have left doors open.
func TestAllowedPathsAreFound(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.csv")
	require.NoError(t, os.WriteFile(secret, []byte("a\nb\n"), 0o600))
	for setting, value := range map[string]string{"allowed_directories": "['" + dir + "/']", "allowed_paths": "['" + secret + "']"} {
		db, err := sql.Open("duckdb", filepath.Join(t.TempDir(), "x.duckdb"))
		require.NoError(t, err)
		defer db.Close()
		for _, text := range []string{"SET GLOBAL " + setting + " = " + value, "SET GLOBAL enable_external_access = false", "SET lock_configuration = true"} {
			_, err := db.Exec(text)
			require.NoError(t, err, text)
		}
		var n int
		require.NoError(t, db.QueryRow("SELECT count(*) FROM read_csv('"+secret+"')").Scan(&n), "it is readable")
		found, err := store.CheckConnection(context.Background(), db, compile.DuckDB(), emptySchema(t))
		require.NoError(t, err)
		require.Contains(t, found, store.Finding{Kind: store.Files, Message: "statements can reach files although external access is off: take these out of allowed_directories and allowed_paths: " +
			map[string]string{"allowed_directories": dir + "/", "allowed_paths": secret}[setting]})
	}
	file := filepath.Join(dir, "y.duckdb")
	db, err := duckdb.OpenToLoad(file, small)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	found, err := store.CheckConnection(context.Background(), opened(t, file), compile.DuckDB(), emptySchema(t))
	require.NoError(t, err)
	require.Empty(t, found, "the file itself is no other")
}

// emptySchema maps nothing that is not there.
func emptySchema(t *testing.T) *schema.Schema {
	s, err := schema.Parse("schema.yaml", []byte(`{format: trellis.schema.v1, nodes: {t: {table: {schema: information_schema, name: tables}, key: table_name, properties: {table_name: string}}}}`))
	require.NoError(t, err)
	return s
}
