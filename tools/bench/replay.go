package bench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/social"
)

// An asked statement, with the values of its placeholders.
type asked struct {
	text string
	args []any
}

// A recorder is a backend that notes what is asked of another.
type recorder struct {
	store.Backend
	asked []asked
}

func (r *recorder) Begin(ctx context.Context) (store.Session, error) {
	s, err := r.Backend.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return &recording{s, r}, nil
}

// Close leaves the backend open.
func (r *recorder) Close() error { return nil }

type recording struct {
	store.Session
	to *recorder
}

func (s *recording) Query(ctx context.Context, text string, args []any) (store.Rows, error) {
	s.to.asked = append(s.to.asked, asked{text, slices.Clone(args)})
	return s.Session.Query(ctx, text, args)
}

// A replay asks statements over one connection, with nothing around them: each
// is prepared once, and its rows are written as JSON.
type replay struct {
	conn     *sql.Conn
	prepared map[string]*sql.Stmt
	ready    map[string]ready // by question
	buf      []byte
}

// newReplay prepares the statements of questions, on a connection that is set up by
// a statement, "" for none.
func newReplay(ctx context.Context, db *sql.DB, setup string, questions map[string]ready) (*replay, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if setup != "" {
		if _, err := conn.ExecContext(ctx, setup); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	c, err := prepare(ctx, conn, questions)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return c, nil
}

func prepare(ctx context.Context, conn *sql.Conn, questions map[string]ready) (_ *replay, err error) {
	c := &replay{conn: conn, prepared: map[string]*sql.Stmt{}, ready: questions}
	for name, q := range questions {
		for _, a := range slices.Concat(q.asked, q.then) {
			if c.prepared[a.text] != nil {
				continue
			}
			if c.prepared[a.text], err = conn.PrepareContext(ctx, a.text); err != nil {
				delete(c.prepared, a.text)
				return nil, errors.Join(fmt.Errorf("%s: %w", name, err), c.forget())
			}
		}
	}
	return c, nil
}

// warm asks what another peer asks. A server's session gives memory sooner once it
// has had much of it: whoever had asked more would be ahead.
func (c *replay) warm(ctx context.Context, others map[string]ready) error {
	other, err := prepare(ctx, c.conn, others)
	if err != nil {
		return err
	}
	for name := range others {
		_, failed := other.ask(ctx, social.Question{Name: name})
		err = errors.Join(err, failed)
	}
	return errors.Join(err, other.forget())
}

// forget closes what is prepared.
func (c *replay) forget() error {
	var failures []error
	for _, st := range c.prepared {
		failures = append(failures, st.Close())
	}
	return errors.Join(failures...)
}

func (c *replay) free() error { return errors.Join(c.forget(), c.conn.Close()) }

// ask answers with a JSON array of the rows of all statements, which are objects.
func (c *replay) ask(ctx context.Context, q social.Question) ([]byte, error) {
	r, ok := c.ready[q.Name]
	if !ok {
		return nil, fmt.Errorf("there is no statement for %s", q.Name)
	}
	c.buf = append(c.buf[:0], '[')
	for _, a := range r.asked {
		if err := c.run(ctx, a); err != nil {
			return nil, fmt.Errorf("%s: %w", q.Name, err)
		}
		if r.first && len(c.buf) > 1 {
			break
		}
	}
	for _, a := range r.then {
		if err := c.run(ctx, a); err != nil {
			return nil, fmt.Errorf("%s: %w", q.Name, err)
		}
	}
	return append(c.buf, ']'), nil
}

func (c *replay) run(ctx context.Context, a asked) error {
	rows, err := c.prepared[a.text].QueryContext(ctx, a.args...)
	if err != nil {
		return err
	}
	c.buf, err = appendRows(c.buf, rows)
	return errors.Join(err, rows.Close())
}

func appendRows(b []byte, rows *sql.Rows) ([]byte, error) {
	names, err := rows.Columns()
	if err != nil {
		return b, err
	}
	values, into := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return b, err
		}
		for i, v := range values {
			switch {
			case i > 0:
				b = append(b, ',')
			case len(b) > 1:
				b = append(b, ",{"...)
			default:
				b = append(b, '{')
			}
			b = append(append(append(b, '"'), names[i]...), `":`...)
			b = appendValue(b, v)
		}
		b = append(b, '}')
	}
	return b, rows.Err()
}

// appendValue writes what a driver gives.
func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case string:
		return graph.AppendJSONString(b, v)
	case []byte:
		return graph.AppendJSONString(b, string(v))
	case time.Time:
		return append(v.UTC().AppendFormat(append(b, '"'), time.RFC3339Nano), '"')
	}
	return graph.AppendJSONString(b, fmt.Sprint(v))
}
