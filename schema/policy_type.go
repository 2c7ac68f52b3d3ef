package schema

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"

	"github.com/trellisgraph/trellis/graph"
)

// operand reads a value; it returns false after a mistake.
func (r *policyReader) operand(e ast.Expr) (operand, bool) {
	switch e.Kind() {
	case ast.IdentKind, ast.SelectKind:
		return r.reference(e)
	case ast.LiteralKind:
		return r.literal(e)
	case ast.CallKind:
		if c := e.AsCall(); !c.IsMemberFunction() && (c.FunctionName() == "date" || c.FunctionName() == "timestamp") {
			return r.moment(e, c)
		}
	}
	r.refuse(e)
	return operand{}, false
}

// reference reads node.NAME, caller.NAME.NAME or a variable of a list.
func (r *policyReader) reference(e ast.Expr) (operand, bool) {
	var path []string
	root := e
	for root.Kind() == ast.SelectKind {
		s := root.AsSelect()
		path = append(path, s.FieldName())
		root = s.Operand()
	}
	slices.Reverse(path)
	if root.Kind() != ast.IdentKind {
		r.refuse(root)
		return operand{}, false
	}
	name := root.AsIdent()
	if r.subject.name == name {
		return r.property(e, path)
	}
	for i := len(r.variables) - 1; i >= 0; i-- {
		if v := r.variables[i]; v.name == name {
			if i == 0 && len(path) == 0 {
				r.fail(r.start(e), "the caller is no value; name a claim, such as caller.tenant")
				return operand{}, false
			}
			for _, field := range path {
				v.claims = v.claims.field(field)
			}
			return operand{variable: i, path: path}, true
		}
	}
	r.unknownVariable(e, name)
	return operand{}, false
}

func (r *policyReader) unknownVariable(e ast.Expr, name string) {
	var known []string
	if r.subject.name != "" {
		known = append(known, r.subject.name)
	}
	for _, v := range r.variables {
		known = append(known, v.name)
	}
	p := r.fail(r.start(e), "there is no %q here", short(name))
	p.DidYouMean = Suggest(name, known)
	p.Hint = "only " + strings.Join(known, ", ")
	if r.subject.name == "" && (name == "node" || name == "relationship") {
		p.Hint = "what is visible to whom depends on the caller only"
	}
}

// property reads a property of the subject.
func (r *policyReader) property(e ast.Expr, path []string) (operand, bool) {
	switch {
	case len(path) == 0:
		r.fail(r.start(e), "%s is no value; name a property of it", r.subject.name)
		return operand{}, false
	case len(path) > 1:
		r.fail(r.start(e), "a property has no parts").Hint = "write " + r.subject.name + "." + short(path[0])
		return operand{}, false
	}
	names := make([]string, len(r.subject.props))
	for i, p := range r.subject.props {
		if p.Name == path[0] {
			return operand{prop: p, variable: -1}, true
		}
		names[i] = p.Name
	}
	r.fail(r.start(e), "%q is no property of %s", short(path[0]), r.subject.owner).DidYouMean = Suggest(path[0], names)
	return operand{}, false
}

// literal reads a literal. A number with a point stays as it is written, since
// a double would lose digits of a decimal.
func (r *policyReader) literal(e ast.Expr) (operand, bool) {
	o := operand{variable: -1}
	switch v := e.AsLiteral().(type) {
	case types.Null:
	case types.Bool:
		o.literal = graph.Bool(bool(v))
	case types.Int:
		o.literal = graph.Int(int64(v))
	case types.Double:
		o.literal = r.number(e, float64(v))
	case types.String:
		o.literal = graph.String(string(v))
	default:
		r.fail(r.start(e), "bytes and unsigned numbers are not supported").Hint = policySubset
		return o, false
	}
	if bad := CheckText(o.literal); bad != nil {
		r.fail(r.start(e), "%s", bad.Message)
		return o, false
	}
	return o, true
}

