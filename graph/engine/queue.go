package engine

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
)

// A queue lets so many calls run at once and others wait, first come, first
// served. It is safe for concurrent use. While nobody waits, a call comes and
// goes by one atomic step each: calls of microseconds do not stand in line for a
// lock.
type queue struct {
	timeout time.Duration
	places  int64 // calls that may run
	most    int64 // calls that may wait
	// running is changed by whoever comes and goes. waiting is raised before a
	// call looks for a place the last time and lowered when it has one or is gone,
	// so that whoever leaves a place sees it, or it the place.
	running, waiting atomic.Int64

	mu      sync.Mutex
	line    list.List      // of chan struct{}, closed for who gets a place
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
	return &queue{places: int64(running), most: int64(waiting), timeout: timeout, share: max(0, share), tenants: map[string]int{}}
}

// enter returns when a tenant's call may run; it then leaves when it has. A call
// whose time ends while it waits finds the store overloaded: it never ran.
func (q *queue) enter(ctx context.Context, tenant string) error {
	if !q.claim(tenant) {
		return q.overloaded("too many calls of this tenant run and wait already")
	}
	if q.waiting.Load() == 0 && q.take() {
		return nil
	}
	if err := q.wait(ctx); err != nil {
		q.give(tenant)
		return err
	}
	return nil
}

// take takes a place, if one is free.
func (q *queue) take() bool {
	for {
		n := q.running.Load()
		if n >= q.places {
			return false
		}
		if q.running.CompareAndSwap(n, n+1) {
			return true
		}
	}
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

// wait waits in line for a place.
func (q *queue) wait(ctx context.Context) error {
	defer q.waiting.Add(-1)
	if q.waiting.Add(1) > q.most {
		return q.overloaded("too many calls wait already")
	}
	q.mu.Lock()
	if q.line.Len() == 0 && q.take() {
		q.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	place := q.line.PushBack(turn)
	q.mu.Unlock()
	waiting, cancel := context.WithTimeout(ctx, q.timeout)
	defer cancel()
	select {
	case <-turn:
		return nil
	case <-waiting.Done():
	}
	q.mu.Lock()
	select {
	case <-turn: // at the same moment
		q.mu.Unlock()
		return nil
	default:
	}
	q.line.Remove(place)
	q.mu.Unlock()
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return store.Failure(ctx, err)
	}
	return q.overloaded("the call waited too long for its turn")
}

func (q *queue) overloaded(message string) *graph.Error {
	return &graph.Error{Code: graph.Overloaded, Message: message, Retryable: true,
		RetryAfterMS: milliseconds(q.timeout), Hint: "wait for retry_after_ms before the next call"}
}

// leave gives a place back, to the first in line if there is one.
func (q *queue) leave(tenant string) {
	q.running.Add(-1)
	q.give(tenant)
	if q.waiting.Load() == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for first := q.line.Front(); first != nil && q.take(); first = q.line.Front() {
		close(q.line.Remove(first).(chan struct{}))
	}
}
