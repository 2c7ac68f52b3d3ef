package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"time"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/graph/format"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/embedded"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools"
)

// A source is the flags that say which graph to ask.
type source struct {
	graph, schema, dsn, store string
	// readOnly refuses connections that may do more than read the graph.
	readOnly bool
	// direct says that connections are the process's own up to the server.
	direct bool
	// bundleBytes is how large a bundle may be; 0 is the default.
	bundleBytes int
}

func (s *source) define(flags *flag.FlagSet) {
	flags.StringVar(&s.graph, "graph", "", "a graph `directory`, of schema.yaml, nodes/ and relationships/, a file that snapshot wrote, or a bundle")
	flags.StringVar(&s.schema, "schema", "", "a schema `file` that describes the database of --dsn, or the graph or bundle that was loaded into it")
	flags.StringVar(&s.dsn, "dsn", "", "the database's `URL`: "+databaseKinds)
	flags.BoolVar(&s.direct, "direct", false, "the --dsn reaches the server itself and no pooler that gives each transaction another session: connections are set up once, and calls are answered sooner")
	s.defineReadOnly(flags)
	defineBundleBytes(flags, &s.bundleBytes)
	flags.StringVar(&s.store, "store", "memory", "the `store` of --graph: memory, which is fast, or embedded, a SQL engine in this process")
}

func (s *source) defineReadOnly(flags *flag.FlagSet) {
	flags.BoolVar(&s.readOnly, "require-read-only", false, "refuse a --dsn whose account may do more than read the graph; without it that is told on standard error")
}

func (s *source) check() error {
	switch {
	case s.store != "memory" && s.store != "embedded":
		return usagef("there is no store %q; the stores are memory and embedded", s.store)
	case s.readOnly && s.dsn == "":
		return usagef("--require-read-only is about the connection of a --dsn")
	case s.direct && s.dsn == "":
		return usagef("--direct is about the connections of a --dsn")
	case s.graph != "" && (s.schema != "" || s.dsn != ""):
		return usagef("--graph stands alone: it brings its own schema and data")
	case s.graph == "" && s.schema == "" && s.dsn == "":
		return usagef("which graph? Give --graph DIR, or --schema FILE and --dsn URL")
	case s.graph == "" && s.schema == "":
		return usagef("--dsn needs --schema FILE, which describes the database")
	case s.graph == "" && s.dsn == "":
		return usagef("--schema needs --dsn URL, the database that it describes")
	}
	return nil
}

// A session is a graph that can be asked.
type session struct {
	engine *engine.Engine
	tools  *tools.Tools
	dry    bool
	close  func() error
	hide   func(error) error // takes passwords out of messages
	format format.Format     // of answers; JSON if it is empty
	// ping asks the database whether it is there; nil without one.
	ping  func(context.Context) error
	fixes *fixes // of calls that are refused; nil where nobody asked for them
}

// open opens the graph. The error is a usageError, a refusal by the schema or
// the data, or a failure.
func (s *source) open(ctx context.Context, std streams, h *host) (*session, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	opts, closeAudit, err := h.options()
	if err != nil {
		return nil, err
	}
	out, err := s.openStore(ctx, std, h, opts)
	if err != nil {
		return nil, errors.Join(err, closeAudit())
	}
	out.dry = h.dry
	closeStore := out.close
	out.close = func() error { return errors.Join(closeStore(), closeAudit()) }
	return out, nil
}

func (s *source) openStore(ctx context.Context, std streams, h *host, opts engine.Options) (*session, error) {
	if s.graph != "" {
		return openMemory(ctx, s.graph, s.bundleBytes, s.store, h, opts)
	}
	sch, err := readSchema(s.schema, s.bundleBytes)
	if err != nil {
		return nil, err
	}
	db, err := openDatabase(s.dsn, false, std.drivers)
	if err != nil {
		return nil, err
	}
	if h.timeout > 0 { // what is asked before the first call ends as a call does
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, h.timeout)
		defer cancel()
	}
	failed := func(err error) error {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = fmt.Errorf("the database did not answer what is asked before the first call within --timeout %s: %w", h.timeout, err)
		}
		return errors.Join(db.withoutSecrets(err), db.Close())
	}
	dialect, err := db.dialect(ctx)
	if err != nil {
		return nil, failed(err)
	}
	if h.estimate && h.count {
		counted, err := store.ReadStatistics(ctx, store.Database(db.DB, dialect), dialect, sch)
		if err != nil {
			return nil, failed(err)
		}
		opts.Cost = costs(counted)
	}
	st, err := s.checked(ctx, std, db, dialect, sch, h.dry)
	if err != nil {
		return nil, failed(causeOf(err))
	}
	out, err := newSession(sch, st, h, opts)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	closeStore := out.close
	out.close = func() error { return errors.Join(closeStore(), db.Close()) }
	out.hide, out.ping = db.withoutSecrets, db.PingContext
	return out, nil
}

