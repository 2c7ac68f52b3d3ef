package storetest_test

import (
	"database/sql"
	"testing"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/storetest"
)

// A store over a handle of its own answers as one over anybody's: the scripts, those
// about tables of other programs with their servers' settings, hostile texts, random
// calls, and many callers at once.

func TestMariaDBOwn(t *testing.T) {
	ownAnswers(t, owning(mariaDBs(t), compile.MariaDB()), mariaDBTables(t, store.Own), "mariadb", 130_000)
}

func TestPostgreSQLOwn(t *testing.T) {
	ownAnswers(t, owning(postgreSQLs(t), compile.Postgres()), postgreSQLTables(t, store.Own), "postgres", 220_000)
}

func ownAnswers(t *testing.T, open storetest.Opener, tables storetest.TableOpener, name string, seed uint64) {
	t.Run("scripts", func(t *testing.T) { storetest.Run(t, within(t, open), options(name)) })
	t.Run("tables", func(t *testing.T) { storetest.Tables(t, tables, tableOptions(name)) })
	t.Run("hostile", func(t *testing.T) { storetest.Hostile(t, within(t, open)) })
	t.Run("random", func(t *testing.T) {
		storetest.Differential(t, open, storetest.DifferentialOptions{Seed: seed, Calls: randomCalls(t) / 5, CallsPerGraph: 150})
	})
	t.Run("together", func(t *testing.T) { storetest.Together(t, open, seed) })
}

// within opens stores that several parts of a test use.
func within(t testing.TB, open storetest.Opener) storetest.Opener {
	return func(_ testing.TB, g *memory.Graph) store.Store { return open(t, g) }
}

func owning(databases func(testing.TB, *memory.Graph) *sql.DB, d *compile.Dialect) storetest.Opener {
	return func(part testing.TB, g *memory.Graph) store.Store { return store.Own(databases(part, g), d) }
}
