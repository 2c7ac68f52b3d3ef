package storetest_test

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/embedded"
	"github.com/trellisgraph/trellis/store/load"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/store/storetest"
)

var update = flag.Bool("update", false, "rewrite the plans and the SQL in testdata/scripts; never answers")

// options are those of a store's scripts. With -update everything but answers is
// written anew.
func options(store string) storetest.Options {
	o := storetest.Options{Store: store, Capabilities: "testdata/capabilities/" + store + ".json", Renew: *update}
	if *update {
		o.Update = "testdata/scripts"
	}
	return o
}

// tableOptions are those of the scripts about tables of others.
func tableOptions(store string) storetest.Options {
	return storetest.Options{Store: store, Capabilities: "testdata/capabilities/" + store + ".tables.json", Renew: *update}
}

// The table of all stores is that of their latest runs, also of stores in other
// modules: their files are read, they are not run.
func TestCapabilityTable(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../*/testdata/capabilities/*.json", "../*/*/testdata/capabilities/*.json"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, found...)
	}
	table, err := storetest.CapabilityTable(files)
	require.NoError(t, err)
	text := capabilityHead + table
	const file = "../CAPABILITIES.md"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
	have, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(have), text, "go test ./store/storetest -run TestCapabilityTable -update writes it anew")
}

const capabilityHead = `# What each store does

Written by tests: every "yes" is calls of the scripts of storetest that the store
answered as written down by hand. "–" is not about that store. Each run compares
its column; ` + "`go test ./store/storetest -update`" + ` renews the table.
`

func TestEmbedded(t *testing.T) { storetest.Run(t, inProcess, options("embedded")) }

func inProcess(t testing.TB, g *memory.Graph) store.Store {
	s, err := embedded.New(g, embedded.Options{})
	require.NoError(t, err)
	return s
}

func inMemory(_ testing.TB, g *memory.Graph) store.Store {
	return native.New(g, native.Options{HideStatements: true})
}

func TestEmbeddedHostile(t *testing.T) { storetest.Hostile(t, inProcess) }

func TestMariaDBHostile(t *testing.T) { storetest.Hostile(t, mariaDB(t)) }

func TestPostgreSQLHostile(t *testing.T) { storetest.Hostile(t, postgreSQL(t)) }

func TestMariaDB(t *testing.T) { storetest.Run(t, mariaDB(t), options("mariadb")) }

func TestPostgreSQL(t *testing.T) { storetest.Run(t, postgreSQL(t), options("postgres")) }

func TestNativeSame(t *testing.T) {
	t.Parallel()
	storetest.Same(t, inProcess, inMemory)
}

func TestMariaDBSame(t *testing.T) {
	t.Parallel()
	storetest.Same(t, inProcess, mariaDB(t))
}

func TestPostgreSQLSame(t *testing.T) {
	t.Parallel()
	storetest.Same(t, inProcess, postgreSQL(t))
}

// unique names a database of this run alone.
func unique() string { return fmt.Sprintf("trellis_%d_%d", os.Getpid(), time.Now().UnixNano()) }

// mariaDB fills a database of its own for each graph, and drops it.
func mariaDB(t testing.TB) storetest.Opener {
	dsn := os.Getenv("TRELLIS_TEST_MARIADB")
	if dsn == "" {
		t.Skip("skipped: needs a MariaDB server in TRELLIS_TEST_MARIADB")
	}
	config, err := mysql.ParseDSN(dsn)
	require.NoError(t, err)
	server := open(t, "mysql", config.FormatDSN())
	return func(_ testing.TB, g *memory.Graph) store.Store {
		name := unique()
		exec(t, server, "CREATE DATABASE "+name)
		t.Cleanup(func() { exec(t, server, "DROP DATABASE "+name) })
		own := *config
		own.DBName = name
		return filled(t, open(t, "mysql", own.FormatDSN()), g, compile.MariaDB())
	}
}

// postgreSQL fills a schema of its own for each graph, and drops it.
func postgreSQL(t testing.TB) storetest.Opener {
	dsn := os.Getenv("TRELLIS_TEST_POSTGRES")
	if dsn == "" {
		t.Skip("skipped: needs a PostgreSQL server in TRELLIS_TEST_POSTGRES")
	}
	server := open(t, "pgx", dsn)
	return func(_ testing.TB, g *memory.Graph) store.Store {
		name := unique()
		exec(t, server, "CREATE SCHEMA "+name)
		t.Cleanup(func() { exec(t, server, "DROP SCHEMA "+name+" CASCADE") })
		own, err := url.Parse(dsn)
		require.NoError(t, err)
		query := own.Query()
		query.Set("search_path", name)
		own.RawQuery = query.Encode()
		return filled(t, open(t, "pgx", own.String()), g, compile.Postgres())
	}
}

func open(t testing.TB, driver, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func exec(t testing.TB, db *sql.DB, text string) {
	t.Helper()
	_, err := db.ExecContext(context.Background(), text)
	require.NoError(t, err)
}

func filled(t testing.TB, db *sql.DB, g *memory.Graph, d *compile.Dialect) store.Store {
	t.Helper()
	require.NoError(t, load.Load(context.Background(), db, g, load.Options{}))
	return store.SQL(db, d)
}
