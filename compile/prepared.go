package compile

import (
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// Most calls are like one before: they differ in values only. A Compiler keeps
// the plans of queries by their fingerprints, and gives such a call the plan's
// root with its own values in the slots. What the values decide beside the
// slots (an id that is no number, a limit that is too high) sends the call
// through the whole check, which reports it.

// A prepared is a plan without values.
type prepared struct {
	hash        uint64
	key         preparedKey
	fingerprint string
	next        *prepared // with another hash in the same bucket

	plan  *Plan // without values of the query that it was made for
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
	at       string // the pointer of the value, while the plan is made
	// most and usual are a limit's bound and default.
	most, usual int
}

type bindKind uint8

const (
	bindValue   bindKind = iota
	bindPattern          // a text with at most Limits.PatternBytes bytes
	bindLimit            // a number of rows
	bindOffset           // how many rows are passed over
)

type fixedValue struct {
	value int
	is    graph.Value
}

// find returns the plan of a query like one before, nil if there is none; again
// says that the query's like came before. With a room the plan is made there.
func (c *preparedPlans) find(room *Room, key preparedKey, q graph.Query, patternBytes int) (plan *Plan, again bool) {
	var f *fingerprint
	if room != nil {
		f, plan = &room.fingerprint, &room.plan
	} else {
		f, _ = c.used.Get().(*fingerprint)
		if f == nil {
			f = &fingerprint{}
		}
		defer c.used.Put(f)
	}
	if !f.query(q) {
		return nil, false
	}
	hash := c.hash(key, f.bytes)
	p := c.get(key, hash, f.bytes)
	if p == nil {
		return nil, c.note(hash)
	}
	if plan == nil {
		plan = &Plan{}
	}
	if !p.bind(plan, f.values, patternBytes) {
		plan = nil
	}
	return plan, true
}

// keep keeps the plan that a check has made, with the binds that it noted.
func (c *preparedPlans) keep(key preparedKey, q graph.Query, plan *Plan, binds []bind) {
	f := &fingerprint{places: true}
	if !f.query(q) {
		return
	}
	p := &prepared{key: key, hash: c.hash(key, f.bytes), fingerprint: string(f.bytes)}
	at := f.known()
	bound := make([]bool, len(f.values))
	for _, b := range binds {
		i, ok := at[b.at]
		if !ok || i < 0 {
			continue
		}
		b.value, b.at, bound[i] = i, "", true
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
	plan.shared = &keptRoot{}
	plan.Warnings = slices.Clip(plan.Warnings) // what is added to them is a call's
	p.plan = plan.without(p.binds)
	c.put(p)
}

// without is the plan without what is the caller's own: calls of others get it.
func (p *Plan) without(binds []bind) *Plan {
	own := *p
	own.scope = nil
	own.Params = slices.Clone(p.Params)
	for _, b := range binds {
		own.Params[b.slot] = graph.Value{}
	}
	own.empty = slices.Clone(p.empty)
	for i := range own.empty {
		if e := &own.empty[i]; e.mends {
			e.text = graph.Value{}
		}
	}
	return &own
}

// bind makes the plan with other values, in the memory of one before; it reports
// false where the plan does not hold for them.
func (p *prepared) bind(plan *Plan, values []graph.Value, patternBytes int) bool {
	for _, f := range p.fixed {
		if !values[f.value].Equal(f.is) {
			return false
		}
	}
	params, empty := plan.Params, plan.empty
	if cap(params) < len(p.plan.Params)+2 {
		params = make([]graph.Value, 0, len(p.plan.Params)+2)
	}
	*plan = *p.plan
	plan.Params = append(params[:0], p.plan.Params...)
	plan.empty = append(empty[:0], p.plan.empty...)
	for i := range p.binds {
		b := &p.binds[i]
		v := values[b.value]
		switch {
		case b.how == bindLimit:
			n := v.Int()
			if n < 0 || n > int64(b.most) {
				return false
			}
			if n == 0 {
				v = graph.Int(int64(b.usual))
			}
		case b.how == bindOffset:
			if n := v.Int(); n < 0 || n > graph.MaxOffset {
				return false
			}
		case v.IsNull():
			return false
		default:
			var bad *graph.Error
			if v, bad = b.property.Coerce(v, b.text); bad != nil || b.how == bindPattern && len(v.Text()) > patternBytes {
				return false
			}
		}
		plan.Params[b.slot] = v
	}
	for i := range plan.empty {
		if e := &plan.empty[i]; e.mends {
			e.text = values[e.value]
		}
	}
	return true
}

// Kept reports whether further calls that differ in values only have the same
// Root, so that what is made of a Root may be kept by it.
func (p *Plan) Kept() bool { return p.shared != nil }
