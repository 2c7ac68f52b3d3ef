package engine

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

// What is not told has its documented size.
func TestQueueDefaults(t *testing.T) {
	q := newQueue(0, 0, 0, 0)
	require.Equal(t, int64(16*64), q.most)
	require.Equal(t, time.Second, q.timeout)
	for range 64 {
		require.True(t, q.take())
	}
	require.False(t, q.take())
	q = newQueue(2, 0, -1, time.Minute)
	require.Equal(t, int64(32), q.most)
	require.Equal(t, time.Minute, q.timeout)
	require.Zero(t, q.share)
	require.Equal(t, int64(1), newQueue(1, 1, 0, 0).most)
}

// T41: a call gives its part of the tenant's share back however it ends, and a
// tenant without calls is forgotten.
func TestT41SharesAreGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1, 1, 2, time.Second)
		ctx := t.Context()
		require.NoError(t, q.enter(ctx, "a"))
		require.ErrorIs(t, q.enter(ctx, "a"), graph.Overloaded, "it waits in vain")
		require.Equal(t, map[string]int{"a": 1}, q.tenants)
		gone, cancel := context.WithCancel(ctx)
		cancel()
		require.ErrorIs(t, q.enter(gone, "b"), graph.Canceled, "it does not wait")
		require.Equal(t, map[string]int{"a": 1}, q.tenants)

		waits := make(chan error)
		go func() { waits <- q.enter(ctx, "a") }()
		synctest.Wait()
		require.Equal(t, int64(1), q.waiting.Load())
		require.ErrorIs(t, q.enter(ctx, "b"), graph.Overloaded, "as many wait as may")
		require.ErrorIs(t, q.enter(ctx, "a"), graph.Overloaded, "a has its share")
		require.Equal(t, map[string]int{"a": 2}, q.tenants)
		q.leave("a")
		require.NoError(t, <-waits)
		require.Equal(t, map[string]int{"a": 1}, q.tenants)
		require.Equal(t, int64(1), q.running.Load())
		q.leave("a")
		require.Empty(t, q.tenants)
		require.Zero(t, q.running.Load())
		require.Zero(t, q.waiting.Load())

		open := newQueue(1, 1, 0, time.Second) // nobody is counted where there is no share
		require.NoError(t, open.enter(ctx, "a"))
		open.leave("a")
		require.Empty(t, open.tenants)
	})
}

// Nobody is forgotten in line, and no more run than may, whoever comes, goes and
// gives up at the same time.
func TestQueueUnderCrowds(t *testing.T) {
	const places, callers, rounds = 2, 16, 300
	q := newQueue(places, callers, 0, time.Minute)
	var running, most, gone atomic.Int64
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			for round := range rounds {
				ctx, cancel := context.WithCancel(t.Context())
				if (i+round)%5 == 0 { // gives up, early or late
					go cancel()
				}
				if err := q.enter(ctx, ""); err != nil {
					gone.Add(1)
					cancel()
					continue
				}
				if n := running.Add(1); n > most.Load() {
					most.Store(n)
				}
				runtime.Gosched()
				running.Add(-1)
				q.leave("")
				cancel()
			}
		})
	}
	all.Wait()
	require.LessOrEqual(t, most.Load(), int64(places))
	require.Zero(t, q.running.Load())
	require.Zero(t, q.waiting.Load())
	require.Zero(t, q.line.Len())
	require.Less(t, gone.Load(), int64(callers*rounds/2))
}

// Who waits comes before who comes later, though a place is free for a moment.
func TestQueueIsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1, 8, 0, time.Minute)
		require.NoError(t, q.enter(t.Context(), ""))
		var order []int
		for i := range 4 {
			go func() {
				require.NoError(t, q.enter(t.Context(), ""))
				order = append(order, i)
				q.leave("")
			}()
			synctest.Wait()
		}
		q.leave("")
		synctest.Wait()
		require.Equal(t, []int{0, 1, 2, 3}, order)
	})
}
