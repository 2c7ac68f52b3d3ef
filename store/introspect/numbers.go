package introspect

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// numbers tells in words which numbers a condition allows a column, as in
//
//	c IN (1, 2)     (c >= 1) AND (c <= 5)     c BETWEEN 1 AND 5     c > 0
//
// with or without "c IS NULL OR" before it. listed are the numbers, where they are
// listed.
func numbers(check string, backslash bool) (column, words string, listed []string, ok bool) {
	list, ok := tokens(check, backslash)
	if !ok {
		return "", "", nil, false
	}
	var bounds []bound
	for _, part := range alternatives(plainly(list)) {
		if len(part) < 3 || part[0].kind != 'w' && part[0].kind != 'n' || column != "" && !sameName(column, part[0].text) {
			return "", "", nil, false
		}
		column = part[0].text
		if is(part[1:], "is", "null") && len(part) == 3 {
			continue
		}
		if values, ok := listedNumbers(part[1:]); ok {
			listed = append(listed, values...)
			continue
		}
		if bounds != nil {
			return "", "", nil, false // two ranges
		}
		if bounds, ok = boundsOf(part); !ok {
			return "", "", nil, false
		}
	}
	switch {
	case bounds == nil && listed == nil || bounds != nil && listed != nil:
		return "", "", nil, false
	case listed != nil:
		return column, "One of " + strings.Join(listed, ", ") + ".", listed, true
	}
	return column, inWords(bounds), nil, true
}

// A bound is a comparison with a number.
type bound struct{ op, number string }

// boundsOf reads "c between 1 and 5", "c >= 1" and "c >= 1 and c <= 5".
func boundsOf(list []token) ([]bound, bool) {
	column := list[0].text
	if is(list[1:], "between") {
		least, rest, ok := number(list[2:])
		if !ok || !is(rest, "and") {
			return nil, false
		}
		most, rest, ok := number(rest[1:])
		return []bound{{">=", least}, {"<=", most}}, ok && len(rest) == 0
	}
	var out []bound
	for {
		if len(list) < 3 || list[0].kind != 'w' && list[0].kind != 'n' || !sameName(list[0].text, column) {
			return nil, false
		}
		op := string(list[1].kind)
		rest := list[2:]
		if rest[0].kind == '=' && rest[0].start == list[1].end {
			op, rest = op+"=", rest[1:]
		}
		value, rest, ok := number(rest)
		if !ok || !slices.Contains([]string{">", ">=", "<", "<="}, op) || len(out) == 2 {
			return nil, false
		}
		out = append(out, bound{op, value})
		if len(rest) == 0 {
			return out, true
		}
		if !is(rest, "and") {
			return nil, false
		}
		list = rest[1:]
	}
}

// inWords writes one bound, or two that are not on the same side.
func inWords(bounds []bound) string {
	words := map[string]string{">": "more than ", ">=": "at least ", "<": "less than ", "<=": "at most "}
	if len(bounds) == 2 {
		if bounds[0].op[0] == '<' {
			bounds = []bound{bounds[1], bounds[0]}
		}
		if bounds[0].op == ">=" && bounds[1].op == "<=" {
			return "From " + bounds[0].number + " to " + bounds[1].number + "."
		}
	}
	var out []string
	for _, b := range bounds {
		out = append(out, words[b.op]+b.number)
	}
	text := strings.Join(out, " and ")
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// listedNumbers reads "in 1, 2", "= any array 1, 2" and "= 1".
func listedNumbers(list []token) ([]string, bool) {
	switch {
	case is(list, "in"):
		list = list[1:]
	case is(list, "=", "any", "array"):
		list = list[3:]
	case is(list, "="):
		value, rest, ok := number(list[1:])
		return []string{value}, ok && len(rest) == 0
	default:
		return nil, false
	}
	var out []string
	for {
		value, rest, ok := number(list)
		if !ok {
			return nil, false
		}
		out = append(out, value)
		if len(rest) == 0 {
			return out, true
		}
		if rest[0].kind != ',' {
			return nil, false
		}
		list = rest[1:]
	}
}

var numeral = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// number reads a number, which may stand in quotes.
func number(list []token) (text string, rest []token, ok bool) {
	if len(list) > 0 && list[0].kind == 't' {
		return list[0].text, list[1:], numeral.MatchString(list[0].text)
	}
	if len(list) > 0 && list[0].kind == '-' {
		text, list = "-", list[1:]
	}
	if len(list) == 0 || list[0].kind != 'w' {
		return "", nil, false
	}
	text, rest = text+list[0].text, list[1:]
	if len(rest) > 1 && rest[0].kind == '.' && rest[0].start == list[0].end && rest[1].kind == 'w' && rest[1].start == rest[0].end {
		text, rest = text+"."+rest[1].text, rest[2:]
	}
	return text, rest, numeral.MatchString(text)
}

// numbers tells of a column which numbers a check allows it; of listed integers it
// proposes an enum, whose values need names that only a person knows.
func (t *Table) numbers(check string, backslash bool) bool {
	name, words, listed, ok := numbers(check, backslash)
	if !ok {
		return false
	}
	for _, col := range t.Columns {
		if !sameName(col.Name, name) || !col.Type.Numeric() {
			continue
		}
		col.Allowed = append(col.Allowed, words)
		if values := integers(listed); col.Type.Integer() && len(values) > 0 {
			col.remark("an enum, if its values have names: {type: enum, values: {" + strings.Join(values, ", ") + "}}")
		}
		return true
	}
	return false
}

// integers are the values of an enum without their names, each once; nil if one is
// no integer.
func integers(listed []string) []string {
	var out []string
	for _, text := range listed {
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			return nil
		}
		if value := text + ": …"; !slices.Contains(out, value) {
			out = append(out, value)
		}
	}
	return out
}

// described is a column's description: its comment, and what its checks allow.
func (c *Column) described() string {
	text := strings.TrimSpace(c.Comment)
	for _, words := range c.Allowed {
		if text != "" && !strings.ContainsAny(text[len(text)-1:], ".!?") {
			text += "."
		}
		text = strings.TrimSpace(text + " " + words)
	}
	return description(text)
}
