package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// An owner is what has the properties of a condition: a label or a pair.
type owner struct {
	props []*schema.Property
	name  string
	label *schema.Label // nil for a pair
}

// isKey reports whether p is the one part of the owner's key: only there, an integer may
// also be given as a text of digits.
func (o owner) isKey(p *schema.Property) bool {
	return o.label != nil && len(o.label.Key) == 1 && o.label.Key[0] == p
}

// filter checks a condition that stands in the member at. The place of a
// comparison is its property's name below at, however deep in the tree it is.
func (k *checker) filter(at *place, o owner, f graph.Filter) Cond {
	if deeper(f, k.limits.ArgumentDepth) {
		k.report(&graph.Error{Code: graph.TooDeep, Path: at.pointer(), Message: fmt.Sprintf("a condition is nested more than %d levels deep", k.limits.ArgumentDepth)})
		return nil
	}
	if n := countProperties(f); n > k.limits.Filters {
		k.report(errLimit(at, "filtered properties", n, k.limits.Filters))
	}
	return k.lower(at, o, f)
}

// deeper reports whether a condition has more than most levels. It looks no
// further than that: Go code may build a condition of any depth.
func deeper(f graph.Filter, most int) bool {
	if most < 0 {
		return true
	}
	switch f := f.(type) {
	case graph.And:
		return slices.ContainsFunc(f, func(g graph.Filter) bool { return deeper(g, most-1) })
	case graph.Or:
		return slices.ContainsFunc(f, func(g graph.Filter) bool { return deeper(g, most-1) })
	case graph.Not:
		return deeper(f.Filter, most-1)
	}
	return false
}

// lower checks a condition; nil always holds, or has a mistake.
func (k *checker) lower(at *place, o owner, f graph.Filter) Cond {
	switch f := f.(type) {
	case nil:
	case graph.And:
		if len(f) == 1 {
			return k.lower(at, o, f[0])
		}
		conds := make(And, 0, len(f))
		for _, g := range f {
			if c := k.lower(at, o, g); c != nil {
				conds = append(conds, c)
			}
		}
		switch len(conds) {
		case 0:
			return nil
		case 1:
			return conds[0]
		}
		return conds
	case graph.Or:
		return k.either(at, o, f)
	case graph.Not:
		switch c := k.lower(at, o, f.Filter); c {
		case nil:
			return Const(false) // not of what always holds
		case Const(false):
			return nil
		default:
			return Not{c}
		}
	case graph.Compare:
		return k.compare(at, o, f)
	default: // such as a pointer, which is a Filter to Go
		k.report(errUnsupported(at, fmt.Sprintf("%T is no condition of a call", f), "use And, Or, Not and Compare; for what is related use related"))
	}
	return nil
}

// either checks a disjunction. One of which an operand always holds binds
// nothing, as it stands for no condition.
func (k *checker) either(at *place, o owner, list graph.Or) Cond {
	if len(list) == 0 {
		return Const(false)
	}
	bound, always := len(k.plan.Params), false
	conds := make(Or, 0, len(list))
	for _, f := range list {
		c := k.lower(at, o, f)
		always = always || c == nil
		conds = append(conds, c)
	}
	switch {
	case always:
		k.giveBack(bound)
		return nil
	case len(conds) == 1:
		return conds[0]
	}
	return conds
}

// compare checks one comparison.
func (k *checker) compare(at *place, o owner, c graph.Compare) Cond {
	n := len(k.errs)
	here := at.member(c.Property)
	p := k.filterable(here, o.props, o.name, c.Property)
	if p == nil {
		renameMember(k.errs[n], at)
		return nil
	}
	op, opAt := c.Op, here
	if op == "" {
		op = graph.Eq
	} else {
		opAt = here.member(string(op))
	}
	if allowed := opsOf(p); !slices.Contains(allowed, op) {
		e := errOperator(opAt, p, op, allowed)
		if values := matching(p, op, c.Value); len(values) > 0 && len(e.Fix) == 0 {
			e.Hint = "values of an enum are whole: use in"
			e.Fix = []graph.Patch{{Op: "remove", Path: e.Path}, {Op: "add", Path: here.member("in").pointer(), Value: values}}
		}
		k.report(e)
		return nil
	}
	if c.Op == "" && c.Value.Kind() == graph.KindList {
		e := errOneValue(here, p)
		e.Hint = "use {\"in\": [...]}"
		e.Fix = replace(e.Path, map[string]any{"in": c.Value})
		k.report(e)
		return nil
	}
	if cond, ok := k.comparison(opAt, o, p, op, c.Value, nullFix(c, here)); ok {
		return cond
	}
	return nil
}

