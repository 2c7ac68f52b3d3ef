package duckdb_test

import (
	"context"
	"database/sql"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/analytic/duckdb"
	"github.com/trellisgraph/trellis/store/load"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/storetest"
)

// small are options for tests, of which several may run at the same time.
var small = duckdb.Options{Threads: 2, Memory: 1 << 30}

// loaded opens a file that holds a graph, for reading.
func loaded(t testing.TB, g *memory.Graph) *sql.DB {
	file := filepath.Join(t.TempDir(), "graph.duckdb")
	db, err := duckdb.OpenToLoad(file, small)
	require.NoError(t, err)
	require.NoError(t, load.Load(context.Background(), db, g, load.Options{}))
	require.NoError(t, db.Close())
	return opened(t, file)
}

func opened(t testing.TB, file string) *sql.DB {
	db, err := duckdb.Open(file, small)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// inFile is a store over a file of its own for each graph.
func inFile(t testing.TB, g *memory.Graph) store.Store {
	return store.SQL(loaded(t, g), compile.DuckDB())
}

func backend(t testing.TB, g *memory.Graph) (store.Backend, *compile.Dialect) {
	return store.Database(loaded(t, g), compile.DuckDB()), compile.DuckDB()
}

// randomCalls are how many random calls are made: a tenth of those of a release.
func randomCalls(t testing.TB) int {
	n, err := strconv.Atoi(os.Getenv("TRELLIS_DIFF_CALLS"))
	if os.Getenv("TRELLIS_DIFF_CALLS") == "" {
		return 500
	}
	require.NoError(t, err)
	return n
}

// forAll is a store that several parts of a test use.
func forAll(t testing.TB) storetest.Opener {
	return func(_ testing.TB, g *memory.Graph) store.Store { return inFile(t, g) }
}

var update = flag.Bool("update", false, "write down anew what the scripts have shown that the store can do")

func TestDuckDB(t *testing.T) {
	storetest.Run(t, forAll(t), storetest.Options{Store: "duckdb", Capabilities: "testdata/capabilities/duckdb.json", Renew: *update})
}

func TestHostile(t *testing.T) { storetest.Hostile(t, forAll(t)) }

func TestAverages(t *testing.T) { storetest.Averages(t, inFile, 9) }

func TestShortPaths(t *testing.T) { storetest.ShortPaths(t, inFile, 9, 400) }

func TestRandom(t *testing.T) {
	storetest.Differential(t, inFile, storetest.DifferentialOptions{Seed: 900_000, Calls: randomCalls(t)})
}

func TestRules(t *testing.T) {
	storetest.Metamorphic(t, inFile, storetest.MetamorphicOptions{Seed: 9, Each: max(1, randomCalls(t)/10)})
}

func TestIsolation(t *testing.T) {
	n := randomCalls(t)
	storetest.Isolation(t, inFile, storetest.IsolationOptions{Seed: 900_000, Calls: n, Canaries: n, Pairs: n / 5})
}

func TestTogether(t *testing.T) { storetest.Together(t, inFile, 9) }

func TestFaults(t *testing.T) { storetest.Faults(t, backend, 9, 40) }
