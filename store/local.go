package store

import (
	"context"
	"database/sql"
	"errors"
)

// local is the backend over database/sql for an engine in this process. What a
// server's driver sees to is seen to here: connections are set up once, as
// doing so throws away what they have prepared, and statements stay prepared.
type local struct {
	db       *sql.DB
	setup    string
	prepared prepared
	ready    perConnection[struct{}]
}

func (b *local) Begin(ctx context.Context) (Session, error) {
	conn, err := b.db.Conn(ctx)
	if err != nil {
		return nil, unreached(ctx, err)
	}
	if err = b.setUp(ctx, conn); err == nil {
		var tx *sql.Tx
		if tx, err = conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}); err == nil {
			return &localSession{ctx: ctx, conn: conn, tx: tx, prepared: &b.prepared}, nil
		}
	}
	_ = conn.Close()
	return nil, unreached(ctx, err)
}

func (b *local) setUp(ctx context.Context, conn *sql.Conn) error {
	_, err := b.ready.of(conn, func() (struct{}, error) {
		_, err := conn.ExecContext(ctx, b.setup)
		return struct{}{}, err
	})
	return err
}

// Close leaves the database open: it is the caller's.
func (b *local) Close() error { return b.prepared.close() }

// A localSession reads one snapshot.
type localSession struct {
	ctx      context.Context
	conn     *sql.Conn
	tx       *sql.Tx
	prepared *prepared
	fresh    []string // statements that ran without being prepared
}

func (s *localSession) Query(ctx context.Context, text string, args []any) (Rows, error) {
	if st := s.prepared.in(ctx, s.tx, text); st != nil {
		rows, err := st.QueryContext(ctx, args...)
		return scanned(rows, err, "")
	}
	s.fresh = append(s.fresh, text)
	rows, err := s.tx.QueryContext(ctx, text, args...)
	return scanned(rows, err, "")
}

func (s *localSession) Close() error {
	err := errors.Join(rolledBack(s.tx), s.conn.Close())
	if err == nil && s.ctx.Err() == nil {
		for _, text := range s.fresh {
			s.prepared.seen(s.ctx, text)
		}
	}
	return err
}
