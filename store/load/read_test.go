package load_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/load"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/store/storetest"
)

// newFile opens a SQLite database in a file of its own.
func newFile(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "graph.db"))
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// onEach runs a test on a database of every kind that there is, each time on
// one of its own: other tests may use the servers at the same time.
func onEach(t *testing.T, test func(t *testing.T, db *sql.DB)) {
	t.Run("sqlite", func(t *testing.T) { test(t, newFile(t)) })
	t.Run("servers", func(t *testing.T) {
		for name, s := range servers(t) {
			t.Run(name, func(t *testing.T) { test(t, newDatabase(t, s, name)) })
		}
	})
}

// newDatabase makes a database on a server, on PostgreSQL a schema.
func newDatabase(t testing.TB, s server, kind string) *sql.DB {
	t.Helper()
	name := fmt.Sprintf("lr_%x", rand.Uint64())
	make, driver, dsn := "CREATE DATABASE "+name, "mysql", ""
	drop := "DROP DATABASE " + name
	if kind == "postgres" {
		make, drop, driver = "CREATE SCHEMA "+name, "DROP SCHEMA "+name+" CASCADE", "pgx"
		own, err := url.Parse(os.Getenv("TRELLIS_TEST_POSTGRES"))
		require.NoError(t, err)
		query := own.Query()
		query.Set("search_path", name)
		own.RawQuery = query.Encode()
		dsn = own.String()
	} else {
		own, err := mysql.ParseDSN(os.Getenv("TRELLIS_TEST_MARIADB"))
		require.NoError(t, err)
		own.DBName = name
		dsn = own.FormatDSN()
	}
	_, err := s.db.Exec(make)
	require.NoError(t, err)
	db, err := sql.Open(driver, dsn)
	require.NoError(t, err)
	t.Cleanup(func() {
		db.Close()
		_, err := s.db.Exec(drop)
		require.NoError(t, err)
	})
	return db
}

// readBack writes a graph into a database and reads it again.
func readBack(t testing.TB, db *sql.DB, g *memory.Graph) *memory.Graph {
	t.Helper()
	require.NoError(t, load.Load(context.Background(), db, g, load.Options{}))
	again, err := load.Read(context.Background(), db, g.Schema(), load.ReadOptions{})
	require.NoError(t, err)
	requireSame(t, g, again)
	return again
}

// requireSame compares two graphs of one schema, JSON by what it means.
func requireSame(t testing.TB, want, got *memory.Graph) {
	t.Helper()
	value := func(v graph.Value) string {
		if v.Kind() == graph.KindJSON {
			text, _ := graph.CanonicalJSON(v.Text())
			return text
		}
		return v.String()
	}
	equal := func(want, got, of string) {
		if want != got {
			t.Fatalf("%s: %s in place of %s", of, got, want)
		}
	}
	for l := range want.Schema().Labels() {
		require.Equal(t, want.NodeCount(l), got.NodeCount(l), l.Name)
		for _, p := range l.Properties {
			for row := range uint32(want.NodeCount(l)) {
				equal(value(want.Value(l, row, p)), value(got.Value(l, row, p)), l.Name+"."+p.Name)
			}
		}
	}
	for typ := range want.Schema().Relationships() {
		for _, p := range typ.Pairs {
			require.Equal(t, want.Outgoing(p).First, got.Outgoing(p).First, typ.Name)
			require.Equal(t, want.Outgoing(p).Ends, got.Outgoing(p).Ends, typ.Name)
			for _, prop := range p.Properties {
				for rel := range uint32(want.RelCount(p)) {
					equal(value(want.RelValue(p, rel, prop)), value(got.RelValue(p, rel, prop)), typ.Name+"."+prop.Name)
				}
			}
		}
	}
}

func TestFixturesAreReadAsTheyWereWritten(t *testing.T) {
	for _, name := range append(storetest.FixtureNames(), "clinic") {
		t.Run(name, func(t *testing.T) {
			g := storetest.Fixture(t, name)
			onEach(t, func(t *testing.T, db *sql.DB) { readBack(t, db, g) })
		})
	}
}

// Random graphs are compared as such, and a few calls are made of what was read.
func TestRandomGraphsAreReadAsTheyWereWritten(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		storetest.Differential(t, func(t testing.TB, g *memory.Graph) store.Store {
			return native.New(readBack(t, newFile(t), g), native.Options{})
		}, storetest.DifferentialOptions{Seed: 900, Calls: 400, CallsPerGraph: 5})
	})
	t.Run("servers", func(t *testing.T) {
		for name, s := range servers(t) {
			t.Run(name, func(t *testing.T) {
				storetest.Differential(t, func(t testing.TB, g *memory.Graph) store.Store {
					return native.New(readBack(t, newDatabase(t, s, name), g), native.Options{})
				}, storetest.DifferentialOptions{Seed: 1900, Calls: 300, CallsPerGraph: 20})
			})
		}
	})
}

