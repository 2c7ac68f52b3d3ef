package storetest

import (
	"context"
	"encoding/json"
	"errors"
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

const (
	faultCalls = 40                    // calls that are disturbed; a tenth with -short
	hangTime   = 50 * time.Millisecond // at least; more on a store that is slow
)

// Faults lets a backend fail, panic, lose its connection, hang and be canceled
// at its first call, its second, and so on to the last, in forty calls of all
// tools. Each time the call must end with an error of the right code that tells
// nothing of the cause, must leave no session and no rows open, and must be
// answered rightly when it is made again. Of a store that is slow only the first
// calls of the backend are disturbed one by one, and fewer of those after them.
func Faults(t *testing.T, open BackendOpener, seed uint64) {
	g, err := randomWorld(seed).build()
	require.NoError(t, err)
	b, dialect := open(t, g)
	f := &faulty{Backend: b}
	st := store.New(f, dialect)
	defer func() { require.NoError(t, st.Close()) }()
	c, ref, d := NewCaller(g.Schema(), st, graph.Limits{}), NewReference(g, graph.Limits{}), newDice(seed, 5)
	struck, most, patience := map[fault]int{}, faultCalls, hangTime
	if testing.Short() {
		most /= 10
	}
	for calls := 0; calls < most; {
		a, ok := randomCall(d, ref, toolNames()[calls%len(toolNames())])
		if !ok {
			continue
		}
		f.arm(faultNot, 0, nil)
		start := time.Now()
		right, err := c.Call(a.Query.Tool(), Arguments(a.Query))
		if err != nil {
			continue
		}
		if time.Since(start) > patience/2 { // a store where all calls are slow must not be waited for in vain
			patience += patience / 8
			continue
		}
		calls++
		slow, hanging := patience > hangTime, NewCaller(g.Schema(), st, graph.Limits{Timeout: patience})
		patience = max(hangTime, patience/2)
		for _, what := range []fault{fails, panics, drops, hangs, cancels} {
			caller := c
			if what == hangs {
				caller = hanging
			}
			for n := 1; f.disturb(t, caller, c, a, what, n, bare(right)); n++ {
				if struck[what]++; slow {
					n += n / 2
				}
			}
			if t.Failed() {
				t.Logf("%s at a call of\n%s %s", what, a.Query.Tool(), Arguments(a.Query))
				return
			}
		}
	}
	t.Logf("disturbed calls: %v", struck)
}

// disturb makes a call with a fault at the backend's nth call, and reports
// false if there were not so many. The patient caller makes the call again.
func (f *faulty) disturb(t *testing.T, c, patient *Caller, a Asked, what fault, n int, right string) bool {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	q, err := c.Query(a.Query.Tool(), Arguments(a.Query))
	require.NoError(t, err)
	f.arm(what, n, cancel)
	got, err := c.engine.Run(ctx, q)
	log := c.log.take()
	if !f.struck {
		if !errors.Is(err, graph.Timeout) { // a slow call that needs no fault to take so long
			require.NoError(t, err, log)
		}
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
	again, err := patient.Call(a.Query.Tool(), Arguments(a.Query))
	require.NoError(t, err, "%s at %d: %s %s\n%s", what, n, a.Query.Tool(), Arguments(a.Query), patient.log.take())
	require.Equal(t, right, bare(again), "the answer after the fault")
	return true
}

// bare is an answer's document without what differs between engines.
func bare(r *graph.Result) string {
	strip(r)
	return answerText(r)
}
