package engine

import (
	"context"
	"errors"
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
}

func newQueue(running, waiting int, timeout time.Duration) *queue {
	if running <= 0 {
		running = 64
	}
	if waiting <= 0 {
		waiting = 16 * running
	}
	if timeout <= 0 {
		timeout = time.Second
	}
	return &queue{places: semaphore.NewWeighted(int64(running)), most: int64(waiting), timeout: timeout}
}

// enter returns when the call may run; it then leaves when it has. A call whose
// time ends while it waits finds the store overloaded: it never ran.
func (q *queue) enter(ctx context.Context) error {
	if !q.places.TryAcquire(1) {
		if err := q.wait(ctx); err != nil {
			return err
		}
	}
	q.running.Add(1)
	return nil
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

func (q *queue) leave() {
	q.running.Add(-1)
	q.places.Release(1)
}
