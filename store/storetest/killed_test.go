package storetest_test

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// A shelf is a table of books, and a view of them that gives ten rows a second.
type shelf struct {
	db      *sql.DB // the test's
	pool    *sql.DB // the store's
	engine  *engine.Engine
	running string // counts the statements over the view that run now
	end     string // ends their connections
}

const shelfSchema = `
format: trellis.schema.v1
nodes:
  book: {table: trellis_book, key: id, properties: {id: int64, title: {type: string, nullable: false}}}
  slow_book: {table: trellis_slow_book, key: id, properties: {id: int64, title: {type: string, nullable: false}}}
`

// newShelf makes the tables anew. Cleanup drops them if the server still runs.
func newShelf(t *testing.T, db *sql.DB, d *compile.Dialect) *shelf {
	h := &shelf{db: db}
	h.ask(t, db, store.SQL(db, d))
	view := "SELECT id, CONCAT(title, SLEEP(0.1)) AS title FROM trellis_book"
	h.running = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE '%`trellis_slow_book`%' AND ID <> CONNECTION_ID() AND DB = DATABASE()"
	if d.Name() == compile.Postgres().Name() {
		view = "SELECT id, title || pg_sleep(0.1) AS title FROM trellis_book"
		h.running = `SELECT COUNT(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%"trellis_slow_book"%' AND pid <> pg_backend_pid() AND datname = current_database()` +
			" AND query_start < clock_timestamp() - INTERVAL '300 ms'" // not one that is only prepared, which is made again
		h.end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%"trellis_slow_book"%' AND pid <> pg_backend_pid() AND datname = current_database()`
	}
	for _, text := range []string{
		"DROP VIEW IF EXISTS trellis_slow_book", "DROP TABLE IF EXISTS trellis_book",
		"CREATE TABLE trellis_book (id BIGINT NOT NULL PRIMARY KEY, title VARCHAR(100) NOT NULL)",
		"CREATE VIEW trellis_slow_book AS " + view,
	} {
		exec(t, db, text)
	}
	for _, row := range []string{"(1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e')", "(6, 'f'), (7, 'g'), (8, 'h'), (9, 'i'), (10, 'j')"} {
		exec(t, db, "INSERT INTO trellis_book VALUES "+row)
	}
	t.Cleanup(func() {
		_, _ = db.Exec("DROP VIEW IF EXISTS trellis_slow_book")
		_, _ = db.Exec("DROP TABLE IF EXISTS trellis_book")
	})
	return h
}

// ask has calls go to another store, over a handle. The test's own then keeps no
// connections that could be lost.
func (h *shelf) ask(t *testing.T, pool *sql.DB, st store.Store) {
	if pool != h.db {
		h.db.SetMaxIdleConns(-1)
	}
	s, err := schema.Parse("shelf.yaml", []byte(shelfSchema))
	require.NoError(t, err)
	h.pool, h.engine = pool, engine.New(schema.NewCatalog(s), st, engine.Options{Log: slog.New(slog.DiscardHandler)})
}

func (h *shelf) call(ctx context.Context, label string) (*graph.Result, error) {
	return h.engine.Run(ctx, &graph.FindNodes{NodePattern: graph.NodePattern{Label: label}})
}

// interrupted makes a slow call, does something while its statement runs, and
// returns the call's code.
func (h *shelf) interrupted(t *testing.T, do func()) graph.Code {
	require.Eventually(t, func() bool { return h.runs(t) == 0 }, 10*time.Second, 5*time.Millisecond, "a statement that was ended is still there")
	codes := make(chan graph.Code, 1)
	go func() {
		_, err := h.call(context.Background(), "slow_book")
		var e *graph.Error
		if errors.As(err, &e) {
			codes <- e.Code
		}
		close(codes)
	}()
	require.Eventually(t, func() bool { return h.runs(t) > 0 }, 10*time.Second, 5*time.Millisecond, "the statement does not run")
	do()
	select {
	case code := <-codes:
		return code
	case <-time.After(20 * time.Second):
		require.Fail(t, "the call hangs")
		return ""
	}
}

// runs counts the slow statements that run.
func (h *shelf) runs(t *testing.T) (n int) {
	require.NoError(t, h.db.QueryRow(h.running).Scan(&n))
	return n
}

// works checks that a call is answered, and rightly.
func (h *shelf) works(t *testing.T) {
	t.Helper()
	res, err := h.call(context.Background(), "book")
	if err != nil {
		var e *graph.Error
		require.ErrorAs(t, err, &e)
		require.NoError(t, err, "%v", e.Cause)
	}
	require.Equal(t, 10, res.Returned)
}

