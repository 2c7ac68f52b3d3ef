package storetest_test

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"
	_ "time/tzdata" // zones, on machines that have none

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/storetest"
)

// Sessions of other programs' servers have other zones, modes and texts than
// statements expect.
const hostileModes = "'ANSI_QUOTES,PIPES_AS_CONCAT,IGNORE_SPACE,REAL_AS_FLOAT,HIGH_NOT_PRECEDENCE,PAD_CHAR_TO_FULL_LENGTH,NO_BACKSLASH_ESCAPES'"

func TestMariaDBTables(t *testing.T) {
	storetest.Tables(t, mariaDBTables(t, store.SQL), tableOptions("mariadb"))
}

// How a store is made of a database handle: store.SQL or store.Own.
type making func(*sql.DB, *compile.Dialect) store.Store

func mariaDBTables(t testing.TB, of making) storetest.TableOpener {
	mariaDB(t) // skips without a server
	return func(t testing.TB, statements []string, other string) store.Store {
		config, err := mysql.ParseDSN(os.Getenv("TRELLIS_TEST_MARIADB"))
		require.NoError(t, err)
		server, name := open(t, "mysql", config.FormatDSN()), unique()
		exec(t, server, "CREATE DATABASE "+name)
		t.Cleanup(func() { exec(t, server, "DROP DATABASE "+name) })
		t.Cleanup(func() { exec(t, server, "DROP DATABASE IF EXISTS "+other) })
		config.DBName = name
		execAll(t, open(t, "mysql", config.FormatDSN()), statements)
		config.Collation = "utf8mb4_general_ci"
		config.Params = map[string]string{"time_zone": "'+05:30'", "sql_mode": hostileModes, "div_precision_increment": "0", "group_concat_max_len": "4",
			"sql_select_limit": "2", "character_set_results": "latin1"}
		// What a driver makes of times is of a place, too, in which the clock goes on or back.
		config.ParseTime = true
		config.Loc, err = time.LoadLocation("America/New_York")
		require.NoError(t, err)
		return of(open(t, "mysql", config.FormatDSN()), compile.MariaDB())
	}
}

func TestPostgreSQLTables(t *testing.T) {
	storetest.Tables(t, postgreSQLTables(t, store.SQL), tableOptions("postgres"))
}

func postgreSQLTables(t testing.TB, of making) storetest.TableOpener {
	postgreSQL(t) // skips without a server
	return func(t testing.TB, statements []string, _ string) store.Store {
		dsn, err := url.Parse(os.Getenv("TRELLIS_TEST_POSTGRES"))
		require.NoError(t, err)
		server, name := open(t, "pgx", dsn.String()), unique()
		exec(t, server, "CREATE DATABASE "+name)
		t.Cleanup(func() { exec(t, server, "DROP DATABASE "+name+" WITH (FORCE)") })
		for _, setting := range []string{"timezone = 'Asia/Kolkata'", "datestyle = 'German, DMY'", "extra_float_digits = 0", "transform_null_equals = on",
			"standard_conforming_strings = off", "backslash_quote = on", "bytea_output = 'escape'", "default_transaction_isolation = 'read committed'"} {
			exec(t, server, "ALTER DATABASE "+name+" SET "+setting)
		}
		dsn.Path = "/" + name
		db := open(t, "pgx", dsn.String())
		execAll(t, db, statements)
		exec(t, server, "ALTER DATABASE "+name+" SET client_encoding = 'LATIN1'")
		return of(open(t, "pgx", dsn.String()), compile.Postgres())
	}
}

func TestSQLiteTables(t *testing.T) {
	storetest.Tables(t, func(t testing.TB, statements []string, _ string) store.Store {
		file := filepath.Join(t.TempDir(), "tables.db")
		db, err := sql.Open("sqlite", "file:"+file)
		require.NoError(t, err)
		execAll(t, db, statements)
		require.NoError(t, db.Close())
		return store.SQL(open(t, "sqlite", "file:"+file+"?mode=ro"), compile.SQLite())
	}, tableOptions("sqlite"))
}

func execAll(t testing.TB, db *sql.DB, statements []string) {
	conn, err := db.Conn(context.Background())
	require.NoError(t, err)
	defer conn.Close()
	for _, text := range statements {
		_, err := conn.ExecContext(context.Background(), text)
		require.NoError(t, err, text)
	}
}

