package engine

import (
	"context"
	"errors"

	"golang.org/x/sync/semaphore"
)

// mostHeld bounds the calls that a function of the host works on at once, and
// so those that it can hold for ever.
const mostHeld = 256

// A bounded is a function of the host that calls do not wait for beyond their
// time: Options.Guard with all that it is asked from, or the audit's sink.
type bounded struct {
	watchdog watchdog
	places   *semaphore.Weighted
}

func newBounded() *bounded { return &bounded{places: semaphore.NewWeighted(mostHeld)} }

var errHeld = errors.New("it holds too many calls already that it did not return from")

// within returns what f does, errAbandoned where it did not return in time, or
// else errHeld, at once, while four others have not. What a context has to say
// that ends before there was a place for f is returned as it is.
func within[T any](ctx context.Context, b *bounded, f func() (T, error)) (T, error) {
	var none T
	if b.watchdog.open() {
		return none, errHeld
	}
	if !b.places.TryAcquire(1) {
		if err := b.places.Acquire(ctx, 1); err != nil {
			return none, errors.Join(err, errAbandoned)
		}
	}
	return watched(ctx, &b.watchdog, func() (T, error) {
		defer b.places.Release(1)
		return f()
	})
}
