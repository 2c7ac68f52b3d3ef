package duckdb_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/store/analytic/duckdb"
)

func TestWhatIsLoadedIsRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a b%41.duckdb")
	_, err := duckdb.Open(file, duckdb.Options{})
	require.Error(t, err, "a file that is not there")
	db, err := duckdb.OpenToLoad(file, duckdb.Options{Threads: 1, Memory: 1 << 28})
	require.NoError(t, err)
	_, err = db.Exec("CREATE TABLE t (x BIGINT); INSERT INTO t VALUES (42)")
	require.NoError(t, err)
	require.NoError(t, db.Close())

	db = open(t, file)
	var x int
	require.NoError(t, db.QueryRow("SELECT x FROM t").Scan(&x))
	require.Equal(t, 42, x)
	_, err = db.Exec("INSERT INTO t VALUES (43)")
	require.ErrorContains(t, err, "read-only")
	_, err = db.Query("SELECT * FROM read_text('/etc/hostname')")
	require.ErrorContains(t, err, "disabled")
}

func open(t *testing.T, file string) *sql.DB {
	db, err := duckdb.Open(file, duckdb.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}
