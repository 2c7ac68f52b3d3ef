package storetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/graph"
)

const (
	togetherCalls = 120 // different calls made at the same time
	callers       = 8
	quick         = 100 * time.Millisecond // longest alone, for a call that is made together; more on a store that is slow
)

// Together makes the same random calls from eight goroutines at once, each in
// its own order, and fails t where an answer is not the one given before to the
// same call made alone. It means most under the race detector.
func Together(t *testing.T, open Opener, seed uint64) {
	w := randomWorld(seed)
	g, err := w.build()
	require.NoError(t, err)
	st := open(t, g)
	defer func() { require.NoError(t, st.Close()) }()
	c, ref, d := NewCaller(g.Schema(), st, graph.Limits{}), NewReference(g, graph.Limits{}), newDice(seed, 4)
	calls := make([]Asked, 0, togetherCalls)
	var alone []string
	patience := quick
	for len(calls) < togetherCalls {
		a, ok := randomCall(d, ref, pickTool(d))
		if !ok {
			continue
		}
		start := time.Now()
		answer := answerOrError(c, a)
		if time.Since(start) < patience {
			calls, alone = append(calls, a), append(alone, answer)
		} else {
			patience += patience / 8
		}
	}
	var work sync.WaitGroup
	for n := range callers {
		work.Go(func() {
			for _, i := range newDice(seed, 100+uint64(n)).Perm(len(calls)) {
				if got := answerOrError(c, calls[i]); got != alone[i] {
					t.Errorf("%s\n%s\nalone:    %s\ntogether: %s", asked(calls[i].Query), Arguments(calls[i].Query), alone[i], got)
				}
			}
		})
	}
	work.Wait()
}

// answerOrError is the document of an answer, or the codes of a refusal.
func answerOrError(c *Caller, a Asked) string {
	r, err := c.Call(asked(a.Query), Arguments(a.Query))
	if err != nil {
		return fmt.Sprint(err)
	}
	r.Statements = nil
	return answerText(r)
}
