package clickhouse_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/analytic/clickhouse"
	"github.com/trellisgraph/trellis/store/analytic/internal/chdb"
	"github.com/trellisgraph/trellis/store/load"
	"github.com/trellisgraph/trellis/store/memory"
)

// server is the one engine of this process, nil where there is no library.
var server *chdb.Server

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) (code int) {
	if library := os.Getenv("TRELLIS_TEST_CHDB"); library != "" {
		dir, err := os.MkdirTemp("", "trellis")
		if err == nil {
			defer os.RemoveAll(dir)
			server, err = chdb.Start(library, dir)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() {
			if err := server.Close(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}()
	}
	return m.Run()
}

var databases atomic.Int64

// fresh makes a database of a test's own, and returns it opened to load and to
// read.
func fresh(t testing.TB) (writing, reading *sql.DB) {
	t.Helper()
	writing, reading, drop := made(t)
	t.Cleanup(func() { require.NoError(t, drop()) })
	return writing, reading
}

// made makes a database, and returns how to drop it.
func made(t testing.TB) (writing, reading *sql.DB, drop func() error) {
	t.Helper()
	if server == nil {
		t.Skip("skipped: needs libchdb.so in TRELLIS_TEST_CHDB")
	}
	name := fmt.Sprintf("t%d", databases.Add(1))
	open := func(open func(string) (*sql.DB, error), name string) *sql.DB {
		db, err := open(server.URL(name))
		require.NoError(t, err)
		return db
	}
	system := open(clickhouse.OpenToLoad, "default")
	exec(t, system, "CREATE DATABASE "+name+" ENGINE = Atomic")
	writing, reading = open(clickhouse.OpenToLoad, name), open(clickhouse.Open, name)
	return writing, reading, func() error {
		_, err := system.ExecContext(context.Background(), "DROP DATABASE "+name+" SYNC")
		return errors.Join(err, writing.Close(), reading.Close(), system.Close())
	}
}

func exec(t testing.TB, db *sql.DB, text string) {
	t.Helper()
	_, err := db.ExecContext(context.Background(), text)
	require.NoError(t, err)
}

// filled has a database of its own for each graph, until the store is closed.
func filled(t testing.TB, g *memory.Graph) store.Store {
	t.Helper()
	writing, reading, drop := made(t)
	loaded(t, writing, g)
	return &filledStore{store.SQL(reading, compile.ClickHouse()), drop}
}

type filledStore struct {
	store.Store
	drop func() error
}

func (s *filledStore) Close() error { return errors.Join(s.Store.Close(), s.drop()) }

func loaded(t testing.TB, writing *sql.DB, g *memory.Graph) {
	t.Helper()
	require.NoError(t, load.Load(context.Background(), writing, g, load.Options{}))
}
