package introspect

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// Options say what is read of a database. The zero value is all tables of the
// connection's own schema.
type Options struct {
	// Schemas are the schemas whose tables are read; on MariaDB and MySQL,
	// databases. By default it is the one that the connection is in, whose tables
	// need no schema before their names. SQLite has none.
	Schemas []string
	// Tables are patterns, as of path.Match, of the names of the tables and views
	// to read, with or without a schema before a point; all by default.
	Tables []string
	// Views are the views to map as labels, by name, and the columns of their
	// keys, which must be unique and not null: no database says whether they are.
	Views map[string][]string
	// Undeclared is for Check: no relationship is expected to be declared as a
	// foreign key.
	Undeclared bool
}

// Read drafts a schema of a database. Nothing is written. It reads the
// database's description of itself, at most 50 values of each column that may
// name tables, and whether 1,000 values of each column that may be an
// undeclared reference are keys of the table that its name suggests, or the value
// beside it.
//
// The draft's YAML is a schema file without problems. It is an error if there is
// nothing to map, and if the file would be larger than a schema file may be.
func Read(ctx context.Context, db *sql.DB, opts Options) (*Draft, error) {
	e, c, err := open(ctx, db, opts)
	if err != nil {
		return nil, err
	}
	d, err := draft(c, opts, e.asker(ctx, db))
	if err != nil {
		return nil, err
	}
	if _, err := d.Schema(); err != nil {
		return nil, fmt.Errorf("introspect: the draft is no schema; read fewer tables: %w", err)
	}
	return d, nil
}

// Schema is the schema that the draft's file holds.
func (d *Draft) Schema() (*schema.Schema, error) { return schema.Parse("schema.yaml", d.YAML()) }

// ReadCatalog reads what a database says of its tables.
func ReadCatalog(ctx context.Context, db *sql.DB, opts Options) (*Catalog, error) {
	_, c, err := open(ctx, db, opts)
	return c, err
}

func open(ctx context.Context, db *sql.DB, opts Options) (*engine, *Catalog, error) {
	for _, pattern := range opts.Tables {
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, nil, fmt.Errorf("introspect: %q is no pattern: a * stands for any text, a ? for any character, [a-z] for one of several", pattern)
		}
	}
	e, err := detect(ctx, db)
	if err != nil {
		return nil, nil, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("introspect: %w", err)
	}
	defer conn.Close()
	r := &rows{ctx: ctx, conn: conn}
	c := e.read(r, opts.Schemas)
	if r.err != nil {
		return nil, nil, fmt.Errorf("introspect: reading the catalog of %s: %w", e.name, r.err)
	}
	c.Engine = e.name
	c.Tables = slices.DeleteFunc(c.Tables, func(t *Table) bool { return !wanted(t.Name, opts.Tables) })
	c.enums(e.backslash)
	c.sort()
	for _, name := range sortedKeys(opts.Views) {
		if !slices.ContainsFunc(c.Tables, func(t *Table) bool { return t.View && t.Name.String() == name }) {
			return nil, nil, fmt.Errorf("introspect: there is no view %q among those that are read%s", shown(name), meantView(c, name))
		}
	}
	return e, c, nil
}

func meantView(c *Catalog, name string) string {
	var views []string
	for _, t := range c.Tables {
		if t.View {
			views = append(views, t.Name.String())
		}
	}
	if near := schema.Suggest(name, views); len(near) > 0 {
		return fmt.Sprintf("; did you mean %q?", near[0])
	}
	return ""
}

func wanted(t schema.Table, patterns []string) bool {
	for _, p := range patterns {
		for _, name := range []string{t.Name, t.String()} {
			if ok, _ := path.Match(p, name); ok {
				return true
			}
		}
	}
	return len(patterns) == 0
}

// An engine is what tells databases apart where they are read.
type engine struct {
	name  string
	quote string // around names, doubled within them
	flat  bool   // tables have no schemas
	// exact writes a column so that texts differ if a byte of them does.
	exact       string
	placeholder string
	backslash   bool // escapes in texts
	escaped     bool // backslashes in names are doubled
	// loose says that no key is unique and nothing is declared to refer to one.
	loose bool
	read  func(r *rows, schemas []string) *Catalog
}

// fourNumbers is how the versions of ClickHouse begin, and of nothing else here.
var fourNumbers = regexp.MustCompile(`^[0-9]+(\.[0-9]+){3}`)

// detect asks the server what it is.
func detect(ctx context.Context, db *sql.DB) (*engine, error) {
	var version string
	if err := db.QueryRowContext(ctx, "SELECT version()").Scan(&version); err != nil {
		if db.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&version) == nil {
			return &engine{name: "sqlite", quote: "`", flat: true, exact: "CAST(@ AS TEXT)", placeholder: "?", read: readSQLite}, nil
		}
		return nil, fmt.Errorf("introspect: asking the server for its version: %w", err)
	}
	mysql := func(name string) *engine {
		return &engine{name: name, quote: "`", exact: "CAST(CONVERT(@ USING utf8mb4) AS BINARY)", placeholder: "?", backslash: true, read: readMySQL}
	}
	switch v := strings.ToLower(version); {
	case strings.HasPrefix(v, "v"): // a number alone
		return &engine{name: "duckdb", quote: `"`, exact: "CAST(@ AS VARCHAR)", placeholder: "$1", read: readDuckDB}, nil
	case fourNumbers.MatchString(v):
		return &engine{name: "clickhouse", quote: "`", exact: "toString(@)", placeholder: "{p1:String}", backslash: true, escaped: true, loose: true, read: readClickHouse}, nil
	case strings.Contains(v, "mariadb"):
		return mysql("mariadb"), nil
	case strings.Contains(v, "postgresql"), strings.Contains(v, "cockroach"):
		return &engine{name: "postgres", quote: `"`, exact: "CAST(@ AS text)", placeholder: "$1", read: readPostgres}, nil
	}
	return mysql("mysql"), nil
}

// rows reads the rows of statements, until one fails.
type rows struct {
	ctx  context.Context
	conn *sql.Conn
	err  error
}

// each calls what is to be done with each row of a statement, whose values are
// scanned to these places before.
func (r *rows) each(do func(), statement string, args []any, to ...any) {
	if r.err != nil {
		return
	}
	list, err := r.conn.QueryContext(r.ctx, statement, args...)
	if err != nil {
		r.err = err
		return
	}
	defer list.Close()
	for list.Next() {
		if r.err = list.Scan(to...); r.err != nil {
			return
		}
		do()
	}
	r.err = errors.Join(list.Err(), list.Close())
}

// tableOf finds a table that was read. One that was made since then is nobody's.
func tableOf[K comparable](tables map[K]*Table, key K) *Table {
	if tables[key] == nil {
		tables[key] = &Table{}
	}
	return tables[key]
}

// orOwn replaces an empty name by that of the connection's own schema.
func orOwn(schemas []string, own string) []string {
	if len(schemas) == 0 {
		return []string{own}
	}
	out := slices.Clone(schemas)
	for i, s := range out {
		if s == "" {
			out[i] = own
		}
	}
	return out
}

// fail ends the reading with a mistake of the caller's.
func (r *rows) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}
