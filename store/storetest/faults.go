package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/memory"
)

// A BackendOpener returns a backend that holds exactly the given graph, and
// its dialect. What must be undone afterwards it leaves to t.Cleanup.
type BackendOpener func(t testing.TB, g *memory.Graph) (store.Backend, *compile.Dialect)

// hangTime is how long a backend hangs when it is called first.
const hangTime = 50 * time.Millisecond

// Faults lets a backend fail, panic, lose its connection, hang and be canceled
// at its first call, its second, and so on to the last, in so many calls of all
// tools: forty are enough, and a tenth is made with -short. Each time the call must end with an error of the right code that tells
// nothing of the cause, must leave no session and no rows open, and must be
// answered rightly when it is made again. The deadline of a call that hangs is one
// by the clock where the backend's first call does, and comes at that moment where
// a later one does: so no call has too little time to get there, and none waits.
func Faults(t *testing.T, open BackendOpener, seed uint64, most int) {
	g, err := randomWorld(seed).build()
	require.NoError(t, err)
	b, dialect := open(t, g)
	f := &faulty{Backend: b}
	st := store.New(f, dialect)
	defer func() { require.NoError(t, st.Close()) }()
	c, ref, d := NewCaller(g.Schema(), st, graph.Limits{}), NewReference(g, graph.Limits{}), newDice(seed, 5)
	hanging := NewCaller(g.Schema(), st, graph.Limits{Timeout: hangTime})
	struck := map[fault]int{}
	if testing.Short() {
		most = (most + 9) / 10
	}
	// Of a tool that finds nothing to ask of this graph the next one takes the turn.
	for calls, turn := 0, 0; calls < most; turn++ {
		a, ok := randomCall(d, ref, toolNames()[turn%len(toolNames())])
		if !ok {
			continue
		}
		f.arm(faultNot, 0, nil)
		right, err := c.Call(asked(a.Query), Arguments(a.Query))
		if err != nil {
			continue
		}
		calls++
		for _, what := range []fault{fails, panics, drops, hangs, cancels} {
			caller := c
			if what == hangs {
				caller = hanging
			}
			for n := 1; f.disturb(t, caller, c, a, what, n, bare(right)); n++ {
				struck[what]++
				caller = c
			}
			if t.Failed() {
				t.Logf("%s at a call of\n%s %s", what, asked(a.Query), Arguments(a.Query))
				return
			}
		}
	}
	t.Logf("disturbed calls: %v", struck)
}

// disturb makes a call with a fault at the backend's nth call, and reports
// false if there were not so many. The patient caller makes the call again.
func (f *faulty) disturb(t *testing.T, c, patient *Caller, a Asked, what fault, n int, right string) bool {
	ctx, give := givenUp(what, n)
	defer give()
	q, err := c.Query(asked(a.Query), Arguments(a.Query))
	require.NoError(t, err)
	f.arm(what, n, give)
	got, err := c.engine.Run(ctx, q)
	log := c.log.take()
	if !f.struck {
		require.NoError(t, err, log)
		return false
	}
	require.Zero(t, f.open, "sessions or rows are left open after a backend %s", what)
	codes := map[fault]graph.Code{fails: graph.Internal, panics: graph.Internal, drops: graph.Unavailable, hangs: graph.Timeout, cancels: graph.Canceled}
	if err == nil && what == cancels { // it came too late: then the answer is whole
		require.Equal(t, right, bare(got))
		return true
	}
	var known *graph.Error
	require.True(t, errors.As(err, &known), "the error is %v", err)
	require.Equal(t, codes[what], known.Code, log)
	require.NotEmpty(t, known.ErrorID)
	text, err := json.Marshal(known)
	require.NoError(t, err)
	require.NotContains(t, string(text)+known.Error(), "hunter2", "what the backend said came out")
	f.arm(faultNot, 0, nil)
	again, err := patient.Call(asked(a.Query), Arguments(a.Query))
	require.NoError(t, err, "%s at %d: %s %s\n%s", what, n, asked(a.Query), Arguments(a.Query), patient.log.take())
	require.Equal(t, right, bare(again), "the answer after the fault")
	return true
}

// bare is an answer's document without what differs between engines.
func bare(r *graph.Result) string {
	strip(r)
	return answerText(r)
}

// givenUp is a context for a call at whose nth call of the backend something goes
// wrong, and what ends it then: a caller who gives up, or a deadline. That of a
// first call comes by itself.
func givenUp(what fault, n int) (context.Context, func()) {
	if what != hangs {
		return context.WithCancel(context.Background())
	}
	if n == 1 {
		return context.Background(), func() {}
	}
	ctx := &overdue{Context: context.Background(), done: make(chan struct{})}
	return ctx, sync.OnceFunc(func() { close(ctx.done) })
}

// An overdue context is one whose deadline comes when it is told to.
type overdue struct {
	context.Context
	done chan struct{}
}

func (c *overdue) Done() <-chan struct{} { return c.done }

func (c *overdue) Err() error {
	select {
	case <-c.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}
