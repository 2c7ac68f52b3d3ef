package storetest_test

import (
	"context"
	"database/sql"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
)

// A server works on for nobody, unless it is told when to stop.
func TestMariaDBEndsWhatWasGivenUp(t *testing.T) {
	dsn := os.Getenv("TRELLIS_TEST_MARIADB")
	if dsn == "" {
		t.Skip("skipped: needs a MariaDB server in TRELLIS_TEST_MARIADB")
	}
	givesUp(t, open(t, "mysql", dsn), compile.MariaDB(), "SELECT BENCHMARK(2000000000, SHA1('x')) AS given_up",
		"SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE '%BENCHMARK(2000000000%' AND ID <> CONNECTION_ID()")
}

func TestPostgreSQLEndsWhatWasGivenUp(t *testing.T) {
	dsn := os.Getenv("TRELLIS_TEST_POSTGRES")
	if dsn == "" {
		t.Skip("skipped: needs a PostgreSQL server in TRELLIS_TEST_POSTGRES")
	}
	givesUp(t, open(t, "pgx", dsn), compile.Postgres(), "SELECT pg_sleep(60) AS given_up",
		"SELECT COUNT(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(60)%' AND pid <> pg_backend_pid()")
}

// givesUp runs a slow statement that its call does not wait for as the deadline
// comes, or as the call is canceled.
func givesUp(t *testing.T, db *sql.DB, d *compile.Dialect, slow, running string) {
	const soon = 300 * time.Millisecond
	for want, within := range map[graph.Code]func() (context.Context, context.CancelFunc){
		graph.Timeout: func() (context.Context, context.CancelFunc) { return context.WithTimeout(context.Background(), soon) },
		graph.Canceled: func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // the server's own end is far away
			time.AfterFunc(soon, cancel)
			return ctx, cancel
		},
	} {
		ctx, cancel := within()
		defer cancel()
		b := store.Database(db, d)
		session, err := b.Begin(ctx)
		require.NoError(t, err)
		rows, err := session.Query(ctx, slow, nil)
		if err == nil {
			rows.Next()
			err = rows.Err()
			rows.Close()
		}
		require.Error(t, err)
		require.Equal(t, want, store.Failure(ctx, err).Code)
		_ = session.Close()
		require.NoError(t, b.Close())
		require.Eventually(t, func() bool {
			var n int
			require.NoError(t, db.QueryRowContext(context.Background(), running).Scan(&n))
			return n == 0
		}, time.Second, 10*time.Millisecond, "the statement runs on")
		require.Zero(t, db.Stats().InUse)
	}
}

// A session whose statements were waited for gives its connection back, and one
// that was broken off does not; whoever comes next has one that works.
func TestMariaDBConnectionsAfterwards(t *testing.T) {
	dsn := os.Getenv("TRELLIS_TEST_MARIADB")
	if dsn == "" {
		t.Skip("skipped: needs a MariaDB server in TRELLIS_TEST_MARIADB")
	}
	db := open(t, "mysql", dsn)
	db.SetMaxOpenConns(1)
	b := store.Database(db, compile.MariaDB())
	number := func(ctx context.Context, text string) (n int64, err error) {
		session, err := b.Begin(ctx)
		require.NoError(t, err)
		defer func() { _ = session.Close() }()
		rows, err := session.Query(ctx, text, nil)
		if err != nil {
			return 0, err
		}
		defer rows.Close()
		for rows.Next() {
			values, err := rows.Values()
			require.NoError(t, err)
			n = values[0].(int64)
		}
		return n, rows.Err()
	}
	first, err := number(context.Background(), "SELECT CONNECTION_ID()")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	again, err := number(ctx, "SELECT CONNECTION_ID()")
	cancel() // when all is done
	require.NoError(t, err)
	require.Equal(t, first, again)
	ctx, cancel = context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	_, err = number(ctx, "SELECT SLEEP(30)")
	require.Error(t, err)
	for range 3 {
		again, err = number(context.Background(), "SELECT CONNECTION_ID()")
		require.NoError(t, err)
		require.NotEqual(t, first, again)
	}
	require.NoError(t, b.Close())
}
