package engine

import (
	"context"
	"math"
	"sync/atomic"
	"time"
)

// A deadline is a context with a deadline, like those of context.WithTimeout,
// but without a timer until somebody asks for Done. A store that answers in
// microseconds, and looks at Err now and then, does not pay for one.
type deadline struct {
	context.Context // of the caller
	base            time.Time
	after           time.Duration // from base until it ends
	over            atomic.Bool   // the call is over
	timed           atomic.Pointer[timed]
}

// timed is the context with the timer.
type timed struct {
	context.Context
	cancel context.CancelFunc
}

// deadline returns a context for one call, which the caller must end.
func (e *Engine) deadline(ctx context.Context) *deadline {
	after := time.Since(e.began)
	after += min(e.timeout, math.MaxInt64-after) // a host's timeout may stand for none
	return &deadline{Context: ctx, base: e.began, after: after}
}

// end ends the context: from now on it is done.
func (d *deadline) end() {
	d.over.Store(true)
	if t := d.timed.Load(); t != nil {
		t.cancel()
	}
}

// Deadline implements context.Context.
func (d *deadline) Deadline() (time.Time, bool) {
	end := d.base.Add(d.after)
	if earlier, ok := d.Context.Deadline(); ok && earlier.Before(end) {
		end = earlier
	}
	return end, true
}

// Err implements context.Context.
func (d *deadline) Err() error {
	if t := d.timed.Load(); t != nil {
		return t.Err()
	}
	if err := d.Context.Err(); err != nil {
		return err
	}
	switch {
	case d.over.Load():
		return context.Canceled
	case time.Since(d.base) >= d.after:
		return context.DeadlineExceeded
	}
	return nil
}

// Done implements context.Context.
func (d *deadline) Done() <-chan struct{} {
	t := d.timed.Load()
	if t == nil {
		t = &timed{}
		t.Context, t.cancel = context.WithDeadline(d.Context, d.base.Add(d.after))
		if !d.timed.CompareAndSwap(nil, t) {
			t.cancel()
			t = d.timed.Load()
		}
		if d.over.Load() { // it ended meanwhile, and may not have seen the timer
			t.cancel()
		}
	}
	return t.Done()
}

// Value implements context.Context. The context with the timer is asked, so that
// contexts made of this one find out whom to hear from.
func (d *deadline) Value(key any) any {
	if t := d.timed.Load(); t != nil {
		return t.Value(key)
	}
	return d.Context.Value(key)
}
