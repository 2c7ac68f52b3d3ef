package embedded

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/memory"
)

// Options bound what statements may take. The zero Options are the defaults.
type Options struct {
	// MaxRows is the number of rows that one statement may return; more is an
	// error. Default 1,000,000.
	MaxRows int
	// MaxAbandoned is the number of statements that may run on after their
	// callers have left, because the engine did not notice; see Backend.
	// Default 8.
	MaxAbandoned int
}

const (
	defaultMaxRows      = 1_000_000
	defaultMaxAbandoned = 8
)

// ErrBusy is returned while too many abandoned statements are still running. It
// is an OVERLOADED that may be tried again.
var ErrBusy error = &graph.Error{Code: graph.Overloaded, Message: "too many statements whose callers have left are still running", Retryable: true}

// New returns a store that answers from a graph through SQL: the statements of
// the dialect compile.Embedded, run by go-mysql-server in this process.
func New(g *memory.Graph, o Options) (store.Store, error) {
	b, err := NewBackend(g, o)
	if err != nil {
		return nil, err
	}
	return store.New(b, compile.Embedded()), nil
}

// A Backend runs SELECT statements of the MySQL dialect over a graph. It is
// safe for concurrent use.
//
// Arguments may be nil, bool, int, int32, int64, float64, string, []byte and
// time.Time; they are bound as typed literals and never become part of the
// text. Rows hold int64 (booleans as 0 and 1), float64, string (text, UUIDs,
// decimals with their digits, JSON) and time.Time in UTC (dates as midnight).
//
// A statement ends with its context, at the latest when it next asks for a
// row of a table. What the engine does without one, such as a large sort,
// cannot be stopped: Query returns in time all the same and leaves the
// statement to end by itself. When as many as Options.MaxAbandoned are left
// so, Query returns ErrBusy until one has ended.
//
// Only SELECT and EXPLAIN of it are run. Files are out of reach: INTO is
// refused, and the engine's process-wide variable secure_file_priv is set to
// a folder that cannot exist, unless the host has set it before.
type Backend struct {
	engine    *engine
	options   Options
	abandoned atomic.Int64
}

// NewBackend lays a graph out as tables.
func NewBackend(g *memory.Graph, o Options) (*Backend, error) {
	if o.MaxRows <= 0 {
		o.MaxRows = defaultMaxRows
	}
	if o.MaxAbandoned <= 0 {
		o.MaxAbandoned = defaultMaxAbandoned
	}
	e, err := newEngine(newCatalog(g.Dense()))
	if err != nil {
		return nil, err
	}
	return &Backend{engine: e, options: o}, nil
}

// Begin opens a session. All sessions see the same data: a graph does not
// change.
func (b *Backend) Begin(ctx context.Context) (store.Session, error) {
	return conn{b}, ctx.Err()
}

// Close stops the engine.
func (b *Backend) Close() error { return b.engine.close() }

// Plan returns the engine's plan of a statement as a tree of text.
func (b *Backend) Plan(ctx context.Context, text string, args []any) (string, error) {
	rows, err := b.run(ctx, "EXPLAIN PLAN "+text, args)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, row := range rows {
		fmt.Fprintln(&out, row...)
	}
	return out.String(), nil
}

// An outcome is what a statement came to.
type outcome struct {
	rows []sql.Row
	err  error
}

// run runs a statement on a goroutine of its own, so that it returns when the
// context ends, whatever the engine does.
func (b *Backend) run(ctx context.Context, text string, args []any) ([]sql.Row, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if b.abandoned.Load() >= int64(b.options.MaxAbandoned) {
		return nil, ErrBusy
	}
	done := make(chan outcome, 1)
	var state atomic.Int32
	go func() {
		s := b.engine.acquire()
		rows, err := b.engine.query(ctx, s, text, args, b.options.MaxRows)
		if err == nil { // a failed statement's session is not used again
			b.engine.release(s)
		}
		done <- outcome{rows, err}
		if !state.CompareAndSwap(running, ended) {
			b.abandoned.Add(-1)
		}
	}()
	select {
	case out := <-done:
		return out.rows, out.err
	case <-ctx.Done():
		b.abandoned.Add(1)
		if !state.CompareAndSwap(running, left) {
			b.abandoned.Add(-1)
		}
		return nil, ctx.Err()
	}
}

// The states of a statement: who was first to stop, the engine or the caller.
const (
	running int32 = iota
	ended
	left
)

// conn is a session of a Backend.
type conn struct{ backend *Backend }

func (c conn) Query(ctx context.Context, text string, args []any) (store.Rows, error) {
	found, err := c.backend.run(ctx, text, args)
	if err != nil {
		return nil, err
	}
	return &rows{ctx: ctx, list: found, at: -1}, nil
}

func (c conn) Close() error { return nil }
