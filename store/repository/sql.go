package repository

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/trellisgraph/trellis/graph"
)

// SQL keeps everything in tables of a database, which Migrate makes:
//
//	trellis_tenants    tenant, name, version             one row for each tenant
//	trellis_revisions  tenant, item, version, …          one for each revision that is kept
//	trellis_contents   tenant, digest, part, data        their files: a gzipped tar archive in parts of 1 MiB
//	trellis_entities   tenant, bundle, type, id, document   the entities of what is current
//
// The entities are for those who query the database; Trellis reads what it needs
// from the contents. The tenant comes first in every key. It is the tenant's name,
// with %XX for each byte that is a control character, a percent sign or no UTF-8;
// of a name that is over 250 bytes then, it is a digest, and the name stands in
// trellis_tenants. Names are compared by their bytes, whatever the database's
// collation is. Times are RFC 3339 in UTC.
//
// In SQLite's default journal mode a change waits until nobody reads, and reading
// until nobody writes; where there is more than a little of both, the database
// should have its write-ahead log on (PRAGMA journal_mode=WAL).
//
// The database stays the caller's to close.
func SQL(db *sql.DB, kind Kind, opts Options) (*Database, error) {
	d, ok := kind.dialect()
	if !ok {
		return nil, refused(graph.Unsupported, "no repository is kept in a database of kind %q", kind)
	}
	r := &Database{db: db, d: d, opts: opts.withDefaults()}
	if d.begin != "" {
		r.turn = make(chan struct{}, 1)
	}
	return r, nil
}

// A Database is a Repository in a database.
type Database struct {
	db   *sql.DB
	d    *dialect
	opts Options
	// turn has room for the one that may write, where a database lets one write at
	// a time and has others ask again and again; nil where it has them wait.
	turn chan struct{}
}

// Close implements Repository.
func (r *Database) Close() error { return nil }

// Migrate makes the tables that are not there. Until then there is nothing to
// read, and every Commit fails.
func (r *Database) Migrate(ctx context.Context) error {
	return r.transaction(ctx, func(t *transaction) error {
		if r.d.lockSchema != "" {
			if err := t.exec(r.d.lockSchema); err != nil {
				return err
			}
		}
		for _, statement := range r.d.tables() {
			if err := t.exec(statement); err != nil {
				return err
			}
		}
		return nil
	})
}

