package duckdb_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/store/analytic/duckdb"
)

func TestFileNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a b%41.duckdb", "ä'\"é.db", "-x"} {
		file := filepath.Join(dir, name)
		_, err := duckdb.Open(file, small)
		require.Error(t, err, "a file that is not there")
		db, err := duckdb.OpenToLoad(file, duckdb.Options{Threads: 1, Memory: 1 << 28})
		require.NoError(t, err)
		_, err = db.Exec("CREATE TABLE t (x BIGINT)")
		require.NoError(t, err)
		_, err = duckdb.Open(file, small)
		require.Error(t, err, "a file that is written")
		require.NoError(t, db.Close())
		require.FileExists(t, file)
		_, err = opened(t, file).Exec("SELECT x FROM t")
		require.NoError(t, err)
	}
	for _, name := range []string{"", ":memory:", ":memory:x", "a?access_mode=READ_WRITE", "a#b", "a\x00b"} {
		_, err := duckdb.Open(filepath.FromSlash(name), small)
		require.ErrorContains(t, err, "its name", name)
		_, err = duckdb.OpenToLoad(name, small)
		require.ErrorContains(t, err, "its name", name)
	}
}

// T48, T47: what opens files, reaches the network, loads code or changes
// anything is refused, and none of it can be allowed again.
func TestNothingButTheFileIsReached(t *testing.T) {
	dir := t.TempDir()
	file, other := filepath.Join(dir, "graph.duckdb"), filepath.Join(dir, "other")
	db, err := duckdb.OpenToLoad(file, small)
	require.NoError(t, err)
	_, err = db.Exec("CREATE TABLE t (x BIGINT)")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	require.NoError(t, os.WriteFile(other, []byte("x\n1\n"), 0o600))
	before, err := os.ReadFile(file)
	require.NoError(t, err)

	db = opened(t, file)
	again := opened(t, file) // a second handle shares the settings
	for _, text := range []string{
		"SELECT * FROM read_text('%s')", "SELECT * FROM read_blob('%s')", "SELECT * FROM read_csv('%s')", "SELECT * FROM read_json('%s')",
		"SELECT * FROM read_parquet('%s')", "SELECT * FROM parquet_metadata('%s')", "SELECT * FROM sniff_csv('%s')", "SELECT * FROM glob('%s*')", "SELECT * FROM '%s'",
		"FROM '%s'", "SELECT * FROM read_text('http://127.0.0.1/%s')", "SELECT * FROM read_csv('s3://bucket%s')", "SELECT * FROM duckdb_secrets()", "SELECT getenv('HOME')",
		"ATTACH '%s'", "ATTACH ':memory:' AS m", "COPY t TO '%s'", "COPY t FROM '%s'", "EXPORT DATABASE '%s'", "IMPORT DATABASE '%s'",
		"INSTALL httpfs", "LOAD httpfs", "LOAD '%s'", "CREATE SECRET s (TYPE S3)", "SET enable_external_access = true", "SET lock_configuration = false",
		"RESET lock_configuration", "SET threads = 1", "SET TimeZone = 'Asia/Tokyo'", "SET disabled_optimizers = ''", "PRAGMA threads = 1", "PRAGMA enable_profiling",
		"CALL enable_logging()", "CHECKPOINT", "USE memory", "INSERT INTO t VALUES (1)", "DELETE FROM t", "DROP TABLE t", "CREATE TABLE u (x INT)",
		"CREATE TEMP TABLE u AS SELECT 1 AS x", "CREATE TEMP MACRO f(a) AS a", "SELECT 1; SELECT 2", "SELECT 1; DROP TABLE t", "BEGIN TRANSACTION", "COMMIT", "PREPARE p AS SELECT 1", "DETACH graph",
		"EXPLAIN ANALYZE INSERT INTO t VALUES (1)", "SET VARIABLE x = 1", "VACUUM", "ANALYZE t",
	} {
		text = strings.ReplaceAll(text, "%s", other)
		_, err := db.Exec(text)
		require.Error(t, err, text)
		_, err = again.Exec(text)
		require.Error(t, err, text)
	}
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, before, after)
	names, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, names, 2)
}

// A statement that nobody waits for any more is left at once; the engine breaks
// it off, and the next call has another connection.
func TestStatementsAreLeft(t *testing.T) {
	file := filepath.Join(t.TempDir(), "graph.duckdb")
	db, err := duckdb.OpenToLoad(file, small)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	db = opened(t, file)
	db.SetMaxOpenConns(1)
	const long = "SELECT count(*) FROM range(1000000) AS a(i), range(1000000) AS b(j) WHERE (i * j) % 7 = 3"
	for range 3 {
		for _, begin := range []bool{true, false} {
			ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
			start := time.Now()
			var err error
			if begin {
				tx, beginning := db.BeginTx(ctx, nil)
				require.NoError(t, beginning)
				_, err = tx.ExecContext(ctx, long)
				_ = tx.Rollback()
			} else {
				var n int
				err = db.QueryRowContext(ctx, long).Scan(&n)
			}
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Less(t, time.Since(start), 450*time.Millisecond)
			cancel()
		}
		var n int
		require.NoError(t, db.QueryRow("SELECT 42").Scan(&n))
		require.Equal(t, 42, n)
	}
	start := time.Now()
	require.NoError(t, db.Close())
	require.Less(t, time.Since(start), 5*time.Second, "the engine works on for nobody")
}
