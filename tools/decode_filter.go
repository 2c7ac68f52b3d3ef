package tools

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// filters reads conditions by property, all of which must hold; nil if there
// are none.
func (d *decoder) filters() graph.Filter {
	if d.peek() == '[' {
		e, raw := d.wrongType(filtersShape.noun, '{', "")
		e.Fix = byProperty(e.Path, raw)
		return nil
	}
	o, ok := d.open(filtersShape)
	if !ok {
		return nil
	}
	var all graph.And
	for d.next(&o) {
		if all == nil {
			all = given(&d.room.filters)
		}
		all = d.condition(all, o.key)
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// filtersByLabel reads conditions by label and property.
func (d *decoder) filtersByLabel() map[string]graph.Filter {
	o, ok := d.open(byLabelShape)
	if !ok {
		return nil
	}
	out := map[string]graph.Filter{}
	for d.next(&o) {
		f := d.filters()
		if f == nil {
			f = graph.And(nil)
		}
		out[o.key] = f
	}
	return out
}

// condition reads the condition on one property: a value, or an object of
// operators. A part that could not be read stays in the query as an unreadable
// value, so that the property's name is still checked.
func (d *decoder) condition(all graph.And, property string) graph.And {
	switch d.peek() {
	case '{':
		return d.operators(all, property)
	case '[':
		at := d.pointer()
		raw := d.skip()
		if d.failed == nil {
			e := d.mistake(graph.InvalidType, at, "expected one value or an object of operators, found a list")
			e.SetGot(raw)
			e.Hint = `for several values use {"in": [...]}`
			e.Fix = replace(at, `{"in":`+raw+`}`)
		}
		return append(all, graph.Compare{Property: property, Value: unreadable})
	case 'n':
		if e, raw := d.wrongType("a value", 0, ""); raw == "null" {
			e.Hint = `for the absence of a value use {"is_null": true}`
			e.Fix = replace(e.Path, `{"is_null":true}`)
		}
		return append(all, graph.Compare{Property: property, Value: unreadable})
	}
	return append(all, graph.Compare{Property: property, Value: d.scalar()})
}

// operators reads an object of operators, one comparison for each.
func (d *decoder) operators(all graph.And, property string) graph.And {
	o, ok := d.open(operatorsShape)
	if !ok {
		return all
	}
	n := len(all)
	mistakes := len(d.errs)
	for d.next(&o) {
		op, known := operator(o.key)
		c := graph.Compare{Property: property, Op: op}
		switch {
		case !known:
			d.unknownOperator(o.key, allOperators)
			c.Value = unreadable
		case op == graph.In || op == graph.NotIn:
			c.Value = d.values()
		case op == graph.IsNull:
			c.Value = graph.Bool(d.boolean())
		case op == graph.Contains || op == graph.StartsWith || op == graph.EndsWith:
			c.Value = unreadable
			if s, ok := d.textOf("a text"); ok {
				c.Value = graph.String(s)
			}
		default:
			c.Value = d.operand(op)
		}
		all = append(all, c)
	}
	if len(all) == n && len(d.errs) == mistakes && d.failed == nil {
		e := d.mistake(graph.MissingField, d.pointer(), "an object of operators needs an operator")
		e.SetAllowed(allOperators)
	}
	return all
}

// operand reads the value of an operator that takes one.
func (d *decoder) operand(op graph.Op) graph.Value {
	c := d.peek()
	if c != '[' && c != 'n' {
		return d.scalar()
	}
	e, raw := d.wrongType("one value", 0, "")
	cond := parentOf(e.Path)
	move := func(to string, text string) {
		e.Fix = []graph.Patch{{Op: "remove", Path: e.Path}, {Op: "add", Path: cond + "/" + to, Value: replace("", text)[0].Value}}
	}
	switch {
	case raw == "" || op != graph.Eq && op != graph.Ne:
	case c == 'n' && op == graph.Eq:
		move("is_null", "true")
	case c == 'n':
		move("is_null", "false")
	case op == graph.Eq:
		move("in", raw)
	default:
		move("not_in", raw)
	}
	if c == 'n' {
		e.Hint = "for the absence of a value use is_null"
	}
	return unreadable
}

// values reads the list of in and not_in.
func (d *decoder) values() graph.Value {
	if !d.openList("a list of values", `"tf-0123456789`) {
		return unreadable
	}
	var list []graph.Value
	for i := 0; d.element(i); i++ {
		list = append(list, d.scalar())
	}
	return graph.List(list...)
}

// scalar reads a text, a number or a boolean.
func (d *decoder) scalar() graph.Value {
	switch c := d.peek(); {
	case c == '"':
		if s, ok := d.textOf("a value"); ok {
			return graph.String(s)
		}
		return unreadable
	case isNumber(c):
		return graph.Number(d.number())
	case c == 't' || c == 'f':
		return graph.Bool(d.boolean())
	case c == 'n':
		if e, raw := d.wrongType("a text, a number, true or false", 0, ""); raw == "null" {
			e.Hint = "for the absence of a value use is_null"
			if d.last().index >= 0 {
				e.Fix = []graph.Patch{{Op: "remove", Path: e.Path}}
			}
		}
		return unreadable
	}
	d.wrongType("a text, a number, true or false", 0, "")
	return unreadable
}

// bounds reads the operators of a count.
func (d *decoder) bounds() []graph.CountBound {
	if c := d.peek(); isNumber(c) {
		if e, raw := d.wrongType("an object of operators", 0, ""); isInteger(raw) {
			e.Fix = replace(e.Path, `{"eq":`+raw+`}`)
		}
		return nil
	}
	o, ok := d.open(operatorsShape)
	if !ok {
		return nil
	}
	var out []graph.CountBound
	mistakes := len(d.errs)
	for d.next(&o) {
		op, known := operator(o.key)
		if !known || !countable(op) {
			d.unknownOperator(o.key, countOperators)
			continue
		}
		out = append(out, graph.CountBound{Op: op, N: d.integer(0, 0)})
	}
	if len(out) == 0 && len(d.errs) == mistakes && d.failed == nil {
		e := d.mistake(graph.MissingField, d.pointer(), "an object of operators needs an operator")
		e.SetAllowed(countOperators)
	}
	return out
}

// operator returns the operator of that name.
func operator(name string) (op graph.Op, known bool) {
	switch op = graph.Op(name); op {
	case graph.Eq, graph.Ne, graph.Lt, graph.Lte, graph.Gt, graph.Gte, graph.In, graph.NotIn,
		graph.Contains, graph.StartsWith, graph.EndsWith, graph.IsNull:
		return op, true
	}
	return op, false
}

func countable(op graph.Op) bool {
	switch op {
	case graph.Eq, graph.Ne, graph.Lt, graph.Lte, graph.Gt, graph.Gte:
		return true
	}
	return false
}

var (
	countOperators = []string{"eq", "ne", "lt", "lte", "gt", "gte"}
	allOperators   = append(countOperators[:6:6], "in", "not_in", "contains", "starts_with", "ends_with", "is_null")
)

// unknownOperator reports an operator that does not exist, skips its value and
// says which one was probably meant.
func (d *decoder) unknownOperator(name string, allowed []string) {
	if d.full() {
		d.skip()
		return
	}
	e := d.mistake(graph.UnknownOperator, d.pointer(), `there is no operator "`+short(name)+`"`)
	e.SetGot(name)
	e.SetAllowed(allowed)
	raw := d.skip()
	if d.failed != nil {
		return
	}
	cond := parentOf(e.Path)
	to, value := meantOperator(name, raw, allowed)
	switch {
	case to == "":
		if name := plain(name); name == "between" || name == "range" {
			e.Hint = "use gte and lte together"
		} else if strings.Contains(name, "re") {
			e.Hint = "there are no patterns; use contains, starts_with or ends_with with literal text"
		}
		return
	case value != raw:
		e.Fix = []graph.Patch{{Op: "remove", Path: e.Path}, {Op: "add", Path: cond + "/" + to, Value: replace("", value)[0].Value}}
	default:
		e.Fix = []graph.Patch{{Op: "move", From: e.Path, Path: cond + "/" + to}}
	}
	e.DidYouMean = []string{to}
	e.Message += `; did you mean "` + to + `"?`
}

// meantOperator guesses which operator was meant and what its value would be;
// "" if there is no good guess.
func meantOperator(name, raw string, allowed []string) (op, value string) {
	p := plain(name)
	op, value = operatorAliases[p], raw
	switch {
	case op == "contains" && strings.HasSuffix(p, "like"):
		op, value = meantPattern(raw)
	case op == "is_null" && (p == "exists" || strings.Contains(p, "not")):
		value = "false"
		if raw == "false" {
			value = "true"
		}
	case op == "is_null" && raw != "true" && raw != "false":
		value = "true"
	case op == "":
		if s := schema.Suggest(name, allowed); len(s) > 0 {
			op = s[0]
		}
	}
	for _, a := range allowed {
		if a == op {
			return op, value
		}
	}
	return "", raw
}

// meantPattern turns the pattern of a LIKE into the operator and the literal
// text that it stands for.
func meantPattern(raw string) (op, value string) {
	if len(raw) < 2 || raw[0] != '"' {
		return "contains", raw
	}
	text := raw[1 : len(raw)-1]
	middle := strings.TrimSuffix(strings.TrimPrefix(text, "%"), "%")
	value = `"` + middle + `"`
	switch {
	case strings.HasPrefix(text, "%") == strings.HasSuffix(text, "%"):
		return "contains", value
	case strings.HasPrefix(text, "%"):
		return "ends_with", value
	}
	return "starts_with", value
}

// plain is a name in lower case, without what people put between words.
func plain(name string) string {
	return strings.NewReplacer("$", "", "_", "", "-", "", " ", "").Replace(strings.ToLower(name))
}

// operatorAliases are other names of operators, in plain form.
var operatorAliases = map[string]string{
	"=": "eq", "==": "eq", "===": "eq", "eq": "eq", "equals": "eq", "equal": "eq", "is": "eq",
	"!=": "ne", "<>": "ne", "ne": "ne", "neq": "ne", "not": "ne", "notequals": "ne", "notequal": "ne", "isnot": "ne",
	"<": "lt", "lt": "lt", "lessthan": "lt", "before": "lt", "below": "lt",
	"<=": "lte", "=<": "lte", "le": "lte", "lte": "lte", "max": "lte", "atmost": "lte", "until": "lte", "lessthanorequal": "lte",
	">": "gt", "gt": "gt", "greaterthan": "gt", "after": "gt", "above": "gt",
	">=": "gte", "=>": "gte", "ge": "gte", "gte": "gte", "min": "gte", "atleast": "gte", "since": "gte", "from": "gte", "greaterthanorequal": "gte",
	"in": "in", "oneof": "in", "anyof": "in", "any": "in",
	"notin": "not_in", "nin": "not_in", "noneof": "not_in",
	"contains": "contains", "like": "contains", "ilike": "contains", "icontains": "contains", "includes": "contains", "substring": "contains",
	"startswith": "starts_with", "prefix": "starts_with", "beginswith": "starts_with", "istartswith": "starts_with",
	"endswith": "ends_with", "suffix": "ends_with", "iendswith": "ends_with",
	"isnull": "is_null", "null": "is_null", "exists": "is_null", "notnull": "is_null", "isnotnull": "is_null",
}

// byProperty mends conditions that were given as a list, each with the name of a
// property, an operator and a value, as other query languages have them. It is nil
// where the list is not that.
func byProperty(at, list string) []graph.Patch {
	var conditions []struct {
		Property, Field, Name, Operator, Op string
		Value                               json.RawMessage
	}
	if json.Unmarshal([]byte(list), &conditions) != nil {
		return nil
	}
	out := map[string]map[string]json.RawMessage{}
	for _, c := range conditions {
		property := cmp.Or(c.Property, c.Field, c.Name)
		if property == "" || c.Value == nil {
			return nil
		}
		if out[property] == nil {
			out[property] = map[string]json.RawMessage{}
		}
		out[property][cmp.Or(c.Operator, c.Op, string(graph.Eq))] = c.Value
	}
	return []graph.Patch{{Op: "replace", Path: at, Value: out}}
}
