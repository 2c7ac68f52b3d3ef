package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"math"
)

// kept are the statements that a connection keeps prepared, where its driver would
// prepare one for each execution. They belong to whoever has the connection, and end
// with it.
type kept struct {
	most  int
	clock int // counts uses
	texts map[string]*keptStatement
}

type keptStatement struct {
	driver.Stmt
	asker driver.StmtQueryContext // the same
	used  int                     // by the clock
}

// errNotKept is of drivers that cannot do it.
var errNotKept = errors.New("the driver prepares no statements that can be kept")

// of returns a statement, which it prepares unless it is kept already.
func (k *kept) of(ctx context.Context, conn any, text string) (*keptStatement, error) {
	k.clock++
	if st := k.texts[text]; st != nil {
		st.used = k.clock
		return st, nil
	}
	preparer, ok := conn.(driver.ConnPrepareContext)
	if !ok {
		return nil, errNotKept
	}
	if len(k.texts) >= k.most {
		k.forget(k.oldest())
	}
	prepared, err := preparer.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	asker, ok := prepared.(driver.StmtQueryContext)
	if !ok {
		_ = prepared.Close()
		return nil, errNotKept
	}
	if k.texts == nil {
		k.texts = map[string]*keptStatement{}
	}
	st := &keptStatement{prepared, asker, k.clock}
	k.texts[text] = st
	return st, nil
}

// forget closes a statement. Whether the server hears of it makes no difference to
// calls.
func (k *kept) forget(text string) {
	if st := k.texts[text]; st != nil {
		_ = st.Close()
		delete(k.texts, text)
	}
}

// oldest is the statement that was used longest ago.
func (k *kept) oldest() (text string) {
	least := math.MaxInt
	for t, st := range k.texts {
		if st.used < least {
			text, least = t, st.used
		}
	}
	return text
}

// named are arguments as the driver takes them, by what it checks itself or else by
// the rules of database/sql.
func (st *keptStatement) named(conn any, args []any) ([]driver.NamedValue, error) {
	checker, ok := st.Stmt.(driver.NamedValueChecker)
	if !ok {
		checker, _ = conn.(driver.NamedValueChecker)
	}
	out := make([]driver.NamedValue, len(args))
	for i, arg := range args {
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: arg}
		err := driver.ErrSkip
		if checker != nil {
			err = checker.CheckNamedValue(&out[i])
		}
		if errors.Is(err, driver.ErrSkip) {
			out[i].Value, err = driver.DefaultParameterConverter.ConvertValue(arg)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// A keeping session asks by statements that its connection keeps.
type keeping struct {
	Session // which has what the statements are part of, and those that cannot be kept
	conn    *sql.Conn
	kept    *kept
	open    *keptRows
}

func (s *keeping) Query(ctx context.Context, text string, args []any) (Rows, error) {
	rows := &keptRows{conn: s.conn}
	err := s.conn.Raw(func(conn any) error {
		st, err := s.kept.of(ctx, conn, text)
		if err != nil {
			return err
		}
		values, err := st.named(conn, args)
		if err == nil {
			rows.rows, err = st.asker.QueryContext(ctx, values)
		}
		if err != nil {
			s.kept.forget(text)
		}
		return err
	})
	switch {
	case errors.Is(err, errNotKept):
		return s.Session.Query(ctx, text, args)
	case err != nil:
		return nil, err
	}
	columns := len(rows.rows.Columns())
	rows.values, rows.shown = make([]driver.Value, columns), make([]any, columns)
	s.open = rows
	return rows, nil
}

// Close ends what is left of the last statement before the connection is anybody
// else's. How that ends its driver remembers.
func (s *keeping) Close() error {
	if s.open != nil {
		_ = s.open.Close()
	}
	return s.Session.Close()
}

// keptRows are the rows of a kept statement.
type keptRows struct {
	conn   *sql.Conn
	rows   driver.Rows
	values []driver.Value
	shown  []any
	closed bool
	err    error
}

func (r *keptRows) Next() bool {
	if r.closed {
		return false
	}
	err := r.conn.Raw(func(any) error { return r.rows.Next(r.values) })
	if !errors.Is(err, io.EOF) {
		r.err = err
	}
	return err == nil
}

func (r *keptRows) Values() ([]any, error) {
	for i, v := range r.values {
		r.shown[i] = v
	}
	return r.shown, nil
}

func (r *keptRows) Err() error { return r.err }

func (r *keptRows) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	return r.conn.Raw(func(any) error { return r.rows.Close() })
}
