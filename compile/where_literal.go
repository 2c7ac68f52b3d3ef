package compile

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// literal reads a literal. What a number means is for its property to say: one
// with a point or an exponent stays as it was written, since a double would lose
// digits of a decimal.
func (r *whereReader) literal(e ast.Expr) (graph.Value, bool) {
	switch e.Kind() {
	case ast.LiteralKind:
	case ast.CallKind:
		if c := e.AsCall(); !c.IsMemberFunction() && (c.FunctionName() == "date" || c.FunctionName() == "timestamp") {
			return r.moment(e)
		}
		r.refuse(e)
		return graph.Value{}, false
	default:
		r.refuse(e)
		return graph.Value{}, false
	}
	at, end := r.span(e)
	switch v := e.AsLiteral().(type) {
	case types.Null:
		return graph.Null(), true
	case types.Bool:
		return graph.Bool(bool(v)), true
	case types.Int:
		return graph.Int(int64(v)), true
	case types.Double:
		return graph.Number(r.decimalText(e, float64(v))), true
	case types.String:
		return graph.String(string(v)), true
	case types.Uint:
		err := r.fail(at, "unsigned numbers are not supported; leave out the u")
		if text := strings.TrimRight(string(r.runes[at:end]), "uU"); text != "" {
			r.edit(err, at, end, text)
		}
	default:
		r.fail(at, "bytes are not supported").Hint = whereSubset
	}
	return graph.Value{}, false
}

// decimalText is a double literal in the form of a JSON number, with all
// digits as written.
func (r *whereReader) decimalText(e ast.Expr, f float64) string {
	at, _ := r.span(e)
	s := strings.Map(func(c rune) rune {
		if whereSpace(c) {
			return -1
		}
		return c
	}, string(r.runes[at:r.literalEnd(e)]))
	s, negative := strings.CutPrefix(s, "-")
	s = strings.TrimLeft(s, "0")
	if s == "" || s[0] < '0' || s[0] > '9' {
		s = "0" + s
	}
	if negative {
		s = "-" + s
	}
	// A comment between the sign and the digits hides them.
	if read, err := strconv.ParseFloat(s, 64); err != nil || read != f {
		if s = strconv.FormatFloat(f, 'g', -1, 64); !strings.ContainsAny(s, ".e") {
			s += ".0" // a double is no integer, whatever its value
		}
	}
	return s
}

// moment reads date("…") or timestamp("…").
func (r *whereReader) moment(e ast.Expr) (graph.Value, bool) {
	c := e.AsCall()
	name := c.FunctionName()
	args := c.Args()
	if len(args) != 1 || args[0].Kind() != ast.LiteralKind || args[0].AsLiteral().Type() != types.StringType {
		r.fail(r.start(e), fmt.Sprintf("%s takes one text, such as %s", name, whereExample(name)))
		return graph.Value{}, false
	}
	text := string(args[0].AsLiteral().(types.String))
	if name == "date" {
		if d, ok := schema.ParseDate(text); ok {
			return d, true
		}
	} else if t, ok := schema.ParseDateTime(text); ok && t.UTC().Year() >= 1 && t.UTC().Year() <= 9999 {
		return graph.DateTime(t), true
	}
	err := r.fail(r.start(args[0]), fmt.Sprintf("%s reads texts such as %s", name, whereExample(name)))
	err.SetGot(text)
	if t, ok := schema.GuessTime(text); ok {
		at, end := r.span(args[0])
		r.edit(err, at, end, whereQuote(whereMoment(name, t)))
	}
	return graph.Value{}, false
}

func whereExample(function string) string {
	if function == "date" {
		return `date("2026-11-21")`
	}
	return `timestamp("2026-11-21T09:30:00Z")`
}

// whereMoment is the text of a time as date or timestamp read it.
func whereMoment(function string, t time.Time) string {
	if function == "date" {
		return t.Format(time.DateOnly)
	}
	return t.UTC().Format("2006-01-02T15:04:05.999999Z")
}

// value gives a literal the type of its property.
func (r *whereReader) value(p *schema.Property, o whereOperand) (graph.Value, bool) {
	kind := o.lit.Kind()
	switch {
	case p.Type == schema.Date && kind != graph.KindDate:
		r.wantMoment(p, o, "date")
		return graph.Value{}, false
	case p.Type == schema.DateTime && kind != graph.KindDateTime:
		r.wantMoment(p, o, "timestamp")
		return graph.Value{}, false
	}
	v, e := p.Coerce(o.lit, false)
	if e == nil {
		return v, true
	}
	at, _ := r.span(o.expr)
	if kind == graph.KindDate || kind == graph.KindDateTime {
		r.fail(r.start(o.expr), e.Message)
		return v, false
	}
	err := r.fail(at, e.Message)
	err.Got, err.Allowed, err.AllowedTotal, err.DidYouMean, err.Hint = e.Got, e.Allowed, e.AllowedTotal, e.DidYouMean, e.Hint
	if len(e.Fix) == 1 {
		if text, ok := whereLiteral(e.Fix[0].Value); ok {
			r.edit(err, at, r.literalEnd(o.expr), text)
		}
	}
	return v, false
}

// wantMoment reports something else where date("…") or timestamp("…") must
// stand.
func (r *whereReader) wantMoment(p *schema.Property, o whereOperand, function string) {
	err := r.fail(r.start(o.expr), fmt.Sprintf("%q is of type %s; write %s", p.Name, p.Type, whereExample(function)))
	at, end := r.span(o.expr)
	switch o.lit.Kind() {
	case graph.KindString:
		if t, ok := schema.GuessTime(o.lit.Text()); ok {
			r.edit(err, at, end, function+"("+whereQuote(whereMoment(function, t))+")")
		}
	case graph.KindDate, graph.KindDateTime:
		from, to, ok := r.functionName(o.expr)
		if !ok {
			return
		}
		at, end = r.span(o.expr.AsCall().Args()[0])
		r.edit(err, from, to, function)
		r.edit(err, at, end, whereQuote(whereMoment(function, o.lit.Time())))
	}
}

// whereLiteral writes a value as CEL does.
func whereLiteral(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return whereQuote(v), true
	case json.Number:
		return v.String(), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

// whereQuote writes a text as a CEL literal.
func whereQuote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c < ' ':
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
