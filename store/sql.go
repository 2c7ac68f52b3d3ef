package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/trellisgraph/trellis/compile"
)

// SQL returns a store over a database, which the caller opened with a driver
// of their choice and closes after the store. The dialect says which engine it
// is.
//
// Every call runs in a read-only transaction, with the session's time zone set
// to UTC and its texts to UTF-8, whatever the handle has, and the server is told to end statements soon after the call's
// deadline. On PostgreSQL these settings end with the transaction; on MariaDB and
// MySQL a connection keeps them (compile.Dialect.SessionState tells how to give
// them back). Own is for a handle that nobody else uses. A statement whose call ended or was canceled is ended at the server
// at once: by the driver, or on MariaDB and MySQL over another connection of the
// pool, for which such an account needs no right. A connection that may only SELECT, and only from the graph's tables,
// is the host's to provide; in MariaDB a read-only transaction does not keep
// tables from being dropped. A driver must not take several statements in one
// text. SQLite's sessions turn the writing of their connections off for good:
// the database handle must be the store's own, opened with mode=ro. Checked
// looks whether all that is so before it returns the store.
//
// ClickHouse has neither transactions nor sessions. There a call's statements may
// see different states of the data while it changes, what keeps it from writing
// are the settings of the database handle (package store/analytic/clickhouse opens
// such) and the rights of its user, and each statement ends with the settings that
// give it its meaning and its time.
func SQL(db *sql.DB, d *compile.Dialect) Store {
	return New(Database(db, d), d)
}

// Database returns the backend that SQL runs on, for those who put something
// between the two.
func Database(db *sql.DB, d *compile.Dialect) Backend {
	if d.InProcess() {
		return newLocal(db, d)
	}
	if d.Trailing() {
		return &stateless{db: db, dialect: d}
	}
	if d.Identify() != "" {
		return &database{db: db, dialect: d, killer: newKiller(db, d)}
	}
	return &database{db: db, dialect: d}
}

// database is the backend over database/sql for servers.
type database struct {
	db      *sql.DB
	dialect *compile.Dialect
	killer  *killer // nil where the driver is one
}

// Begin opens a session. Connections that were lost while nobody used them are
// no failure of this call, which has asked nothing yet: it tries again, as often
// as the pool has connections that may be like that.
func (b *database) Begin(ctx context.Context) (Session, error) {
	for lost := b.db.Stats().OpenConnections; ; lost-- {
		session, err := b.begin(ctx)
		if err == nil {
			return session, nil
		}
		if lost <= 0 || ctx.Err() != nil || !isConnection(err) {
			return nil, err
		}
	}
}

func (b *database) begin(ctx context.Context) (Session, error) {
	if b.killer != nil {
		return b.killer.begin(ctx, b.transaction)
	}
	return b.transaction(ctx, b.db)
}

// A beginner is a pool or one of its connections.
type beginner interface {
	BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error)
}

func (b *database) transaction(ctx context.Context, on beginner) (*transaction, error) {
	tx, err := on.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return nil, unreached(ctx, err)
	}
	if _, err := tx.ExecContext(ctx, b.dialect.SessionSetup(patience(ctx))); err != nil {
		tx.Rollback()
		return nil, err
	}
	return &transaction{tx, b.dialect.Padded()}, nil
}

// patience is how many seconds the server may spend on a statement. It is a
// little more than the call has left, so that it is the call that ends first; a
// server that does not notice that nobody waits any more then stops soon after.
// Whole seconds make few texts.
func patience(ctx context.Context) int {
	deadline, ok := ctx.Deadline()
	if !ok {
		return 0
	}
	return int(max(0, time.Until(deadline))/time.Second) + 2
}

// Close leaves the database open: it is the caller's. What is still being ended
// at the server is waited for.
func (b *database) Close() error {
	if b.killer != nil {
		b.killer.wait()
	}
	return nil
}

type transaction struct {
	tx     *sql.Tx
	padded string // see compile.Dialect.Padded
}

func (t *transaction) Query(ctx context.Context, text string, args []any) (Rows, error) {
	rows, err := t.tx.QueryContext(ctx, text, args...)
	return scanned(rows, err, t.padded)
}

// scanned are rows whose values are read one row at a time.
func scanned(rows *sql.Rows, err error, padded string) (Rows, error) {
	if err != nil {
		return nil, err
	}
	cols, err := rows.Columns()
	if err != nil {
		rows.Close()
		return nil, err
	}
	r := &sqlRows{Rows: rows, padded: padded, values: make([]any, len(cols)), dest: make([]any, len(cols))}
	for i := range r.values {
		r.dest[i] = &r.values[i]
	}
	return r, nil
}

// Close ends the read; there is nothing to commit.
func (t *transaction) Close() error { return rolledBack(t.tx) }

// rolledBack ends a transaction, unless its context has.
func rolledBack(tx *sql.Tx) error {
	if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return err
	}
	return nil
}

type sqlRows struct {
	*sql.Rows
	values []any
	dest   []any
	padded string
	types  []*sql.ColumnType // where a text ended in a space
}

func (r *sqlRows) Values() ([]any, error) {
	err := r.Scan(r.dest...)
	if r.padded == "" || err != nil {
		return r.values, err
	}
	for i, v := range r.values {
		if text, ok := v.(string); ok && strings.HasSuffix(text, " ") {
			if r.types == nil {
				if r.types, err = r.ColumnTypes(); err != nil {
					return nil, err
				}
			}
			if r.types[i].DatabaseTypeName() == r.padded {
				r.values[i] = strings.TrimRight(text, " ")
			}
		}
	}
	return r.values, nil
}
