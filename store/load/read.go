package load

import (
	"context"
	"database/sql"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// ReadOptions say how a graph is read. The zero value is fine.
type ReadOptions struct {
	// Target is the kind of database; by default the server is asked.
	Target Target
	// Connections is how many connections may read at the same time, where the
	// database lets several see the same state, as PostgreSQL does; 0 is one for
	// each processor. It is never more than the pool opens.
	Connections int
	// Progress is told how far each label and each pair is, now and then and at
	// its end; their Total is not known before. It is never called twice at the
	// same time.
	Progress func(Progress)
}

// Read reads all that the schema maps of a database into a graph: a row of a
// label's table is a node, a row of a pair's table whose columns are not null is
// a relationship. Everything is of one state of the database, whoever writes
// meanwhile: of a read-only transaction, and of what several see that share
// their snapshot. On MySQL and MariaDB that holds for InnoDB tables. ClickHouse
// has no such state: there each table is read as it is when it is its turn.
//
// If something is wrong with the data, the error is a *memory.LoadError that
// tells every bad row by its table and key, and there is no graph: values that
// do not fit their type, nulls that may not be, keys that are there twice,
// relationships that lead nowhere. Other errors are those of the database and
// of ctx. Nothing is written.
func Read(ctx context.Context, db *sql.DB, s *schema.Schema, opts ReadOptions) (*memory.Graph, error) {
	s = s.Base()
	if opts.Target == Detect {
		var err error
		if opts.Target, err = detect(ctx, db); err != nil {
			return nil, err
		}
	}
	dialect, ok := opts.Target.compiler()
	if !ok {
		return nil, fmt.Errorf("load: unknown target %d", opts.Target)
	}
	r := &reader{db: db, dialect: dialect, builder: memory.NewBuilder(s), teller: teller{progress: opts.Progress}}
	r.builder.FromTables()
	if err := r.all(ctx, s, r.connections(opts.Connections)); err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	return r.builder.Build()
}

// compiler is the dialect in which a target is read.
func (t Target) compiler() (*compile.Dialect, bool) {
	switch t {
	case MariaDB:
		return compile.MariaDB(), true
	case MySQL:
		return compile.MySQL(), true
	case Postgres:
		return compile.Postgres(), true
	case SQLite:
		return compile.SQLite(), true
	case DuckDB:
		return compile.DuckDB(), true
	case ClickHouse:
		return compile.ClickHouse(), true
	}
	return nil, false
}

// A reader reads tables into a builder.
type reader struct {
	db      *sql.DB
	dialect *compile.Dialect
	builder *memory.Builder
	teller
}

// connections is how many connections are used.
func (r *reader) connections(wanted int) int {
	if wanted <= 0 {
		wanted = runtime.GOMAXPROCS(0)
	}
	if most := r.db.Stats().MaxOpenConnections; most > 0 {
		wanted = min(wanted, most)
	}
	if r.dialect.ExportSnapshot() == "" {
		wanted = 1
	}
	return wanted
}

// all reads everything, over several connections where they see the same.
func (r *reader) all(ctx context.Context, s *schema.Schema, connections int) error {
	first, err := r.begin(ctx, ctx, "")
	if err != nil {
		return err
	}
	adopt := ""
	if connections > 1 {
		if adopt, err = first.export(ctx); err != nil {
			// A server that only speaks like PostgreSQL. The failure ended the
			// transaction.
			first.close()
			if first, err = r.begin(ctx, ctx, ""); err != nil {
				return err
			}
		}
	}
	if err := first.setUp(ctx); err != nil {
		first.close()
		return err
	}
	jobs := make(chan []compile.Reading, 1024)
	group, inner := errgroup.WithContext(ctx)
	// Connections that are still waited for when all is read are not needed.
	waiting, done := context.WithCancel(inner)
	work := func(session *readSession) error {
		defer session.close()
		for readings := range jobs {
			for _, reading := range readings {
				if err := r.read(inner, session, reading); err != nil {
					return err
				}
			}
		}
		done()
		return nil
	}
	group.Go(func() error { return work(first) })
	if adopt != "" {
		for range connections - 1 {
			group.Go(func() error {
				// Where there is no further connection, the first reads on alone.
				session, err := r.begin(waiting, inner, adopt)
				if err != nil {
					return nil
				}
				if err := session.setUp(inner); err != nil {
					session.close()
					return nil
				}
				return work(session)
			})
		}
	}
	group.Go(func() error {
		defer close(jobs)
		for _, job := range jobsOf(r.dialect.Readings(s)) {
			select {
			case jobs <- job:
			case <-inner.Done():
				return inner.Err()
			}
		}
		return nil
	})
	err = group.Wait()
	done()
	return err
}

// jobsOf parts readings into those that are done one after the other: those of
// a label, and those of a relationship type.
func jobsOf(readings []compile.Reading) [][]compile.Reading {
	var out [][]compile.Reading
	for i, reading := range readings {
		if i > 0 && reading.Pair != nil && readings[i-1].Pair != nil && readings[i-1].Pair.Type == reading.Pair.Type {
			out[len(out)-1] = append(out[len(out)-1], reading)
		} else {
			out = append(out, []compile.Reading{reading})
		}
	}
	return out
}

// A readSession is a transaction on a connection of its own.
type readSession struct {
	dialect *compile.Dialect
	conn    *sql.Conn
	tx      *sql.Tx // nil where there are none
	restore string  // what gives the session back as it was; "" if nothing has to
}

// begin opens a transaction that sees one state: that which adopt stands for,
// if it is not empty. For the connection it waits as long as the first context.
func (r *reader) begin(wait, ctx context.Context, adopt string) (*readSession, error) {
	conn, err := r.db.Conn(wait)
	if err != nil {
		return nil, err
	}
	if r.dialect.Trailing() {
		return &readSession{dialect: r.dialect, conn: conn}, nil
	}
	tx, err := conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead})
	if err != nil {
		conn.Close()
		return nil, err
	}
	s := &readSession{dialect: r.dialect, conn: conn, tx: tx}
	if adopt != "" {
		if _, err := tx.ExecContext(ctx, adopt); err != nil {
			s.close()
			return nil, err
		}
	}
	return s, nil
}

