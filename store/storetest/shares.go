package storetest

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trellisgraph/trellis/graph"
)

// shares count what random calls asked and what came of them.
type shares struct {
	tools    map[string]*toolShare
	features map[string]int
	opening  time.Duration // graphs
	asking   time.Duration
	slowest  time.Duration
	slow     string // the slowest call
	timeouts []string
}

type toolShare struct{ calls, nonEmpty, unsupported, costly, late, wrong int }

func newShares() *shares {
	s := &shares{tools: map[string]*toolShare{}, features: map[string]int{}}
	for _, name := range toolNames() {
		s.tools[name] = &toolShare{}
	}
	return s
}

// timed notes how long a call took.
func (s *shares) timed(a Asked, took time.Duration) {
	s.asking += took
	if took > s.slowest {
		s.slowest, s.slow = took, fmt.Sprintf("%s %s", asked(a.Query), Arguments(a.Query))
	}
}

// add counts a call and what came of it; paged says that its pages were read.
func (s *shares) add(a Asked, v verdict, paged bool) {
	share := s.tools[a.Query.Tool()]
	share.calls++
	switch {
	case v.refused == graph.Unsupported:
		share.unsupported++
		return
	case v.refused == graph.Timeout:
		share.late++
		s.timeouts = append(s.timeouts, fmt.Sprintf("%s %s", asked(a.Query), Arguments(a.Query)))
		return
	case v.refused != "":
		share.costly++
		return
	case v.wrong():
		share.wrong++
	case v.returned > 0:
		share.nonEmpty++
	}
	for _, f := range features(a.Query) {
		s.features[f]++
	}
	if paged && v.more != "" {
		s.features["read in pages"]++
	}
}

// least are the features that random calls must have at least so often, in
// thousandths of all calls.
var least = map[string]int{
	"two hops": 60, "group chain": 10, "path shortest": 10, "path all_shortest": 10, "path all": 10, "path k_shortest": 10, "path weight": 10,
	"page by offset": 20, "negation": 60, "read in pages": 30, "connections": 80, "no connections": 40, "related": 40, "where": 80, "search": 20,
}

// features names what a query exercises.
func features(q graph.Query) []string {
	var out []string
	add := func(ok bool, name string) {
		if ok && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	pattern := func(n *graph.NodePattern) {
		add(n.Where != "", "where")
		add(n.Search != "", "search")
		add(len(n.Related) > 0, "related")
		negative := strings.Contains(n.Where, "!(") || strings.Contains(n.Where, "!=")
		if and, ok := n.Filter.(graph.And); ok {
			for _, f := range and {
				op := f.(graph.Compare).Op
				negative = negative || op == graph.Ne || op == graph.NotIn
			}
		}
		for _, r := range n.Related {
			negative = negative || r.None
		}
		add(negative, "negation")
	}
	switch q := q.(type) {
	case *graph.FindNodes:
		pattern(&q.NodePattern)
		add(q.Page != nil, "page by offset")
	case *graph.Traverse:
		pattern(&q.From)
		pattern(&q.To)
		total := 0
		for i := range q.Relationships {
			_, most := hopBounds(&q.Relationships[i])
			total += most
		}
		add(total >= 2, "two hops")
		add(q.OmitConnections, "no connections")
		add(!q.OmitConnections, "connections")
	case *graph.Paths:
		mode := q.Mode
		if mode == "" {
			mode = graph.Shortest
		}
		add(true, "path "+string(mode))
		add(q.Weight != "", "path weight")
	case *graph.Aggregate:
		pattern(&q.NodePattern)
		for _, g := range q.GroupBy {
			add(g.Relationships != nil, "group chain")
		}
	}
	return out
}

// table writes the counts.
func (s *shares) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-24s %8s %10s %12s %8s %6s %6s\n", "tool", "calls", "non-empty", "unsupported", "costly", "late", "wrong")
	for _, name := range toolNames() {
		t := s.tools[name]
		fmt.Fprintf(&b, "%-24s %8d %9d%% %12d %8d %6d %6d\n", name, t.calls, 100*t.nonEmpty/max(1, t.answered()), t.unsupported, t.costly, t.late, t.wrong)
	}
	for _, f := range slices.Sorted(maps.Keys(s.features)) {
		fmt.Fprintf(&b, "%-24s %8d\n", f, s.features[f])
	}
	fmt.Fprintf(&b, "opening graphs took %v, asking about them %v\n", s.opening.Round(time.Millisecond), s.asking.Round(time.Millisecond))
	fmt.Fprintf(&b, "slowest: %v %s\n", s.slowest.Round(time.Millisecond), s.slow)
	for _, call := range s.timeouts {
		fmt.Fprintf(&b, "timeout: %s\n", call)
	}
	return b.String()
}

func (t *toolShare) answered() int { return t.calls - t.unsupported - t.costly - t.late }

// require fails t where a run of many calls has not asked enough of something.
func (s *shares) require(t *testing.T, opts DifferentialOptions) {
	total := 0
	for name, share := range s.tools {
		total += share.calls
		// Of few calls chance takes two standard deviations, the root of their number.
		if n := float64(share.answered()); n >= 50 && float64(share.nonEmpty) < 0.6*n-math.Sqrt(n) {
			t.Errorf("only %d of %d answers of %s are not empty", share.nonEmpty, share.answered(), name)
		}
		if n := share.calls; n >= 50 && 10*share.costly > n {
			t.Errorf("%d of %d calls of %s are refused as too costly", share.costly, n, name)
		}
		if opts.Complete && share.unsupported > 0 {
			t.Errorf("%d of %d calls of %s are refused as unsupported", share.unsupported, share.calls, name)
		}
	}
	if n := len(s.timeouts); 1000*n > total && n > 1 {
		t.Errorf("%d of %d calls took longer than they may", n, total)
	}
	for name, n := range least {
		native := name == "path weight"
		if total < 1000 || len(opts.Tools) < len(s.tools) || native && !opts.Complete {
			continue // a store may leave these to others
		}
		if got := s.features[name]; 1000*got < n*total {
			t.Errorf("only %d of %d calls exercise %s", got, total, name)
		}
	}
}
