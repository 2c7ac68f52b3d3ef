package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
)

// A queue lets so many calls run at once and others wait, first come, first
// served. It is safe for concurrent use.
type queue struct {
	places           *semaphore.Weighted
	timeout          time.Duration
	most             int64 // calls that may wait
	running, waiting atomic.Int64

	mu      sync.Mutex
	share   int            // calls that one tenant may have here; 0 for any number
	tenants map[string]int // how many each has, where there is a share
}

func newQueue(running, waiting, share int, timeout time.Duration) *queue {
	if running <= 0 {
		running = 64
	}
	if waiting <= 0 {
		waiting = 16 * running
	}
	if timeout <= 0 {
		timeout = time.Second
	}
	return &queue{places: semaphore.NewWeighted(int64(running)), most: int64(waiting), timeout: timeout, share: max(0, share), tenants: map[string]int{}}
}

// enter returns when a tenant's call may run; it then leaves when it has. A call
// whose time ends while it waits finds the store overloaded: it never ran.
func (q *queue) enter(ctx context.Context, tenant string) error {
	if !q.claim(tenant) {
		return q.overloaded("too many calls of this tenant run and wait already")
	}
	if !q.places.TryAcquire(1) {
		if err := q.wait(ctx); err != nil {
			q.give(tenant)
			return err
		}
	}
	q.running.Add(1)
	return nil
}

// claim counts one call more of a tenant, unless that would be too many, and
// give one less.
func (q *queue) claim(tenant string) bool {
	if q.share == 0 {
		return true
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.tenants[tenant] >= q.share {
		return false
	}
	q.tenants[tenant]++
	return true
}

func (q *queue) give(tenant string) {
	if q.share == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.tenants[tenant]--; q.tenants[tenant] == 0 {
		delete(q.tenants, tenant)
	}
}

func (q *queue) wait(ctx context.Context) error {
	defer q.waiting.Add(-1)
	if q.waiting.Add(1) > q.most {
		return q.overloaded("too many calls wait already")
	}
	waiting, cancel := context.WithTimeout(ctx, q.timeout)
	defer cancel()
	switch err := q.places.Acquire(waiting, 1); {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.Canceled):
		return store.Failure(ctx, err)
	}
	return q.overloaded("the call waited too long for its turn")
}

func (q *queue) overloaded(message string) *graph.Error {
	return &graph.Error{Code: graph.Overloaded, Message: message, Retryable: true,
		RetryAfterMS: milliseconds(q.timeout), Hint: "wait for retry_after_ms before the next call"}
}

func (q *queue) leave(tenant string) {
	q.running.Add(-1)
	q.give(tenant)
	q.places.Release(1)
}
