package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"math/bits"
	"time"

	"github.com/trellisgraph/trellis/compile"
)

// Own is SQL over a database handle that nobody but the store uses, also none of
// the host's own code: it answers sooner. A connection is set up when it is used
// first, for good: it only reads, its time zone is UTC, and its statements end when
// they take longer than about twice what a call has left, or had that the connection
// was set up for in the minute before. So a call of one statement is that statement,
// without a transaction around it; one of several has its transaction, as with SQL.
// Statements stay prepared, 64 on each connection to MySQL or MariaDB, whose driver
// does not see to that. Whether an id that led nowhere exists is asked in a statement
// of its own, of the data of then.
//
// The handle must reach the server itself, or by way of a pooler that keeps a
// session for each connection: one that gives every transaction another session
// takes the settings for anybody's.
//
// Where SQL asks for a handle of the store's own already, or needs no sessions, Own
// is SQL.
func Own(db *sql.DB, d *compile.Dialect) Store {
	if d.OwnSetup(0) == "" {
		return SQL(db, d)
	}
	b := &owned{db: db, dialect: d, ready: perConnection[*readiness]{db: db}}
	if d.Identify() != "" {
		b.killer = newKiller(db, d)
	}
	return New(b, d)
}

// owned is the backend of Own.
type owned struct {
	db      *sql.DB
	dialect *compile.Dialect
	killer  *killer // nil where the driver is one
	ready   perConnection[*readiness]
}

// readiness is how a connection was set up, and when. It belongs to whoever has the
// connection.
type readiness struct {
	seconds int // -1 for not
	since   time.Time
	// sessions counts those that the connection has had.
	sessions int
	kept     kept
}

// mostKept bounds the statements that a connection keeps: a server has room for some
// ten thousand, of all its connections. MySQL's driver asks the server twice for one
// that is not kept.
const mostKept = 64

// boundKept is how long calls that have less time keep the bound of one that had
// more: where both come in turns, a connection would else be set up for each.
const boundKept = time.Minute

// does reports whether a connection is set up for a call that has so many seconds.
// Calls that nothing bounds leave no bound that others could keep.
func (r *readiness) does(seconds int) bool {
	return r.seconds == seconds || seconds > 0 && r.seconds > seconds && time.Since(r.since) < boundKept
}

// Begin opens a session for several statements, which see the same data.
func (b *owned) Begin(ctx context.Context) (Session, error) {
	return b.open(ctx, func(conn *sql.Conn) (Session, error) {
		if b.killer != nil {
			return b.begin(ctx, conn)
		}
		tx, err := conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead})
		if err != nil {
			return nil, err
		}
		return &transaction{tx, b.dialect.Padded()}, nil
	})
}

// begin opens a transaction where database/sql would ask for it twice, as the
// connection's are set up to be what they should be. Nor would it have to know of
// rows that are not its own.
func (b *owned) begin(ctx context.Context, conn *sql.Conn) (Session, error) {
	if _, err := conn.ExecContext(ctx, "START TRANSACTION READ ONLY"); err != nil {
		return nil, err
	}
	return &begun{bare{conn, b.dialect.Padded()}, ctx}, nil
}

// single opens a session for one statement, which needs no transaction.
func (b *owned) single(ctx context.Context) (Session, error) {
	s, err := b.bare(ctx)
	if err != nil {
		return nil, err
	}
	return &retrying{Session: s, again: b.bare, lost: b.db.Stats().OpenConnections, checked: b.killer != nil}, nil
}

func (b *owned) bare(ctx context.Context) (Session, error) {
	return b.open(ctx, func(conn *sql.Conn) (Session, error) { return bare{conn, b.dialect.Padded()}, nil })
}

// open takes a connection that is set up, and drops those that were lost while
// nobody used them; see database.Begin.
func (b *owned) open(ctx context.Context, begin func(*sql.Conn) (Session, error)) (Session, error) {
	for lost := b.db.Stats().OpenConnections; ; lost-- {
		s, err := b.try(ctx, begin)
		if err == nil {
			return s, nil
		}
		if lost <= 0 || ctx.Err() != nil || !isConnection(err) {
			return nil, unreached(ctx, err)
		}
	}
}