// matching lists the values of an enum that fulfil a condition on text.
func matching(p *schema.Property, op graph.Op, v graph.Value) []string {
	if v.Kind() != graph.KindString || v.Text() == "" || p.Type != schema.Enum {
		return nil
	}
	holds := map[graph.Op]func(s, part string) bool{graph.Contains: strings.Contains, graph.StartsWith: strings.HasPrefix, graph.EndsWith: strings.HasSuffix}[op]
	if holds == nil {
		return nil
	}
	return slices.DeleteFunc(p.EnumNames(), func(name string) bool { return !holds(strings.ToLower(name), strings.ToLower(v.Text())) })
}

// comparison checks the value that a property is compared with, which stands
// at the place, and takes it into the plan. null mends a null there, where that
// can be done; it may be nil.
func (k *checker) comparison(at *place, o owner, p *schema.Property, op graph.Op, value graph.Value, null func() []graph.Patch) (Compare, bool) {
	cond := Compare{Property: p, Op: op, Slot: Slot(len(k.plan.Params))}
	switch op {
	case graph.IsNull:
		if value.Kind() != graph.KindBool {
			k.report(errType(at, "is_null takes true or false"))
			return cond, false
		}
		cond.Null = value.Bool()
		return cond, true
	case graph.In, graph.NotIn:
		if value.Kind() != graph.KindList {
			e := errType(at, string(op)+" takes a list")
			e.Fix = replace(e.Path, []any{value})
			k.report(e)
			return cond, false
		}
		list := value.List()
		if len(list) > k.limits.ListValues {
			k.report(errLimit(at, "values of "+string(op), len(list), k.limits.ListValues))
			return cond, false
		}
		for i, v := range list {
			if v, ok := k.value(at.item(i), o, p, v, nil); ok {
				k.slot(v)
				k.bind(at.item(i), bind{property: p, text: o.isKey(p) && p.Type.Integer()})
				cond.N++
			}
		}
		k.pad(cond.N, 1)
		return cond, true
	}
	if value.Kind() == graph.KindList {
		k.report(errOneValue(at, p))
		return cond, false
	}
	v, ok := k.value(at, o, p, value, null)
	if !ok {
		return cond, false
	}
	if isPattern(op) && len(v.Text()) > k.limits.PatternBytes {
		k.report(errLimit(at, "bytes of a pattern", len(v.Text()), k.limits.PatternBytes))
		return cond, false
	}
	k.slot(v)
	b := bind{property: p, text: o.isKey(p) && p.Type.Integer()}
	if isPattern(op) {
		b.how = bindPattern
	}
	k.bind(at, b)
	cond.N = 1
	return cond, true
}

func errOneValue(at *place, p *schema.Property) *graph.Error {
	return errType(at, quote(p.Name)+" takes one value; for several use in")
}

// nullFix mends a comparison with null.
func nullFix(c graph.Compare, here *place) func() []graph.Patch {
	return func() []graph.Patch {
		at := here.pointer()
		switch c.Op {
		case "":
			return replace(at, map[string]any{"is_null": true})
		case graph.Eq, graph.Ne:
			return []graph.Patch{{Op: "remove", Path: at + "/" + string(c.Op)}, {Op: "add", Path: at + "/is_null", Value: c.Op == graph.Eq}}
		}
		return nil
	}
}