// query reads the rows of one statement.
func (d *dialect) query(ctx context.Context, q querier, statement string, args []any, row func(scan func(...any) error) error) error {
	rows, err := q.QueryContext(ctx, d.bind(statement), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// read reads the rows of one statement outside of transactions. Where the tables
// were not made yet there are none.
func (r *Database) read(ctx context.Context, statement string, args []any, row func(scan func(...any) error) error) error {
	err := r.d.query(ctx, r.db, statement, args, row)
	if !noTable(err) {
		return err
	}
	// Migrate makes this one first: without it there is nothing, and with it there
	// is something that was lost.
	nothing := func(func(...any) error) error { return nil }
	if noTable(r.d.query(ctx, r.db, "SELECT tenant FROM trellis_tenants WHERE 1 = 0", nil, nothing)) {
		return nil
	}
	return err
}

// reading is read, or that of a transaction.
type reading func(ctx context.Context, statement string, args []any, row func(scan func(...any) error) error) error

// noTable reports whether the database says that a table is not there.
func noTable(err error) bool {
	if err == nil {
		return false
	}
	text := err.Error()
	for _, said := range []string{"no such table: trellis_", "Error 1146 ", "SQLSTATE 42P01"} {
		if strings.Contains(text, said) {
			return true
		}
	}
	return false
}

type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Tenants implements Repository.
func (r *Database) Tenants(ctx context.Context) ([]string, error) {
	var names []string
	err := patiently(ctx, func() error {
		names = []string{}
		return r.read(ctx, "SELECT name FROM trellis_tenants WHERE version > 0", nil, func(scan func(...any) error) error {
			var text string
			if err := scan(&text); err != nil {
				return err
			}
			name, ok := unquoted(text)
			if !ok {
				return damaged("the name of a tenant cannot be read")
			}
			names = append(names, name)
			return nil
		})
	})
	slices.Sort(names)
	return names, err
}

// Version implements Repository.
func (r *Database) Version(ctx context.Context, tenant string) (version int64, err error) {
	if err := checkTenant(tenant); err != nil {
		return 0, err
	}
	err = patiently(ctx, func() error {
		version = 0
		return r.read(ctx, "SELECT version FROM trellis_tenants WHERE tenant = ?", []any{keyOf(tenant)},
			func(scan func(...any) error) error { return scan(&version) })
	})
	return version, err
}

// revisionColumns are the columns of a revisionRow r, in the order of its fields.
const revisionColumns = "r.item, r.version, r.revision, r.deleted, r.applied, r.author, r.note, r.files, r.bytes, r.digest"

// State implements Repository. It is one statement, and so of one moment.
func (r *Database) State(ctx context.Context, tenant string) (s State, err error) {
	if err := checkTenant(tenant); err != nil {
		return State{}, err
	}
	err = patiently(ctx, func() error {
		s, err = r.state(ctx, r.read, tenant)
		return err
	})
	return s, err
}

func (r *Database) state(ctx context.Context, read reading, tenant string) (State, error) {
	var s State
	err := read(ctx, `SELECT t.version,
			(SELECT MAX(d.applied) FROM trellis_revisions d WHERE d.tenant = t.tenant AND d.deleted = 1 AND d.item NOT LIKE '@%'), `+revisionColumns+`
		FROM trellis_tenants t
		LEFT JOIN trellis_revisions r ON r.tenant = t.tenant AND r.deleted = 0 AND r.version =
			(SELECT MAX(l.version) FROM trellis_revisions l WHERE l.tenant = r.tenant AND l.item = r.item)
		WHERE t.tenant = ?`, []any{keyOf(tenant)}, func(scan func(...any) error) error {
		var row revisionRow
		var deleted sql.NullString
		if err := scan(append([]any{&s.Version, &deleted}, row.fields()...)...); err != nil {
			return err
		}
		if deleted.Valid {
			var err error
			if s.Deleted, err = time.Parse(timeLayout, deleted.String); err != nil {
				return damaged("the time at which a bundle was deleted cannot be read")
			}
		}
		if !row.item.Valid { // a tenant without anything
			return nil
		}
		rev, err := row.revision()
		s.Items = append(s.Items, rev)
		return err
	})
	slices.SortFunc(s.Items, func(a, b Revision) int { return strings.Compare(a.Item, b.Item) })
	return s, err
}

// History implements Repository.
func (r *Database) History(ctx context.Context, tenant, item string) ([]Revision, error) {
	if err := checkItem(tenant, item); err != nil {
		return nil, err
	}
	var list []Revision
	err := patiently(ctx, func() error {
		list = []Revision{}
		return r.read(ctx, "SELECT "+revisionColumns+" FROM trellis_revisions r WHERE r.tenant = ? AND r.item = ? ORDER BY r.version DESC",
			[]any{keyOf(tenant), item}, func(scan func(...any) error) error {
				var row revisionRow
				if err := scan(row.fields()...); err != nil {
					return err
				}
				rev, err := row.revision()
				list = append(list, rev)
				return err
			})
	})
	return list, err
}

// Content implements Repository. It is one statement, so that no part of what it
// reads is swept up meanwhile.
func (r *Database) Content(ctx context.Context, tenant, item string, version int64) (files []File, err error) {
	if err := checkItem(tenant, item); err != nil {
		return nil, err
	}
	err = patiently(ctx, func() error {
		files, err = r.content(ctx, tenant, item, version)
		return err
	})
	return files, err
}

func (r *Database) content(ctx context.Context, tenant, item string, version int64) ([]File, error) {
	var data, part []byte
	var row revisionRow
	err := r.read(ctx, "SELECT c.data, "+revisionColumns+` FROM trellis_revisions r
		LEFT JOIN trellis_contents c ON c.tenant = r.tenant AND c.digest = r.digest
		WHERE r.tenant = ? AND r.item = ? AND r.version = ? ORDER BY c.part`, []any{keyOf(tenant), item, version},
		func(scan func(...any) error) error {
			err := scan(append([]any{&part}, row.fields()...)...)
			data = append(data, part...)
			return err
		})
	if err != nil {
		return nil, err
	}
	if !row.item.Valid {
		return nil, absent("there is no version %d of %q, or it is no longer kept", version, item)
	}
	rev, err := row.revision()
	if err != nil || rev.Deleted {
		return nil, err
	}
	return unpack(data, rev)
}
