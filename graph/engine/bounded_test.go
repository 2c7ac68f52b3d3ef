package engine_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/graph/engine/audit"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// hangs is a sink that returns when it is released, whatever its context says.
type hangs struct {
	release chan struct{}
	held    atomic.Int64
	told    atomic.Int64 // how often the context was done before the release
}

func (h *hangs) Write(ctx context.Context, _ *audit.Record) error {
	h.held.Add(1)
	defer h.held.Add(-1)
	context.AfterFunc(ctx, func() { h.told.Add(1) })
	<-h.release
	return nil
}

// T44: a sink that hangs keeps no call: its record is lost, or the answer is
// withheld. Once it has four, records are lost at once, until one returns.
func TestT44TheSinkHangs(t *testing.T) {
	for name, failClosed := range map[string]bool{"open": false, "closed": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sink, watch := &hangs{release: make(chan struct{})}, &observed{}
				eng, log := newEngine(t, empty, engine.Options{Audit: sink, AuditTimeout: 3 * time.Second, AuditFailClosed: failClosed, Observer: watch})
				call := func() {
					res, err := eng.Run(t.Context(), books())
					if !failClosed {
						require.NoError(t, err)
						return
					}
					require.Nil(t, res)
					e := failed(t, err)
					require.Equal(t, graph.Unavailable, e.Code)
					require.Contains(t, log.String(), e.ErrorID)
				}
				for i := range 4 {
					begin := time.Now()
					call()
					require.Equal(t, 3200*time.Millisecond, time.Since(begin))
					require.EqualValues(t, i+1, sink.told.Load(), "the sink was told")
					require.Equal(t, i+1, eng.Stats().Unrecorded)
				}
				begin := time.Now()
				call()
				require.Zero(t, time.Since(begin), "the fifth does not wait")
				require.Equal(t, engine.Stats{Unrecorded: 5}, eng.Stats())
				require.EqualValues(t, 4, sink.held.Load())
				require.Equal(t, 5, watch.end)

				close(sink.release)
				synctest.Wait()
				_, err := eng.Run(t.Context(), books())
				require.NoError(t, err)
				require.Equal(t, engine.Stats{Unrecorded: 5}, eng.Stats())
			})
		})
	}
}

// T44: many calls at once leave no more writes behind than there may be.
func TestT44TheSinkHangsForMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &hangs{release: make(chan struct{})}
		defer close(sink.release)
		eng, _ := newEngine(t, empty, engine.Options{Audit: sink, AuditFailClosed: true})
		var callers sync.WaitGroup
		begin := time.Now()
		for range 900 {
			callers.Go(func() {
				if _, err := eng.Run(context.Background(), books()); err == nil {
					t.Error("answered without a record")
				}
			})
		}
		callers.Wait()
		require.Equal(t, 1200*time.Millisecond, time.Since(begin), "a second, if nothing else is said, and the grace")
		require.EqualValues(t, 256, sink.held.Load())
		require.Equal(t, 900, eng.Stats().Unrecorded)
	})
}

// A sink that looks at its context is not held to be one that hangs, and one
// that is slow but in time has kept its record.
func TestT44SinksInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			takes, ends time.Duration
			lost        int
		}{{900 * time.Millisecond, 900 * time.Millisecond, 0}, {time.Hour, time.Second, 1}} {
			eng, _ := newEngine(t, empty, engine.Options{Audit: sinkFunc(func(ctx context.Context) error {
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-time.After(c.takes):
					return nil
				}
			})})
			for i := range 6 {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(c.takes/2, cancel) // the caller's leaving is not the write's end
				begin := time.Now()
				_, err := eng.Run(ctx, books())
				require.NoError(t, err)
				require.Equal(t, c.ends, time.Since(begin))
				require.Equal(t, c.lost*(i+1), eng.Stats().Unrecorded)
			}
		}
	})
}

type sinkFunc func(ctx context.Context) error

func (f sinkFunc) Write(ctx context.Context, _ *audit.Record) error { return f(ctx) }

