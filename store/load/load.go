package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/trellisgraph/trellis/store/memory"
)

// Options say how a graph is written. The zero value is fine.
type Options struct {
	// Target is the kind of database; by default the server is asked.
	Target Target
	// Progress is told how far each table is, now and then and at its end. It
	// is never called twice at the same time.
	Progress func(Progress)
	// Role may read the tables afterwards, and is made if it is not there; nil
	// for none. SQLite and DuckDB have no roles, and on ClickHouse users are made
	// otherwise.
	Role *Role
	// Keep keeps the tables that are there, with their partitions, shards, rights
	// and whatever depends on them: they are emptied and filled in one
	// transaction, and no table or index is made. Tables tells how they must be.
	Keep bool
	// NoForeignKeys declares none, for databases that do not take them.
	NoForeignKeys bool
}

// Progress tells how far a table is.
type Progress struct {
	Table       string
	Rows, Total int
	Done        bool // with its indexes
	// Unkept are, when it is done, the columns of each key that could not be made:
	// the schema says that no two rows have the same texts there, which holds now,
	// but they are too long for a key that would keep it so.
	Unkept []string
}

// Load creates the tables of the graph's schema, their keys and indexes, and
// fills them. Tables that are there already are replaced, with all they hold.
//
// Relationships are declared as foreign keys on MariaDB, MySQL, PostgreSQL and
// SQLite, but for columns that refer to nodes of different labels, to a label
// whose table has others too, or to texts too long for a key. On PostgreSQL they
// can be deferred. DuckDB and ClickHouse have indexes alone: what DuckDB has of
// foreign keys keeps rows from referring to their own table in any order.
//
// What the schema says to be unique is, where it is so of all rows of a table, a key
// of the table on all but ClickHouse, which has none. Texts too long for one
// are told in Progress. A graph in memory breaks none of them: whoever reads or
// builds one is told of nodes and relationships that would.
//
// Until the end readers see what was there before, and then all that is new. The
// tables are filled under other names and then change places, on MariaDB and
// MySQL in one statement, on PostgreSQL in a transaction that takes the tables
// from their readers for a moment; on SQLite and DuckDB all is one transaction. ClickHouse
// exchanges one table after the other, so that readers may for a moment see new
// tables beside old ones. An error before that leaves everything as it was, and what a
// crash leaves of the new tables the next Load of them drops. While one makes tables,
// another that would make some of them is an error; but on ClickHouse, which has no
// locks, on servers that refuse them, and over a pool of one connection, where it is
// up to the caller that there is no other. On MariaDB and MySQL calls that are in the
// middle of their work
// just then fail as UNAVAILABLE and can be made again. Views and foreign keys
// of other tables that depend on tables which are to be replaced are an error, but
// for views on SQLite, which show the new ones; and so are row security, policies,
// rules and triggers of these, which would be lost. With Options.Keep
// no table is made or replaced, and readers see the new rows when they are
// committed: over shards, those of one shard after those of another.
//
// Texts are compared byte by byte in the tables that Load creates. Instants are
// stored in UTC.
func Load(ctx context.Context, db *sql.DB, g *memory.Graph, opts Options) error {
	tables, err := plan(g.Dense())
	if err != nil {
		return err
	}
	if opts.Target == Detect {
		if opts.Target, err = detect(ctx, db); err != nil {
			return err
		}
	}
	d, ok := opts.Target.dialect()
	if !ok {
		return fmt.Errorf("load: unknown target %d", opts.Target)
	}
	w := &writer{dialect: d, teller: teller{progress: opts.Progress}}
	if opts.Role != nil {
		if err := opts.Role.check(opts.Target); err != nil {
			return err
		}
	}
	if opts.Keep {
		return w.keeping(ctx, db, tables, opts)
	}
	if opts.NoForeignKeys {
		for _, t := range tables {
			t.references = nil
		}
	}
	if d.swap == nil {
		return d.unforced(ctx, db, func(on handle) error {
			return inTx(ctx, on, func(tx *sql.Tx) error {
				if d.mayReplace != nil {
					if err := d.mayReplace(ctx, tx, tables); err != nil {
						return err
					}
				}
				for _, t := range tables {
					if err := w.table(ctx, tx, t, func() error { return w.fill(ctx, tx, t) }); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
	return w.beside(ctx, db, tables, opts.Role)
}

// beside makes all tables under other names and has them change places with
// those that are there.
func (w *writer) beside(ctx context.Context, db *sql.DB, tables []*table, role *Role) (err error) {
	d := w.dialect
	besides(tables)
	if err := d.swap.prepare(ctx, db, d, tables, role); err != nil {
		return err
	}
	if err := w.schemas(ctx, db, tables); err != nil {
		return err
	}
	if len(tables) == 0 {
		return nil
	}
	if db.Stats().MaxOpenConnections != 1 { // the only one has its work to do
		done, err := d.swap.claim(ctx, db, tables)
		if err != nil {
			return err
		}
		defer done()
	}
	if err := d.swap.drop(ctx, db, leftovers(d, tables)); err != nil {
		return fmt.Errorf("load: dropping what an earlier load has left: %w", err)
	}
	defer func() {
		if err != nil {
			ctx, cancel := afterwards(ctx)
			defer cancel()
			err = errors.Join(err, d.swap.drop(ctx, db, leftovers(d, tables)))
		}
	}()
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, t := range tables {
		group.Go(func() error {
			return w.table(inner, db, t, func() error {
				if d.stateless {
					return w.fill(inner, db, t)
				}
				return inTx(inner, db, func(tx *sql.Tx) error { return w.fill(inner, tx, t) })
			})
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := w.declare(ctx, db, tables); err != nil {
		return err
	}
	return d.swap.swap(ctx, db, d, tables, role)
}

// atOnce is how many tables are filled at the same time, each in a transaction
// of its own, where they are made beside others.
const atOnce = 2

func inTx(ctx context.Context, db handle, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	defer tx.Rollback()
	if err := do(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	return nil
}

// A Target is a kind of database.
type Target int

// The targets.
const (
	Detect Target = iota
	MariaDB
	MySQL
	Postgres
	SQLite
	DuckDB
	ClickHouse
)

// detect asks the server what it is.
func detect(ctx context.Context, db *sql.DB) (Target, error) {
	var version string
	if err := db.QueryRowContext(ctx, "SELECT version()").Scan(&version); err != nil {
		if db.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&version) == nil {
			return SQLite, nil
		}
		return Detect, fmt.Errorf("load: asking the server for its version: %w", err)
	}
	switch v := strings.ToLower(version); {
	case strings.HasPrefix(v, "v"): // a number alone
		return DuckDB, nil
	case strings.Contains(v, "mariadb"):
		return MariaDB, nil
	case strings.Contains(v, "postgresql"), strings.Contains(v, "cockroach"):
		return Postgres, nil
	}
	// The version of ClickHouse is only a number, and so may be that of MySQL.
	if db.QueryRowContext(ctx, "SELECT value FROM system.build_options WHERE name = 'VERSION_FULL' AND value LIKE 'ClickHouse %'").Scan(&version) == nil {
		return ClickHouse, nil
	}
	return MySQL, nil
}
