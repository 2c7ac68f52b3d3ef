package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// mysqlSwap renames all tables in one statement; making tables ends a
// transaction there.
type mysqlSwap struct{ there map[*table]bool }

// mayReplace reports, before anything is made, what of the tables that are there
// could not be replaced at the end where a change of tables cannot be undone:
// views, tables that foreign keys of other tables lead to, and triggers.
func (*mysqlSwap) mayReplace(ctx context.Context, db *sql.DB, tables []*table) (there map[*table]bool, err error) {
	there = map[*table]bool{}
	var own [][2]string // database and name, for those in the connection's own, too
	for _, t := range tables {
		var database, kind string
		err := db.QueryRowContext(ctx, "SELECT TABLE_SCHEMA, TABLE_TYPE FROM information_schema.TABLES WHERE TABLE_SCHEMA = COALESCE(NULLIF(?, ''), DATABASE()) AND TABLE_NAME = ?",
			t.name.Schema, t.name.Name).Scan(&database, &kind)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			continue
		case err != nil:
			return nil, fmt.Errorf("load: looking for table %q: %w", t, err)
		case strings.Contains(kind, "VIEW"):
			return nil, fmt.Errorf("load: making table %q: there is a view of that name", t)
		}
		there[t] = true
		own = append(own, [2]string{database, t.name.Name})
	}
	for _, o := range own {
		rows, err := db.QueryContext(ctx, "SELECT TRIGGER_NAME, EVENT_OBJECT_TABLE FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = ? AND EVENT_OBJECT_TABLE = ? ORDER BY 1", o[0], o[1])
		if err != nil {
			return nil, fmt.Errorf("load: looking for triggers of %q: %w", o[1], err)
		}
		triggers, err := pairs(rows)
		if err != nil {
			return nil, fmt.Errorf("load: looking for triggers of %q: %w", o[1], err)
		}
		for _, t := range triggers {
			return nil, wouldLose(t[1], "the trigger "+t[0])
		}
		rows, err = db.QueryContext(ctx, "SELECT DISTINCT TABLE_SCHEMA, TABLE_NAME FROM information_schema.KEY_COLUMN_USAGE WHERE REFERENCED_TABLE_SCHEMA = ? AND REFERENCED_TABLE_NAME = ?", o[0], o[1])
		if err != nil {
			return nil, fmt.Errorf("load: looking for foreign keys to %q: %w", o[1], err)
		}
		from, err := pairs(rows)
		if err != nil {
			return nil, fmt.Errorf("load: looking for foreign keys to %q: %w", o[1], err)
		}
		for _, f := range from {
			if !slices.Contains(own, f) {
				return nil, fmt.Errorf("load: making table %q: a foreign key of table %q leads to the one that is there", o[1], f[0]+"."+f[1])
			}
		}
	}
	return there, nil
}

func (m *mysqlSwap) prepare(ctx context.Context, db *sql.DB, d *dialect, tables []*table, role *Role) (err error) {
	if role != nil {
		if err := role.mysqlRole(ctx, db, d); err != nil {
			return err
		}
	}
	m.there, err = m.mayReplace(ctx, db, tables)
	return err
}

// swap gives all tables their names in one statement, which readers see as a
// whole, and drops those that were there before.
func (m *mysqlSwap) swap(ctx context.Context, db *sql.DB, d *dialect, tables []*table, role *Role) error {
	var renames, old []string
	for _, t := range tables {
		if m.there[t] {
			before := d.named(aside("old", t.name))
			renames, old = append(renames, d.named(t.name)+" TO "+before), append(old, before)
		}
		renames = append(renames, d.named(t.fresh)+" TO "+d.named(t.name))
	}
	if _, err := db.ExecContext(ctx, "RENAME TABLE "+strings.Join(renames, ", ")); err != nil {
		return fmt.Errorf("load: giving the tables their names: %w", err)
	}
	if err := m.drop(ctx, db, old); err != nil {
		return fmt.Errorf("load: the tables are in place, but those before them are still there as %s: %w", strings.Join(old, ", "), err)
	}
	if role != nil {
		return role.mysqlGrants(ctx, db, d, tables)
	}
	return nil
}

// drop drops tables that may have foreign keys to each other.
func (*mysqlSwap) drop(ctx context.Context, db *sql.DB, names []string) error {
	if len(names) == 0 {
		return nil
	}
	return withSetting(ctx, db, "foreign_key_checks", "0", func(conn *sql.Conn) error {
		_, err := conn.ExecContext(ctx, "DROP TABLE IF EXISTS "+strings.Join(names, ", "))
		return err
	})
}

// withSetting does something on a connection that has a variable set so, and
// sets it back.
func withSetting(ctx context.Context, db *sql.DB, name, value string, do func(*sql.Conn) error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "SET @trellis_before = @@"+name+", "+name+" = "+value); err != nil {
		return err
	}
	failed := do(conn)
	after, cancel := afterwards(ctx)
	defer cancel()
	_, err = conn.ExecContext(after, "SET "+name+" = @trellis_before")
	return errors.Join(failed, err)
}
