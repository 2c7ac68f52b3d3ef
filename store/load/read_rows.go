package load

import (
	"context"
	"fmt"
	"iter"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
)

// progressRows is how many rows are read between two calls of Progress.
const progressRows = 1 << 14

// read reads the rows of a label or of a pair into the builder.
func (r *reader) read(ctx context.Context, s *readSession, reading compile.Reading) error {
	if l := reading.Label; l != nil {
		names := make([]string, len(l.Properties))
		for i, p := range l.Properties {
			names[i] = p.Name
		}
		row := make([]graph.Value, len(names))
		return r.builder.Nodes(l.Name, names, r.rows(ctx, s, reading, l.Table.String(), func(values []graph.Value) []graph.Value {
			copy(row, values)
			return row
		}))
	}
	p := reading.Pair
	names := []string{"from", "to", "from_label", "to_label"}
	for _, prop := range p.Properties {
		names = append(names, prop.Name)
	}
	row := make([]graph.Value, len(names))
	row[2], row[3] = graph.String(p.From.Name), graph.String(p.To.Name)
	from, both := len(p.From.Key), len(p.From.Key)+len(p.To.Key)
	return r.builder.Relationships(p.Type.Name, names, r.rows(ctx, s, reading, p.Table.String(), func(values []graph.Value) []graph.Value {
		row[0], row[1] = end(values[:from]), end(values[from:both])
		copy(row[4:], values[both:])
		return row
	}))
}

// end is a key as the builder takes it.
func end(key []graph.Value) graph.Value {
	if len(key) == 1 {
		return key[0]
	}
	return graph.List(key...)
}

// rows yields the rows of a reading, each as form makes it of its values.
func (r *reader) rows(ctx context.Context, s *readSession, reading compile.Reading, table string, form func([]graph.Value) []graph.Value) iter.Seq2[[]graph.Value, error] {
	return func(yield func([]graph.Value, error) bool) {
		fail := func(err error) { yield(nil, fmt.Errorf("reading table %q: %w", table, err)) }
		args, _ := reading.Bind(nil)
		rows, err := s.query(ctx, reading.Text(nil), args)
		if err != nil {
			fail(err)
			return
		}
		defer rows.Close()
		raw, to := make([]any, len(reading.Fields)), make([]any, len(reading.Fields))
		for i := range raw {
			to[i] = &raw[i]
		}
		values := make([]graph.Value, len(raw))
		progress := Progress{Table: table}
		for rows.Next() {
			if err := rows.Scan(to...); err != nil {
				fail(err)
				return
			}
			for i, f := range reading.Fields {
				values[i] = valueOf(f, raw[i])
			}
			if !yield(form(values), nil) {
				return
			}
			if progress.Rows++; progress.Rows%progressRows == 0 {
				r.tell(progress)
			}
		}
		if err := rows.Err(); err != nil {
			fail(err)
			return
		}
		progress.Total, progress.Done = progress.Rows, true
		r.tell(progress)
	}
}

// valueOf gives what a driver returned its type. What does not fit is handed on
// as it is: the builder says so, and in which row.
func valueOf(f compile.Field, raw any) graph.Value {
	if raw == nil {
		return graph.Null()
	}
	v, err := store.Decode(f, raw)
	if err == nil {
		return v
	}
	if b, ok := raw.([]byte); ok {
		raw = string(b)
	}
	return graph.Of(raw)
}
