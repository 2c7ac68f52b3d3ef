package duckdb

import (
	"context"
	"database/sql/driver"

	engine "github.com/duckdb/duckdb-go/v2"
)

// A statement is a prepared one, on a connection that may be left.
type statement struct {
	*engine.Stmt
	conn *conn
}

func (s *statement) Close() error { return s.conn.closed(s.Stmt.Close) }

func (s *statement) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return during(ctx, s.conn, func() (driver.Rows, error) { return s.Stmt.QueryContext(ctx, args) }, driver.Rows.Close)
}

func (s *statement) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return during(ctx, s.conn, func() (driver.Result, error) { return s.Stmt.ExecContext(ctx, args) }, func(driver.Result) error { return nil })
}
