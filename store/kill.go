package store

import (
	"context"
	"database/sql"
	"sync"
	"time"

	"github.com/trellisgraph/trellis/compile"
)

// A killer opens sessions whose statements end at the server, too, when their
// contexts do: where a driver then leaves the connection and no more, the server
// would work on for nobody, up to the end that the session was given.
//
// A connection with a statement that was not waited for is never used again, and
// then killed by its number over another one. It is killed at the server that
// counted it only: behind a proxy, another may have one of that number.
type killer struct {
	db      *sql.DB
	dialect *compile.Dialect
	numbers perConnection[identity]
	killing sync.WaitGroup
}

func newKiller(db *sql.DB, d *compile.Dialect) *killer {
	return &killer{db: db, dialect: d, numbers: perConnection[identity]{db: db}}
}

// An identity is a connection's number at a server; the zero value is of one
// that is not known.
type identity struct {
	number uint64
	server string
}

// killTime bounds how long a connection is waited for over which to kill.
const killTime = 5 * time.Second

func (k *killer) begin(ctx context.Context, transaction func(context.Context, beginner) (*transaction, error)) (Session, error) {
	conn, err := k.db.Conn(ctx)
	if err != nil {
		return nil, unreached(ctx, err)
	}
	id, err := k.numbers.of(conn, func() (identity, error) { return k.identify(ctx, conn) })
	if err != nil {
		_ = conn.Close()
		return nil, unreached(ctx, err)
	}
	tx, err := transaction(ctx, conn)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return &killable{pinned: pinned{tx, conn}, id: id, killer: k}, nil
}

// identify asks a connection for its number. A server that does not know the
// answer is one where nothing is killed.
func (k *killer) identify(ctx context.Context, conn *sql.Conn) (id identity, err error) {
	err = conn.QueryRowContext(ctx, k.dialect.Identify()).Scan(&id.number, &id.server)
	if err != nil && ctx.Err() == nil && !isConnection(err) {
		return identity{}, nil
	}
	return id, err
}

// kill ends a connection, soon.
func (k *killer) kill(id identity) {
	if id == (identity{}) {
		return
	}
	k.killing.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), killTime)
		defer cancel()
		conn, err := k.db.Conn(ctx)
		if err != nil {
			return // then it ends at the time that the session was given
		}
		defer conn.Close()
		own, err := k.numbers.of(conn, func() (identity, error) { return k.identify(ctx, conn) })
		if err == nil && own.server == id.server {
			_, _ = conn.ExecContext(ctx, k.dialect.Kill(id.number)) // it may have ended by itself
		}
	})
}

func (k *killer) wait() { k.killing.Wait() }

// A killable session knows whether its last statement may still run.
type killable struct {
	pinned
	id     identity
	killer *killer
	last   *watchedRows
	lost   bool
}

func (s *killable) Query(ctx context.Context, text string, args []any) (Rows, error) {
	s.look()
	rows, err := s.Session.Query(ctx, text, args)
	if err != nil {
		s.lost = s.lost || ctx.Err() != nil
		return nil, err
	}
	s.last = &watchedRows{Rows: rows, ctx: ctx}
	return s.last, nil
}

// look notes whether the last statement was broken off.
func (s *killable) look() {
	if s.last != nil {
		s.lost = s.lost || s.last.brokenOff()
	}
}

func (s *killable) Close() error {
	s.look()
	if !s.lost {
		return s.pinned.Close()
	}
	err := s.Session.Close()
	drop(s.conn)
	s.killer.kill(s.id)
	return err
}

// watchedRows are rows that know whether they have been read to their end while
// they were waited for.
type watchedRows struct {
	Rows
	ctx    context.Context
	ended  bool
	broken bool
}

func (r *watchedRows) Next() bool {
	if r.Rows.Next() {
		return true
	}
	r.ended = r.Rows.Err() == nil
	return false
}

func (r *watchedRows) Close() error {
	r.broken = r.brokenOff()
	err := r.Rows.Close()
	r.ended = true // whatever comes of the context now
	return err
}

func (r *watchedRows) brokenOff() bool { return r.broken || !r.ended && r.ctx.Err() != nil }
