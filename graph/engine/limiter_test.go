package engine

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

// T36: a clock that jumps, back or on, neither locks anybody out nor lets more
// through than a burst.
func TestT36ClockJumps(t *testing.T) {
	l := newLimiter(Rates{PerTenant: Rate{PerSecond: 1, Burst: 3}})
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	scope := &graph.Scope{Tenant: "a"}
	passes := func(at time.Time) (n int) {
		for l.admit(at, scope, "find_nodes") == nil {
			n++
		}
		return n
	}
	require.Equal(t, 3, passes(now))
	require.Equal(t, 0, passes(now.Add(-time.Hour)), "an hour back")
	require.Equal(t, 1, passes(now.Add(-time.Hour+time.Second)), "and it goes on from there")
	require.Equal(t, 3, passes(now.Add(1000*time.Hour)))
	require.Equal(t, 0, passes(now))
	err := l.admit(now, scope, "find_nodes")
	require.Equal(t, 1000, err.RetryAfterMS)
	require.Equal(t, 1, passes(now.Add(time.Second)))
}

// T36: the tables are bounded, whatever names come, and names do not run into
// each other.
func TestT36TablesAreBounded(t *testing.T) {
	const keep = 1000
	l := newLimiter(Rates{
		PerTenant: Rate{PerSecond: 1}, PerPrincipal: Rate{PerSecond: 1}, PerToken: Rate{PerSecond: 1}, PerTool: Rate{PerSecond: 1}, Keep: keep,
	})
	now := time.Now()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range 50_000 {
		name := fmt.Sprint(i)
		require.Nil(t, l.admit(now, &graph.Scope{Tenant: name, Principal: name, TokenID: name}, name))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	for _, b := range l.bounds {
		require.Len(t, b.kept.byKey, keep, b.what)
		require.Equal(t, keep, b.kept.used.Len(), b.what)
	}
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(8<<20))

	// One at its limit stays there as long as it keeps calling.
	for i := range 10 * keep {
		require.NotNil(t, l.admit(now, &graph.Scope{Tenant: "49999", Principal: "49999", TokenID: "49999"}, "49999"))
		require.Nil(t, l.admit(now, &graph.Scope{Tenant: fmt.Sprint("x", i), Principal: "p", TokenID: "t"}, "find_nodes"))
	}

	tools := newLimiter(Rates{PerTool: Rate{PerSecond: 1}})
	require.Nil(t, tools.admit(now, nil, strings.Repeat("x", 1<<20)))
	require.NotNil(t, tools.admit(now, nil, strings.Repeat("y", 1<<20)), "names too long for a tool are one")
	require.Len(t, tools.bounds[0].kept.byKey, 1)
}

// T33: keys of different callers are different, whatever is in their names.
func TestT33KeysAreApart(t *testing.T) {
	seen := map[string]string{}
	parts := []string{"", "a", "b", "ab", ":", "a:", ":a", "|", "&", "=", "a=b", "\x00", "\x01a", "\x01", "\x02ab", strings.Repeat("x", 127), strings.Repeat("x", 128)}
	for _, tenant := range parts {
		for _, name := range parts {
			k := ownKey(tenant, name)
			require.Empty(t, seen[k], "%q %q", tenant, name)
			seen[k] = fmt.Sprintf("%q %q", tenant, name)
		}
	}
}

func TestNoRatesBoundNothing(t *testing.T) {
	require.Nil(t, newLimiter(Rates{}))
	require.Nil(t, newLimiter(Rates{PerTenant: Rate{PerSecond: -1, Burst: 3}, PerTool: Rate{Burst: 9}}))
	l := newLimiter(Rates{PerTenant: Rate{PerSecond: 1.5}})
	require.Equal(t, 2, l.bounds[0].rate.Burst)
}