// checked returns the store over a database once its connection was checked,
// unless no store is asked.
func (s *source) checked(ctx context.Context, std streams, db *database, d *compile.Dialect, sch *schema.Schema, dry bool) (store.Store, error) {
	checked := store.Checked
	if s.direct {
		checked = store.CheckedOwn
	}
	switch {
	case dry && !s.readOnly:
		return store.SQL(db.DB, d), nil
	case s.readOnly:
		return checked(ctx, db.DB, d, sch, nil)
	}
	return checked(ctx, db.DB, d, sch, func(f store.Finding) { fmt.Fprintf(std.err, "trellis: warning: %s\n", f) })
}

func openMemory(ctx context.Context, path string, most int, kind string, h *host, opts engine.Options) (*session, error) {
	g, err := openGraph(ctx, path, most, nil)
	if err != nil {
		return nil, err
	}
	st := native.New(g, native.Options{})
	if opts.Prompt = kind != "embedded"; !opts.Prompt {
		if st, err = embedded.New(g, embedded.Options{}); err != nil {
			return nil, err
		}
	}
	if h.estimate {
		opts.Cost = costs(g.Statistics())
	}
	return newSession(g.Schema(), st, h, opts)
}

func newSession(s *schema.Schema, st store.Store, h *host, opts engine.Options) (*session, error) {
	out, err := readTools(s, st, h.queries, opts)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	out.close = st.Close
	return out, nil
}

// readTools returns a session with the tools of a schema and the named queries
// of a file. Without a store it can tell everything but answers.
func readTools(s *schema.Schema, st store.Store, queries string, opts engine.Options) (*session, error) {
	var named *tools.Queries
	if queries != "" {
		var err error
		if named, err = tools.ReadQueries(queries, s, opts.Limits); err != nil {
			return nil, err
		}
	}
	eng := engine.New(schema.NewCatalog(s), st, opts)
	return &session{
		engine: eng, tools: tools.New(eng, tools.Options{Queries: named}),
		hide: func(err error) error { return err },
	}, nil
}

// bounds are the flags that set limits.
type bounds struct {
	rows, hops, bytes, toolBytes int
	timeout                      time.Duration
}

func (b *bounds) define(flags *flag.FlagSet) {
	flags.Func("max-rows", "refuse a call that asks for more than `N` nodes or paths [30]; groups keep their own limit [100]", positive(&b.rows, strconv.Atoi))
	flags.Func("max-bytes", "cut an answer's texts, then its rows, to `N` bytes [1048576]", positive(&b.bytes, strconv.Atoi))
	flags.Func("max-tool-bytes", "list a schema's names in the tools' definitions only as far as all of them have `N` bytes [65536]", positive(&b.toolBytes, strconv.Atoi))
	flags.Func("max-hops", "refuse more than `N` hops in a step [3], a path search [6] or a call [8]", positive(&b.hops, strconv.Atoi))
}

func (b *bounds) defineTimeout(flags *flag.FlagSet) {
	flags.Func("timeout", "end a call, and the checks of a database before the first one, after this `duration`, such as 5s [10s for calls]", positive(&b.timeout, time.ParseDuration))
}

// positive returns a flag's parser, which takes nothing below one.
func positive[T int | time.Duration](to *T, parse func(string) (T, error)) func(string) error {
	return func(text string) error {
		v, err := parse(text)
		if err == nil && v < 1 {
			err = errors.New("must be over 0")
		}
		*to = v
		return err
	}
}

func (b *bounds) limits() graph.Limits {
	return graph.Limits{Rows: b.rows, StepHops: b.hops, PathHops: b.hops, TotalHops: b.hops, Bytes: b.bytes, ToolBytes: b.toolBytes, Timeout: b.timeout}
}
