package storetest_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// A handle that is checked is the host's: it can do afterwards what it could
// before, and no less is found.
func TestSQLiteGivenBack(t *testing.T) {
	s, err := schema.Parse("schema.yaml", []byte(`{format: trellis.schema.v1, nodes: {user: {key: id, properties: {id: int64}}}}`))
	require.NoError(t, err)
	db := open(t, "sqlite", "file:"+filepath.Join(t.TempDir(), "x.db"))
	db.SetMaxOpenConns(1) // so that it is the one that was looked at
	exec(t, db, "CREATE TABLE `user` (id INTEGER PRIMARY KEY)")
	for i, before := range []string{"0", "1", "0"} {
		exec(t, db, "PRAGMA query_only = "+before)
		found, err := store.CheckConnection(t.Context(), db, compile.SQLite(), s)
		require.NoError(t, err)
		require.Empty(t, found) // a session of the store cannot write
		require.Equal(t, before, single(t, db, "PRAGMA query_only"))
		_, err = db.Exec("INSERT INTO `user` VALUES (?)", i)
		require.Equal(t, before == "0", err == nil, err)
	}
	exec(t, db, "INSERT INTO `user` VALUES (9)")

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = store.CheckConnection(ended, db, compile.SQLite(), s)
	require.Error(t, err)
	exec(t, db, "INSERT INTO `user` VALUES (10)")
}

// The settings of a server's session are after a check what they were before it.
func TestServersGivenBack(t *testing.T) {
	for name, d := range databasesAt(t) {
		t.Run(name, func(t *testing.T) {
			a := newAttic(t, d)
			settings := `SELECT CONCAT_WS('|', @@time_zone, @@max_statement_time, @@max_sort_length, @@tx_read_only, @@autocommit, @@in_transaction,
				@@sql_mode, @@sql_select_limit, @@character_set_client, @@character_set_connection, COALESCE(@@character_set_results, 'none'), @@collation_connection)`
			if d.driver == "pgx" {
				settings = "SELECT string_agg(name || '=' || setting, '|' ORDER BY name) FROM pg_settings"
			}
			db := open(t, d.driver, a.dsn(a.address, "", "", a.name))
			db.SetMaxOpenConns(1)
			if d.driver == "mysql" {
				exec(t, db, "SET time_zone = '+05:30', max_statement_time = 17, max_sort_length = 2048, sql_mode = 'ANSI_QUOTES,PAD_CHAR_TO_FULL_LENGTH', sql_select_limit = 77,"+
					" character_set_results = NULL, collation_connection = utf8mb4_swedish_ci")
			} else {
				exec(t, db, "SET TimeZone = 'Asia/Kolkata'")
			}
			before := single(t, db, settings)
			found, err := store.CheckConnection(t.Context(), db, d.dialect, a.schema)
			require.NoError(t, err)
			require.Contains(t, kinds(found), store.Administers) // so that all is tried
			require.Equal(t, before, single(t, db, settings))
			exec(t, db, "INSERT INTO secret VALUES (1)")
		})
	}
}

// single is the only value of a statement's only row.
func single(t *testing.T, db *sql.DB, text string) (value string) {
	t.Helper()
	require.NoError(t, db.QueryRow(text).Scan(&value))
	return value
}