// badSchema and badTables are tables that hold less than the schema promises.
const badSchema = `
format: trellis.schema.v1
nodes:
  person: {table: lr_person, key: id, properties: {id: int64, name: {type: string, nullable: false}, born: date, level: {type: enum, values: {1: low, 2: high}}}}
  spot: {table: lr_spot, key: [area, no], properties: {area: string, no: int64}}
relationships:
  KNOWS: {from: person, to: person, table: lr_knows, properties: {since: date}}
  AT: {from: person, to: spot, foreign_key: [spot_area, spot_no]}
  PAID: {from: person, to: person, table: lr_paid, key: no, properties: {no: int64}}`

var badTables = []string{
	"CREATE TABLE lr_person (id bigint, name varchar(20), born varchar(20), level int, spot_area varchar(20), spot_no bigint)",
	"INSERT INTO lr_person VALUES (1, 'Ada', '1815-12-10', 1, 'a', 1), (2, NULL, '1900-01-01', 2, NULL, 7), (3, 'Bob', 'soon', 3, 'a', 2), (4, 'Cy', NULL, NULL, 'a', 9), (1, 'Ada', NULL, NULL, NULL, NULL)",
	"CREATE TABLE lr_spot (area varchar(20), no bigint)",
	"INSERT INTO lr_spot VALUES ('a', 1)",
	"CREATE TABLE lr_knows (from_id bigint, to_id bigint, since varchar(20))",
	"INSERT INTO lr_knows VALUES (1, 4, '2020-01-01'), (1, 4, NULL), (4, 99, NULL), (3, 2, NULL), (4, 1, 'never'), (4, NULL, NULL)",
	"CREATE TABLE lr_paid (from_id bigint, to_id bigint, no bigint)",
	"INSERT INTO lr_paid VALUES (1, 4, 1), (4, 1, 1), (4, 4, NULL)",
}

// Every bad row is told, by table and key, and there is no graph.
func TestBadRowsAreAllTold(t *testing.T) {
	s, err := schema.Parse("schema.yaml", []byte(badSchema))
	require.NoError(t, err)
	onEach(t, func(t *testing.T, db *sql.DB) {
		for _, statement := range badTables {
			_, err := db.Exec(statement)
			require.NoError(t, err)
		}
		g, err := load.Read(t.Context(), db, s, load.ReadOptions{})
		require.Nil(t, g)
		require.ErrorIs(t, err, graph.InvalidData)
		var bad *memory.LoadError
		require.ErrorAs(t, err, &bad)
		var told []string
		for _, p := range bad.Problems {
			told = append(told, p.String())
		}
		require.ElementsMatch(t, []string{
			`lr_person: person "2": name: null, but the property is not nullable`,
			`lr_person: person "3": born: "soon" is not a date: want YYYY-MM-DD`,
			`lr_person: person "3": level: a number where an enum belongs`,
			`lr_person: duplicate key "1"`,
			`lr_person: AT from "4" to "a", "9": to: there is no spot "a", "9"`,
			`lr_person: AT from "3" to "a", "2": to: there is no spot "a", "2"`,
			`lr_knows: KNOWS from "4" to "1": since: "never" is not a date: want YYYY-MM-DD`,
			`lr_paid: PAID from "4" to "4": no: null, but the property is not nullable`,
			`lr_paid: no: duplicate key "1"`,
		}, told)
	})
}

// A reader is alone with the state in which it began, and leaves connections
// as they were.
func TestReadingSeesOneState(t *testing.T) {
	text := `
format: trellis.schema.v1
nodes: {a: {table: lr_a, key: id, properties: {id: int64}}, b: {table: lr_b, key: id, properties: {id: int64}}, c: {table: lr_c, key: id, properties: {id: int64}}}
relationships: {R: {from: a, to: b, table: lr_r}}`
	g := build(t, text, func(b *memory.Builder) {
		for i := range 40_000 {
			b.Node("a", memory.Values{"id": i})
			b.Node("b", memory.Values{"id": i})
			b.Relationship("R", graph.ID("a", i), graph.ID("b", i), nil)
		}
		b.Node("c", memory.Values{"id": 1})
	})
	onEach(t, func(t *testing.T, db *sql.DB) {
		if strings.HasSuffix(t.Name(), "sqlite") {
			_, err := db.Exec("PRAGMA journal_mode = WAL") // others may write while one reads
			require.NoError(t, err)
		}
		require.NoError(t, load.Load(t.Context(), db, g, load.Options{}))
		var once atomic.Bool
		again, err := load.Read(t.Context(), db, g.Schema(), load.ReadOptions{Progress: func(p load.Progress) {
			if p.Table == "lr_a" && once.CompareAndSwap(false, true) {
				// Nobody can see the rows of a without those of b and R.
				for _, table := range []string{"lr_r", "lr_b", "lr_c"} {
					ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
					_, err := db.ExecContext(ctx, "DELETE FROM "+table)
					cancel()
					require.NoError(t, err)
				}
			}
		}})
		require.NoError(t, err)
		requireSame(t, g, again)
		now, err := load.Read(t.Context(), db, g.Schema(), load.ReadOptions{Connections: 1})
		require.NoError(t, err)
		for l := range g.Schema().Labels() {
			require.Equal(t, map[string]int{"a": 40_000, "b": 0, "c": 0}[l.Name], now.NodeCount(l))
		}
		require.Zero(t, db.Stats().InUse)
		_, err = db.Exec("DELETE FROM lr_a")
		require.NoError(t, err, "connections can write again")
	})
}

