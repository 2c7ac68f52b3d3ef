package store

import (
	"context"
	"database/sql"
	"time"
)

// inSession runs a statement in a session of the store and tells its first value
// or how it failed, unless the database could not be asked.
func (c *check) inSession(text string, tell func(value string, err error)) {
	if c.failed != nil {
		return
	}
	session, giveBack, err := c.session()
	if err != nil {
		c.failed = err
		return
	}
	value, err := firstValue(c.ctx, session, text)
	closed := session.Close()
	giveBack()
	switch {
	case c.ctx.Err() != nil:
		c.failed = c.ctx.Err()
	case err != nil && isConnection(err):
		c.failed = err
	case err == nil && closed != nil:
		c.failed = closed
	case c.failed == nil:
		tell(value, err)
	}
}

// session opens one as the store does. Where the connection would keep what is set
// up, giveBack, which follows the session's end, takes that back.
func (c *check) session() (s Session, giveBack func(), err error) {
	if c.dialect.SessionState() == "" {
		b := Database(c.db, c.dialect)
		s, err := b.Begin(c.ctx)
		return s, func() { _ = b.Close() }, err
	}
	conn, err := c.db.Conn(c.ctx)
	if err != nil {
		return nil, nil, unreached(c.ctx, err)
	}
	state, err := readTexts(c.ctx, conn, c.dialect.SessionState())
	if err != nil {
		_ = conn.Close()
		return nil, nil, unreached(c.ctx, err)
	}
	giveBack = func() {
		for _, text := range state {
			c.restored(conn, text)
		}
		_ = conn.Close() // a lost one is closed already
	}
	b := &database{db: c.db, dialect: c.dialect}
	tx, err := b.transaction(c.ctx, conn)
	if err != nil {
		giveBack()
		return nil, nil, err
	}
	return tx, giveBack, nil
}

// restoreTime bounds how long a connection may take to be as it was.
const restoreTime = 5 * time.Second

// restored takes back what the check did to a connection, also where the check's
// time is over. A connection that does not do it is closed.
func (c *check) restored(conn *sql.Conn, text string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), restoreTime)
	defer cancel()
	if _, err := conn.ExecContext(ctx, text); err != nil {
		drop(conn)
		if c.failed == nil {
			c.failed = err
		}
	}
}
