package repository

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/trellisgraph/trellis/store"
)

// A transaction runs statements that become true together or not at all.
type transaction struct {
	ctx context.Context
	d   *dialect
	runner
}

// A runner is a *sql.Tx or a *sql.Conn.
type runner interface {
	querier
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

func (t *transaction) exec(statement string, args ...any) error {
	_, err := t.ExecContext(t.ctx, t.d.bind(statement), args...)
	return err
}

func (t *transaction) read(ctx context.Context, statement string, args []any, row func(scan func(...any) error) error) error {
	return t.d.query(ctx, t, statement, args, row)
}

// patience is how long something is tried again that stood in another's way.
const patience = 30 * time.Second

// transaction runs work in a transaction.
func (r *Database) transaction(ctx context.Context, work func(*transaction) error) error {
	if r.turn != nil {
		select {
		case r.turn <- struct{}{}:
			defer func() { <-r.turn }()
		case <-ctx.Done():
			return store.Failure(ctx, ctx.Err())
		}
	}
	return patiently(ctx, func() error { return r.once(ctx, work) })
}

// patiently does something again that the database has ended, or not begun, for
// the sake of others, as nobody can have seen anything of it; never for another
// reason. The error is one of Trellis's.
func patiently(ctx context.Context, do func() error) error {
	until := time.Now().Add(patience)
	for wait := time.Millisecond; ; wait = min(2*wait, 20*time.Millisecond) {
		err := do()
		if err == nil {
			return nil
		}
		if !inTheWay(err) || ctx.Err() != nil || time.Now().After(until) {
			return store.Failure(ctx, err)
		}
		select {
		case <-ctx.Done():
			return store.Failure(ctx, ctx.Err())
		case <-time.After(wait/2 + rand.N(wait)):
		}
	}
}

func (r *Database) once(ctx context.Context, work func(*transaction) error) error {
	if r.d.begin != "" {
		return r.onConnection(ctx, work)
	}
	tx, err := r.db.BeginTx(ctx, &sql.TxOptions{Isolation: r.d.isolation})
	if err != nil {
		return err
	}
	if err := work(&transaction{ctx, r.d, tx}); err != nil {
		tx.Rollback()
		return err
	}
	return tx.Commit()
}

// onConnection is a transaction with a statement of its own to begin it.
func (r *Database) onConnection(ctx context.Context, work func(*transaction) error) (err error) {
	conn, err := r.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, r.d.begin); err != nil {
		return err
	}
	ended := false
	defer func() {
		if ended {
			return
		}
		// Also where the context is done: the connection goes back to the pool. If
		// it cannot be mended, it does not.
		if _, failed := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK"); failed != nil {
			conn.Raw(func(any) error { return driver.ErrBadConn })
		}
	}()
	if err := work(&transaction{ctx, r.d, conn}); err != nil {
		return err
	}
	// A commit that readers are in the way of stays begun: it lets no new ones in.
	err = patiently(ctx, func() error {
		_, err := conn.ExecContext(ctx, "COMMIT")
		return err
	})
	ended = err == nil
	return err
}

// inTheWay reports whether the database has ended or not begun a transaction
// because of another one's.
func inTheWay(err error) bool {
	text := err.Error()
	for _, said := range []string{"database is locked", "database table is locked", "Error 1213 ", "Error 1205 ", "SQLSTATE 40001", "SQLSTATE 40P01"} {
		if strings.Contains(text, said) {
			return true
		}
	}
	return false
}