// query runs a statement with its arguments.
func (s *readSession) query(ctx context.Context, text string, args []any) (*sql.Rows, error) {
	if s.tx != nil {
		return s.tx.QueryContext(ctx, text, args...)
	}
	named := make([]any, len(args))
	for i, a := range args {
		named[i] = sql.Named(s.dialect.ParameterName(i+1), a)
	}
	return s.conn.QueryContext(ctx, text+s.dialect.SessionSetup(0), named...)
}

// export returns the statement with which others see what this session sees.
func (s *readSession) export(ctx context.Context) (string, error) {
	var name string
	if err := s.tx.QueryRowContext(ctx, s.dialect.ExportSnapshot()).Scan(&name); err != nil {
		return "", err
	}
	adopt, ok := s.dialect.AdoptSnapshot(name)
	if !ok {
		return "", fmt.Errorf("the server named its state %q", name)
	}
	return adopt, nil
}

func (s *readSession) setUp(ctx context.Context) error {
	if s.dialect.Trailing() {
		return nil
	}
	if state := s.dialect.SessionState(); state != "" {
		if err := s.tx.QueryRowContext(ctx, state).Scan(&s.restore); err != nil {
			return err
		}
	}
	_, err := s.tx.ExecContext(ctx, s.dialect.SessionSetup(0))
	return err
}

// close ends the transaction and gives the connection back as it was.
func (s *readSession) close() {
	if s.tx != nil {
		s.tx.Rollback() // there is nothing to keep
	}
	if s.restore != "" {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		s.conn.ExecContext(ctx, s.restore) // of a connection that is lost there is nothing to restore
	}
	s.conn.Close()
}
