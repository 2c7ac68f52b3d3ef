package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/trellisgraph/trellis/compile"
)

// local is the backend over database/sql for an engine in this process. What a
// server's driver sees to is seen to here: connections are set up once, as
// doing so throws away what they have prepared, and statements stay prepared,
// which takes as long as to run them.
type local struct {
	db    *sql.DB
	setup string
	ready perConnection[*readyHere]
}

// readyHere is a connection that is set up. It belongs to whoever has the connection.
type readyHere struct {
	sessions int
	kept     kept
}

// mostKeptHere bounds the statements that each connection keeps: there is no server
// that has to.
const mostKeptHere = 256

func newLocal(db *sql.DB, d *compile.Dialect) *local {
	return &local{db: db, setup: d.SessionSetup(0), ready: perConnection[*readyHere]{db: db}}
}

// Begin opens a session whose statements read one snapshot.
func (b *local) Begin(ctx context.Context) (Session, error) {
	return b.open(ctx, func(conn *sql.Conn) (Session, error) {
		tx, err := conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		return &transaction{tx, ""}, err
	})
}

// single opens a session for one statement, which needs no transaction.
func (b *local) single(ctx context.Context) (Session, error) {
	return b.open(ctx, func(conn *sql.Conn) (Session, error) { return bare{conn, ""}, nil })
}

func (b *local) open(ctx context.Context, begin func(*sql.Conn) (Session, error)) (Session, error) {
	conn, err := b.db.Conn(ctx)
	if err != nil {
		return nil, unreached(ctx, err)
	}
	r, err := b.ready.of(conn, func() (*readyHere, error) {
		_, err := conn.ExecContext(ctx, b.setup)
		return &readyHere{kept: kept{most: mostKeptHere}}, err
	})
	var s Session
	if err == nil {
		s, err = begin(conn)
	}
	if err != nil {
		_ = conn.Close()
		return nil, unreached(ctx, err)
	}
	if r.sessions++; r.sessions > 1 { // it is known again
		s = &keeping{Session: s, conn: conn, kept: &r.kept}
	}
	return &localSession{s, conn}, nil
}

// Close leaves the database open: it is the caller's.
func (b *local) Close() error { return nil }

// A localSession gives its connection back.
type localSession struct {
	Session
	conn *sql.Conn
}

func (s *localSession) Close() error { return errors.Join(s.Session.Close(), s.conn.Close()) }
