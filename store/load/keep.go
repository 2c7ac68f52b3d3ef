package load

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// A Table is how Load makes a table, for those who make it themselves and then
// have Load fill it with Options.Keep: with partitions, or on the shards of a
// distributed database.
type Table struct {
	Name schema.Table
	// Key are the columns of the primary key: of a table of relationships first
	// those of the start. It is empty where there is none. Indexes are the columns
	// of further indexes, and of further keys, which Finish makes of what the schema
	// says to be unique. Both leave out what holds no whole values.
	Key     []string
	Indexes [][]string
	// Create makes the table, in some databases with its key, and Finish makes the
	// rest: keys, indexes, statistics. They fit the values of the graph. Foreign
	// keys are not there, but in Create on SQLite: a shard has no rows of another.
	Create string
	Finish []string
}

// Tables tells how Load would make the tables of a graph, in a kind of database
// that must be given.
func Tables(g *memory.Graph, target Target) ([]Table, error) {
	d, ok := target.dialect()
	if !ok {
		return nil, fmt.Errorf("load: unknown target %d", target)
	}
	planned, err := plan(g.Dense())
	if err != nil {
		return nil, err
	}
	out := make([]Table, len(planned))
	for i, t := range planned {
		out[i] = Table{Name: t.name, Create: d.create(t), Finish: d.finish(t)}
		out[i].Key = d.wholly(t.primary)
		keys, _ := d.uniques(t)
		for _, index := range append(keys, t.indexes...) {
			if names := d.wholly(index); names != nil && !slices.ContainsFunc(out[i].Indexes, func(have []string) bool { return slices.Equal(have, names) }) {
				out[i].Indexes = append(out[i].Indexes, names)
			}
		}
	}
	return out, nil
}

// wholly names the columns of an index; nil if it does not hold whole values.
func (d *dialect) wholly(columns []*column) (names []string) {
	if _, whole := d.indexed(d, columns); whole {
		for _, c := range columns {
			names = append(names, c.name)
		}
	}
	return names
}

// keeping empties and fills the tables that are there: those first emptied and
// last filled that refer to others.
func (w *writer) keeping(ctx context.Context, db *sql.DB, tables []*table, opts Options) error {
	d := w.dialect
	switch {
	case opts.Role != nil:
		return fmt.Errorf("load: tables that are kept keep who may read them: give no role")
	case d.stateless:
		return fmt.Errorf("load: this database has no transactions, so tables that are kept could not be emptied and filled at once: load without keeping them, which puts full tables in their places")
	}
	tables = inOrder(tables)
	keys := false
	if d.forcing != nil {
		var err error
		if keys, err = d.forcing.keeps(ctx, db, d, tables); err != nil {
			return err
		}
	}
	refill := func(on handle) error {
		return inTx(ctx, on, func(tx *sql.Tx) error {
			if keys {
				if err := d.forcing.begun(ctx, tx); err != nil {
					return err
				}
			}
			for _, t := range slices.Backward(tables) {
				if _, err := tx.ExecContext(ctx, "DELETE FROM "+d.table(t)); err != nil {
					return fmt.Errorf("load: emptying table %q: %w", t, err)
				}
			}
			for _, t := range tables {
				if err := w.fill(ctx, tx, t); err != nil {
					return err
				}
				w.tell(Progress{Table: t.String(), Rows: t.rows(), Total: t.rows(), Done: true})
			}
			if keys {
				return d.forcing.ended(ctx, tx, d, tables)
			}
			return nil
		})
	}
	if !keys {
		return refill(db)
	}
	return d.unforced(ctx, db, refill)
}

// inOrder puts tables after those that they refer to, as far as there is such an
// order.
func inOrder(tables []*table) []*table {
	var out []*table
	done := map[*table]bool{}
	waiting := slices.Clone(tables)
	for len(waiting) > 0 {
		i := max(0, slices.IndexFunc(waiting, func(t *table) bool {
			return !slices.ContainsFunc(t.references, func(r reference) bool { return r.to != t && !done[r.to] })
		}))
		done[waiting[i]], out = true, append(out, waiting[i])
		waiting = slices.Delete(waiting, i, i+1)
	}
	return out
}
