package introspect_test

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/store/introspect/introspecttest"
)

var update = flag.Bool("update", false, "rewrite the schemas in testdata; read what has changed")

func TestDrafts(t *testing.T) {
	for _, d := range databases {
		t.Run(d.Name, func(t *testing.T) { introspecttest.Drafts(t, d, "testdata", *update) })
	}
}

func TestRoundTrip(t *testing.T) {
	for _, d := range databases {
		t.Run(d.Name, func(t *testing.T) { introspecttest.RoundTrip(t, d) })
	}
}

var databases = []introspecttest.Database{
	{Name: "mariadb", Dialect: compile.MariaDB(), Open: filled(mariaDB)},
	{Name: "postgres", Dialect: compile.Postgres(), Open: filled(postgres), Schemas: true},
	{Name: "sqlite", Dialect: compile.SQLite(), Open: filled(sqliteFile)},
}

// filled has an empty database filled, over the handle that reads it.
func filled(open func(*testing.T) *sql.DB) func(*testing.T, func(*sql.DB)) *sql.DB {
	return func(t *testing.T, fill func(*sql.DB)) *sql.DB {
		db := open(t)
		fill(db)
		return db
	}
}

func scratch() string { return fmt.Sprintf("trellis_introspect_%d", os.Getpid()) }

func mariaDB(t *testing.T) *sql.DB {
	dsn := os.Getenv("TRELLIS_TEST_MARIADB")
	if dsn == "" {
		t.Skip("skipped: needs a MariaDB server in TRELLIS_TEST_MARIADB")
	}
	config, err := mysql.ParseDSN(dsn)
	require.NoError(t, err)
	whole := open(t, "mysql", dsn)
	exec(t, whole, "CREATE DATABASE "+scratch()+" CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")
	t.Cleanup(func() { exec(t, whole, "DROP DATABASE "+scratch()) })
	config.DBName = scratch()
	return open(t, "mysql", config.FormatDSN())
}

func postgres(t *testing.T) *sql.DB {
	dsn := os.Getenv("TRELLIS_TEST_POSTGRES")
	if dsn == "" {
		t.Skip("skipped: needs a PostgreSQL server in TRELLIS_TEST_POSTGRES")
	}
	u, err := url.Parse(dsn)
	require.NoError(t, err)
	whole := open(t, "pgx", dsn)
	exec(t, whole, "CREATE DATABASE "+scratch())
	t.Cleanup(func() { exec(t, whole, "DROP DATABASE "+scratch()+" WITH (FORCE)") })
	u.Path = "/" + scratch()
	return open(t, "pgx", u.String())
}

func sqliteFile(t *testing.T) *sql.DB {
	return open(t, "sqlite", "file:"+filepath.Join(t.TempDir(), "x.db")+"?_pragma=foreign_keys(1)")
}

func open(t *testing.T, driver, dsn string) *sql.DB {
	db, err := sql.Open(driver, dsn)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func exec(t *testing.T, db *sql.DB, statements string, args ...any) {
	t.Helper()
	_, err := db.ExecContext(context.WithoutCancel(t.Context()), statements, args...)
	require.NoError(t, err, statements)
}

func TestUniques(t *testing.T) {
	for _, d := range databases {
		t.Run(d.Name, func(t *testing.T) { introspecttest.Uniques(t, d) })
	}
}
