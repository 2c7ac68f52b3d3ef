package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// A handle is a database or one connection to it.
type handle interface {
	execer
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error)
}

// A forcing is how a kind of database enforces foreign keys while rows come and go.
type forcing interface {
	// unforced does something on a handle that does not enforce them, and does so
	// again afterwards.
	unforced(ctx context.Context, db *sql.DB, do func(handle) error) error
	// keeps reports whether tables that are kept have foreign keys, and refuses
	// those by which rows of other tables would go with theirs.
	keeps(ctx context.Context, db *sql.DB, d *dialect, tables []*table) (bool, error)
	// begun is for the begin of a transaction, and ended for its end: it reports
	// rows that refer to none.
	begun(ctx context.Context, tx *sql.Tx) error
	ended(ctx context.Context, tx *sql.Tx, d *dialect, tables []*table) error
}

// unforced does something where foreign keys are not enforced, if there are such.
func (d *dialect) unforced(ctx context.Context, db *sql.DB, do func(handle) error) error {
	if d.forcing == nil {
		return do(db)
	}
	return d.forcing.unforced(ctx, db, do)
}

// sqliteForcing turns enforcing off, which counts for a connection and not within
// a transaction.
type sqliteForcing struct{ on bool }

func (s *sqliteForcing) unforced(ctx context.Context, db *sql.DB, do func(handle) error) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	defer conn.Close()
	if err := conn.QueryRowContext(ctx, "PRAGMA foreign_keys").Scan(&s.on); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	if !s.on {
		return do(conn)
	}
	if _, err := conn.ExecContext(ctx, "PRAGMA foreign_keys = OFF"); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	defer func() {
		ctx, cancel := afterwards(ctx)
		defer cancel()
		_, failed := conn.ExecContext(ctx, "PRAGMA foreign_keys = ON")
		err = errors.Join(err, failed)
	}()
	return do(conn)
}

func (*sqliteForcing) keeps(context.Context, *sql.DB, *dialect, []*table) (bool, error) {
	return true, nil
}

func (*sqliteForcing) begun(context.Context, *sql.Tx) error { return nil }

func (s *sqliteForcing) ended(ctx context.Context, tx *sql.Tx, d *dialect, tables []*table) error {
	if !s.on {
		return nil
	}
	rows, err := tx.QueryContext(ctx, `SELECT DISTINCT "table", parent FROM pragma_foreign_key_check ORDER BY 1, 2`)
	if err != nil {
		return fmt.Errorf("load: checking foreign keys: %w", err)
	}
	found, err := pairs(rows)
	if err != nil {
		return fmt.Errorf("load: checking foreign keys: %w", err)
	}
	own := func(name string) bool {
		return slices.ContainsFunc(tables, func(t *table) bool { return strings.EqualFold(t.String(), name) })
	}
	for _, f := range found {
		if own(f[0]) || own(f[1]) {
			return dangling(f[0], f[1])
		}
	}
	return nil
}

func dangling(from, to string) error {
	return fmt.Errorf("load: table %q would have rows whose foreign key leads to none of table %q", from, to)
}

// mysqlForcing turns enforcing off for a session: rows that refer to each other
// cannot come one after the other else.
type mysqlForcing struct{}

func (mysqlForcing) unforced(ctx context.Context, db *sql.DB, do func(handle) error) error {
	return withSetting(ctx, db, "foreign_key_checks", "0", func(conn *sql.Conn) error { return do(conn) })
}

func (mysqlForcing) keeps(ctx context.Context, db *sql.DB, d *dialect, tables []*table) (bool, error) {
	keys, err := mysqlKeys(ctx, db, tables)
	return len(keys) > 0, err
}

func (mysqlForcing) begun(context.Context, *sql.Tx) error { return nil }

