package duckdb_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/analytic/duckdb"
	"github.com/trellisgraph/trellis/store/storetest"
)

// Tables as other programs make them.
func TestTables(t *testing.T) {
	storetest.Tables(t, func(t testing.TB, statements []string, _ string) store.Store {
		file := filepath.Join(t.TempDir(), "tables.duckdb")
		db, err := duckdb.OpenToLoad(file, small)
		require.NoError(t, err)
		for _, text := range statements {
			_, err := db.Exec(text)
			require.NoError(t, err, text)
		}
		require.NoError(t, db.Close())
		return store.SQL(opened(t, file), compile.DuckDB())
	}, storetest.Options{Store: "duckdb"})
}