// Columns in which texts cannot be compared byte by byte are found before a store
// is made.
func TestUnfitTexts(t *testing.T) {
	const text = `{format: trellis.schema.v1, nodes: {
  fit: {table: trellis_fit, key: id, properties: {id: int64, s: string, e: {type: enum, values: [a, b]}, n: {type: enum, values: {1: a}}, u: uuid}},
  unfit: {table: trellis_unfit, key: id, properties: {id: int64, s: string, e: {type: enum, values: [a, b]}}},
  named: {table: trellis_named, key: name, properties: {name: string}}},
  relationships: {OF: {from: fit, to: named, table: trellis_of, from_column: fit_id, to_column: name}, HAS: {from: named, to: fit, table: trellis_of, match: {kind: x}, from_column: name, to_column: fit_id}}}`
	s, err := schema.Parse("unfit.yaml", []byte(text))
	require.NoError(t, err)
	for name, d := range databasesAt(t) {
		t.Run(name, func(t *testing.T) {
			db := open(t, d.driver, d.dsn(d.address, "", "", ""))
			tables := []string{
				"CREATE TABLE trellis_fit (id BIGINT PRIMARY KEY, s VARCHAR(9) COLLATE utf8mb4_general_ci, e ENUM('a', 'b') CHARACTER SET utf8mb4, n INT, u CHAR(36) CHARACTER SET ascii, other TEXT CHARACTER SET latin1)",
				"CREATE TABLE trellis_unfit (id BIGINT PRIMARY KEY, s VARCHAR(9) CHARACTER SET utf8mb3, e ENUM('a', 'b') CHARACTER SET latin1)",
				"CREATE TABLE trellis_named (name VARCHAR(9) CHARACTER SET utf8mb4 PRIMARY KEY)",
				"CREATE TABLE trellis_of (fit_id BIGINT, name VARCHAR(9) CHARACTER SET latin1, kind VARCHAR(9) CHARACTER SET latin1)"}
			want := []string{"trellis_of.name (latin1), trellis_unfit.e (latin1), trellis_unfit.s (utf8mb3)"}
			if d.driver == "pgx" {
				tables = []string{
					`CREATE COLLATION trellis_loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false)`,
					`CREATE TABLE trellis_fit (id bigint PRIMARY KEY, s text COLLATE "und-x-icu", e varchar(9), n int, u uuid, other text COLLATE trellis_loose)`,
					`CREATE DOMAIN trellis_inner AS text COLLATE trellis_loose`, `CREATE DOMAIN trellis_outer AS trellis_inner`,
					`CREATE TABLE trellis_unfit (id bigint PRIMARY KEY, s text COLLATE trellis_loose, e varchar(9) COLLATE trellis_loose)`,
					`CREATE TABLE trellis_named (name text PRIMARY KEY)`,
					`CREATE TABLE trellis_of (fit_id bigint, name trellis_outer, kind text COLLATE trellis_loose)`}
				want = []string{`"trellis_of".kind, "trellis_of".name, "trellis_unfit".e, "trellis_unfit".s`}
			}
			drop := func() {
				exec(t, db, "DROP TABLE IF EXISTS trellis_fit")
				exec(t, db, "DROP TABLE IF EXISTS trellis_unfit")
				exec(t, db, "DROP TABLE IF EXISTS trellis_named")
				exec(t, db, "DROP TABLE IF EXISTS trellis_of")
				if d.driver == "pgx" {
					exec(t, db, "DROP DOMAIN IF EXISTS trellis_outer")
					exec(t, db, "DROP DOMAIN IF EXISTS trellis_inner")
					exec(t, db, "DROP COLLATION IF EXISTS trellis_loose")
				}
			}
			drop()
			t.Cleanup(drop)
			execAll(t, db, tables)
			found, err := store.CheckConnection(t.Context(), db, d.dialect, s)
			require.NoError(t, err)
			var unfit []string
			for _, f := range found {
				if f.Kind == store.Unfit {
					unfit = append(unfit, f.Message)
				}
			}
			require.Len(t, unfit, len(want))
			require.Contains(t, unfit[0], want[0]+";")
			_, err = store.Checked(t.Context(), db, d.dialect, s, func(store.Finding) {})
			require.ErrorContains(t, err, want[0])
		})
	}
}

// So are references that the server does not compare with what they refer to.
func TestUnfitCollations(t *testing.T) {
	needsDatabases(t, "TRELLIS_TEST_MARIADB")
	d := databasesAt(t)["MariaDB"]
	s, err := schema.Parse("unfit.yaml", []byte(`{format: trellis.schema.v1, nodes: {named: {table: trellis_named, key: name, properties: {name: string}}},
  relationships: {OF: {from: named, to: named, table: trellis_of, from_column: name, to_column: other}}}`))
	require.NoError(t, err)
	db := open(t, d.driver, d.dsn(d.address, "", "", ""))
	drop := func() { exec(t, db, "DROP TABLE IF EXISTS trellis_named, trellis_of") }
	drop()
	t.Cleanup(drop)
	exec(t, db, "CREATE TABLE trellis_named (name VARCHAR(9) COLLATE utf8mb4_general_ci PRIMARY KEY)")
	for _, c := range []struct{ name, other, want string }{
		{"utf8mb4_general_ci", "utf8mb4_bin", ""},
		{"utf8mb4_general_ci", "utf8mb4_unicode_ci", "trellis_of.other (utf8mb4_unicode_ci) and trellis_named.name (utf8mb4_general_ci);"},
	} {
		exec(t, db, "DROP TABLE IF EXISTS trellis_of")
		exec(t, db, "CREATE TABLE trellis_of (name VARCHAR(9) COLLATE "+c.name+", other VARCHAR(9) COLLATE "+c.other+")")
		_, err := store.Checked(t.Context(), db, d.dialect, s, func(store.Finding) {})
		if c.want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, c.want)
		}
	}
}
