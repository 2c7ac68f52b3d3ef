package engine_test

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/store"
)

const late = 250 * time.Millisecond // how long after its deadline a call may end

// T37: a store that gives a row a second ends at the deadline, whether it looks
// at its context or not.
func TestT37ASlowStoreEndsAtTheDeadline(t *testing.T) {
	for name, looks := range map[string]bool{"looks at the context": true, "looks at nothing": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var written atomic.Int64
				eng, _ := newEngine(t, func(ctx context.Context, _ *compile.Plan, w graph.Writer) (store.Outcome, error) {
					for {
						time.Sleep(time.Second)
						if looks && ctx.Err() != nil {
							return store.Outcome{}, ctx.Err()
						}
						if err := w.Node(&graph.Node{Label: "book", ID: "1"}); err != nil {
							return store.Outcome{}, err
						}
						written.Add(1)
					}
				}, engine.Options{Limits: graph.Limits{Timeout: 3500 * time.Millisecond}})
				begin := time.Now()
				res, err := eng.Run(t.Context(), books())
				require.Nil(t, res)
				require.Equal(t, graph.Timeout, failed(t, err).Code)
				require.LessOrEqual(t, time.Since(begin), 3500*time.Millisecond+late)
				time.Sleep(time.Minute)
				require.EqualValues(t, 3, written.Load(), "rows after the deadline are taken from nobody")
				require.Zero(t, eng.Stats().Running)
			})
		})
	}
}

// T38: the caller leaves before the call, or at any row of it.
func TestT38TheCallerLeaves(t *testing.T) {
	const rows = 20
	for n := range rows + 1 {
		ctx, cancel := context.WithCancel(t.Context())
		if n == 0 {
			cancel()
		}
		var closed atomic.Bool
		st := func(_ context.Context, _ *compile.Plan, w graph.Writer) (store.Outcome, error) {
			defer closed.Store(true)
			for i := range rows {
				if i+1 == n {
					cancel()
				}
				if err := w.Node(&graph.Node{Label: "book", ID: "1"}); err != nil {
					return store.Outcome{}, err
				}
			}
			return store.Outcome{Returned: rows}, nil
		}
		eng, _ := newEngine(t, st, engine.Options{})
		res, err := eng.Run(ctx, books())
		require.Nil(t, res, n)
		e := failed(t, err)
		require.Equal(t, graph.Canceled, e.Code, n)
		require.False(t, e.Retryable)
		require.True(t, closed.Load(), "the store has come back")

		res, err = eng.Run(t.Context(), books())
		if n == 0 {
			require.NoError(t, err)
			require.Len(t, res.Nodes, rows)
		}
		cancel()
	}
}

// T43: a store that ignores everything keeps no caller: each gets its error in
// time. With four such calls the circuit opens, and closes when one returns.
func TestT43AStoreThatIgnoresCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var hangs atomic.Bool
		hangs.Store(true)
		var answers []*graph.Result
		st := func(_ context.Context, _ *compile.Plan, w graph.Writer) (store.Outcome, error) {
			if !hangs.Load() {
				return store.Outcome{Returned: 1}, w.Node(&graph.Node{Label: "book", ID: "1"})
			}
			<-release
			err := w.Node(&graph.Node{Label: "book", ID: "late"})
			if err == nil {
				t.Error("an abandoned call took a row")
			}
			return store.Outcome{}, err
		}
		eng, _ := newEngine(t, st, engine.Options{Limits: graph.Limits{Timeout: time.Second}})
		for i := range 4 {
			begin := time.Now()
			res, err := eng.Run(t.Context(), books())
			answers = append(answers, res)
			e := failed(t, err)
			require.Equal(t, graph.Timeout, e.Code)
			require.NotEmpty(t, e.ErrorID)
			require.LessOrEqual(t, time.Since(begin), time.Second+late)
			require.Equal(t, engine.Stats{Running: i + 1, Abandoned: i + 1, CircuitOpen: i == 3}, eng.Stats())
		}
		hangs.Store(false)
		begin := time.Now()
		for _, call := range []func() error{
			func() error { _, err := eng.Run(t.Context(), books()); return err },
			func() error { _, err := eng.Explain(t.Context(), books()); return err },
		} {
			e := failed(t, call())
			require.Equal(t, graph.Unavailable, e.Code)
			require.True(t, e.Retryable)
			require.Positive(t, e.RetryAfterMS)
		}
		require.Zero(t, time.Since(begin), "and at once")
		_, err := eng.Run(t.Context(), &graph.Describe{})
		require.NoError(t, err, "what needs no store is answered")
		_, err = eng.DryRun(t.Context(), books())
		require.NoError(t, err)

		release <- struct{}{}
		synctest.Wait()
		require.Equal(t, engine.Stats{Running: 3, Abandoned: 3}, eng.Stats())
		res, err := eng.Run(t.Context(), books())
		require.NoError(t, err)
		require.Equal(t, "1", res.Nodes[0].ID)
		close(release)
		synctest.Wait()
		require.Equal(t, engine.Stats{}, eng.Stats(), "nothing is left behind")
		for _, res := range answers {
			require.Nil(t, res)
		}
	})
}

