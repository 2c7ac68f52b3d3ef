package storetest_test

import (
	"context"
	"database/sql"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/compile"
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

func givesUp(t *testing.T, db *sql.DB, d *compile.Dialect, slow, running string) {
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	session, err := store.Database(db, d).Begin(ctx)
	require.NoError(t, err)
	rows, err := session.Query(ctx, slow, nil)
	if err == nil {
		rows.Next()
		err = rows.Err()
		rows.Close()
	}
	require.Error(t, err)
	require.Equal(t, "TIMEOUT", string(store.Failure(ctx, err).Code))
	_ = session.Close()
	require.Eventually(t, func() bool {
		var n int
		require.NoError(t, db.QueryRowContext(context.Background(), running).Scan(&n))
		return n == 0
	}, 10*time.Second, 100*time.Millisecond, "the statement runs on")
}
