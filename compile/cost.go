package compile

import (
	"fmt"
	"math"
	"strconv"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// An Estimate says what answering a plan costs, before it runs. It is a
// forecast from averages, made to tell a lookup from a scan: mostly within a
// factor of ten of what a store with indexes on keys, on the ends of
// relationships and on the properties marked with index has to read.
type Estimate struct {
	// Rows are the nodes read, Relationships those followed.
	Rows          float64 `json:"rows"`
	Relationships float64 `json:"relationships"`
	// Cost is both together, where a node whose texts must be compared one by
	// one counts ten times.
	Cost float64 `json:"cost"`
	// Parts tell people what the cost is made of, in the order of the plan.
	Parts []string `json:"parts,omitempty"`

	worst part
}

// textCost is the cost of reading a node to compare its texts, in nodes read:
// texts are most of what a table holds.
const textCost = 10

// A part is one reading of nodes or one walk.
type part struct {
	cost float64
	at   string        // the arguments' place that asks for it
	scan *schema.Label // the label read as a whole, nil for others
	walk bool          // relationships are followed
}

// add counts a part. rows of which text have their texts compared.
func (e *Estimate) add(p part, rows, text, relationships float64, line string) {
	e.Rows += rows
	e.Relationships += relationships
	p.cost = rows + (textCost-1)*text + relationships
	e.Cost += p.cost
	if p.cost > e.worst.cost {
		e.worst = p
	}
	if line != "" {
		e.Parts = append(e.Parts, line)
	}
}

// join adds the parts of another estimate.
func (e *Estimate) join(o *Estimate) {
	e.Rows += o.Rows
	e.Relationships += o.Relationships
	e.Cost += o.Cost
	if o.worst.cost > e.worst.cost {
		e.worst = o.worst
	}
	e.Parts = append(e.Parts, o.Parts...)
}

// cheaper returns the estimate of less cost, the first of equal ones.
func cheaper(a, b *Estimate) *Estimate {
	if b != nil && b.Cost < a.Cost {
		return b
	}
	return a
}

// EstimateCost forecasts the cost of a plan from statistics; nil ones are
// empty. It is pure: equal plans and statistics give equal estimates.
//
// The rules: given keys cost a node each; an equality on an indexed property,
// its share of the values; a range on one, a third; everything else, all nodes
// of the label. A hop takes the average of relationships from each node; from a
// single given node a third of the way to the highest, on a scale of
// magnitudes, since what is asked about by name is often a hub. Nodes reached are counted once,
// of as many as there are. A traversal and a semi-join are walked from the
// cheaper of their ends, and a path search from the cheaper of its two at every
// hop, until the two sides are likely to have met. Limits of the answer save
// something only where nothing has to be sorted or tested first.
func EstimateCost(p *Plan, s *Statistics) *Estimate {
	if s == nil {
		s = &Statistics{}
	}
	k := &estimator{plan: p, stats: s, tell: true}
	return k.estimate()
}

// estimate is EstimateCost.
func (k *estimator) estimate() *Estimate {
	p, e := k.plan, &Estimate{}
	switch root := p.Root.(type) {
	case *Find:
		k.find(e, root)
	case *Traverse:
		k.traverse(e, root)
	case *Neighbors:
		k.neighbors(e, root)
	case *Paths:
		k.paths(e, root)
	case *Aggregate:
		k.aggregate(e, root)
	}
	return e
}

// An estimator holds what an estimate is made from.
type estimator struct {
	plan  *Plan
	stats *Statistics
	// tell makes parts of the estimate, and unlimited takes every limit for as
	// high as can be.
	tell, unlimited bool
}

// line writes a part for people, its numbers as they want them.
func (k *estimator) line(format string, args ...any) string {
	if !k.tell {
		return ""
	}
	for i, a := range args {
		if n, ok := a.(float64); ok {
			args[i] = count(n)
		}
	}
	return fmt.Sprintf(format, args...)
}

func (k *estimator) limit(s Slot) float64 {
	if k.unlimited {
		return math.Inf(1)
	}
	return float64(k.plan.Params[s].Int())
}

func (k *estimator) find(e *Estimate, f *Find) {
	n := k.stats.nodes(f.Nodes.label)
	byKey := len(f.Page.Order) == 0
	for _, o := range f.Page.Order {
		byKey = o.By == ByKey || o.By == ByLabel || o.By == ByProperty && f.Nodes.label.IsKey(o.Property)
		if !byKey {
			break
		}
	}
	all := &Estimate{}
	k.access(all, "", f.Nodes)
	if byKey && !f.Page.Counted && f.Nodes.Keys.N < 0 && f.Nodes.Cond == nil && len(f.Nodes.Related) == 0 {
		// Read in order until the page is full, past what the caller may not see.
		first := &Estimate{}
		if share := k.share(f.Nodes.Guard(), f.Nodes.label, nil); share > 0 {
			n = math.Min(n, (k.limit(f.Page.Limit)+1)/share)
		}
		first.add(part{}, n, 0, 0, k.line("%v: the first %v in the order of their keys", f.Nodes.label.Name, n))
		all = cheaper(all, first)
	}
	e.join(all)
}

func always(c Cond) bool { return c == nil || c == Const(true) }

func (k *estimator) traverse(e *Estimate, t *Traverse) {
	e.join(k.chain("", "/from", "/to", t.From, t.Steps))
}

// chain estimates a walk from a set along steps, from the cheaper end.
func (k *estimator) chain(base, fromAt, toAt string, from *NodeSet, steps []*Expand) *Estimate {
	forward, backward := &Estimate{}, &Estimate{}
	reached := frontier{}.with(from.label, k.access(forward, base+fromAt, from))
	named := from.Keys.N == 1
	for i, x := range steps {
		at := stepAt(base, i)
		ends := at + "/to"
		if i == len(steps)-1 {
			ends = base + toAt
		}
		reached = k.step(forward, at, x, reached, named && i == 0, false)
		reached = k.test(forward, ends, x.Ends, reached)
	}

	last := steps[len(steps)-1].Ends
	reached, named = nil, len(last) == 1 && last[0].Keys.N == 1
	for _, end := range last {
		reached = reached.with(end.label, k.access(backward, base+toAt, end))
	}
	for i := len(steps) - 1; i >= 0; i-- {
		reached = k.step(backward, stepAt(base, i), steps[i], reached, named && i == len(steps)-1, true)
		ends, at := []*NodeSet{from}, base+fromAt
		if i > 0 {
			ends, at = steps[i-1].Ends, stepAt(base, i-1)+"/to"
		}
		reached = k.test(backward, at, ends, reached)
	}
	return cheaper(forward, backward)
}

func stepAt(base string, i int) string { return base + "/relationships/" + strconv.Itoa(i) }

func (k *estimator) neighbors(e *Estimate, n *Neighbors) {
	k.access(e, "/start_node", n.Start)
	page := k.limit(n.Page.Limit) + 1
	wave := k.newWave(n.Step, n.Start.label)
	for found, hop := 0.0, 1; hop <= n.Step.Max && found < page && wave.size() > 0; hop++ {
		wave.expand(e, "/max_hops", false, hop)
		found += wave.size()
	}
}

func (k *estimator) paths(e *Estimate, p *Paths) {
	k.access(e, "/from", p.From)
	k.access(e, "/to", p.To)
	wanted := 1.0
	switch p.Mode {
	case graph.KShortest:
		wanted = float64(p.K)
	case graph.AllPaths:
		wanted = k.limit(p.Limit) + 1
	}
	ahead, back := k.newWave(p.Step, p.From.label), k.newWave(p.Step, p.To.label)
	forward, backward := 1, 1
	for hops := 1; hops <= p.Step.Max && ahead.size() > 0 && back.size() > 0; hops++ {
		if ahead.next(false) <= back.next(true) {
			ahead.expand(e, "/max_hops", false, forward)
			forward++
		} else {
			back.expand(e, "/max_hops", true, backward)
			backward++
		}
		if p.Weight == nil && meetings(k.stats, ahead, back) >= wanted {
			break // the sides have met often enough
		}
	}
}

// meetings is the likely number of nodes at which two frontiers meet.
func meetings(s *Statistics, a, b *wave) float64 {
	sum := 0.0
	for _, at := range a.at {
		if n := s.nodes(at.label); n > 0 {
			sum += at.n * b.at.of(at.label) / n
		}
	}
	return sum
}

func (k *estimator) aggregate(e *Estimate, a *Aggregate) {
	matched := k.access(e, "", a.Nodes)
	for _, v := range a.Values {
		if textCompared(v.Cond, nil) {
			e.add(part{at: "/aggregations"}, 0, matched, 0, k.line("%v: the condition of %v is tested on %v", a.Nodes.label.Name, v.Name, matched))
		}
	}
	for i, chain := range a.Chains {
		at := "/group_by/" + strconv.Itoa(i)
		for j, g := range a.Groups {
			if g.Chain == i {
				at = "/group_by/" + strconv.Itoa(j)
				break
			}
		}
		reached := frontier{}.with(a.Nodes.label, matched)
		for j, x := range chain {
			reached = k.step(e, stepAt(at, j), x, reached, false, false)
			reached = k.test(e, stepAt(at, j)+"/to", x.Ends, reached)
		}
	}
}

// count writes an estimate for people: two digits are more than it deserves.
func count(n float64) string {
	switch {
	case n < 10:
		return strconv.FormatFloat(math.Ceil(n*10)/10, 'f', -1, 64)
	case n < 1e15:
		scale := math.Pow(10, math.Floor(math.Log10(n))-1)
		return strconv.FormatFloat(math.Round(n/scale)*scale, 'f', 0, 64)
	}
	return strconv.FormatFloat(n, 'g', 2, 64)
}
