package compile

import (
	"hash/maphash"
	"slices"
	"sync"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// Most calls are like one before: they differ in values only. A Compiler keeps
// the plans of queries by their fingerprints, and gives such a call the plan's
// root with its own values in the slots. What the values decide beside the
// slots (an id that is no number, a limit that is too high) sends the call
// through the whole check, which reports it.

// The limits of what a Compiler keeps: plans, and how many queries it remembers
// to have seen once. A plan is kept when its like comes a second time.
const (
	maxPrepared = 4096
	maxSeen     = 16384
)

// A preparedKey is what a plan depends on beside values. The schema is that
// which has the policies; the view, which has their conditions, is nil where it
// has none.
type preparedKey struct {
	schema      *schema.Schema
	view        *schema.View
	fingerprint string
}

// A prepared is a plan without values.
type prepared struct {
	plan  *Plan // with the values of the query that it was made for
	binds []bind
	// fixed are values that stand in the plan otherwise than in a slot of their
	// own: a query with others is another one.
	fixed []fixedValue
}

// A bind says that a slot holds a value of the query.
type bind struct {
	slot  Slot
	value int // its number
	how   bindKind
	// property is what gives the value its type; text allows a number's text.
	property *schema.Property
	text     bool
	at       *place // where the value stands, while the plan is made
	// most and usual are a limit's bound and default.
	most, usual int
}

type bindKind uint8

const (
	bindValue   bindKind = iota
	bindPattern          // a text with at most Limits.PatternBytes bytes
	bindLimit            // a number of rows
)

type fixedValue struct {
	value int
	is    graph.Value
}

// preparedPlans keeps plans.
type preparedPlans struct {
	seed maphash.Seed
	used sync.Pool // of *fingerprint

	mu   sync.RWMutex
	kept map[preparedKey]*prepared
	seen map[seenKey]struct{}
}

// A seenKey stands for a preparedKey, and now and then for two.
type seenKey struct {
	schema      *schema.Schema
	view        *schema.View
	fingerprint uint64
}

// find returns the plan of a query like one before, nil if there is none; again
// says that the query's like came before.
func (c *preparedPlans) find(key preparedKey, q graph.Query, patternBytes int) (plan *Plan, again bool) {
	f, ok := c.used.Get().(*fingerprint)
	if !ok {
		f = &fingerprint{}
	}
	defer c.used.Put(f)
	if !f.query(q) {
		return nil, false
	}
	c.mu.RLock()
	p := c.kept[preparedKey{key.schema, key.view, string(f.bytes)}]
	c.mu.RUnlock()
	if p != nil {
		return p.bind(f.values, patternBytes), true
	}
	once := seenKey{key.schema, key.view, maphash.Bytes(c.seed, f.bytes)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, again = c.seen[once]; again {
		return nil, true
	}
	if c.seen == nil || len(c.seen) >= maxSeen {
		c.seen = make(map[seenKey]struct{})
	}
	c.seen[once] = struct{}{}
	return nil, false
}

// keep keeps the plan that a check has made, with the binds that it noted.
func (c *preparedPlans) keep(key preparedKey, q graph.Query, plan *Plan, binds []bind) {
	f := &fingerprint{places: true}
	if !f.query(q) {
		return
	}
	p := &prepared{}
	at := f.known()
	bound := make([]bool, len(f.values))
	for _, b := range binds {
		i, ok := at[b.at.pointer()]
		if !ok || i < 0 {
			continue
		}
		b.value, b.at, bound[i] = i, nil, true
		p.binds = append(p.binds, b)
	}
	for i, is := range bound {
		if !is {
			p.fixed = append(p.fixed, fixedValue{i, f.values[i]})
		}
	}
	for i := range plan.empty {
		e := &plan.empty[i]
		if !e.mends {
			continue
		}
		n, ok := at[e.source]
		if !ok || n < 0 {
			return // a text that cannot be told from another
		}
		e.value = n
	}
	key.fingerprint = string(f.bytes)
	plan.kept = true
	plan.Warnings = slices.Clip(plan.Warnings) // what is added to them is a call's
	own := *plan
	p.plan = &own
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || len(c.kept) >= maxPrepared { // begin anew: shapes are few in any real use
		c.kept = make(map[preparedKey]*prepared)
	}
	c.kept[key] = p
}

// bind returns the plan with other values; nil where the plan does not hold for
// them.
func (p *prepared) bind(values []graph.Value, patternBytes int) *Plan {
	for _, f := range p.fixed {
		if !values[f.value].Equal(f.is) {
			return nil
		}
	}
	plan := *p.plan
	plan.Params = append(make([]graph.Value, 0, len(p.plan.Params)+2), p.plan.Params...)
	for i := range p.binds {
		b := &p.binds[i]
		v := values[b.value]
		switch {
		case b.how == bindLimit:
			n := v.Int()
			if n < 0 || n > int64(b.most) {
				return nil
			}
			if n == 0 {
				v = graph.Int(int64(b.usual))
			}
		case v.IsNull():
			return nil
		default:
			var bad *graph.Error
			if v, bad = b.property.Coerce(v, b.text); bad != nil || b.how == bindPattern && len(v.Text()) > patternBytes {
				return nil
			}
		}
		plan.Params[b.slot] = v
	}
	if len(plan.empty) > 0 {
		plan.empty = slices.Clone(plan.empty)
		for i := range plan.empty {
			if e := &plan.empty[i]; e.mends {
				e.text = values[e.value]
			}
		}
	}
	return &plan
}

// Kept reports whether further calls that differ in values only have the same
// Root, so that what is made of a Root may be kept by it.
func (p *Plan) Kept() bool { return p.kept }
