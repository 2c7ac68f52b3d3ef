package tools

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// filters reads what records are listed by into the query: conditions on their
// own properties into its filter, those on what they are connected to into
// related conditions.
func (c *recordCall) filters(d *decoder, q *graph.FindNodes) {
	if d.peek() == '[' {
		e, raw := d.wrongType(filtersShape.noun, '{', "")
		e.Fix = byProperty(e.Path, raw)
		return
	}
	o, ok := d.open(filtersShape)
	if !ok {
		return
	}
	var own graph.And
	count := 0
	for d.next(&o) {
		count++
		f, ok := c.tool.filters[o.key]
		if !ok {
			c.unknownFilter(d, o.key)
			continue
		}
		n := len(own)
		own = c.filter(d, f, own)
		if f.target != nil {
			c.refer(f, own[n:])
		}
		if f.connected == nil || len(own) == n {
			continue
		}
		to := &graph.NodePattern{Label: f.connected.Pair.To.Name, Filter: slices.Clone(own[n:])}
		own = own[:n]
		c.related = append(c.related, f)
		q.Related = append(q.Related, graph.Related{Relationships: []graph.Step{{Types: []string{f.connected.Pair.Type.Name}, To: to}}})
	}
	if count > d.limits.Filters && d.failed == nil && !d.full() {
		d.mistake(graph.LimitExceeded, d.pointer(), fmt.Sprintf("%d filters are over the cap of %d", count, d.limits.Filters))
	}
	if n := len(c.related); n > d.limits.Related && d.failed == nil && !d.full() {
		// Databases take a time to plan these that grows exponentially.
		d.mistake(graph.LimitExceeded, d.pointer(), fmt.Sprintf("%d filters by what records are connected to are over the cap of %d", n, d.limits.Related)).Hint =
			"these are among them: " + strings.Join(c.relatedNames(), ", ")
	}
	if len(own) > 0 {
		q.Filter = own
	}
}

// relatedNames are the names of the filters by what records are connected to.
func (c *recordCall) relatedNames() []string {
	var out []string
	for _, f := range c.related {
		out = append(out, f.name)
	}
	return out
}

// maxFilterNames bounds the names of filters that an error lists: all that a type
// of records is likely to have.
const maxFilterNames = 200

// unknownFilter reports a name that is no filter, skips its value and says which
// one was probably meant.
func (c *recordCall) unknownFilter(d *decoder, name string) {
	if d.full() {
		d.skip()
		return
	}
	e := d.mistake(graph.UnknownProperty, d.pointer(), "")
	d.skip()
	e.SetGot(name)
	e.Allowed, e.AllowedTotal = c.tool.names[:min(len(c.tool.names), maxFilterNames)], len(c.tool.names)
	e.Message = fmt.Sprintf("records of %s have no filter %q", c.tool.label.Name, e.Got)
	switch p, ok := c.tool.label.Property(name); {
	case len(c.tool.names) == 0:
		e.Message += "; they have none"
	default:
		e.Message += "; the filters are " + strings.Join(e.Allowed, ", ")
		if more := e.AllowedTotal - len(e.Allowed); more > 0 {
			e.Message += fmt.Sprintf(" and %d more", more)
		}
		if ok && !p.Hidden && !p.NotFilterable && p.Masked == "" && p.Type != schema.JSON {
			e.Hint = fmt.Sprintf("lists are not filtered by %q; find_nodes is", name)
			return
		}
	}
	if e.DidYouMean = schema.Suggest(name, c.tool.names); len(e.DidYouMean) > 0 {
		e.Fix = []graph.Patch{{Op: "move", From: e.Path, Path: graph.Pointer(parentOf(e.Path), e.DidYouMean[0])}}
	}
}

