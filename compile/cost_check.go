package compile

import (
	"fmt"
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// Cost bounds what a call may be expected to cost, in the units of
// Estimate.Cost. Nothing is estimated without statistics.
type Cost struct {
	// Statistics returns the statistics that a check estimates with. It is
	// called for every check, at the same time by many, and may return newer
	// ones or, as long as there are none, nil.
	//
	// Statistics are about all rows, whoever may see them: what is refused is
	// the same for all tenants, and follows what the largest of them has. A host
	// to whom even that is too much to tell keeps one set of statistics instead
	// of counting while tenants work, or only warns.
	Statistics func() *Statistics
	// Refuse is the cost over which a call is refused as TOO_COSTLY; zero means
	// 1,000,000, and a negative value that none is.
	Refuse float64
	// Warn is the cost over which an answer has a warning; zero means half of
	// Refuse, and a negative value that none has.
	Warn float64
}

const defaultRefuse = 1_000_000

func (c Cost) withDefaults() Cost {
	if c.Refuse == 0 {
		c.Refuse = defaultRefuse
	}
	if c.Warn == 0 {
		if c.Warn = c.Refuse / 2; c.Refuse < 0 {
			c.Warn = defaultRefuse / 2
		}
	}
	return c
}

func (c Cost) statistics() *Statistics {
	if c.Statistics == nil {
		return nil
	}
	return c.Statistics()
}

// Estimate forecasts the cost of a plan with statistics or, where they are nil,
// with those of Options.Cost; it is nil if there are none either.
func (c *Compiler) Estimate(p *Plan, s *Statistics) *Estimate {
	if s == nil {
		s = c.cost.statistics()
	}
	if s == nil {
		return nil
	}
	return EstimateCost(p, s)
}

// weigh refuses a plan that would cost too much, or warns of it. again checks
// another query as the first one was checked.
func (c *Compiler) weigh(p *Plan, q graph.Query, stats *Statistics, again func(graph.Query) *Plan) error {
	e := (&estimator{plan: p, stats: stats}).estimate()
	switch {
	case e.over(c.cost.Refuse):
		return graph.Errors{{Code: graph.TooCostly, Path: e.worst.at, Message: costly(p, e, "the call is too costly"), Hint: e.hint(stats),
			Fix: affordable(q, stats, c.cost.Refuse, again)}}
	case e.over(c.cost.Warn):
		p.Warnings = append(slices.Clip(p.Warnings), graph.Warning{Code: graph.TooCostly, Path: e.worst.at,
			Message: costly(p, e, "the call is costly") + "; " + e.hint(stats), Fix: affordable(q, stats, c.cost.Warn, again)})
	}
	return nil
}

func (e *Estimate) over(bound float64) bool { return bound >= 0 && !(e.Cost <= bound) }

// light reports whether a plan's root is known to cost so little that no plan of
// it is refused or warned of. Of the values, only limits make a difference.
func (c *Compiler) light(p *Plan, stats *Statistics) bool {
	switch {
	case p.shared == nil:
		return false
	case p.shared.light.Load() == stats:
		return true
	}
	e := (&estimator{plan: p, stats: stats, unlimited: true}).estimate()
	if e.over(c.cost.Refuse) || e.over(c.cost.Warn) {
		return false
	}
	p.shared.light.Store(stats)
	return true
}

// costly says what a call costs. How much data there is stays untold where a
// caller may not see all of it.
func costly(p *Plan, e *Estimate, text string) string {
	if p.guarded {
		return text
	}
	return fmt.Sprintf("%s: it would read about %s nodes and follow about %s relationships", text, count(e.Rows), count(e.Relationships))
}

// hint names what would make the costliest part cheap.
func (e *Estimate) hint(stats *Statistics) string {
	l := e.worst.scan
	switch {
	case l == nil && !e.worst.walk:
		return "ids help, or filters that fewer nodes fulfil"
	case l == nil:
		return "fewer hops help, or fewer relationship types, or a start that ids or filters narrow"
	}
	index := cheapestIndex(stats, l)
	if index == "" {
		return "all nodes of " + l.Name + " would be read: give ids"
	}
	return fmt.Sprintf("all nodes of %s would be read: give ids, or filter by %s, which is indexed", l.Name, index)
}

// cheapestIndex is the indexed property of which a value stands for the fewest
// nodes, "" if a label has none that callers may filter by.
func cheapestIndex(s *Statistics, l *schema.Label) string {
	best, name := 0.0, ""
	for _, p := range l.Properties {
		if !p.Index || p.Hidden || p.Masked != "" || p.NotFilterable || l.IsKey(p) {
			continue
		}
		if share, distinct := s.values(l, p); name == "" || share/distinct < best {
			best, name = share/distinct, p.Name
		}
	}
	return name
}