// number is a double as it is written, if that is a number in JSON too, and
// the same one.
func (r *policyReader) number(e ast.Expr, f float64) graph.Value {
	o, _ := r.info.GetOffsetRange(e.ID())
	end := min(max(int(o.Stop), 0), len(r.text))
	start := r.offset(e)
	for end < len(r.text) && (strings.ContainsRune("0123456789.", r.text[end]) || r.text[end]|0x20 == 'e') {
		end++
	}
	s := string(r.text[start:max(start, end)])
	if read, err := strconv.ParseFloat(s, 64); err == nil && read == f && json.Valid([]byte(s)) && strings.ContainsAny(s, ".eE") {
		return graph.Number(s)
	}
	return graph.Float(f)
}

// moment reads date("…") or timestamp("…").
func (r *policyReader) moment(e ast.Expr, c ast.CallExpr) (operand, bool) {
	o := operand{variable: -1}
	example := `date("2026-11-21")`
	if c.FunctionName() == "timestamp" {
		example = `timestamp("2026-11-21T09:30:00Z")`
	}
	if args := c.Args(); len(args) == 1 && args[0].Kind() == ast.LiteralKind {
		if text, ok := args[0].AsLiteral().Value().(string); !ok {
		} else if d, ok := ParseDate(text); ok && c.FunctionName() == "date" {
			o.literal = d
			return o, true
		} else if t, ok := ParseDateTime(text); ok && c.FunctionName() == "timestamp" && t.UTC().Year() >= 1 && t.UTC().Year() <= 9999 {
			o.literal = graph.DateTime(t)
			return o, true
		}
	}
	r.fail(r.start(e), "%s takes one text, such as %s", c.FunctionName(), example)
	return o, false
}

// turned are the operators that say the same with the sides exchanged; the
// others have a fixed left side.
var turned = map[graph.Op]graph.Op{
	graph.Eq: graph.Eq, graph.Ne: graph.Ne,
	graph.Lt: graph.Gt, graph.Gt: graph.Lt,
	graph.Lte: graph.Gte, graph.Gte: graph.Lte,
}

// compare reads a comparison, or a test of texts.
func (r *policyReader) compare(e ast.Expr, op graph.Op, left, right ast.Expr) *rule {
	a, okA := r.operand(left)
	b, okB := r.operand(right)
	if !okA || !okB {
		return nothing
	}
	at, pattern := r.start(e), turned[op] == ""
	switch {
	case a.prop != nil && b.prop != nil:
		r.fail(at, "two properties, %q and %q, are compared; one side must be a claim or a literal", a.prop.Name, b.prop.Name)
		return nothing
	case a.isLiteral() && b.isLiteral():
		r.fail(at, "two literals are compared; one side must be a property or a claim")
		return nothing
	case pattern && (b.prop != nil || a.isLiteral()):
		r.fail(at, "the text that is looked into must be a property or a claim, and what is looked for a claim or a literal")
		return nothing
	case pattern && b.isLiteral() && b.literal.Text() == "":
		r.fail(r.start(right), "every text has the empty text in it; look for something")
		return nothing
	case b.prop != nil || a.isLiteral():
		a, b, op = b, a, turned[op]
	}
	if b.isLiteral() && b.literal.IsNull() {
		if op != graph.Eq && op != graph.Ne {
			r.fail(at, "null takes == and != only")
			return nothing
		}
		test := &rule{kind: ruleNull, a: a}
		if op == graph.Ne {
			return &rule{kind: ruleNot, rules: []*rule{test}}
		}
		return test
	}
	if a.prop != nil && !r.takes(at, a.prop, op) || b.isLiteral() && !r.fits(at, &a, &b, op) {
		return nothing
	}
	return &rule{kind: ruleCompare, op: op, a: a, b: b}
}

// takes reports whether a property's type has the operator. What callers may
// not filter by, policies may.
func (r *policyReader) takes(at int, p *Property, op graph.Op) bool {
	var ok bool
	switch op {
	case graph.Eq, graph.Ne, graph.In:
		ok = p.Type != JSON
	case graph.Contains, graph.StartsWith, graph.EndsWith:
		ok = p.Type == String
	default:
		ok = p.Type != JSON && p.Type != Bool && p.Type != Enum && p.Type != UUID
	}
	if !ok {
		r.fail(at, "%q is of type %s and does not take this comparison", p.Name, p.Type)
	}
	return ok
}

