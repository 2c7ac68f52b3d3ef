package httpapi

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/graph/engine/audit"
)

// Metrics count the calls of an engine, however they came in: they are its
// Observer. They hold no value of a call, and of names only those of tools that
// have answered. They are safe for concurrent use.
type Metrics struct {
	mu       sync.Mutex
	inFlight int
	calls    map[string]*tally // by tool
	codes    map[graph.Code]int
	statuses map[int]int
}

// A tally is what is counted of one tool.
type tally struct {
	outcomes map[audit.Outcome]int
	buckets  [len(bounds)]int // of calls that took at most so long, and longer than the bound before
	seconds  float64
	count    int
}

// bounds are the upper ends of the histogram's buckets, in seconds.
var bounds = [...]float64{.0001, .001, .005, .01, .05, .1, .5, 1, 5, 10}

var _ engine.Observer = (*Metrics)(nil)

// NewMetrics returns metrics that have counted nothing.
func NewMetrics() *Metrics {
	return &Metrics{calls: map[string]*tally{}, codes: map[graph.Code]int{}, statuses: map[int]int{}}
}

// Begin implements engine.Observer.
func (m *Metrics) Begin(ctx context.Context, _ string) (context.Context, func(*audit.Record)) {
	m.mu.Lock()
	m.inFlight++
	m.mu.Unlock()
	return ctx, m.end
}

func (m *Metrics) end(r *audit.Record) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inFlight--
	t := m.tally(r)
	t.outcomes[r.Outcome]++
	t.count++
	t.seconds += r.Duration.Seconds()
	if i, _ := slices.BinarySearch(bounds[:], r.Duration.Seconds()); i < len(bounds) {
		t.buckets[i]++
	}
	for _, c := range r.Codes {
		m.codes[c]++
	}
}

// other stands for the names of tools that callers make up.
const other = "other"

// tally is that of a call's tool. Whoever makes names up makes no new tally.
func (m *Metrics) tally(r *audit.Record) *tally {
	name := r.Tool
	switch name {
	case graph.ToolDescribe, graph.ToolFindNodes, graph.ToolTraverse, graph.ToolNeighbors, graph.ToolPaths, graph.ToolAggregate:
	default:
		if m.calls[name] == nil && r.Outcome != audit.OK {
			name = other
		}
	}
	t := m.calls[name]
	if t == nil {
		t = &tally{outcomes: map[audit.Outcome]int{}}
		m.calls[name] = t
	}
	return t
}

// replied counts a response.
func (m *Metrics) replied(status int) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.statuses[status]++
}

// shown are the tallies of the tools that somebody may see; the others' are one,
// under the name of those that there are not.
func (m *Metrics) shown(visible func(tool string) bool) map[string]*tally {
	out := map[string]*tally{}
	for name, t := range m.calls {
		if !visible(name) {
			name = other
		}
		if out[name] == nil {
			out[name] = &tally{outcomes: map[audit.Outcome]int{}}
		}
		out[name].add(t)
	}
	return out
}

func (t *tally) add(more *tally) {
	for outcome, n := range more.outcomes {
		t.outcomes[outcome] += n
	}
	for i, n := range more.buckets {
		t.buckets[i] += n
	}
	t.seconds += more.seconds
	t.count += more.count
}

// append writes the metrics in Prometheus's text format, version 0.0.4, with the
// names of those tools that are visible.
func (m *Metrics) append(b []byte, stats engine.Stats, visible func(tool string) bool) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	calls := m.shown(visible)
	family := func(name, kind, help string) {
		b = fmt.Appendf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
	}
	gauge := func(name, help string, n int) {
		family(name, "gauge", help)
		b = fmt.Appendf(b, "%s %d\n", name, n)
	}
	family("trellis_calls_total", "counter", "Calls that were ended, by tool and outcome.")
	for _, tool := range sorted(calls) {
		for _, outcome := range sorted(calls[tool].outcomes) {
			b = fmt.Appendf(b, "trellis_calls_total{tool=%q,outcome=%q} %d\n", tool, outcome, calls[tool].outcomes[outcome])
		}
	}
	family("trellis_errors_total", "counter", "Errors of calls, by code.")
	for _, code := range sorted(m.codes) {
		b = fmt.Appendf(b, "trellis_errors_total{code=%q} %d\n", code, m.codes[code])
	}
	family("trellis_call_duration_seconds", "histogram", "How long calls took, by tool.")
	for _, tool := range sorted(calls) {
		b = calls[tool].append(b, tool)
	}
	gauge("trellis_calls_in_flight", "Calls that have begun and not ended.", m.inFlight)
	gauge("trellis_store_running", "Calls that are with the store.", stats.Running)
	gauge("trellis_store_waiting", "Calls that wait for the store.", stats.Waiting)
	gauge("trellis_store_abandoned", "Calls that the store did not return from in time.", stats.Abandoned)
	family("trellis_unrecorded_total", "counter", "Records of calls that were lost.")
	b = fmt.Appendf(b, "trellis_unrecorded_total %d\n", stats.Unrecorded)
	family("trellis_http_responses_total", "counter", "Responses, by status.")
	for _, status := range sorted(m.statuses) {
		b = fmt.Appendf(b, "trellis_http_responses_total{status=\"%d\"} %d\n", status, m.statuses[status])
	}
	return b
}

func (t *tally) append(b []byte, tool string) []byte {
	sum := 0
	for i, bound := range bounds {
		sum += t.buckets[i]
		b = fmt.Appendf(b, "trellis_call_duration_seconds_bucket{tool=%q,le=%q} %d\n", tool, strconv.FormatFloat(bound, 'g', -1, 64), sum)
	}
	return fmt.Appendf(b, "trellis_call_duration_seconds_bucket{tool=%q,le=\"+Inf\"} %d\ntrellis_call_duration_seconds_sum{tool=%q} %g\ntrellis_call_duration_seconds_count{tool=%q} %d\n",
		tool, t.count, tool, t.seconds, tool, t.count)
}

func sorted[K interface{ ~string | ~int }, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