// T43: a caller who leaves is not kept either, and a store that returns within
// the grace is waited for.
func TestT43TheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var takes atomic.Int64
		eng, _ := newEngine(t, func(context.Context, *compile.Plan, graph.Writer) (store.Outcome, error) {
			time.Sleep(time.Duration(takes.Load()))
			return store.Outcome{}, nil
		}, engine.Options{Limits: graph.Limits{Timeout: time.Second}})
		for _, c := range []struct {
			takes, ends time.Duration
			code        graph.Code
		}{
			{999 * time.Millisecond, 999 * time.Millisecond, ""},
			{1100 * time.Millisecond, 1100 * time.Millisecond, ""}, // complete, if late
			{1201 * time.Millisecond, 1200 * time.Millisecond, graph.Timeout},
			{time.Hour, 1200 * time.Millisecond, graph.Timeout},
		} {
			takes.Store(int64(c.takes))
			begin := time.Now()
			_, err := eng.Run(t.Context(), books())
			require.Equal(t, c.ends, time.Since(begin))
			if c.code == "" {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, c.code)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(300*time.Millisecond, cancel)
		takes.Store(int64(time.Hour))
		begin := time.Now()
		_, err := eng.Run(ctx, books())
		require.ErrorIs(t, err, graph.Canceled)
		require.Equal(t, 500*time.Millisecond, time.Since(begin))
		time.Sleep(2 * time.Hour)
		require.Equal(t, engine.Stats{}, eng.Stats())
	})
}

// A store that promises to be prompt is not watched: its panics are caught, its
// answers come, and it runs on the caller's goroutine.
func TestPromptStores(t *testing.T) {
	var what func(ctx context.Context) error
	eng, log := newEngine(t, func(ctx context.Context, _ *compile.Plan, w graph.Writer) (store.Outcome, error) {
		return store.Outcome{}, what(ctx)
	}, engine.Options{Prompt: true, Limits: graph.Limits{Timeout: time.Millisecond}})
	what = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	_, err := eng.Run(t.Context(), books())
	require.ErrorIs(t, err, graph.Timeout)
	what = func(context.Context) error { panic("a secret") }
	_, err = eng.Run(t.Context(), books())
	require.ErrorIs(t, err, graph.Internal)
	require.Contains(t, log.String(), "a secret")
	require.Equal(t, engine.Stats{}, eng.Stats(), "a panic leaves its place")
	what = func(context.Context) error { return nil }
	_, err = eng.Run(t.Context(), books())
	require.NoError(t, err)
}

