package compile

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// Cost bounds what a call may be expected to cost, in the units of
// Estimate.Cost. Nothing is estimated without statistics.
type Cost struct {
	// Statistics returns the statistics that a check estimates with. It is
	// called for every check, at the same time by many, and may return newer
	// ones or, as long as there are none, nil.
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

// Estimate forecasts the cost of a plan with the statistics of Options.Cost;
// nil if there are none.
func (c *Compiler) Estimate(p *Plan) *Estimate {
	if s := c.cost.statistics(); s != nil {
		return EstimateCost(p, s)
	}
	return nil
}

// weigh refuses a plan that would cost too much, or warns of it. again checks
// another query as the first one was checked.
func (c *Compiler) weigh(p *Plan, q graph.Query, again func(graph.Query) *Plan) error {
	stats := c.cost.statistics()
	if stats == nil {
		return nil
	}
	e := estimate(p, stats, false)
	over := func(bound float64) bool { return bound >= 0 && !(e.Cost <= bound) }
	switch {
	case over(c.cost.Refuse):
		return graph.Errors{{Code: graph.TooCostly, Path: e.worst.at, Message: costly(p, e, "the call is too costly"), Hint: e.hint(stats),
			Fix: affordable(q, stats, c.cost.Refuse, again)}}
	case over(c.cost.Warn):
		p.Warnings = append(slices.Clip(p.Warnings), graph.Warning{Code: graph.TooCostly, Path: e.worst.at,
			Message: costly(p, e, "the call is costly") + "; " + e.hint(stats), Fix: affordable(q, stats, c.cost.Warn, again)})
	}
	return nil
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
	if l == nil {
		return "fewer hops help, or fewer relationship types, or a start that ids or filters narrow"
	}
	index := cheapestIndex(stats, l)
	if index == "" {
		return "all nodes of " + l.Name + " would be read: give ids"
	}
	return fmt.Sprintf("all nodes of %s would be read: give ids, or filter by %s, which is indexed", l.Name, index)
}

// affordable returns the least patch on hops with which the query stays within
// a cost, nil if there is none.
func affordable(q graph.Query, stats *Statistics, bound float64, again func(graph.Query) *Plan) []graph.Patch {
	fits := func(q graph.Query) bool {
		p := again(q)
		return p != nil && estimate(p, stats, false).Cost <= bound
	}
	places := hopPlaces(q)
	for _, at := range places {
		for n := at.most - 1; n >= at.least; n-- {
			if fits(at.with(n)) {
				return []graph.Patch{{Op: "add", Path: at.path, Value: n}}
			}
		}
	}
	// Lowering one place is not enough: all of them to the least.
	var patch []graph.Patch
	for i := range places {
		at := hopPlaces(q)[i]
		if at.most > at.least {
			q = at.with(at.least)
			patch = append(patch, graph.Patch{Op: "add", Path: at.path, Value: at.least})
		}
	}
	if len(patch) > 1 && fits(q) {
		return patch
	}
	return nil
}

// A hopPlace is a place in a query that bounds hops.
type hopPlace struct {
	path        string
	least, most int
	// with returns the query with another bound.
	with func(most int) graph.Query
}

func hopPlaces(q graph.Query) []hopPlace {
	switch q := q.(type) {
	case *graph.FindNodes:
		return nodeHops("", q.NodePattern, func(n graph.NodePattern) graph.Query {
			c := *q
			c.NodePattern = n
			return &c
		})
	case *graph.Aggregate:
		return nodeHops("", q.NodePattern, func(n graph.NodePattern) graph.Query {
			c := *q
			c.NodePattern = n
			return &c
		})
	case *graph.Traverse:
		return append(append(
			stepHops("/relationships", q.Relationships, func(steps []graph.Step) graph.Query {
				c := *q
				c.Relationships = steps
				return &c
			}),
			nodeHops("/from", q.From, func(n graph.NodePattern) graph.Query {
				c := *q
				c.From = n
				return &c
			})...),
			nodeHops("/to", q.To, func(n graph.NodePattern) graph.Query {
				c := *q
				c.To = n
				return &c
			})...)
	case *graph.Neighbors:
		return []hopPlace{{"/max_hops", 1, usual(q.MaxHops, defaultExploreHops), func(most int) graph.Query {
			c := *q
			c.MaxHops = most
			return &c
		}}}
	case *graph.Paths:
		return []hopPlace{{"/max_hops", 1, usual(q.MaxHops, defaultPathHops), func(most int) graph.Query {
			c := *q
			c.MaxHops = most
			return &c
		}}}
	}
	return nil
}

func usual(n, def int) int {
	if n == 0 {
		return def
	}
	return n
}

func nodeHops(base string, n graph.NodePattern, with func(graph.NodePattern) graph.Query) []hopPlace {
	var places []hopPlace
	for i := range n.Related {
		places = append(places, stepHops(base+"/related/"+strconv.Itoa(i)+"/relationships", n.Related[i].Relationships, func(steps []graph.Step) graph.Query {
			c := n
			c.Related = slices.Clone(n.Related)
			c.Related[i].Relationships = steps
			return with(c)
		})...)
	}
	return places
}

func stepHops(base string, steps []graph.Step, with func([]graph.Step) graph.Query) []hopPlace {
	var places []hopPlace
	for i, s := range steps {
		least := max(s.MinHops, 1)
		places = append(places, hopPlace{base + "/" + strconv.Itoa(i) + "/max_hops", least, usual(s.MaxHops, least), func(most int) graph.Query {
			c := slices.Clone(steps)
			c[i].MaxHops = most
			return with(c)
		}})
	}
	return places
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
