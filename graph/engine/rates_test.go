package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
)

func as(tenant, principal, token string) context.Context {
	return graph.WithScope(context.Background(), &graph.Scope{Tenant: tenant, Principal: principal, TokenID: token})
}

// T36: one caller at a hundred times its rate gets its rate, hears when to come
// again, and takes nothing from anybody else.
func TestT36OneCallerAtAHundredTimesItsRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng, _ := newEngine(t, empty, engine.Options{Rates: engine.Rates{
			PerPrincipal: engine.Rate{PerSecond: 10, Burst: 5}, PerTenant: engine.Rate{PerSecond: 20},
		}})
		greedy, other, neighbour := as("a", "ann", ""), as("b", "bob", ""), as("a", "abe", "")
		var answered int
		for i := range 10_000 { // 1,000 calls a second, for ten seconds
			_, err := eng.Run(greedy, books())
			if err == nil {
				answered++
			} else {
				e := failed(t, err)
				require.Equal(t, graph.RateLimited, e.Code)
				require.True(t, e.Retryable)
				require.InDelta(t, 50, e.RetryAfterMS, 50)
				require.Empty(t, e.ErrorID, "there is nothing to look up")
			}
			if i%100 == 0 { // ten a second
				_, err = eng.Run(other, books())
				require.NoError(t, err, i)
				_, err = eng.Run(neighbour, books())
				require.NoError(t, err, i)
			}
			time.Sleep(time.Millisecond)
		}
		require.InDelta(t, 5+10*10, answered, 1)
	})
}

// T36: who waits as long as it was told is answered.
func TestT36RetryAfter(t *testing.T) {
	for _, rate := range []engine.Rate{{PerSecond: 3, Burst: 1}, {PerSecond: 0.1}, {PerSecond: 700, Burst: 2}, {PerSecond: 1.0 / 7200}} {
		synctest.Test(t, func(t *testing.T) {
			eng, _ := newEngine(t, empty, engine.Options{Rates: engine.Rates{PerToken: rate}})
			waited := 0
			for range 100 {
				_, err := eng.Run(as("a", "", "t"), books())
				if err == nil {
					continue
				}
				e := failed(t, err)
				require.Positive(t, e.RetryAfterMS)
				require.LessOrEqual(t, e.RetryAfterMS, 3_600_000)
				time.Sleep(time.Duration(e.RetryAfterMS) * time.Millisecond)
				if rate.PerSecond > 0.01 {
					_, err = eng.Run(as("a", "", "t"), books())
					require.NoError(t, err)
				}
				waited++
			}
			require.Positive(t, waited)
		})
	}
}

// T36: a thousand users within their rates are all answered.
func TestT36AThousandUsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng, _ := newEngine(t, empty, engine.Options{Rates: engine.Rates{PerPrincipal: engine.Rate{PerSecond: 1, Burst: 2}}})
		for range 5 {
			for u := range 1000 {
				for range 1 {
					_, err := eng.Run(as("a", fmt.Sprint("user ", u), ""), books())
					require.NoError(t, err)
				}
			}
			time.Sleep(time.Second)
		}
	})
}

