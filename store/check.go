package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/schema"
)

// Checked is SQL, once CheckConnection has looked at the database. What a
// connection may do beyond its work is given to warn, one finding after the
// other; where warn is nil it is refused, all in one error. Findings of the kinds
// Unfit and Missing are always refused.
func Checked(ctx context.Context, db *sql.DB, d *compile.Dialect, s *schema.Schema, warn func(Finding)) (Store, error) {
	if err := refuse(ctx, db, d, s, warn); err != nil {
		return nil, err
	}
	return SQL(db, d), nil
}

// CheckedOwn is Own, once CheckConnection has looked at the database, as for
// Checked.
func CheckedOwn(ctx context.Context, db *sql.DB, d *compile.Dialect, s *schema.Schema, warn func(Finding)) (Store, error) {
	if err := refuse(ctx, db, d, s, warn); err != nil {
		return nil, err
	}
	return Own(db, d), nil
}

// refuse returns the findings that are refused, and gives the others to warn.
func refuse(ctx context.Context, db *sql.DB, d *compile.Dialect, s *schema.Schema, warn func(Finding)) error {
	found, err := CheckConnection(ctx, db, d, s)
	if err != nil {
		return err
	}
	var refused []error
	for _, f := range found {
		if warn == nil || f.Kind == Unfit || f.Kind == Missing {
			refused = append(refused, f)
		} else {
			warn(f)
		}
	}
	return errors.Join(refused...)
}

// A Finding is something about a database's connections that should not be. It
// is an error for those who refuse it.
type Finding struct {
	Kind FindingKind
	// Message says what was found and what to do about it. It names tables,
	// routines and roles of the database, and never a value that is stored or a
	// password.
	Message string
}

func (f Finding) Error() string { return f.Message }

// A FindingKind says what is wrong with a connection.
type FindingKind string

// The kinds of findings.
const (
	// Unfit: answers would be wrong, as values are stored in another form than
	// statements compare, or in another order.
	Unfit FindingKind = "unfit"
	// Missing: a table or column of the schema is not there, or may not be read, so calls
	// that need it would fail.
	Missing FindingKind = "missing"
	// Writes: the account may change data or make tables. That the sessions of
	// a store are read-only then is all that keeps it from doing so.
	Writes FindingKind = "writes"
	// ReadsMore: the account may read what is not the graph's.
	ReadsMore FindingKind = "reads_more"
	// Administers: the account may do everything, or has rights over accounts,
	// other sessions or the server.
	Administers FindingKind = "administers"
	// Files: the account may reach files of the server, its programs or its
	// network.
	Files FindingKind = "files"
	// ManyStatements: the driver takes several statements in one text.
	ManyStatements FindingKind = "many_statements"
	// NotReadOnly: sessions of the store are not read-only.
	NotReadOnly FindingKind = "not_read_only"
	// Unknown: something could not be found out.
	Unknown FindingKind = "unknown"
)

// CheckConnection checks whether a connection of a database may do more than a
// store needs, which is to SELECT from the tables of the schema. It looks at one
// connection; those of a pool are alike.
//
// On MariaDB and MySQL it reads the account's grants, and those of its roles; on
// PostgreSQL the rights of the user that logged in and of all roles that it is a
// member of. On both it tries two statements in one text, and whether a session
// of the store is read-only, and looks for columns in which texts cannot be
// compared byte by byte. SQLite has no accounts: a connection reads the whole
// file. There CheckConnection checks that sessions cannot write, that no other
// file is attached, that texts are UTF-8, that the tables and columns of the schema
// are there, and that the first values of each property are stored in the form
// that the dialect compares. On ClickHouse it reads the user's grants, those of its
// roles among them, and whether statements are read-only.
//
// Neither has DuckDB: there it checks that the file is open for reading and
// alone, that files, network, extensions and settings are shut, that sessions are
// as package store/analytic/duckdb has them, and that the tables and columns of the
// schema are there.
//
// Nothing is written, and a connection is given back to the pool as it was: what
// a session of the store sets up is taken back, or the connection is closed. The
// error is a *graph.Error: the database could not be
// asked. A check that a server does not know is a finding of the kind Unknown.
func CheckConnection(ctx context.Context, db *sql.DB, d *compile.Dialect, s *schema.Schema) ([]Finding, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, Failure(ctx, unreached(ctx, err))
	}
	c := &check{ctx: ctx, db: db, conn: conn, dialect: d, schema: s.Base()}
	switch d.Name() {
	case compile.SQLite().Name():
		c.sqlite()
	case compile.DuckDB().Name():
		c.duckdb()
	case compile.Postgres().Name():
		c.postgres()
	case compile.MariaDB().Name(), compile.MySQL().Name():
		c.mysql()
	case compile.ClickHouse().Name():
		c.clickhouse()
	default:
		c.report(Unknown, "nothing is known of the rights of connections that speak %s", d.Name())
	}
	// The sessions may need the pool's only connection.
	if err := conn.Close(); err != nil && c.failed == nil {
		c.failed = err
	}
	if !d.InProcess() {
		c.severalStatements()
	}
	for _, do := range c.later {
		do()
	}
	if c.failed != nil {
		return nil, Failure(ctx, c.failed)
	}
	return c.found, nil
}

// A check collects what is found.
type check struct {
	ctx     context.Context
	db      *sql.DB
	conn    *sql.Conn
	dialect *compile.Dialect
	schema  *schema.Schema
	found   []Finding
	later   []func() // what needs a session, when conn is given back
	failed  error    // the first that keeps the check from going on
}

func (c *check) report(kind FindingKind, format string, args ...any) {
	c.found = append(c.found, Finding{kind, fmt.Sprintf(format, args...)})
}

// texts are the rows of a statement with one column that is not null.
func (c *check) texts(text string, args ...any) []string {
	if c.failed != nil {
		return nil
	}
	out, err := readTexts(c.ctx, c.conn, text, args...)
	if err != nil {
		c.failed = err
	}
	return out
}

// unsure are the rows of a statement that not every server knows; where one does
// not, that is found.
func (c *check) unsure(what, text string, args ...any) []string {
	if c.failed != nil {
		return nil
	}
	out, err := readTexts(c.ctx, c.conn, text, args...)
	switch {
	case err == nil:
	case c.ctx.Err() != nil || isConnection(err):
		c.failed = err
	default:
		c.report(Unknown, "it could not be found out %s", what)
	}
	return out
}

type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func readTexts(ctx context.Context, on querier, text string, args ...any) ([]string, error) {
	rows, err := on.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, rows.Err()
}

// severalStatements tries two statements in one text, where a store would.
func (c *check) severalStatements() {
	c.inSession("SELECT 1; SELECT 2", func(_ string, err error) {
		if err == nil {
			c.report(ManyStatements, "the driver takes several statements in one text: turn that off, such as multiStatements or the simple protocol")
		}
	})
}

func firstValue(ctx context.Context, session Session, text string) (value string, err error) {
	rows, err := session.Query(ctx, text, nil)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return "", err
		}
		if len(values) > 0 && value == "" {
			value = fmt.Sprint(values[0])
			if b, ok := values[0].([]byte); ok {
				value = string(b)
			}
		}
	}
	return value, rows.Err()
}

// tables are those of the graph, each once.
func (c *check) tables() []schema.Table {
	var out []schema.Table
	add := func(t schema.Table) {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	for l := range c.schema.Labels() {
		add(l.Table)
	}
	for t := range c.schema.Relationships() {
		for _, p := range t.Pairs {
			add(p.Table)
		}
	}
	return out
}

// some names a few of many.
func some(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
