package load

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"hash/fnv"
)

// Two loads that make a table under the same name beside its own would drop what the
// other makes. Each claims its tables before, by locks of the server that end with
// their connection: what a load has left whose connections are gone is nobody's.

// lockNumber is the number of a table's lock, in whose schema the connection is
// unless it has one of its own.
func lockNumber(t *table, own string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte("trellis load\x00" + cmp.Or(t.name.Schema, own) + "\x00" + t.name.Name))
	return h.Sum64()
}

// claimed claims tables by a statement with one argument, the lock, which tells
// whether it is there for the taking. A server that has no such locks has none to keep
// loads from each other, and both go on.
func claimed(ctx context.Context, on queryRower, tables []*table, own, statement string, lock func(uint64) any, end func()) (func(), error) {
	var schema sql.NullString
	if err := on.QueryRowContext(ctx, own).Scan(&schema); err != nil {
		end()
		return nil, fmt.Errorf("load: claiming the tables: %w", err)
	}
	for _, t := range tables {
		var got sql.NullBool
		switch err := on.QueryRowContext(ctx, statement, lock(lockNumber(t, schema.String))).Scan(&got); {
		case ctx.Err() != nil:
			end()
			return nil, fmt.Errorf("load: claiming table %q: %w", t, context.Cause(ctx))
		case err != nil:
			end()
			return func() {}, nil
		case !got.Bool:
			end()
			return nil, fmt.Errorf("load: another load of table %q is under way: wait until it has ended, or end its connections", t)
		}
	}
	return end, nil
}

// A queryRower is a connection or a transaction.
type queryRower interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// claim takes locks of a connection of its own. It is closed at the end, for one that
// went back to the pool would keep them.
func (*mysqlSwap) claim(ctx context.Context, db *sql.DB, tables []*table) (func(), error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	return claimed(ctx, conn, tables, "SELECT DATABASE()", "SELECT GET_LOCK(?, 0)", func(n uint64) any { return fmt.Sprintf("trellis_load_%016x", n) }, func() {
		_ = conn.Raw(func(any) error { return driver.ErrBadConn })
		_ = conn.Close()
	})
}

// claim takes locks of a transaction, which a pooler between does not share out as it
// may do with those of a session. It does not end with ctx: what is to be dropped then
// is still this load's.
func (postgresSwap) claim(ctx context.Context, db *sql.DB, tables []*table) (func(), error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	tx, err := conn.BeginTx(context.WithoutCancel(ctx), &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("load: %w", err)
	}
	end := func() {
		_ = tx.Rollback()
		_ = conn.Close()
	}
	done, err := claimed(ctx, tx, tables, "SELECT current_schema()", "SELECT pg_try_advisory_xact_lock($1::bigint)", func(n uint64) any { return int64(n) }, end)
	if err != nil {
		return nil, err
	}
	// It is the last, too, for it has no snapshot: that of a query stays until the next
	// statement, and whoever has an old one is waited for before the tables change places.
	if _, err := tx.ExecContext(ctx, "SET LOCAL idle_in_transaction_session_timeout = 0"); err != nil && !errors.Is(err, sql.ErrTxDone) {
		done()
		return nil, fmt.Errorf("load: %w", err)
	}
	return done, nil
}

// claim does nothing: ClickHouse has no locks that end with a connection.
func (clickhouseSwap) claim(context.Context, *sql.DB, []*table) (func(), error) {
	return func() {}, nil
}
