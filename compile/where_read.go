package compile

import (
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// whereOps are CEL's operators and functions, as filters call them.
var whereOps = map[string]graph.Op{
	operators.Equals:        graph.Eq,
	operators.NotEquals:     graph.Ne,
	operators.Less:          graph.Lt,
	operators.LessEquals:    graph.Lte,
	operators.Greater:       graph.Gt,
	operators.GreaterEquals: graph.Gte,
}

var wherePatterns = map[string]graph.Op{
	"contains":   graph.Contains,
	"startsWith": graph.StartsWith,
	"endsWith":   graph.EndsWith,
}

// whereTurned are the operators that say the same with the sides exchanged.
var whereTurned = map[graph.Op]graph.Op{
	graph.Eq: graph.Eq, graph.Ne: graph.Ne,
	graph.Lt: graph.Gt, graph.Gt: graph.Lt,
	graph.Lte: graph.Gte, graph.Gte: graph.Lte,
}

// cond reads an expression as a condition. After a mistake it returns nil and
// goes on elsewhere, so that the next one is found too.
func (r *whereReader) cond(e ast.Expr) graph.Filter {
	if _, ok := r.env.reference(e); ok {
		p := r.property(e)
		switch {
		case p == nil:
		case p.Type == schema.Bool:
			return graph.Compare{Property: p.Name, Op: graph.Eq, Value: graph.Bool(true)}
		default:
			r.fail(r.start(e), fmt.Sprintf("%q is of type %s, which is no condition by itself; compare it", p.Name, p.Type))
		}
		return nil
	}
	if e.Kind() != ast.CallKind {
		r.refuse(e)
		return nil
	}
	c := e.AsCall()
	if c.IsMemberFunction() {
		return r.pattern(e)
	}
	args := c.Args()
	switch c.FunctionName() {
	case operators.LogicalAnd:
		var and graph.And
		for _, a := range args {
			f := r.cond(a)
			if nested, ok := f.(graph.And); ok {
				and = append(and, nested...)
				continue
			}
			and = append(and, f)
		}
		return and
	case operators.LogicalOr:
		var or graph.Or
		for _, a := range args {
			f := r.cond(a)
			if nested, ok := f.(graph.Or); ok {
				or = append(or, nested...)
				continue
			}
			or = append(or, f)
		}
		return or
	case operators.LogicalNot:
		f := r.cond(args[0])
		if not, ok := f.(graph.Not); ok {
			return not.Filter // the negation of the negation, of null too
		}
		return graph.Not{Filter: f}
	case operators.In:
		return r.in(e, args[0], args[1])
	}
	if op, ok := whereOps[c.FunctionName()]; ok {
		return r.compare(e, op, args[0], args[1])
	}
	r.refuse(e)
	return nil
}

// property returns the property that an expression refers to, nil if there is
// none that may be filtered.
func (r *whereReader) property(e ast.Expr) *schema.Property {
	name, _ := r.env.reference(e)
	p := r.env.lookup(name)
	switch {
	case p == nil:
		r.unknown(e, name)
		return nil
	case masked(p):
		n := len(r.errs)
		r.unknown(e, name)
		for _, err := range r.errs[n:] {
			err.Hint = quote(name) + " can be shown, but not filtered or ordered by"
		}
		return nil
	case p.NotFilterable:
		r.fail(r.start(e), quote(name)+" cannot be filtered").Hint = "it can be shown, but not filtered or ordered by"
		return nil
	}
	return p
}

// unknown reports a wrong name, each name once.
func (r *whereReader) unknown(e ast.Expr, name string) {
	at, end := r.span(e)
	if n := at + len([]rune(name)); n <= len(r.runes) && string(r.runes[at:n]) == name {
		end = n // the token of a name with a leading point is only the point
	}
	for _, d := range r.edits {
		if d.err.Code == graph.UnknownProperty && d.err.Got == name {
			r.edit(d.err, at, end, d.text)
			return
		}
	}
	similar := r.env.suggest(name)
	for _, word := range []string{"null", "true", "false"} {
		if strings.EqualFold(name, word) || word == "null" && slices.Contains([]string{"none", "nil"}, strings.ToLower(name)) {
			similar = []string{word}
		}
	}
	proto := errName(graph.UnknownProperty, nil, "property", name, propertyNames(filterable(r.env.props)), similar)
	err := r.fail(at, proto.Message)
	proto.Message = err.Message
	*err = *proto
	if len(similar) > 0 {
		r.edit(err, at, end, similar[0])
	}
}

// A whereOperand is one side of a comparison: a property or a literal.
type whereOperand struct {
	expr ast.Expr
	prop *schema.Property
	lit  graph.Value
}

// operand reads one side of a comparison; it returns false after a mistake.
func (r *whereReader) operand(e ast.Expr) (whereOperand, bool) {
	if _, ok := r.env.reference(e); ok {
		p := r.property(e)
		return whereOperand{expr: e, prop: p}, p != nil
	}
	v, ok := r.literal(e)
	return whereOperand{expr: e, lit: v}, ok
}

// compare reads a comparison of a property with a literal, on whichever sides.
func (r *whereReader) compare(e ast.Expr, op graph.Op, left, right ast.Expr) graph.Filter {
	a, okA := r.operand(left)
	b, okB := r.operand(right)
	if !okA || !okB {
		return nil
	}
	at := r.start(e)
	if a.prop != nil && b.prop != nil {
		r.fail(at, fmt.Sprintf("two properties, %q and %q, are compared; one side must be a literal", a.prop.Name, b.prop.Name)).Hint = whereSubset
		return nil
	}
	if a.prop == nil && b.prop == nil {
		err := r.fail(at, "two literals are compared; one side must be a property")
		err.Hint = whereSubset
		if a.lit.Kind() == graph.KindString && r.env.lookup(a.lit.Text()) != nil {
			start, end := r.span(left)
			r.edit(err, start, end, a.lit.Text()) // a name in quotes
		}
		return nil
	}
	if a.prop == nil {
		a, b, op = b, a, whereTurned[op]
	}
	p := a.prop
	if b.lit.IsNull() {
		if op != graph.Eq && op != graph.Ne {
			r.fail(at, "null has no order; it takes == and !=")
			return nil
		}
		return graph.Compare{Property: p.Name, Op: graph.IsNull, Value: graph.Bool(op == graph.Eq)}
	}
	if !r.takes(at, p, op) {
		return nil
	}
	v, ok := r.value(p, b)
	if !ok {
		return nil
	}
	return graph.Compare{Property: p.Name, Op: op, Value: v}
}

// in reads "property in [literals]".
func (r *whereReader) in(e, left, right ast.Expr) graph.Filter {
	at := r.start(e)
	a, ok := r.operand(left)
	if right.Kind() != ast.ListKind {
		r.fail(at, "in takes a list of literals on its right").Hint = whereSubset
		return nil
	}
	if !ok {
		return nil
	}
	if a.prop == nil {
		r.fail(at, "in takes a property on its left").Hint = whereSubset
		return nil
	}
	if !r.takes(at, a.prop, graph.In) {
		return nil
	}
	elements := right.AsList().Elements()
	if n := len(elements); n > r.limits.ListValues {
		r.limit(at, "values of in", n, r.limits.ListValues)
		return nil
	}
	list := make([]graph.Value, 0, len(elements))
	for _, el := range elements {
		if _, ok := r.env.reference(el); ok || el.Kind() == ast.ListKind {
			r.fail(r.start(el), "the list of in holds literals only").Hint = whereSubset
			continue
		}
		lit, ok := r.literal(el)
		if !ok {
			continue
		}
		if lit.IsNull() {
			r.fail(r.start(el), "null is not a value to look for").Hint = "test for it with " + a.prop.Name + " == null"
			continue
		}
		if v, ok := r.value(a.prop, whereOperand{expr: el, lit: lit}); ok {
			list = append(list, v)
		}
	}
	return graph.Compare{Property: a.prop.Name, Op: graph.In, Value: graph.List(list...)}
}

// pattern reads property.contains("text") and its like.
func (r *whereReader) pattern(e ast.Expr) graph.Filter {
	c := e.AsCall()
	name := c.FunctionName()
	op, ok := wherePatterns[name]
	if !ok {
		r.refuse(e)
		return nil
	}
	a, ok := r.operand(c.Target())
	if !ok {
		return nil
	}
	at := r.start(e)
	if a.prop == nil || len(c.Args()) != 1 {
		r.fail(at, name+` is written property.`+name+`("text")`).Hint = whereSubset
		return nil
	}
	b, ok := r.operand(c.Args()[0])
	if !ok {
		return nil
	}
	if b.prop != nil || b.lit.Kind() != graph.KindString {
		r.fail(r.start(b.expr), name+" takes a text in quotes").Hint = whereSubset
		return nil
	}
	if !r.takes(at, a.prop, op) {
		return nil
	}
	v, ok := r.value(a.prop, b)
	if !ok {
		return nil
	}
	if n := len(v.Text()); n > r.limits.PatternBytes {
		r.limit(r.start(b.expr), "bytes of a pattern", n, r.limits.PatternBytes)
		return nil
	}
	return graph.Compare{Property: a.prop.Name, Op: op, Value: v}
}

// takes reports whether a property's type has the operator.
func (r *whereReader) takes(at int, p *schema.Property, op graph.Op) bool {
	allowed := opsOf(p)
	if slices.Contains(allowed, op) {
		return true
	}
	var names []string
	for _, o := range allowed {
		if name := whereSpelling(o); name != "" {
			names = append(names, name)
		}
	}
	why := "is of type " + p.Type.String()
	if p.NoPatterns && p.Type == schema.String {
		why = "has no text patterns"
	}
	e := r.fail(at, fmt.Sprintf("%q %s and does not take %s", p.Name, why, whereSpelling(op)))
	if p.Type == schema.JSON {
		names = []string{"== null", "!= null"}
	}
	e.SetAllowed(names)
	return false
}

// whereSpelling is how CEL writes an operator; "" where it has none.
func whereSpelling(op graph.Op) string {
	for name, o := range wherePatterns {
		if o == op {
			return name
		}
	}
	for name, o := range whereOps {
		if o == op {
			return strings.Trim(name, "_")
		}
	}
	if op == graph.In {
		return "in"
	}
	return ""
}

// limit reports an exceeded limit at a place in the expression.
func (r *whereReader) limit(at int, what string, got, most int) {
	proto := errLimit(nil, what, got, most)
	e := r.fail(at, proto.Message)
	proto.Message = e.Message
	*e = *proto
}