func (b *owned) try(ctx context.Context, begin func(*sql.Conn) (Session, error)) (Session, error) {
	conn, err := b.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	var id identity
	if b.killer != nil {
		id, err = b.killer.numbers.of(conn, func() (identity, error) { return b.killer.identify(ctx, conn) })
	}
	var r *readiness
	if err == nil {
		r, err = b.setUp(ctx, conn)
	}
	var s Session
	if err == nil {
		s, err = begin(conn)
	}
	if err != nil { // of what a connection has of its settings then nothing is known
		drop(conn)
		return nil, err
	}
	if b.killer == nil {
		return &pinned{s, conn}, nil
	}
	if r.sessions++; r.sessions > 1 { // it is known again
		s = &keeping{Session: s, conn: conn, kept: &r.kept} // which such a driver does not do either
	}
	return &killable{pinned: pinned{s, conn}, id: id, killer: b.killer}, nil
}

// setUp sets a connection up, unless it is so already.
func (b *owned) setUp(ctx context.Context, conn *sql.Conn) (*readiness, error) {
	seconds := enough(patience(ctx))
	r, err := b.ready.of(conn, func() (*readiness, error) { return &readiness{seconds: -1, kept: kept{most: mostKept}}, nil })
	if err != nil || r.does(seconds) {
		return r, err
	}
	r.seconds = -1
	if _, err = conn.ExecContext(ctx, b.dialect.OwnSetup(seconds)); err == nil {
		r.seconds, r.since = seconds, time.Now()
	}
	return r, err
}

// enough is the least power of two that is not below a number of seconds, so that
// calls with different deadlines mostly find what they need; 0 is no bound.
func enough(seconds int) int {
	if seconds == 0 {
		return 0
	}
	return 1 << bits.Len(uint(seconds-1))
}

// drop has the pool close a connection.
func drop(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	_ = conn.Close()
}

// Close leaves the database open: it is the caller's.
func (b *owned) Close() error {
	if b.killer != nil {
		b.killer.wait()
	}
	return nil
}

// bare runs statements on a connection, each by itself.
type bare struct {
	conn   *sql.Conn
	padded string
}

func (b bare) Query(ctx context.Context, text string, args []any) (Rows, error) {
	rows, err := b.conn.QueryContext(ctx, text, args...)
	return scanned(rows, err, b.padded)
}

func (b bare) Close() error { return nil }

// begun is a transaction of the connection's own.
type begun struct {
	bare
	ctx context.Context
}

// Close ends the read; there is nothing to commit. A connection that does not end it
// is nobody's any more, and the answer is complete all the same.
func (s *begun) Close() error {
	if _, err := s.conn.ExecContext(s.ctx, "ROLLBACK"); err != nil {
		drop(s.conn)
	}
	return nil
}

// A pinned session gives its connection back. One whose transaction did not end
// it does not.
type pinned struct {
	Session
	conn *sql.Conn
}

func (s *pinned) Close() error {
	if err := s.Session.Close(); err != nil {
		drop(s.conn)
		return err
	}
	if err := s.conn.Close(); err != nil && !errors.Is(err, sql.ErrConnDone) {
		return err
	}
	return nil
}

// A retrying session asks its first statement of another connection where the one
// that it has was lost while nobody used it: the driver says so, or the connection
// is no more as soon as it is asked something. It does so, too, where a table was
// replaced since the connection prepared the statement. One that ends later is ended by
// what it does, or by somebody who wants that.
type retrying struct {
	Session
	again func(context.Context) (Session, error)
	lost  int
	asked bool
	// checked says that the driver looks at a connection before it asks anything.
	checked bool
}

// ended is a session that has no connection.
type ended struct{}

func (ended) Query(context.Context, string, []any) (Rows, error) { return nil, sql.ErrConnDone }

func (ended) Close() error { return nil }

// atOnce is how soon a connection shows that it was lost before.
const atOnce = 100 * time.Millisecond

func (s *retrying) Query(ctx context.Context, text string, args []any) (Rows, error) {
	for ; ; s.lost-- {
		start := time.Now()
		rows, err := s.Session.Query(ctx, text, args)
		if err == nil || s.asked || s.lost <= 0 || ctx.Err() != nil || !s.wasLost(err, time.Since(start)) {
			s.asked = true
			return rows, err
		}
		_ = s.Session.Close() // it is lost, and a pool may have room for one
		next, failed := s.again(ctx)
		if failed != nil {
			s.Session = ended{}
			return nil, failed
		}
		s.Session = next
	}
}

// wasLost reports whether a statement failed because its connection was no more
// before, or what it had prepared. What else a server says is another matter.
func (s *retrying) wasLost(err error, after time.Duration) bool {
	if errors.Is(err, driver.ErrBadConn) || outlived(err) {
		return true
	}
	return !s.checked && isConnection(err) && after < atOnce
}
