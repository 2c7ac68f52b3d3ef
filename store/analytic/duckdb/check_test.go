package duckdb_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/analytic/duckdb"
	"github.com/trellisgraph/trellis/store/storetest"
)

// T48: a store over files that Open has opened starts; over others it does not.
func TestConnectionsAreChecked(t *testing.T) {
	ctx := context.Background()
	g := storetest.Fixture(t, "types")
	st, err := store.Checked(ctx, loaded(t, g), compile.DuckDB(), g.Schema(), nil)
	require.NoError(t, err)
	require.NoError(t, st.Close())

	db, err := duckdb.OpenToLoad(filepath.Join(t.TempDir(), "graph.duckdb"), small)
	require.NoError(t, err)
	defer db.Close()
	require.Equal(t, []store.FindingKind{store.Files, store.Administers, store.Writes, store.Missing}, kinds(t, db))
	_, err = store.Checked(ctx, db, compile.DuckDB(), g.Schema(), nil)
	require.ErrorContains(t, err, "enable_external_access")
	_, err = db.Exec("SET disabled_optimizers = ''")
	require.NoError(t, err)
	require.Contains(t, kinds(t, db), store.Unfit)

	raw, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	defer raw.Close()
	_, err = raw.Exec("ATTACH ':memory:' AS other")
	require.NoError(t, err)
	require.Equal(t, []store.FindingKind{store.Files, store.Files, store.Administers, store.Writes, store.ReadsMore, store.Missing, store.Unfit}, kinds(t, raw))
	_, err = store.Checked(ctx, raw, compile.DuckDB(), g.Schema(), func(store.Finding) {})
	require.ErrorContains(t, err, "store/analytic/duckdb")
}

func kinds(t *testing.T, db *sql.DB) []store.FindingKind {
	found, err := store.CheckConnection(context.Background(), db, compile.DuckDB(), storetest.Fixture(t, "types").Schema())
	require.NoError(t, err)
	var out []store.FindingKind
	for _, f := range found {
		out = append(out, f.Kind)
	}
	return out
}
