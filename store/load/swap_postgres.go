package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/trellisgraph/trellis/schema"
)

// postgresSwap drops and renames tables in one transaction. The new tables are
// committed before, for rows are there for those only whose snapshot is younger,
// while names are there for all.
type postgresSwap struct{}

func (postgresSwap) prepare(ctx context.Context, db *sql.DB, d *dialect, tables []*table, role *Role) error {
	if err := postgresMayReplace(ctx, db, d, tables); err != nil {
		return err
	}
	if role == nil || role.Password != "" {
		return nil
	}
	there, err := role.onPostgres(ctx, db)
	if err == nil && !there {
		err = role.absent()
	}
	return err
}

func (postgresSwap) drop(ctx context.Context, db *sql.DB, names []string) error {
	_, err := db.ExecContext(ctx, "DROP TABLE IF EXISTS "+strings.Join(names, ", "))
	return err
}

func (p postgresSwap) swap(ctx context.Context, db *sql.DB, d *dialect, tables []*table, role *Role) error {
	if err := p.settle(ctx, db); err != nil {
		return err
	}
	return inTx(ctx, db, func(tx *sql.Tx) error {
		if err := p.lock(ctx, tx, d, tables); err != nil {
			return err
		}
		if err := p.rename(ctx, tx, d, tables); err != nil {
			return err
		}
		if role == nil {
			return nil
		}
		return role.postgresRole(ctx, tx, d, tables)
	})
}

// settled is how long calls may take from their snapshot to their first table,
// where it cannot be seen whether there are such.
const settled = time.Second

// settle waits until no snapshot is known that is older than the new tables.
// Whoever has read a table with one holds a lock, for which lock waits.
func (postgresSwap) settle(ctx context.Context, db *sql.DB) error {
	var now string
	if err := db.QueryRowContext(ctx, "SELECT txid_current()::text").Scan(&now); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	for end := time.Now().Add(settled); time.Now().Before(end); {
		var older int
		// Who may not see the state of others counts them.
		if err := db.QueryRowContext(ctx, `SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
AND (state IS NULL OR age(backend_xmin) > age((($1::text)::bigint & 4294967295)::text::xid))`, now).Scan(&older); err != nil {
			return fmt.Errorf("load: looking for older snapshots: %w", err)
		}
		if older == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	return nil
}

const (
	// lockTime is how long the loader waits for all tables while readers wait for
	// it: less than the second after which a server looks for deadlocks, so that
	// it is never a reader who is sent away.
	lockTime = 200 * time.Millisecond
	// lockTries is how often it tries.
	lockTries = 100
)

// lock takes the tables that are there from all readers, together.
func (postgresSwap) lock(ctx context.Context, tx *sql.Tx, d *dialect, tables []*table) error {
	var there []string
	for _, t := range tables {
		var kind sql.NullString
		if err := tx.QueryRowContext(ctx, "SELECT relkind::text FROM pg_catalog.pg_class WHERE oid = pg_catalog.to_regclass($1::text)", d.named(t.name)).Scan(&kind); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("load: looking for table %q: %w", t, err)
		}
		if kind.String == "r" || kind.String == "p" {
			there = append(there, d.named(t.name))
		}
	}
	if len(there) == 0 {
		return nil
	}
	set := func(to string) error {
		_, err := tx.ExecContext(ctx, "SET LOCAL lock_timeout = "+to)
		return err
	}
	if err := set(fmt.Sprint(lockTime.Milliseconds())); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	for try := 1; ; try++ {
		if _, err := tx.ExecContext(ctx, "SAVEPOINT trellis_lock"); err != nil {
			return fmt.Errorf("load: %w", err)
		}
		_, err := tx.ExecContext(ctx, "LOCK TABLE "+strings.Join(there, ", ")+" IN ACCESS EXCLUSIVE MODE")
		if err == nil {
			break
		}
		var state interface{ SQLState() string }
		if try == lockTries || !errors.As(err, &state) || state.SQLState() != "55P03" && state.SQLState() != "40P01" {
			return fmt.Errorf("load: taking the tables from their readers: %w", err)
		}
		if _, err := tx.ExecContext(ctx, "ROLLBACK TO SAVEPOINT trellis_lock"); err != nil {
			return fmt.Errorf("load: %w", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockTime):
		}
	}
	return set("DEFAULT")
}

// rename drops the tables that were there before and gives the new ones, and
// their indexes, their names.
func (postgresSwap) rename(ctx context.Context, tx *sql.Tx, d *dialect, tables []*table) error {
	// Together, as they may have foreign keys to each other.
	old := make([]string, len(tables))
	for i, t := range tables {
		old[i] = d.named(t.name)
	}
	if _, err := tx.ExecContext(ctx, "DROP TABLE IF EXISTS "+strings.Join(old, ", ")); err != nil {
		return fmt.Errorf("load: dropping the tables that are there: %w", err)
	}
	for _, t := range tables {
		if err := exec(ctx, tx, t, []string{"ALTER TABLE " + d.named(t.fresh) + " RENAME TO " + d.name(t.name.Name)}); err != nil {
			return err
		}
		// Names that are too long or taken stay.
		rows, err := tx.QueryContext(ctx, `SELECT i.relname, $2::text || substr(i.relname, length($3::text) + 1)
FROM pg_catalog.pg_index AS x JOIN pg_catalog.pg_class AS i ON i.oid = x.indexrelid
WHERE x.indrelid = pg_catalog.to_regclass($1::text) AND starts_with(i.relname, $3::text)
AND octet_length($2::text || substr(i.relname, length($3::text) + 1)) <= 63
AND NOT EXISTS (SELECT FROM pg_catalog.pg_class AS o WHERE o.relnamespace = i.relnamespace AND o.relname = $2::text || substr(i.relname, length($3::text) + 1))`,
			d.named(t.name), t.name.Name, t.fresh.Name)
		if err != nil {
			return fmt.Errorf("load: making table %q: %w", t, err)
		}
		names, err := pairs(rows)
		if err != nil {
			return fmt.Errorf("load: making table %q: %w", t, err)
		}
		for _, n := range names {
			index := d.named(schema.Table{Schema: t.name.Schema, Name: n[0]})
			if err := exec(ctx, tx, t, []string{"ALTER INDEX " + index + " RENAME TO " + d.name(n[1])}); err != nil {
				return err
			}
		}
	}
	return nil
}
