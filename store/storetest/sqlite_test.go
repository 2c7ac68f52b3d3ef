package storetest_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/storetest"
)

// sqliteFile fills a file of its own for each graph, and reads it through
// connections that cannot write.
func sqliteFile(t testing.TB) storetest.Opener {
	return func(_ testing.TB, g *memory.Graph) store.Store { return eachSQLiteFile(t, g) }
}

// eachSQLiteFile is sqliteFile for many graphs: each goes with the part of the
// test that opened it.
func eachSQLiteFile(part testing.TB, g *memory.Graph) store.Store {
	return store.SQL(sqliteDatabase(part, g), compile.SQLite())
}

func sqliteDatabase(t testing.TB, g *memory.Graph) *sql.DB {
	file := filepath.Join(t.TempDir(), "graph.db")
	db, err := sql.Open("sqlite", "file:"+file)
	require.NoError(t, err)
	loaded(t, db, g)
	require.NoError(t, db.Close())
	return open(t, "sqlite", "file:"+file+"?mode=ro")
}

// long leaves a test out of short runs, such as those of the race detector, in
// which all takes ten times as long: it makes one call after another, and what
// happens at the same time is in the tests that stay.
func long(t *testing.T) {
	if testing.Short() {
		t.Skip("left out of short runs")
	}
}

// sqliteMemory is sqliteFile with databases in memory.
func sqliteMemory(t testing.TB) storetest.Opener {
	return func(_ testing.TB, g *memory.Graph) store.Store { return eachSQLiteMemory(t, g) }
}

func eachSQLiteMemory(part testing.TB, g *memory.Graph) store.Store {
	db := open(part, "sqlite", ":memory:")
	db.SetMaxOpenConns(1) // another connection would have a database of its own
	return store.SQL(loaded(part, db, g), compile.SQLite())
}

func TestSQLite(t *testing.T) {
	long(t)
	storetest.Run(t, sqliteFile(t), options("sqlite"))
}

func TestSQLiteInMemory(t *testing.T) {
	storetest.Run(t, sqliteMemory(t), storetest.Options{Store: "sqlite"})
}

func TestSQLiteHostile(t *testing.T) {
	long(t)
	storetest.Hostile(t, sqliteFile(t))
}

func TestSQLiteSame(t *testing.T) {
	t.Parallel()
	long(t)
	storetest.Same(t, inProcess, sqliteFile(t))
}

func TestShortPathsSQLite(t *testing.T) {
	t.Parallel()
	storetest.ShortPaths(t, eachSQLiteMemory, 5, 2000)
}

func TestAveragesSQLite(t *testing.T) {
	t.Parallel()
	long(t)
	storetest.Averages(t, eachSQLiteMemory, 5)
}

func TestRandomSQLite(t *testing.T) {
	t.Parallel()
	long(t)
	storetest.Differential(t, eachSQLiteMemory, storetest.DifferentialOptions{Seed: 300_000, Calls: randomCalls(t)})
}

func TestRulesSQLite(t *testing.T) {
	t.Parallel()
	long(t)
	storetest.Metamorphic(t, eachSQLiteMemory, rules(t, 6000))
}

func TestTogetherSQLite(t *testing.T) {
	t.Parallel()
	storetest.Together(t, eachSQLiteFile, 6)
}

func TestIsolationSQLite(t *testing.T) {
	t.Parallel()
	long(t)
	storetest.Isolation(t, eachSQLiteMemory, isolation(t, 700_000))
}

func TestFaultsSQLite(t *testing.T) {
	t.Parallel()
	long(t)
	storetest.Faults(t, func(part testing.TB, g *memory.Graph) (store.Backend, *compile.Dialect) {
		return store.Database(sqliteDatabase(part, g), compile.SQLite()), compile.SQLite()
	}, 6, 40)
}
