package store_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// A server is one with a table of two rows that the tests may use.
type server struct {
	driver, dsn string
	dialect     *compile.Dialect
	// readOnly says whether a session only reads, in a statement of its own.
	readOnly string
	slow     string // as a view's column
	running  string // counts the slow statements that run
}

func servers(t *testing.T) map[string]server {
	all := map[string]server{}
	if dsn := os.Getenv("TRELLIS_TEST_MARIADB"); dsn != "" {
		all["MariaDB"] = server{"mysql", dsn, compile.MariaDB(), "SELECT @@tx_read_only", "SLEEP(60)",
			"SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE '%own_slow%' AND ID <> CONNECTION_ID()"}
	}
	if dsn := os.Getenv("TRELLIS_TEST_POSTGRES"); dsn != "" {
		all["PostgreSQL"] = server{"pgx", dsn, compile.Postgres(), "SELECT CASE current_setting('transaction_read_only') WHEN 'on' THEN '1' ELSE '0' END",
			"CASE WHEN pg_sleep(60) IS NULL THEN 1 END",
			"SELECT COUNT(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%own_slow%' AND pid <> pg_backend_pid()"}
	}
	if len(all) == 0 {
		t.Skip("skipped: needs a server in TRELLIS_TEST_MARIADB or TRELLIS_TEST_POSTGRES")
	}
	return all
}

const ownSchema = `
format: trellis.schema.v1
nodes:
  cup: {table: own_cup, key: id, properties: {id: int32, name: string}}
  slow: {table: own_slow, key: id, properties: {id: int32, name: string}}
relationships:
  BESIDE: {from: cup, to: cup, foreign_key: beside}
`

func (s server) open(t *testing.T, size int) *sql.DB {
	db, err := sql.Open(s.driver, s.dsn)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	db.SetMaxOpenConns(size)
	return db
}

// fill makes the tables over a handle that is not the store's.
func (s server) fill(t *testing.T) *sql.DB {
	db := s.open(t, 4)
	run := func(text string) {
		_, err := db.ExecContext(context.Background(), text)
		require.NoError(t, err, text)
	}
	for _, text := range []string{
		"DROP VIEW IF EXISTS own_slow", "DROP TABLE IF EXISTS own_cup", "CREATE TABLE own_cup (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(10), beside INTEGER)",
		"INSERT INTO own_cup VALUES (1, 'red', 2), (2, 'blue', NULL)", "CREATE VIEW own_slow AS SELECT id + 0 * " + s.slow + " AS id, name FROM own_cup",
	} {
		run(text)
	}
	t.Cleanup(func() { run("DROP VIEW own_slow"); run("DROP TABLE own_cup") })
	return db
}

func ownEngine(t *testing.T, st store.Store, timeout time.Duration) *engine.Engine {
	s, err := schema.Parse("own.yaml", []byte(ownSchema))
	require.NoError(t, err)
	return engine.New(schema.NewCatalog(s), st, engine.Options{Limits: graph.Limits{Timeout: timeout}, Concurrency: 200})
}

func find(label string) graph.Query {
	return &graph.FindNodes{NodePattern: graph.NodePattern{Label: label}}
}

// Calls of one statement and of several are answered over connections that only
// read, two for two hundred callers, and none is kept.
func TestOwnConnections(t *testing.T) {
	for name, s := range servers(t) {
		t.Run(name, func(t *testing.T) {
			s.fill(t)
			db := s.open(t, 2)
			st := store.Own(db, s.dialect)
			eng := ownEngine(t, st, time.Minute)
			queries := []graph.Query{find("cup"), &graph.Neighbors{Start: graph.ID("cup", 1)}}
			var all sync.WaitGroup
			failures := make(chan error, 200)
			for i := range 200 {
				all.Go(func() {
					r, err := eng.Run(context.Background(), queries[i%2])
					if err == nil && r.Returned != 2-i%2 {
						err = errors.New("another answer")
					}
					failures <- err
				})
			}
			all.Wait()
			close(failures)
			for err := range failures {
				require.NoError(t, err)
			}
			require.Eventually(t, func() bool { return db.Stats().InUse == 0 }, 5*time.Second, 5*time.Millisecond)
			for range 2 { // whoever has the handle cannot write either
				var only string
				require.NoError(t, db.QueryRow(s.readOnly).Scan(&only))
				require.Equal(t, "1", only)
				_, err := db.Exec("DELETE FROM own_cup")
				require.Error(t, err)
			}
			require.NoError(t, st.Close())
		})
	}
}

