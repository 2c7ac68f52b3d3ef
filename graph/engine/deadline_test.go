package engine

import (
	"context"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type deadlineKey struct{}

// newDeadline returns a deadline of a parent.
func newDeadline(parent context.Context, timeout time.Duration) *deadline {
	return (&Engine{began: time.Now(), timeout: timeout}).deadline(parent)
}

// The longest timeout there is does not end a call.
func TestDeadlineOfNoTime(t *testing.T) {
	d := (&Engine{began: time.Now().Add(-time.Hour), timeout: math.MaxInt64}).deadline(t.Context())
	require.NoError(t, d.Err())
	end, ok := d.Deadline()
	require.True(t, ok)
	require.True(t, end.After(time.Now().AddDate(200, 0, 0)))
	select {
	case <-d.Done():
		t.Error("over")
	default:
	}
	require.NoError(t, d.Err())
	d.end()
	require.ErrorIs(t, d.Err(), context.Canceled)
}

// A deadline does what a context of context.WithTimeout does, whether its Done
// was asked for before or not.
func TestDeadlineIsAContext(t *testing.T) {
	for name, ask := range map[string]func(context.Context){
		"with a timer": func(c context.Context) { c.Done() },
		"without":      func(context.Context) {},
	} {
		t.Run(name, func(t *testing.T) {
			parent, leave := context.WithCancel(context.WithValue(t.Context(), deadlineKey{}, "value"))
			defer leave()
			d := newDeadline(parent, time.Hour)
			ask(d)
			require.NoError(t, d.Err())
			require.Equal(t, "value", d.Value(deadlineKey{}))
			end, ok := d.Deadline()
			require.True(t, ok)
			require.WithinDuration(t, time.Now().Add(time.Hour), end, time.Minute)
			leave()
			<-d.Done()
			require.ErrorIs(t, d.Err(), context.Canceled)

			d = newDeadline(t.Context(), time.Millisecond)
			ask(d)
			<-d.Done()
			require.ErrorIs(t, d.Err(), context.DeadlineExceeded)
			require.ErrorIs(t, context.Cause(d), context.DeadlineExceeded)

			d = newDeadline(t.Context(), time.Hour)
			ask(d)
			d.end()
			require.ErrorIs(t, d.Err(), context.Canceled)
			<-d.Done()

			early, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			d = newDeadline(early, time.Hour)
			ask(d)
			end, _ = d.Deadline()
			require.WithinDuration(t, time.Now().Add(time.Minute), end, 30*time.Second)
			d.end()
		})
	}
}

// Without anybody to wait for it, a deadline ends by the clock.
func TestDeadlineEndsByTheClock(t *testing.T) {
	d := newDeadline(t.Context(), 10*time.Millisecond)
	for d.Err() == nil {
		require.Nil(t, d.timed.Load())
		time.Sleep(time.Millisecond)
	}
	require.ErrorIs(t, d.Err(), context.DeadlineExceeded)
	<-d.Done()
	require.ErrorIs(t, d.Err(), context.DeadlineExceeded)
}

// What is made of a deadline ends with it.
func TestDeadlineEndsWhatIsMadeOfIt(t *testing.T) {
	d := newDeadline(t.Context(), time.Hour)
	child, cancel := context.WithCancel(d)
	defer cancel()
	stop := context.AfterFunc(d, func() {})
	defer stop()
	d.end()
	<-child.Done()
	require.ErrorIs(t, child.Err(), context.Canceled)
}

// Many may ask for Done at once, and while the call ends: all hear of its end.
func TestDeadlineDoneAndEndAtOnce(t *testing.T) {
	for range 200 {
		d := newDeadline(t.Context(), time.Hour)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() { <-d.Done() })
		}
		all.Go(d.end)
		all.Wait()
		require.ErrorIs(t, d.Err(), context.Canceled)
	}
}
