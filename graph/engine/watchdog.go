package engine

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
)

const (
	// grace is how long a store, or a function of the host, has to return once a
	// call's context is done.
	grace = 200 * time.Millisecond
	// circuitOpens is how many abandoned calls each of them may have before it
	// gets no more.
	circuitOpens = 4
)

// A watchdog counts the calls of something that it did not return from in time.
type watchdog struct{ abandoned atomic.Int64 }

// open reports whether there are too many of them.
func (w *watchdog) open() bool { return w.abandoned.Load() >= circuitOpens }

func errCircuit() *graph.Error {
	return &graph.Error{Code: graph.Unavailable, Message: "the store does not answer", Retryable: true, RetryAfterMS: 1000,
		Hint: "calls are refused until the store returns from one that it holds"}
}

// The states of a watched call.
const (
	runs int32 = iota
	hasReturned
	wasAbandoned
)

// stored lets a store work on a call, when it is the call's turn.
func stored[T any](ctx context.Context, e *Engine, c *call, f func(context.Context) (T, error)) (T, error) {
	var none T
	if e.watchdog.open() {
		return none, errCircuit()
	}
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	tenant := c.tenant()
	if err := e.queue.enter(ctx, tenant); err != nil {
		return none, err
	}
	if e.prompt && !e.redact.redacts(c.plan) { // the promise is the store's, and not that of Redact.Allow
		defer e.queue.leave(tenant)
		v, err := f(ctx)
		return v, failure(ctx, err)
	}
	v, err := watched(ctx, &e.watchdog, func() (T, error) {
		defer e.queue.leave(tenant)
		return f(ctx)
	})
	return v, failure(ctx, err)
}

// promptly has a store answer a call, when it is the call's turn, that returns in
// time by itself: with nobody to watch it, and in the call's own memory.
func (e *Engine) promptly(parent context.Context, c *call, w graph.Writer) (store.Outcome, error) {
	if e.watchdog.open() {
		return store.Outcome{}, errCircuit()
	}
	ctx := e.deadline(parent)
	defer ctx.end()
	tenant := c.tenant()
	if err := e.queue.enter(ctx, tenant); err != nil {
		return store.Outcome{}, err
	}
	defer e.queue.leave(tenant)
	out, err := c.snapshot.Store.Run(ctx, c.plan, w)
	return out, failure(ctx, err)
}

// watched returns what f does, or errAbandoned once the context is done and the
// grace over. What f returns is the only way out of it: an abandoned f goes on
// alone, and whatever it then writes is its own. Its panic is its error.
func watched[T any](ctx context.Context, w *watchdog, f func() (T, error)) (T, error) {
	type returned struct {
		value T
		err   error
	}
	done := make(chan returned, 1)
	var state atomic.Int32
	go func() {
		var r returned
		defer func() {
			if p := recover(); p != nil {
				r.err = panicked(p)
			}
			if !state.CompareAndSwap(runs, hasReturned) {
				w.abandoned.Add(-1)
			}
			done <- r
		}()
		outgrow()
		r.value, r.err = f()
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.value, r.err
	case <-timer.C:
	}
	w.abandoned.Add(1)
	if !state.CompareAndSwap(runs, wasAbandoned) {
		w.abandoned.Add(-1)
		r := <-done
		return r.value, r.err
	}
	var none T
	return none, errors.Join(ctx.Err(), errAbandoned)
}

// outgrow makes a goroutine's stack as large as engines in the process need it, while
// there is nothing on it to copy: they call deep, and each growth on the way copies
// all frames. That is a third of a call for one node of SQLite. 16 KB are what the
// runtime keeps ready.
//
//go:noinline
func outgrow() byte {
	var frame [12 << 10]byte
	return frame[int(unknown)]
}

// unknown keeps the compiler from leaving the frame out.
var unknown byte

var errAbandoned = errors.New("it did not return in time: the call is abandoned")

// failure is an error of a store as *graph.Error.
func failure(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	return store.Failure(ctx, err)
}

// A stoppable writer takes no value more once a call's context is done, so that
// a store which looks at nothing else ends at the next row. A store that writes
// to JSON() instead looks at the context itself.
type stoppable struct {
	graph.Writer
	ctx context.Context
}

func (w stoppable) Node(n *graph.Node) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	return w.Writer.Node(n)
}

func (w stoppable) Relationship(r *graph.Relationship) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	return w.Writer.Relationship(r)
}

func (w stoppable) Path(p *graph.Path) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	return w.Writer.Path(p)
}

func (w stoppable) Row(values []graph.Value) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	return w.Writer.Row(values)
}