// What is given up ends at the server, and the next call is answered.
func TestOwnEndsWhatWasGivenUp(t *testing.T) {
	for name, s := range servers(t) {
		t.Run(name, func(t *testing.T) {
			other := s.fill(t)
			db := s.open(t, 1)
			st := store.Own(db, s.dialect)
			for code, limit := range map[graph.Code]time.Duration{graph.Timeout: 500 * time.Millisecond, graph.Canceled: time.Minute} {
				eng := ownEngine(t, st, limit)
				ctx, cancel := context.WithCancel(context.Background())
				if code == graph.Canceled {
					time.AfterFunc(500*time.Millisecond, cancel)
				}
				_, err := eng.Run(ctx, find("slow"))
				cancel()
				require.ErrorIs(t, err, code)
				require.Eventually(t, func() bool {
					var n int
					require.NoError(t, other.QueryRow(s.running).Scan(&n))
					return n == 0
				}, 10*time.Second, 20*time.Millisecond, "the statement runs on")
				r, err := ownEngine(t, st, time.Minute).Run(context.Background(), find("cup"))
				require.NoError(t, err)
				require.Equal(t, 2, r.Returned)
			}
			require.NoError(t, st.Close())
		})
	}
}

// A handle that is not said to be the store's own is as it was, but for what SQL
// tells of.
func TestSharedConnectionsStillWrite(t *testing.T) {
	for name, s := range servers(t) {
		t.Run(name, func(t *testing.T) {
			s.fill(t)
			db := s.open(t, 1)
			_, err := ownEngine(t, store.SQL(db, s.dialect), time.Minute).Run(context.Background(), find("cup"))
			require.NoError(t, err)
			_, err = db.Exec("UPDATE own_cup SET name = 'green' WHERE id = 2")
			require.NoError(t, err)
		})
	}
}

// A table that is replaced by one with other types fails no call of a statement that a
// connection had prepared; in a transaction the call may be made again.
func TestTablesAreReplaced(t *testing.T) {
	for name, s := range servers(t) {
		t.Run(name, func(t *testing.T) {
			other := s.fill(t)
			own := ownEngine(t, store.Own(s.open(t, 1), s.dialect), time.Minute)
			shared := ownEngine(t, store.SQL(s.open(t, 1), s.dialect), time.Minute)
			for _, eng := range []*engine.Engine{own, shared} {
				_, err := eng.Run(context.Background(), find("cup"))
				require.NoError(t, err)
			}
			for _, text := range []string{"DROP VIEW own_slow", "DROP TABLE own_cup", "CREATE TABLE own_cup (id BIGINT NOT NULL PRIMARY KEY, name VARCHAR(10), beside BIGINT)",
				"INSERT INTO own_cup VALUES (3, 'green', NULL)", "CREATE VIEW own_slow AS SELECT id FROM own_cup"} {
				_, err := other.Exec(text)
				require.NoError(t, err)
			}
			r, err := own.Run(context.Background(), find("cup"))
			require.NoError(t, err)
			require.Equal(t, 1, r.Returned)
			if _, err = shared.Run(context.Background(), find("cup")); err != nil {
				require.ErrorIs(t, err, graph.Unavailable)
				_, err = shared.Run(context.Background(), find("cup"))
			}
			require.NoError(t, err)
		})
	}
}