// value gives a value the property's type.
func (k *checker) value(at *place, o owner, p *schema.Property, v graph.Value, null func() []graph.Patch) (graph.Value, bool) {
	if v.IsNull() {
		e := errType(at, "null is not a value to compare with")
		e.Hint = "use {\"is_null\": true}"
		if null != nil {
			e.Fix = null()
		}
		k.report(e)
		return v, false
	}
	out, e := p.Coerce(v, o.isKey(p) && p.Type.Integer())
	if e != nil {
		e.Path = at.pointer()
		for i := range e.Fix {
			e.Fix[i].Path = e.Path
		}
		k.report(e)
		return v, false
	}
	return out, true
}

func isPattern(op graph.Op) bool {
	return op == graph.Contains || op == graph.StartsWith || op == graph.EndsWith
}

var (
	allOps     = graph.Ops()
	equalOps   = []graph.Op{graph.Eq, graph.Ne, graph.In, graph.NotIn, graph.IsNull}
	orderedOps = []graph.Op{graph.Eq, graph.Ne, graph.Lt, graph.Lte, graph.Gt, graph.Gte, graph.In, graph.NotIn, graph.IsNull}
	boolOps    = []graph.Op{graph.Eq, graph.Ne, graph.IsNull}
	nullOps    = []graph.Op{graph.IsNull}
)

// opsOf lists the operators that a property takes.
func opsOf(p *schema.Property) []graph.Op {
	switch p.Type {
	case schema.String:
		if p.NoPatterns {
			return orderedOps
		}
		return allOps
	case schema.Enum, schema.UUID:
		return equalOps
	case schema.Bool:
		return boolOps
	case schema.JSON:
		return nullOps
	}
	return orderedOps
}

// OpsOf lists the operators that filters on a property may use.
func OpsOf(p *schema.Property) []graph.Op { return opsOf(p) }

func errOperator(at *place, p *schema.Property, op graph.Op, allowed []graph.Op) *graph.Error {
	names := make([]string, len(allowed))
	for i, a := range allowed {
		names[i] = string(a)
	}
	e := errName(graph.UnknownOperator, at, "operator", string(op), nil, schema.Suggest(string(op), names))
	e.SetAllowed(names)
	e.Message = quote(string(op)) + " is not an operator for " + quote(p.Name) + ", which is of type " + p.Type.String()
	if len(e.DidYouMean) > 0 && e.Path != "" {
		parent := e.Path[:len(e.Path)-len(op)]
		e.Fix = []graph.Patch{{Op: "move", From: e.Path, Path: parent + e.DidYouMean[0]}}
	}
	return e
}

// countProperties counts the properties that a condition names, each once.
func countProperties(f graph.Filter) int {
	switch f := f.(type) {
	case nil:
		return 0
	case graph.Compare:
		return 1
	case graph.And:
		if len(f) == 1 {
			return countProperties(f[0])
		}
	}
	seen := map[string]bool{}
	var walk func(graph.Filter)
	walk = func(f graph.Filter) {
		switch f := f.(type) {
		case graph.And:
			for _, g := range f {
				walk(g)
			}
		case graph.Or:
			for _, g := range f {
				walk(g)
			}
		case graph.Not:
			walk(f.Filter)
		case graph.Compare:
			seen[f.Property] = true
		}
	}
	walk(f)
	return len(seen)
}

// whereCond lowers a CEL expression over a label's properties.
func (k *checker) whereCond(at *place, l *schema.Label, o owner, text string) Cond {
	_, cond := k.whereFilter(at, l, o, text)
	return cond
}

// whereFilter returns the filter that an expression stands for as well.
func (k *checker) whereFilter(at *place, l *schema.Label, o owner, text string) (graph.Filter, Cond) {
	if text == "" {
		return nil, nil
	}
	f, errs := k.where.parse(l, o.props, text, k.limits)
	if len(errs) > 0 {
		for _, e := range errs {
			c := *e // the cache keeps the error as it is
			c.Path = at.pointer()
			c.Fix = slices.Clone(e.Fix)
			for i := range c.Fix {
				c.Fix[i].Path = c.Path
			}
			k.report(&c)
		}
		return nil, nil
	}
	return f, k.filter(at, o, f)
}
