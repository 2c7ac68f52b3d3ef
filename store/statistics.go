package store

import (
	"context"
	"errors"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// ReadStatistics counts what the tables of a schema hold, in one session, with
// statements that each return one row. Every table is read several times, which
// on large ones takes its time: bound it by the context's deadline, run it
// where nothing waits for it, and keep the result.
//
// What was counted before a failure or the deadline is returned beside the
// error, of type *graph.Error, and is good to use: numbers of nodes and
// relationships come first, and what is missing is assumed.
func ReadStatistics(ctx context.Context, b Backend, d *compile.Dialect, s *schema.Schema) (*compile.Statistics, error) {
	out := &compile.Statistics{}
	session, err := b.Begin(ctx)
	if err != nil {
		return out, Failure(ctx, err)
	}
	for _, c := range d.Countings(s) {
		if err = count(ctx, session, c, out); err != nil {
			break
		}
	}
	if err = errors.Join(err, session.Close()); err != nil {
		return out, Failure(ctx, err)
	}
	return out, nil
}

func count(ctx context.Context, session Session, c compile.Counting, into *compile.Statistics) error {
	args, _ := c.Bind(nil)
	rows, err := session.Query(ctx, c.Text(nil), args)
	if err != nil {
		return err
	}
	defer rows.Close()
	row := make([]graph.Value, len(c.Fields))
	for rows.Next() {
		raw, err := rows.Values()
		if err != nil {
			return err
		}
		if err := decodeRow(c.Statement, raw, row); err != nil {
			return err
		}
		c.Into(into, row)
	}
	return rows.Err()
}
