package load

import (
	"context"
	"database/sql"
	"fmt"

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
	// of further indexes. Both leave out what holds no whole values.
	Key     []string
	Indexes [][]string
	// Create makes the table, in some databases with its key, and Finish makes the
	// rest: keys, indexes, statistics. They fit the values of the graph.
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
		for _, index := range t.indexes {
			if names := d.wholly(index); names != nil {
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

// keeping empties and fills the tables that are there.
func (w *writer) keeping(ctx context.Context, db *sql.DB, tables []*table, opts Options) error {
	if opts.Role != nil {
		return fmt.Errorf("load: tables that are kept keep who may read them: give no role")
	}
	return inTx(ctx, db, func(tx *sql.Tx) error {
		for _, t := range tables {
			if _, err := tx.ExecContext(ctx, "DELETE FROM "+w.dialect.table(t)); err != nil {
				return fmt.Errorf("load: emptying table %q: %w", t, err)
			}
			if err := w.fill(ctx, tx, t); err != nil {
				return err
			}
			w.tell(Progress{Table: t.String(), Rows: t.rows(), Total: t.rows(), Done: true})
		}
		return nil
	})
}
