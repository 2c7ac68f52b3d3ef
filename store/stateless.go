package store

import (
	"context"
	"database/sql"

	"github.com/trellisgraph/trellis/compile"
)

// stateless is the backend over database/sql for servers without transactions,
// where what bounds a statement ends its text. A session is a connection of the
// pool, so that a call never holds more than one; nothing makes its statements see
// the same data.
type stateless struct {
	db      *sql.DB
	dialect *compile.Dialect
}

func (b *stateless) Begin(ctx context.Context) (Session, error) {
	conn, err := b.db.Conn(ctx)
	if err != nil {
		return nil, unreached(ctx, err)
	}
	return &statelessSession{conn, b.dialect}, nil
}

// Close leaves the database open: it is the caller's.
func (b *stateless) Close() error { return nil }

type statelessSession struct {
	conn    *sql.Conn
	dialect *compile.Dialect
}

func (s *statelessSession) Query(ctx context.Context, text string, args []any) (Rows, error) {
	named := make([]any, len(args))
	for i, a := range args {
		named[i] = sql.Named(s.dialect.ParameterName(i+1), a)
	}
	rows, err := s.conn.QueryContext(ctx, text+s.dialect.SessionSetup(patience(ctx)), named...)
	return scanned(rows, err, "")
}

func (s *statelessSession) Close() error { return s.conn.Close() }
