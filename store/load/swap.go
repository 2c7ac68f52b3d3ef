package load

import (
	"context"
	"database/sql"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/trellisgraph/trellis/schema"
)

// Tables are made and filled under other names, so that readers have the tables
// that were there before until all are full, and then change places at once.

// A swapper has the tables of one kind of server change places.
type swapper interface {
	// prepare reports what of the tables that are there could not be replaced,
	// and makes the role, which may be nil.
	prepare(ctx context.Context, db *sql.DB, d *dialect, tables []*table, role *Role) error
	// claim keeps other loads from making tables beside these until done is called, or
	// the connection is no more; it is an error if one does.
	claim(ctx context.Context, db *sql.DB, tables []*table) (done func(), err error)
	// swap has full tables take the places of those that are there, and lets the
	// role read them.
	swap(ctx context.Context, db *sql.DB, d *dialect, tables []*table, role *Role) error
	// drop drops the tables of these names that are there.
	drop(ctx context.Context, db *sql.DB, names []string) error
}

// besides gives every table the name under which it is made.
func besides(tables []*table) {
	for _, t := range tables {
		t.fresh = aside("new", t.name)
	}
}

// aside is a name beside a table's own, the same every time, so that what a load
// that was broken off has left is found and dropped by the next.
func aside(what string, name schema.Table) schema.Table {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name.Schema + "\x00" + name.Name))
	return schema.Table{Schema: name.Schema, Name: fmt.Sprintf("trellis_%s_%016x", what, h.Sum64())}
}

// A queryer is a database, a connection or a transaction.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func pairs(rows *sql.Rows) ([][2]string, error) {
	defer rows.Close()
	var out [][2]string
	for rows.Next() {
		var p [2]string
		if err := rows.Scan(&p[0], &p[1]); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, rows.Err()
}

// afterwards is a context for what is to be put in order although ctx may have
// ended.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
}

// leftovers are the names beside those of the tables.
func leftovers(d *dialect, tables []*table) []string {
	var out []string
	for _, t := range tables {
		out = append(out, d.named(aside("new", t.name)), d.named(aside("old", t.name)))
	}
	return out
}
