package storetest_test

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"strconv"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/embedded"
	"github.com/trellisgraph/trellis/store/load"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/storetest"
)

// randomCalls is how many random calls a test makes: a tenth of what a store is
// tried with before a release, fewer with -short, or TRELLIS_DIFF_CALLS.
func randomCalls(t testing.TB) int {
	text := os.Getenv("TRELLIS_DIFF_CALLS")
	switch {
	case text == "" && testing.Short():
		return 100
	case text == "":
		return 2000
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, "TRELLIS_DIFF_CALLS")
	return n
}

// rules says how often each rule is tried: once for ten random calls.
func rules(t testing.TB, seed uint64) storetest.MetamorphicOptions {
	return storetest.MetamorphicOptions{Seed: seed, Each: randomCalls(t) / 10, EachPerGraph: 20}
}

func TestRandomEmbedded(t *testing.T) {
	t.Parallel()
	storetest.Differential(t, inProcess, storetest.DifferentialOptions{Seed: 1, Calls: randomCalls(t)})
}

func TestRandomMariaDB(t *testing.T) {
	t.Parallel()
	storetest.Differential(t, eachMariaDB(t), storetest.DifferentialOptions{Seed: 100_000, Calls: randomCalls(t), CallsPerGraph: 150})
}

func TestRandomPostgreSQL(t *testing.T) {
	t.Parallel()
	storetest.Differential(t, eachPostgreSQL(t), storetest.DifferentialOptions{Seed: 200_000, Calls: randomCalls(t), CallsPerGraph: 150})
}

// Answers of the store in memory are those of the SQL engine in the process, to
// the byte.
func TestRandomNativeSame(t *testing.T) {
	t.Parallel()
	storetest.RandomSame(t, inMemory, inProcess, storetest.DifferentialOptions{Seed: 9000, Calls: randomCalls(t)})
}

func TestRulesEmbedded(t *testing.T) {
	t.Parallel()
	storetest.Metamorphic(t, inProcess, rules(t, 1))
}

func TestRulesMariaDB(t *testing.T) {
	t.Parallel()
	storetest.Metamorphic(t, eachMariaDB(t), rules(t, 2000))
}

func TestRulesPostgreSQL(t *testing.T) {
	t.Parallel()
	storetest.Metamorphic(t, eachPostgreSQL(t), rules(t, 4000))
}

func TestAveragesEmbedded(t *testing.T) {
	t.Parallel()
	long(t)
	storetest.Averages(t, inProcess, 1)
}

func TestAveragesNative(t *testing.T) {
	t.Parallel()
	storetest.Averages(t, inMemory, 2)
}

func TestAveragesMariaDB(t *testing.T) {
	t.Parallel()
	storetest.Averages(t, eachMariaDB(t), 3)
}

func TestAveragesPostgreSQL(t *testing.T) {
	t.Parallel()
	storetest.Averages(t, eachPostgreSQL(t), 4)
}

func TestShortPathsEmbedded(t *testing.T) {
	t.Parallel()
	long(t)
	storetest.ShortPaths(t, inProcess, 1, 200)
}

func TestShortPathsMariaDB(t *testing.T) {
	t.Parallel()
	storetest.ShortPaths(t, eachMariaDB(t), 3, 200)
}

func TestShortPathsPostgreSQL(t *testing.T) {
	t.Parallel()
	storetest.ShortPaths(t, eachPostgreSQL(t), 4, 200)
}

func TestTogetherEmbedded(t *testing.T) {
	t.Parallel()
	storetest.Together(t, inProcess, 3)
}

func TestTogetherMariaDB(t *testing.T) {
	t.Parallel()
	storetest.Together(t, eachMariaDB(t), 4)
}

func TestTogetherPostgreSQL(t *testing.T) {
	t.Parallel()
	storetest.Together(t, eachPostgreSQL(t), 5)
}

func TestFaultsEmbedded(t *testing.T) {
	t.Parallel()
	storetest.Faults(t, func(_ testing.TB, g *memory.Graph) (store.Backend, *compile.Dialect) {
		b, err := embedded.NewBackend(g, embedded.Options{})
		require.NoError(t, err)
		return b, compile.Embedded()
	}, 3, 40)
}

// faultCalls is how many calls are disturbed on a server, which drops a connection
// with each: fewer than the forty in the process, or TRELLIS_FAULT_CALLS.
func faultCalls(t testing.TB) int {
	text := os.Getenv("TRELLIS_FAULT_CALLS")
	if text == "" {
		return 8
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, "TRELLIS_FAULT_CALLS")
	return n
}

func TestFaultsMariaDB(t *testing.T) {
	t.Parallel()
	databases := mariaDBs(t)
	storetest.Faults(t, func(part testing.TB, g *memory.Graph) (store.Backend, *compile.Dialect) {
		return store.Database(databases(part, g), compile.MariaDB()), compile.MariaDB()
	}, 4, faultCalls(t))
}

func TestFaultsPostgreSQL(t *testing.T) {
	t.Parallel()
	databases := postgreSQLs(t)
	storetest.Faults(t, func(part testing.TB, g *memory.Graph) (store.Backend, *compile.Dialect) {
		return store.Database(databases(part, g), compile.Postgres()), compile.Postgres()
	}, 5, faultCalls(t))
}

// eachMariaDB is mariaDB for many graphs: each is dropped with the part of the
// test that opened it.
func eachMariaDB(t testing.TB) storetest.Opener {
	databases := mariaDBs(t)
	return func(part testing.TB, g *memory.Graph) store.Store {
		return store.SQL(databases(part, g), compile.MariaDB())
	}
}

// eachPostgreSQL is postgreSQL for many graphs.
func eachPostgreSQL(t testing.TB) storetest.Opener {
	databases := postgreSQLs(t)
	return func(part testing.TB, g *memory.Graph) store.Store {
		return store.SQL(databases(part, g), compile.Postgres())
	}
}

func mariaDBs(t testing.TB) func(testing.TB, *memory.Graph) *sql.DB {
	mariaDB(t) // skips without a server
	config, err := mysql.ParseDSN(os.Getenv("TRELLIS_TEST_MARIADB"))
	require.NoError(t, err)
	server := open(t, "mysql", config.FormatDSN())
	return func(part testing.TB, g *memory.Graph) *sql.DB {
		name := unique()
		exec(t, server, "CREATE DATABASE "+name)
		part.Cleanup(func() { exec(t, server, "DROP DATABASE "+name) })
		own := *config
		own.DBName = name
		return loaded(part, open(part, "mysql", own.FormatDSN()), g)
	}
}

func postgreSQLs(t testing.TB) func(testing.TB, *memory.Graph) *sql.DB {
	postgreSQL(t) // skips without a server
	dsn := os.Getenv("TRELLIS_TEST_POSTGRES")
	server := open(t, "pgx", dsn)
	return func(part testing.TB, g *memory.Graph) *sql.DB {
		name := unique()
		exec(t, server, "CREATE SCHEMA "+name)
		part.Cleanup(func() { exec(t, server, "DROP SCHEMA "+name+" CASCADE") })
		own, err := url.Parse(dsn)
		require.NoError(t, err)
		query := own.Query()
		query.Set("search_path", name)
		own.RawQuery = query.Encode()
		return loaded(part, open(part, "pgx", own.String()), g)
	}
}

func loaded(t testing.TB, db *sql.DB, g *memory.Graph) *sql.DB {
	require.NoError(t, load.Load(context.Background(), db, g, load.Options{}))
	return db
}
