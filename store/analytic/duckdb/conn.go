package duckdb

import (
	"context"
	"database/sql/driver"
	"errors"
	"sync"

	engine "github.com/duckdb/duckdb-go/v2"
)

// A connector opens the connections of a database.
type connector struct {
	inner *engine.Connector
	read  bool
	left  sync.WaitGroup // connections that were left with a statement that still runs
}

func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.inner.Connect(ctx)
	if err != nil {
		return nil, err
	}
	inner, ok := opened.(*engine.Conn)
	if !ok {
		return nil, errors.Join(errors.New("duckdb: the driver has another kind of connections"), opened.Close())
	}
	return &conn{inner: inner, connector: c}, nil
}

func (c *connector) Driver() driver.Driver { return c.inner.Driver() }

// Close closes the database when the last statement has ended.
func (c *connector) Close() error {
	c.left.Wait()
	return c.inner.Close()
}

// A conn is one connection. It can begin read-only transactions, prepares one
// statement at a time, of the reading kinds if it is for reading, and is left as
// soon as a context ends: the driver has the engine break the statement off at
// once, too, but then sleeps for half a second.
type conn struct {
	inner     *engine.Conn
	connector *connector
	// running is closed when the statement has ended that the connection was left
	// with; nil before.
	running chan struct{}
	// ends is what is to be closed then.
	ends []func() error
}

var errLeft = errors.Join(errors.New("duckdb: the connection was left with a statement that still runs"), driver.ErrBadConn)

// during does something that takes long, and leaves the connection if the
// context ends before. What comes of do is then given to drop.
func during[T any](ctx context.Context, c *conn, do func() (T, error), drop func(T) error) (T, error) {
	var none T
	switch {
	case c.running != nil:
		return none, errLeft
	case ctx.Done() == nil:
		return do()
	case ctx.Err() != nil:
		return none, ctx.Err()
	}
	var out T
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		out, err = do()
	}()
	select {
	case <-done:
		return out, err
	case <-ctx.Done():
		c.running = done
		c.ends = append(c.ends, func() error {
			if err != nil {
				return nil
			}
			return drop(out)
		})
		return none, ctx.Err()
	}
}

// closed closes something of the connection's, once nothing runs on it.
func (c *conn) closed(do func() error) error {
	if c.running == nil {
		return do()
	}
	c.ends = append(c.ends, do)
	return nil
}

// Close closes the connection, or has it closed when its statement has ended.
func (c *conn) Close() error {
	if c.running == nil {
		return c.inner.Close()
	}
	c.connector.left.Go(func() {
		<-c.running
		for _, end := range append(c.ends, c.inner.Close) {
			_ = end() // nobody waits for it any more
		}
	})
	return nil
}

func (c *conn) IsValid() bool { return c.running == nil }

func (c *conn) ResetSession(context.Context) error {
	if c.running != nil {
		return driver.ErrBadConn
	}
	return nil
}

func (c *conn) CheckNamedValue(v *driver.NamedValue) error { return c.inner.CheckNamedValue(v) }

func (c *conn) Prepare(text string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), text)
}

func (c *conn) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	return during(ctx, c, func() (driver.Stmt, error) { return c.prepare(text) }, driver.Stmt.Close)
}

func (c *conn) prepare(text string) (driver.Stmt, error) {
	prepared, err := c.inner.Prepare(text) // which takes one statement only
	if err != nil {
		return nil, err
	}
	st, ok := prepared.(*engine.Stmt)
	if !ok {
		return nil, errors.Join(errors.New("duckdb: the driver has another kind of statements"), prepared.Close())
	}
	if c.connector.read {
		if err := mayRead(st); err != nil {
			return nil, errors.Join(err, st.Close())
		}
	}
	return &statement{st, c}, nil
}

// mayRead refuses what does more than read.
func mayRead(st *engine.Stmt) error {
	kind, err := st.StatementType()
	if err != nil {
		return err
	}
	if kind != engine.STATEMENT_TYPE_SELECT && kind != engine.STATEMENT_TYPE_EXPLAIN {
		return errors.New("duckdb: the database is opened for reading: a statement can only be SELECT or EXPLAIN")
	}
	return nil
}

func (c *conn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// BeginTx begins a transaction, which sees what was committed before it did, as
// all of the engine's do.
func (c *conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	text := "BEGIN TRANSACTION"
	if o.ReadOnly {
		text = "BEGIN TRANSACTION READ ONLY"
	}
	if err := c.exec(ctx, text); err != nil {
		return nil, err
	}
	return transaction{c}, nil
}

func (c *conn) exec(ctx context.Context, text string) error {
	_, err := during(ctx, c, func() (driver.Result, error) { return c.inner.ExecContext(ctx, text, nil) }, func(driver.Result) error { return nil })
	return err
}

type transaction struct{ *conn }

func (t transaction) Commit() error { return t.exec(context.Background(), "COMMIT") }

// Rollback leaves the transaction of a connection that was left to its end.
func (t transaction) Rollback() error {
	if t.running != nil {
		return nil
	}
	return t.exec(context.Background(), "ROLLBACK")
}