func (mysqlForcing) ended(ctx context.Context, tx *sql.Tx, d *dialect, tables []*table) error {
	keys, err := mysqlKeys(ctx, tx, tables)
	if err != nil {
		return err
	}
	for _, k := range keys {
		var same, there []string
		for i, c := range k.columns {
			same = append(same, "p."+d.name(k.refers[i])+" = c."+d.name(c))
			there = append(there, "c."+d.name(c)+" IS NOT NULL")
		}
		var found int
		if err := tx.QueryRowContext(ctx, "SELECT COUNT(*) FROM (SELECT 1 FROM "+d.named(k.from)+" AS c LEFT JOIN "+d.named(k.to)+" AS p ON "+strings.Join(same, " AND ")+
			" WHERE "+strings.Join(there, " AND ")+" AND p."+d.name(k.refers[0])+" IS NULL LIMIT 1) AS x").Scan(&found); err != nil {
			return fmt.Errorf("load: checking the foreign keys of table %q: %w", k.from, err)
		}
		if found > 0 {
			return dangling(k.from.String(), k.to.String())
		}
	}
	return nil
}

// A mysqlKey is a foreign key that is there.
type mysqlKey struct {
	from, to        schema.Table
	columns, refers []string
}

// mysqlKeys are the foreign keys of these tables, and those that lead to them.
func mysqlKeys(ctx context.Context, db queryer, tables []*table) (out []mysqlKey, err error) {
	seen := map[string]bool{}
	for _, t := range tables {
		rows, err := db.QueryContext(ctx, "SELECT TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME"+
			" FROM information_schema.KEY_COLUMN_USAGE WHERE REFERENCED_TABLE_NAME IS NOT NULL AND (TABLE_SCHEMA = COALESCE(NULLIF(?, ''), DATABASE()) AND TABLE_NAME = ?"+
			" OR REFERENCED_TABLE_SCHEMA = COALESCE(NULLIF(?, ''), DATABASE()) AND REFERENCED_TABLE_NAME = ?) ORDER BY 1, 2, 3, ORDINAL_POSITION",
			t.name.Schema, t.name.Name, t.name.Schema, t.name.Name)
		if err != nil {
			return nil, fmt.Errorf("load: looking for the foreign keys of table %q: %w", t, err)
		}
		last, known := "", false
		for rows.Next() {
			var name, column, refers string
			var k mysqlKey
			if err := rows.Scan(&k.from.Schema, &k.from.Name, &name, &column, &k.to.Schema, &k.to.Name, &refers); err != nil {
				rows.Close()
				return nil, fmt.Errorf("load: looking for the foreign keys of table %q: %w", t, err)
			}
			if id := k.from.Schema + "\x00" + k.from.Name + "\x00" + name; id != last {
				last, known = id, seen[id]
				seen[id] = true
				if !known {
					out = append(out, k)
				}
			}
			if !known {
				at := &out[len(out)-1]
				at.columns, at.refers = append(at.columns, column), append(at.refers, refers)
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return nil, fmt.Errorf("load: looking for the foreign keys of table %q: %w", t, err)
		}
	}
	return out, nil
}

// postgresForcing has foreign keys that can be deferred looked at when the
// transaction ends, which is when the database reports what it finds.
type postgresForcing struct{}

func (postgresForcing) unforced(_ context.Context, db *sql.DB, do func(handle) error) error {
	return do(db)
}

func (postgresForcing) keeps(ctx context.Context, db *sql.DB, d *dialect, tables []*table) (bool, error) {
	others, err := postgresOthers(ctx, db, d, tables, "confdeltype IN ('c', 'n', 'd')")
	if err != nil {
		return false, err
	}
	for _, o := range others {
		return false, fmt.Errorf("load: emptying table %s would delete or change rows of table %s, by a foreign key with ON DELETE", o[1], o[0])
	}
	var there bool
	err = db.QueryRowContext(ctx, "SELECT EXISTS (SELECT FROM pg_catalog.pg_constraint WHERE contype = 'f' AND condeferrable)").Scan(&there)
	if err != nil {
		return false, fmt.Errorf("load: looking for foreign keys: %w", err)
	}
	return there, nil
}

func (postgresForcing) begun(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, "SET CONSTRAINTS ALL DEFERRED"); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	return nil
}

func (postgresForcing) ended(context.Context, *sql.Tx, *dialect, []*table) error { return nil }