// idle fills the pool with connections that nobody uses.
func (h *shelf) idle(t *testing.T, n int) {
	h.pool.SetMaxIdleConns(n)
	conns := make([]*sql.Conn, n)
	for i := range conns {
		var err error
		conns[i], err = h.pool.Conn(context.Background())
		require.NoError(t, err)
	}
	for _, c := range conns {
		require.NoError(t, c.Close())
	}
}

func TestT39ConnectionEndedPostgreSQL(t *testing.T) {
	dsn := os.Getenv("TRELLIS_TEST_POSTGRES")
	if dsn == "" {
		t.Skip("skipped: needs a PostgreSQL server in TRELLIS_TEST_POSTGRES")
	}
	h := newShelf(t, open(t, "pgx", dsn), compile.Postgres())
	for range 5 {
		require.Equal(t, graph.Unavailable, h.interrupted(t, func() { exec(t, h.db, h.end) }))
		h.works(t)
	}
}

func TestT39ConnectionEndedMariaDB(t *testing.T) {
	dsn := os.Getenv("TRELLIS_TEST_MARIADB")
	if dsn == "" {
		t.Skip("skipped: needs a MariaDB server in TRELLIS_TEST_MARIADB")
	}
	h := newShelf(t, open(t, "mysql", dsn), compile.MariaDB())
	for range 5 {
		require.Equal(t, graph.Unavailable, h.interrupted(t, func() {
			var id string
			require.Eventually(t, func() bool { // a statement that is only prepared is gone for a moment
				return h.db.QueryRow("SELECT ID FROM information_schema.PROCESSLIST WHERE INFO LIKE '%`trellis_slow_book`%' AND ID <> CONNECTION_ID() AND DB = DATABASE()").Scan(&id) == nil
			}, 10*time.Second, 5*time.Millisecond)
			exec(t, h.db, "KILL "+id)
		}))
		h.works(t)
	}
}

func TestT39ServerKilledPostgreSQL(t *testing.T) { serverKilled(t, privatePostgreSQL) }

func TestT39ServerKilledMariaDB(t *testing.T) { serverKilled(t, privateMariaDB) }

// serverKilled kills a server in the middle of a call and starts it again: the
// call fails, one made meanwhile does too, and the next one is answered, also
// with a pool full of connections that are no more.
func serverKilled(t *testing.T, private func(testing.TB) *privateServer) {
	times := 20
	if testing.Short() {
		times = 2
	}
	s := private(t)
	h := newShelf(t, open(t, s.driver, s.dsn), s.dialect)
	h.killed(t, s, times)
	own := open(t, s.driver, s.dsn)
	h.ask(t, own, store.Own(own, s.dialect))
	h.killed(t, s, max(1, times/4))
}

func (h *shelf) killed(t *testing.T, s *privateServer, times int) {
	for range times {
		h.idle(t, 8)
		require.Equal(t, graph.Unavailable, h.interrupted(t, s.kill))
		_, err := h.call(context.Background(), "book")
		require.ErrorIs(t, err, graph.Unavailable)
		require.NotContains(t, err.Error(), "127.0.0.1")
		s.start()
		h.works(t)
	}
	require.Zero(t, h.pool.Stats().InUse)
}

// Servers end connections that nobody has used for a while.
func TestT39IdleConnectionsEnded(t *testing.T) {
	for name, d := range databasesAt(t) {
		t.Run(name, func(t *testing.T) {
			dsn := d.dsn(d.address, "", "", "")
			h := newShelf(t, open(t, d.driver, dsn), d.dialect)
			for _, of := range []making{store.SQL, store.Own} {
				pool, err := sql.Open(d.driver, d.impatient(dsn))
				require.NoError(t, err)
				t.Cleanup(func() { _ = pool.Close() }) // drivers complain of connections that have ended
				h.ask(t, pool, of(pool, d.dialect))
				for range 2 {
					h.idle(t, 3)
					h.works(t)
					time.Sleep(1300 * time.Millisecond)
					h.works(t)
				}
			}
		})
	}
}

// A server that comes back before anybody noticed that it was away.
func TestT39RestartUnnoticed(t *testing.T) {
	for name, private := range map[string]func(testing.TB) *privateServer{"PostgreSQL": privatePostgreSQL, "MariaDB": privateMariaDB} {
		t.Run(name, func(t *testing.T) {
			s := private(t)
			h := newShelf(t, open(t, s.driver, s.dsn), s.dialect)
			unnoticed := func() {
				for range 3 {
					h.idle(t, 8)
					h.works(t) // by a connection that keeps what it needs
					s.kill()
					s.start()
					h.works(t)
				}
			}
			unnoticed()
			own := open(t, s.driver, s.dsn)
			h.ask(t, own, store.Own(own, s.dialect))
			unnoticed()
		})
	}
}