// filter reads the condition of a filter: a value, or an object of operators.
func (c *recordCall) filter(d *decoder, f *recordFilter, all graph.And) graph.And {
	p := f.property
	text := f.key && p.Type.Integer()
	switch d.peek() {
	case '{':
		return c.operators(d, f, all)
	case '[':
		at := d.pointer()
		raw := d.skip()
		if d.failed == nil {
			e := d.mistake(graph.InvalidType, at, "expected one value or an object of operators, found a list")
			e.SetGot(raw)
			e.Hint = `for several values use {"in": [...]}`
			e.Fix = replace(at, `{"in":`+raw+`}`)
		}
		return all
	case 'n':
		if e, raw := d.wrongType("a value", 0, ""); raw == "null" {
			e.Hint = "leave out what is not wanted; for records without a value use find_nodes with is_null"
			e.Fix = []graph.Patch{{Op: "remove", Path: e.Path}}
		}
		return all
	}
	return append(all, graph.Compare{Property: f.column, Value: d.coerced(p, text)})
}

// operators reads an object of operators, one comparison for each.
func (c *recordCall) operators(d *decoder, f *recordFilter, all graph.And) graph.And {
	o, ok := d.open(operatorsShape)
	if !ok {
		return all
	}
	p := f.property
	text := f.key && p.Type.Integer()
	any := false
	for d.next(&o) {
		any = true
		if !slices.Contains(f.ops, o.key) {
			c.unknownOperator(d, f, o.key)
			continue
		}
		cond := graph.Compare{Property: f.column, Op: graph.Op(o.key)}
		if cond.Op != graph.In {
			cond.Value = d.coerced(p, text)
			all = append(all, cond)
			continue
		}
		if !d.openList("a list of values", `"tf-0123456789`) {
			continue
		}
		list := []graph.Value{}
		for i := 0; d.element(i); i++ {
			list = append(list, d.coerced(p, text))
		}
		cond.Value = graph.List(list...)
		if p.Type == schema.Bool {
			all = append(all, oneOfBools(f.column, list))
			continue
		}
		all = append(all, cond)
	}
	if !any && d.failed == nil {
		e := d.mistake(graph.MissingField, d.pointer(), "an object of operators needs an operator")
		e.SetAllowed(f.ops)
	}
	return all
}

// oneOfBools is the condition that a boolean is one of some: no query has a list
// of them.
func oneOfBools(name string, list []graph.Value) graph.Filter {
	is := func(b bool) graph.Filter { return graph.Compare{Property: name, Value: graph.Bool(b)} }
	var yes, no bool
	for _, v := range list {
		b := v.Kind() == graph.KindBool && v.Bool()
		yes, no = yes || b, no || !b
	}
	switch {
	case yes && no:
		return graph.Or{is(true), is(false)}
	case yes || no:
		return is(yes)
	}
	return graph.And{is(true), is(false)} // none, as no value is one of an empty list
}

// unknownOperator reports an operator that the filter does not take. Equality is
// the bare value.
func (c *recordCall) unknownOperator(d *decoder, f *recordFilter, name string) {
	n := len(d.errs)
	start := d.reader
	d.unknownOperator(name, f.ops)
	if d.failed != nil || len(d.errs) == n {
		return
	}
	e := d.errs[n]
	op, known := operator(name)
	if known {
		e.Message = fmt.Sprintf("lists are not filtered with %q here; find_nodes may be", op)
		e.DidYouMean, e.Fix = nil, nil
	}
	switch operatorAliases[plain(name)] {
	case string(graph.Eq):
		e.Hint = "a bare value means that it is equal"
	case string(graph.Contains):
		if f.connected == nil {
			return
		}
		e.Hint = "a bare value is one that is among them"
	default:
		return
	}
	e.DidYouMean = nil
	end := d.pos
	value := d.src[start.pos:end]
	if strings.HasPrefix(strings.TrimSpace(value), "[") {
		value = `{"in":` + value + `}`
	}
	e.Fix = replace(parentOf(e.Path), value)
}

// refer notes the values of a filter that are ids of other nodes.
func (c *recordCall) refer(f *recordFilter, list graph.And) {
	for _, cond := range list {
		cond, ok := cond.(graph.Compare)
		switch {
		case !ok:
		case cond.Op == "":
			c.references = append(c.references, referral{f, false, []graph.Value{cond.Value}})
		case cond.Op == graph.In:
			c.references = append(c.references, referral{f, true, cond.Value.List()})
		}
	}
}