// T43: a host's Guard that hangs keeps no caller: the call ends at its deadline
// and is on record, and with four such calls no more are begun until one returns.
func TestT43AGuardThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var holds atomic.Bool
		holds.Store(true)
		sink := &records{}
		eng, log := newEngine(t, empty, engine.Options{Audit: sink, Limits: graph.Limits{Timeout: time.Second},
			Guard: func(*graph.Scope, compile.Guarded) (graph.Filter, error) {
				if holds.Load() {
					<-release
				}
				return nil, nil
			}})
		ctx := as("a", "ann", "")
		request := readable("{}", books())
		request.Reword = func(graph.Errors) graph.Errors { panic("asked while it may still be reading") }
		for i, call := range []func() error{
			func() error { _, err := eng.Run(ctx, books()); return err },
			func() error { _, err := eng.Call(ctx, request); return err },
			func() error { _, err := eng.Explain(ctx, books()); return err },
			func() error { _, err := eng.DryRunCall(ctx, request); return err },
		} {
			begin := time.Now()
			e := failed(t, call())
			require.Equal(t, graph.Timeout, e.Code)
			require.Empty(t, e.Hint)
			require.Contains(t, log.String(), e.ErrorID)
			require.Equal(t, 1200*time.Millisecond, time.Since(begin))
			require.Len(t, sink.list, i+1)
			require.Equal(t, []graph.Code{graph.Timeout}, sink.last().Codes)
			require.NotEmpty(t, sink.last().SchemaRevision)
		}
		holds.Store(false)
		begin := time.Now()
		_, err := eng.Run(ctx, books())
		e := failed(t, err)
		require.Equal(t, graph.Unavailable, e.Code)
		require.True(t, e.Retryable)
		require.Positive(t, e.RetryAfterMS)
		require.Zero(t, time.Since(begin), "and at once")
		require.Equal(t, engine.Stats{}, eng.Stats(), "the store has no part in it")

		close(release)
		synctest.Wait()
		_, err = eng.Run(ctx, books())
		require.NoError(t, err)
	})
}

// T38, T43: who leaves does not wait for a Guard, nor for the reading of a call
// that a Guard may be asked about.
func TestT38TheCallerLeavesAGuard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(*graph.Scope, compile.Guarded) (graph.Filter, error) { time.Sleep(time.Hour); return nil, nil }
		eng, _ := newEngine(t, nobody, engine.Options{Guard: slow})
		reads := engine.Request{Tool: graph.ToolFindNodes, Decode: func(*schema.Schema) (graph.Query, graph.Errors) {
			time.Sleep(time.Hour)
			return nil, nil
		}}
		for _, call := range []func(ctx context.Context) error{
			func(ctx context.Context) error { _, err := eng.Run(ctx, books()); return err },
			func(ctx context.Context) error { _, err := eng.Call(ctx, reads); return err },
		} {
			ctx, cancel := context.WithCancel(as("a", "ann", ""))
			time.AfterFunc(300*time.Millisecond, cancel)
			begin := time.Now()
			require.ErrorIs(t, call(ctx), graph.Canceled)
			require.Equal(t, 500*time.Millisecond, time.Since(begin))
		}
		time.Sleep(2 * time.Hour)
	})
}

// The time of a call is one: what a Guard takes of it, the store does not have.
func TestT37AGuardAndAStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng, _ := newEngine(t, func(ctx context.Context, _ *compile.Plan, _ graph.Writer) (store.Outcome, error) {
			<-ctx.Done()
			return store.Outcome{}, ctx.Err()
		}, engine.Options{Limits: graph.Limits{Timeout: time.Second}, Guard: func(*graph.Scope, compile.Guarded) (graph.Filter, error) {
			time.Sleep(100 * time.Millisecond)
			return nil, nil
		}})
		begin := time.Now()
		_, err := eng.Run(as("a", "ann", ""), books())
		require.ErrorIs(t, err, graph.Timeout)
		require.Equal(t, time.Second, time.Since(begin))

		panicking, _ := newEngine(t, nobody, engine.Options{Guard: func(*graph.Scope, compile.Guarded) (graph.Filter, error) { panic("a secret") }})
		_, err = panicking.Run(as("a", "ann", ""), books())
		require.NotContains(t, failed(t, err).Error(), "secret")
	})
}

// T43: the promise of a store that it is prompt is not one of Redact's.
func TestT43AllowHangsBeforeAPromptStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng, _ := newEngine(t, func(_ context.Context, _ *compile.Plan, w graph.Writer) (store.Outcome, error) {
			return store.Outcome{Returned: 1}, w.Node(&graph.Node{Label: "book", ID: "1"})
		}, engine.Options{Prompt: true, Limits: graph.Limits{Timeout: time.Second}, Redact: engine.Redact{Labels: []string{"book"},
			Allow: func(context.Context, *graph.Scope, []graph.Node) ([]bool, error) {
				time.Sleep(time.Hour)
				return []bool{true}, nil
			}}})
		begin := time.Now()
		_, err := eng.Run(as("a", "ann", ""), books())
		require.ErrorIs(t, err, graph.Timeout)
		require.Equal(t, 1200*time.Millisecond, time.Since(begin))
		time.Sleep(2 * time.Hour)
	})
}