// Every kind of bound holds, on every way into the engine, and a call that one
// of them refuses counts for none.
func TestRatesOfEveryKind(t *testing.T) {
	one := engine.Rate{PerSecond: 1}
	for name, tc := range map[string]struct {
		rates engine.Rates
		same  context.Context // is refused after as("a", "p", "t")
		other context.Context // is not
		word  string
	}{
		"tenant":    {engine.Rates{PerTenant: one}, as("a", "q", "u"), as("b", "p", "t"), "tenant"},
		"principal": {engine.Rates{PerPrincipal: one}, as("a", "p", "u"), as("b", "p", "t"), "principal"},
		"token":     {engine.Rates{PerToken: one}, as("a", "q", "t"), as("b", "p", "t"), "token"},
		"tool":      {engine.Rates{PerTool: one}, as("a", "q", "u"), as("b", "p", "t"), "tool"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				eng, _ := newEngine(t, empty, engine.Options{Rates: tc.rates})
				_, err := eng.Run(as("a", "p", "t"), books())
				require.NoError(t, err)
				_, err = eng.Run(tc.same, books())
				require.ErrorIs(t, err, graph.RateLimited)
				require.ErrorContains(t, err, "too many calls of this "+tc.word)
				_, err = eng.Explain(tc.same, books())
				require.ErrorIs(t, err, graph.RateLimited)
				_, err = eng.DryRun(tc.same, books())
				require.ErrorIs(t, err, graph.RateLimited)
				_, err = eng.Call(tc.same, engine.Request{Tool: graph.ToolFindNodes})
				require.ErrorIs(t, err, graph.RateLimited, "and is not even read")
				_, err = eng.ExplainCall(tc.same, engine.Request{Tool: graph.ToolFindNodes})
				require.ErrorIs(t, err, graph.RateLimited)
				_, err = eng.DryRunCall(tc.same, engine.Request{Tool: graph.ToolFindNodes})
				require.ErrorIs(t, err, graph.RateLimited)
				_, err = eng.Run(tc.other, books())
				require.NoError(t, err)
				_, err = eng.Run(context.Background(), books())
				require.NoError(t, err, "no scope is another tenant")
				_, err = eng.Run(context.Background(), books())
				require.ErrorIs(t, err, graph.RateLimited)
			})
		})
	}
	t.Run("a refused call counts for none", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			eng, _ := newEngine(t, empty, engine.Options{Rates: engine.Rates{
				PerTenant: engine.Rate{PerSecond: 0.001, Burst: 3}, PerTool: engine.Rate{PerSecond: 1, Burst: 1},
			}})
			for i := range 3 {
				_, err := eng.Run(as("a", "", ""), books())
				require.NoError(t, err, i)
				for range 100 {
					_, err = eng.Run(as("a", "", ""), books())
					require.ErrorIs(t, err, graph.RateLimited)
				}
				time.Sleep(time.Second)
			}
			_, err := eng.Run(as("a", "", ""), books())
			require.ErrorContains(t, err, "this tenant")
		})
	})
	t.Run("names of no tool are one tool", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			eng, _ := newEngine(t, empty, engine.Options{Rates: engine.Rates{PerTool: engine.Rate{PerSecond: 0.001, Burst: 1}, Keep: 3}})
			limited := func(tool string, offered func(*schema.Schema) bool) bool {
				r := unreadable("{")
				r.Tool, r.Offered = tool, offered
				_, err := eng.Call(as("a", "", ""), r)
				return failed(t, err).Code == graph.RateLimited
			}
			of := func(name string) func(*schema.Schema) bool {
				return func(s *schema.Schema) bool { return s == schemaOf(t, eng) && name == "open_issues" }
			}
			require.False(t, limited(graph.ToolFindNodes, nil))
			require.False(t, limited("open_issues", of("open_issues")), "a tool of the host is one of its own")
			require.False(t, limited("x", of("x")), "the first of no tool")
			for i := range 10 {
				name := fmt.Sprint("x", i)
				require.True(t, limited(name, of(name)))
				require.True(t, limited(name, nil))
			}
			require.True(t, limited("open_issues", nil), "nobody offers it here")
			require.True(t, limited("open_issues", of("open_issues")))
			require.True(t, limited(graph.ToolFindNodes, nil), "and none of them is forgotten for the others")
		})
	})
	t.Run("unreadable calls count", func(t *testing.T) {
		eng, _ := newEngine(t, empty, engine.Options{Rates: engine.Rates{PerTenant: engine.Rate{PerSecond: 0.001, Burst: 2}}})
		for i := range 5 {
			_, err := eng.Call(as("a", "", ""), unreadable("{"))
			require.Equal(t, i >= 2, failed(t, err).Code == graph.RateLimited, i)
		}
	})
}

func TestRetryAfterIsInTheDocument(t *testing.T) {
	b, err := json.Marshal(graph.Error{Code: graph.RateLimited, Retryable: true, RetryAfterMS: 120})
	require.NoError(t, err)
	require.Contains(t, string(b), `"retryable":true,"retry_after_ms":120`)
}