func TestReadingEnds(t *testing.T) {
	g := build(t, "format: trellis.schema.v1\nnodes: {a: {table: lr_a, key: id, properties: {id: int64}}, b: {table: lr_b, key: id, properties: {id: int64}}}", func(b *memory.Builder) {
		b.Node("a", memory.Values{"id": 1})
	})
	onEach(t, func(t *testing.T, db *sql.DB) {
		require.NoError(t, load.Load(t.Context(), db, g, load.Options{}))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := load.Read(ctx, db, g.Schema(), load.ReadOptions{})
		require.ErrorIs(t, err, context.Canceled)
		db.SetMaxOpenConns(1)
		defer db.SetMaxOpenConns(0)
		_, err = load.Read(t.Context(), db, g.Schema(), load.ReadOptions{Connections: 4})
		require.NoError(t, err)
		_, err = db.Exec("DROP TABLE lr_b")
		require.NoError(t, err)
		_, err = load.Read(t.Context(), db, g.Schema(), load.ReadOptions{})
		require.ErrorContains(t, err, `load: reading table "lr_b"`)
		require.Zero(t, db.Stats().InUse)
		_, err = load.Read(t.Context(), db, g.Schema(), load.ReadOptions{Target: 99})
		require.EqualError(t, err, "load: unknown target 99")
	})
}

// Two types may keep their relationships in one column, where the labels that
// they lead to share a table.
func TestRowsOfSharedTablesAreToldApart(t *testing.T) {
	g := build(t, `
format: trellis.schema.v1
nodes:
  cat: {table: lr_animal, match: {kind: cat}, key: id, properties: {id: int64}}
  dog: {table: lr_animal, match: {kind: dog}, key: id, properties: {id: int64}}
  user: {table: lr_user, key: id, properties: {id: int64}}
relationships:
  KEEPS: {pairs: [{from: user, to: cat, foreign_key: animal_id}, {from: user, to: dog, foreign_key: animal_id}]}`, func(b *memory.Builder) {
		for i := range 20 {
			kind := []string{"cat", "dog"}[i%2]
			b.Node(kind, memory.Values{"id": i})
			b.Node("user", memory.Values{"id": i})
			b.Relationship("KEEPS", graph.ID("user", i), graph.ID(kind, i), nil)
		}
	})
	onEach(t, func(t *testing.T, db *sql.DB) { readBack(t, db, g) })
}

// Reading changes sessions while it reads, and leaves them as the host has them.
func TestReadingLeavesSessionsAsTheyWere(t *testing.T) {
	ask := map[string][3]string{ // how a host sets its sessions, asks them, and what they say
		"sqlite":   {"PRAGMA query_only = 1", "SELECT query_only FROM pragma_query_only", "1"},
		"mariadb":  {"SET time_zone = '+02:00', max_statement_time = 77.5", "SELECT CONCAT(@@time_zone, ' ', @@max_statement_time)", "+02:00 77.500000"},
		"postgres": {"SET TimeZone = 'Asia/Tokyo'", "SELECT current_setting('TimeZone')", "Asia/Tokyo"},
	}
	g := build(t, "format: trellis.schema.v1\nnodes: {a: {table: lr_a, key: id, properties: {id: int64}}}", func(*memory.Builder) {})
	onEach(t, func(t *testing.T, db *sql.DB) {
		set := ask[t.Name()[strings.LastIndex(t.Name(), "/")+1:]]
		require.NoError(t, load.Load(t.Context(), db, g, load.Options{}))
		db.SetMaxOpenConns(1)
		is := func() (value string) {
			require.NoError(t, db.QueryRow(set[1]).Scan(&value))
			return value
		}
		was := is()
		_, err := load.Read(t.Context(), db, g.Schema(), load.ReadOptions{})
		require.NoError(t, err)
		require.Equal(t, was, is())
		_, err = db.Exec(set[0])
		require.NoError(t, err)
		_, err = load.Read(t.Context(), db, g.Schema(), load.ReadOptions{})
		require.NoError(t, err)
		require.Equal(t, set[2], is())
	})
}

func BenchmarkRead(b *testing.B) {
	s, err := schema.Parse("schema.yaml", []byte("format: trellis.schema.v1\nnodes: {a: {table: lr_a, key: id, properties: {id: int64, name: string}}}"))
	require.NoError(b, err)
	builder := memory.NewBuilder(s)
	for i := range 100_000 {
		builder.Node("a", memory.Values{"id": i, "name": fmt.Sprint("name ", i)})
	}
	g, err := builder.Build()
	require.NoError(b, err)
	db := newFile(b)
	require.NoError(b, load.Load(b.Context(), db, g, load.Options{}))
	for b.Loop() {
		_, err := load.Read(b.Context(), db, s, load.ReadOptions{})
		require.NoError(b, err)
	}
}