// T41: two places, 200 callers: who cannot wait hears so in time, the others are
// answered in their order, and no place is lost.
func TestT41AFullQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var most, running atomic.Int64
		st := fake(func(context.Context, *compile.Plan, graph.Writer) (store.Outcome, error) {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			time.Sleep(100 * time.Millisecond)
			return store.Outcome{}, nil
		})
		eng, _ := newEngine(t, st, engine.Options{Concurrency: 2, MaxQueue: 150, QueueTimeout: time.Second, Log: slog.New(slog.DiscardHandler)})
		var mu sync.Mutex
		var order []int
		full, slow := 0, 0
		var callers sync.WaitGroup
		for i := range 200 {
			callers.Go(func() {
				begin := time.Now()
				_, err := eng.Run(context.Background(), books())
				waited := time.Since(begin)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					order = append(order, i)
				case waited == 0:
					full++
				default:
					if waited != time.Second {
						t.Errorf("waited %s", waited)
					}
					slow++
				}
				if err != nil {
					e := err.(graph.Errors)[0]
					if e.Code != graph.Overloaded || !e.Retryable || e.RetryAfterMS != 1000 || e.ErrorID != "" {
						t.Errorf("%+v", e)
					}
				}
			})
			synctest.Wait() // one after the other
		}
		require.Equal(t, 2, eng.Stats().Running)
		require.Equal(t, 150, eng.Stats().Waiting)
		callers.Wait()
		require.Equal(t, 48, full)
		require.EqualValues(t, 2, most.Load())
		require.InDelta(t, 21, len(order), 1, "two every tenth of a second, for one")
		require.Equal(t, 200, len(order)+full+slow)
		for i := 2; i < len(order); i++ {
			require.Less(t, order[i-2], order[i], "first come, first served")
		}
		require.Equal(t, engine.Stats{}, eng.Stats())
		_, err := eng.Run(context.Background(), books())
		require.NoError(t, err)
	})
}

// T41: who leaves the queue frees its place in it; who has no time left for the
// queue finds it full.
func TestT41LeavingTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		eng, _ := newEngine(t, func(context.Context, *compile.Plan, graph.Writer) (store.Outcome, error) {
			<-release
			return store.Outcome{}, nil
		}, engine.Options{Concurrency: 1, QueueTimeout: time.Minute, Limits: graph.Limits{Timeout: time.Second}})
		first := make(chan error)
		go func() {
			_, err := eng.Run(context.Background(), books())
			first <- err
		}()
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		_, err := eng.Run(ctx, books())
		require.ErrorIs(t, err, graph.Canceled)
		require.Zero(t, eng.Stats().Waiting)
		ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, err = eng.Run(ctx, books())
		require.ErrorIs(t, err, graph.Overloaded)
		close(release)
		require.NoError(t, <-first)
		require.Equal(t, engine.Stats{}, eng.Stats())
	})
}

// T41: where tenants have a share, one that fills the queue takes no turn from
// another.
func TestT41OneTenantFillsTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := fake(func(context.Context, *compile.Plan, graph.Writer) (store.Outcome, error) {
			time.Sleep(10 * time.Millisecond)
			return store.Outcome{}, nil
		})
		eng, _ := newEngine(t, st, engine.Options{Concurrency: 2, MaxQueue: 10, MaxPerTenant: 6})
		var callers sync.WaitGroup
		var refused atomic.Int64
		for range 100 {
			callers.Go(func() {
				if _, err := eng.Run(as("greedy", "", ""), books()); err != nil {
					refused.Add(1)
				}
			})
		}
		synctest.Wait()
		require.Equal(t, engine.Stats{Running: 2, Waiting: 4}, eng.Stats())
		begin := time.Now()
		_, err := eng.Run(as("modest", "", ""), books())
		require.NoError(t, err)
		require.LessOrEqual(t, time.Since(begin), 50*time.Millisecond)
		callers.Wait()
		require.EqualValues(t, 94, refused.Load())
		for range 20 { // what is over is over, whatever became of it
			_, err = eng.Run(as("greedy", "", ""), books())
			require.NoError(t, err)
		}
		require.Equal(t, engine.Stats{}, eng.Stats())
	})
}
