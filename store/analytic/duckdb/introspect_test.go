package duckdb_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/store/analytic/duckdb"
	"github.com/trellisgraph/trellis/store/introspect/introspecttest"
)

func introspected(undeclared bool) introspecttest.Database {
	return introspecttest.Database{
		Name: "duckdb", Dialect: compile.DuckDB(), Schemas: true, Undeclared: undeclared,
		Open: func(t *testing.T, fill func(*sql.DB)) *sql.DB {
			file := filepath.Join(t.TempDir(), "graph.duckdb")
			db, err := duckdb.OpenToLoad(file, small)
			require.NoError(t, err)
			fill(db)
			require.NoError(t, db.Close())
			return opened(t, file)
		},
	}
}

func TestDrafts(t *testing.T) {
	introspecttest.Drafts(t, introspected(false), "../../introspect/testdata", *update)
}

// What is loaded has indexes and no foreign keys.
func TestRoundTrip(t *testing.T) { introspecttest.RoundTrip(t, introspected(true)) }

func TestUniques(t *testing.T) { introspecttest.Uniques(t, introspected(false)) }
