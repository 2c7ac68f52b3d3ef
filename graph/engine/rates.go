package engine

import (
	"encoding/binary"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/trellisgraph/trellis/graph"
)

// A Rate is how often calls may come: PerSecond on average, and Burst at once
// after a pause. Where PerSecond is not positive, nothing is bounded. Burst is
// PerSecond, rounded up, if it is zero or negative.
type Rate struct {
	PerSecond float64
	Burst     int
}

// Rates bound how often calls may come. A call counts for all of them, or, if
// one refuses it, for none; it is then RATE_LIMITED and tells how long to wait.
// Calls without a scope are those of one nameless tenant.
type Rates struct {
	PerTenant    Rate
	PerPrincipal Rate // of one principal of a tenant
	PerToken     Rate // with one token of a tenant
	// PerTool bounds the calls of one tool by one tenant. Names of no tool that
	// the caller is offered count as one tool together.
	PerTool Rate
	// Keep is how many tenants, principals, tokens and tools are remembered, of
	// each; 100,000 if it is zero or negative. Over it, the one that called
	// longest ago is forgotten and begins anew.
	Keep int
}

// A limiter counts the calls of everybody. It is safe for concurrent use.
type limiter struct {
	mu     sync.Mutex
	bounds []bound
	// perTool says that one of them is of tools.
	perTool bool
	// clock goes on as the time of calls does, and never back: seen is the time
	// of the last one.
	clock, seen time.Time
}

// A bound is one Rate for everything of a kind.
type bound struct {
	what string // for people
	rate Rate
	name func(scope *graph.Scope, tool string) string
	kept *lru[string, *rate.Limiter]
}

const (
	usualKeep = 100_000
	// longestTool is how long a name can be that a tool has. Longer ones count
	// as one tool, whoever offers them, so that nobody fills the memory with names.
	longestTool = 64
)

// newLimiter returns nil where nothing is bounded.
func newLimiter(r Rates) *limiter {
	if r.Keep <= 0 {
		r.Keep = usualKeep
	}
	l := &limiter{perTool: r.PerTool.PerSecond > 0}
	for _, b := range []bound{
		{what: "this tenant", rate: r.PerTenant, name: func(*graph.Scope, string) string { return "" }},
		{what: "this principal", rate: r.PerPrincipal, name: func(s *graph.Scope, _ string) string { return s.Principal }},
		{what: "this token", rate: r.PerToken, name: func(s *graph.Scope, _ string) string { return s.TokenID }},
		{what: "this tool", rate: r.PerTool, name: func(_ *graph.Scope, tool string) string {
			if len(tool) > longestTool {
				return ""
			}
			return tool
		}},
	} {
		if !(b.rate.PerSecond > 0) {
			continue
		}
		if b.rate.Burst <= 0 {
			b.rate.Burst = int(min(math.Ceil(b.rate.PerSecond), math.MaxInt32))
		}
		b.kept = newLRU[string, *rate.Limiter](r.Keep)
		l.bounds = append(l.bounds, b)
	}
	if len(l.bounds) == 0 {
		return nil
	}
	return l
}

// admit counts a call, or refuses it.
func (l *limiter) admit(now time.Time, scope *graph.Scope, tool string) *graph.Error {
	if l == nil {
		return nil
	}
	if scope == nil {
		scope = &graph.Scope{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.seen.IsZero() {
		l.clock = l.clock.Add(max(0, now.Sub(l.seen)))
	}
	l.seen = now
	var asked [4]*rate.Limiter
	for i := range l.bounds {
		b := &l.bounds[i]
		lim := b.kept.get(ownKey(scope.Tenant, b.name(scope, tool)), func() *rate.Limiter {
			return rate.NewLimiter(rate.Limit(b.rate.PerSecond), b.rate.Burst)
		})
		asked[i] = lim
		if missing := 1 - lim.TokensAt(l.clock); missing > 0 { // and no name of the call reaches the next table
			return &graph.Error{Code: graph.RateLimited, Message: "too many calls of " + b.what, Retryable: true,
				RetryAfterMS: milliseconds(delay(missing / b.rate.PerSecond)), Hint: "wait for retry_after_ms before the next call"}
		}
	}
	for _, lim := range asked[:len(l.bounds)] {
		lim.AllowN(l.clock, 1)
	}
	return nil
}

// delay is a number of seconds, at most an hour: nobody waits longer.
func delay(seconds float64) time.Duration {
	return time.Duration(min(seconds, 3600) * float64(time.Second))
}

// milliseconds rounds up, so that who waits that long has waited long enough.
func milliseconds(d time.Duration) int {
	return int((d + time.Millisecond - 1) / time.Millisecond)
}

// ownKey joins a tenant and a name such that no other two give the same key.
func ownKey(tenant, name string) string {
	b := binary.AppendUvarint(make([]byte, 0, 10+len(tenant)+len(name)), uint64(len(tenant)))
	return string(append(append(b, tenant...), name...))
}