// fits gives a literal the type of the property that it is compared with, or
// finds out whether a claim can be compared with it.
func (r *policyReader) fits(at int, a, b *operand, op graph.Op) bool {
	kind := b.literal.Kind()
	if a.prop == nil {
		pattern := turned[op] == ""
		switch {
		case kind == graph.KindDate || kind == graph.KindDateTime:
			r.fail(at, "claims have no times, so none can be compared with a claim")
			return false
		case pattern && kind != graph.KindString:
			r.fail(at, "only a text can be looked for in a text")
			return false
		case kind == graph.KindBool && op != graph.Eq && op != graph.Ne:
			r.fail(at, "true and false take == and != only")
			return false
		}
		return true
	}
	p := a.prop
	if p.Type == 0 {
		return false // reported already
	}
	if want := map[Type]graph.Kind{Date: graph.KindDate, DateTime: graph.KindDateTime}[p.Type]; want != 0 && kind != want {
		example := `date("2026-11-21")`
		if p.Type == DateTime {
			example = `timestamp("2026-11-21T09:30:00Z")`
		}
		r.fail(at, "%q is of type %s; write %s", p.Name, p.Type, example)
		return false
	}
	v, e := p.Coerce(b.literal, false)
	if e != nil {
		r.fail(at, "%s", short(e.Message)).DidYouMean = e.DidYouMean
		return false
	}
	b.literal = v
	return true
}

// in reads membership in a list of the caller, or in one that is written out.
func (r *policyReader) in(e ast.Expr, left, right ast.Expr) *rule {
	a, ok := r.operand(left)
	at := r.start(e)
	if !ok {
		return nothing
	}
	if a.prop != nil && !r.takes(at, a.prop, graph.In) {
		return nothing
	}
	if a.isLiteral() && a.literal.IsNull() {
		r.fail(at, "null is in no list")
		return nothing
	}
	if right.Kind() != ast.ListKind {
		list, ok := r.operand(right)
		switch {
		case !ok:
			return nothing
		case !list.isClaim():
			r.fail(r.start(right), "in takes a list: of the caller, or written out").Hint = `such as ["a", "b"]`
			return nothing
		}
		r.claims(&list).item()
		if a.isLiteral() && !r.fits(at, &list, &a, graph.In) {
			return nothing
		}
		return &rule{kind: ruleIn, a: a, b: list}
	}
	elements := right.AsList().Elements()
	out := &rule{kind: ruleIn, a: a, list: make([]operand, 0, len(elements))}
	for _, el := range elements {
		o, ok := r.operand(el)
		switch {
		case !ok:
		case o.prop != nil:
			r.fail(r.start(el), "a list holds claims and literals only")
		case o.isLiteral() && o.literal.IsNull():
			r.fail(r.start(el), "null is not a value to look for").Hint = "compare with null"
		case o.isLiteral() && a.isLiteral():
			r.fail(r.start(el), "two literals are compared; one side must be a property or a claim")
		case o.isLiteral() && !r.fits(r.start(el), &a, &o, graph.Eq):
		default:
			out.list = append(out.list, o)
		}
	}
	return out
}

// claims is what is read of a claim.
func (r *policyReader) claims(o *operand) *claimTree {
	t := r.variables[o.variable].claims
	for _, field := range o.path {
		t = t.field(field)
	}
	return t
}

// has reads has(caller.NAME).
func (r *policyReader) has(e ast.Expr, args []ast.Expr) *rule {
	if len(args) != 1 || args[0].Kind() != ast.SelectKind {
		r.fail(r.start(e), "has takes one claim, such as has(caller.level)")
		return nothing
	}
	o, ok := r.operand(args[0])
	switch {
	case !ok:
		return nothing
	case o.prop != nil:
		r.fail(r.start(e), "has is about claims").Hint = "a property is compared with null: " + r.subject.name + "." + o.prop.Name + " != null"
		return nothing
	}
	return &rule{kind: ruleHas, a: o}
}
