package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Role is an account of the database that may read the tables of a graph.
type Role struct {
	// Name is the name of a role of PostgreSQL that can log in, or of a user of
	// MariaDB or MySQL at any host.
	Name string
	// Password is that of a role that is made. It may be empty if the role is
	// there: then, and whenever it is, the role keeps its own password, and what
	// else it may do.
	Password string
}

// check refuses what no database can hold, and texts that would not stay whole.
func (r *Role) check(target Target) error {
	switch {
	case target == SQLite || target == DuckDB:
		return errors.New("load: SQLite and DuckDB have no roles: who may read the file may read all of it")
	case target == ClickHouse:
		return errors.New("load: on ClickHouse users are made by who administers it: GRANT SELECT on the tables, with the setting readonly = 2")
	case r.Name == "":
		return errors.New("load: the role has no name")
	case strings.ContainsFunc(r.Name+r.Password, func(c rune) bool { return c < ' ' || c == '\uFFFD' }):
		return errors.New("load: the role's name and password must be valid texts without control characters")
	}
	return nil
}

// literal writes a text for statements that take no parameters, in sessions
// where a backslash stands for itself.
func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// onPostgres reports whether the role is there.
func (r *Role) onPostgres(ctx context.Context, db rowQuerier) (there bool, err error) {
	err = db.QueryRowContext(ctx, "SELECT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = $1::text)", r.Name).Scan(&there)
	if err != nil {
		err = fmt.Errorf("load: looking for the role %q: %w", r.Name, err)
	}
	return there, err
}

// A rowQuerier is a database or a transaction.
type rowQuerier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// postgresRole makes the role, unless it is there, and lets it read the tables.
func (r *Role) postgresRole(ctx context.Context, tx *sql.Tx, d *dialect, tables []*table) error {
	there, err := r.onPostgres(ctx, tx)
	if err != nil {
		return err
	}
	name := d.name(r.Name)
	var statements []string
	switch {
	case !there && r.Password == "":
		return r.absent()
	case !there:
		statements = append(statements, "SET LOCAL standard_conforming_strings = on", "CREATE ROLE "+name+" LOGIN PASSWORD "+literal(r.Password),
			"ALTER ROLE "+name+" SET default_transaction_read_only = on")
	}
	var schemas []string
	for _, t := range tables {
		if !slices.Contains(schemas, t.name.Schema) {
			schemas = append(schemas, t.name.Schema)
		}
		statements = append(statements, "GRANT SELECT ON TABLE "+d.named(t.name)+" TO "+name)
	}
	for _, s := range schemas {
		if s == "" {
			if err := tx.QueryRowContext(ctx, "SELECT current_schema()").Scan(&s); err != nil {
				return fmt.Errorf("load: looking for the schema of the tables: %w", err)
			}
		}
		statements = append(statements, "GRANT USAGE ON SCHEMA "+d.name(s)+" TO "+name)
	}
	return r.run(ctx, tx, statements)
}

// mysqlRole makes the account, unless it is there.
func (r *Role) mysqlRole(ctx context.Context, db *sql.DB, d *dialect) error {
	if r.Password == "" {
		var first string
		if err := db.QueryRowContext(ctx, "SHOW GRANTS FOR "+r.account(d)).Scan(&first); err != nil {
			return errors.Join(r.absent(), err)
		}
		return nil
	}
	return withSetting(ctx, db, "sql_mode", "'NO_BACKSLASH_ESCAPES'", func(conn *sql.Conn) error {
		return r.run(ctx, conn, []string{"CREATE USER IF NOT EXISTS " + r.account(d) + " IDENTIFIED BY " + literal(r.Password)})
	})
}

// mysqlGrants lets the account read the tables.
func (r *Role) mysqlGrants(ctx context.Context, db *sql.DB, d *dialect, tables []*table) error {
	var statements []string
	for _, t := range tables {
		statements = append(statements, "GRANT SELECT ON "+d.named(t.name)+" TO "+r.account(d))
	}
	return r.run(ctx, db, statements)
}

func (r *Role) account(d *dialect) string { return d.name(r.Name) + "@" + d.name("%") }

func (r *Role) absent() error {
	return fmt.Errorf("load: there is no role %q; to make it takes a password", r.Name)
}

// run runs statements. Errors do not repeat them: one has the password.
func (r *Role) run(ctx context.Context, db execer, statements []string) error {
	for _, s := range statements {
		if _, err := db.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("load: letting the role %q read the tables: %w", r.Name, err)
		}
	}
	return nil
}
