package load

import (
	"context"
	"database/sql"
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
}

// Progress tells how far a table is.
type Progress struct {
	Table       string
	Rows, Total int
	Done        bool // with its indexes
}

// Load creates the tables of the graph's schema, their keys and indexes, and
// fills them. Tables that are there already are dropped first, with all they
// hold.
//
// On PostgreSQL and SQLite this is one transaction: after an error everything is
// as it was, and until the end readers see what was there before. MariaDB and MySQL cannot do so: after an error, some tables may be
// missing or incomplete, and Load can be called again.
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
	w := &writer{dialect: d, progress: opts.Progress}
	if d.transactional {
		return inTx(ctx, db, func(tx *sql.Tx) error {
			for _, t := range tables {
				if err := w.table(ctx, tx, t, func() error { return w.fill(ctx, tx, t) }); err != nil {
					return err
				}
			}
			return nil
		})
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, t := range tables {
		group.Go(func() error {
			return w.table(ctx, db, t, func() error {
				return inTx(ctx, db, func(tx *sql.Tx) error { return w.fill(ctx, tx, t) })
			})
		})
	}
	return group.Wait()
}

// atOnce is how many tables are filled at the same time, each in a transaction
// of its own, where making tables ends a transaction.
const atOnce = 2

func inTx(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) error {
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
	case strings.Contains(v, "mariadb"):
		return MariaDB, nil
	case strings.Contains(v, "postgresql"), strings.Contains(v, "cockroach"):
		return Postgres, nil
	}
	return MySQL, nil
}
