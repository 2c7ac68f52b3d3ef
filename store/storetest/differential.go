package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/graph"
)

// DifferentialOptions say which random calls are made and what is asked of the
// store beside right answers.
type DifferentialOptions struct {
	// Seed chooses the graphs and the calls: the same ones for the same seed.
	Seed uint64
	// Calls is how many calls are made; 2,000 by default.
	Calls int
	// CallsPerGraph is how many of them are made of one graph; 100 by
	// default. A store that is slow to open wants more.
	CallsPerGraph int
	// Complete fails the test where the store refuses a call as UNSUPPORTED;
	// otherwise such calls are counted.
	Complete bool
	// Tools are the tools that are called; all by default.
	Tools []string
}

func (o DifferentialOptions) withDefaults() DifferentialOptions {
	if o.Calls == 0 {
		o.Calls = 2000
	}
	if o.CallsPerGraph == 0 {
		o.CallsPerGraph = 100
	}
	if o.Tools == nil {
		o.Tools = toolNames()
	}
	return o
}

// mostFailures is how many wrong answers end a run.
const mostFailures = 5

// Differential makes random calls of random graphs and fails t where an answer
// is not the Reference's. A wrong answer is reported with the smallest graph
// and call, found by leaving things out, that still give a wrong answer, in the
// form of a script.
func Differential(t *testing.T, open Opener, opts DifferentialOptions) {
	opts = opts.withDefaults()
	s := newShares()
	failed := 0
	for n := 0; n < opts.Calls && failed < mostFailures; n += opts.CallsPerGraph {
		seed := opts.Seed + uint64(n/opts.CallsPerGraph)
		t.Run(fmt.Sprintf("graph %d", seed), func(t *testing.T) {
			r := &differential{t: t, open: open, opts: opts, shares: s, world: randomWorld(seed)}
			failed += r.graph(newDice(seed, 2), min(opts.CallsPerGraph, opts.Calls-n))
		})
	}
	t.Log("\n" + s.table())
	s.require(t, opts)
}

// differential is the run over one graph.
type differential struct {
	t      *testing.T
	open   Opener
	opts   DifferentialOptions
	shares *shares
	world  *world
}

// graph makes calls of the graph and returns how many were answered wrongly.
func (r *differential) graph(d dice, calls int) int {
	g, err := r.world.build()
	require.NoError(r.t, err, "%s", r.world.schema.yaml())
	start := time.Now()
	st := r.open(r.t, g)
	r.shares.opening += time.Since(start)
	defer func() { require.NoError(r.t, st.Close()) }()
	caller, ref := NewCaller(g.Schema(), st, r.world.limits), NewReference(g, r.world.limits)
	if len(ref.vertices) == 0 {
		return 0
	}
	failed := 0
	for range calls {
		tool := pickTool(d)
		if !slices.Contains(r.opts.Tools, tool) {
			continue
		}
		a, ok := randomCall(d, ref, tool)
		if !ok {
			continue
		}
		pages := d.chance(50)
		start := time.Now()
		v := r.pages(caller, ref, &a, pages)
		r.shares.timed(a, time.Since(start))
		r.shares.add(a, v, pages)
		if v.wrong() {
			failed++
			r.report(a, v)
			if failed >= 2 {
				break
			}
		}
	}
	return failed
}

// pickTool chooses a tool; those of many shapes more often.
func pickTool(d dice) string {
	switch n := d.IntN(100); {
	case n < 22:
		return graph.ToolFindNodes
	case n < 52:
		return graph.ToolTraverse
	case n < 64:
		return graph.ToolNeighbors
	case n < 80:
		return graph.ToolPaths
	}
	return graph.ToolAggregate
}

// pages judges the first page of a call, or, if all, page after page. It
// leaves in a the offset of the page that is wrong.
func (r *differential) pages(c *Caller, ref *Reference, a *Asked, all bool) verdict {
	v := judge(c, ref, *a, "")
	first := v
	for all && !v.wrong() && v.more != "" {
		a.Offset += v.returned
		v = judge(c, ref, *a, v.more)
	}
	if v.wrong() {
		return v
	}
	return first
}
