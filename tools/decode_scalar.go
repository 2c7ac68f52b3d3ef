package tools

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// textOf reads a string; ok is false if it could not.
func (d *decoder) textOf(want string) (s string, ok bool) {
	if d.peek() != '"' {
		d.wrongType(want, '"', "")
		return "", false
	}
	s, fault := d.quoted()
	if fault != "" {
		d.mistake(graph.InvalidString, d.pointer(), "the text "+fault)
		return "", false
	}
	return s, d.failed == nil
}

// text reads a string, which may be empty.
func (d *decoder) text() string {
	s, _ := d.textOf("a text")
	return s
}

// filled reads a string whose absence would mean something else than an empty
// one: that is refused with the given code.
func (d *decoder) filled(code graph.Code, what string) string {
	s, ok := d.textOf("a text")
	if ok && s == "" {
		e := d.mistake(code, d.pointer(), what+" must not be empty")
		e.Fix = []graph.Patch{{Op: "remove", Path: e.Path}}
	}
	return s
}

// enum reads one of a few words. Which one it is, is for the check; only the
// empty text, which the query could not tell from nothing, is refused here.
func (d *decoder) enum(what string, allowed []string) string {
	if d.peek() != '"' {
		e, _ := d.wrongType("a "+what, '"', "")
		e.SetAllowed(allowed)
		return ""
	}
	s, ok := d.textOf("a text")
	if ok && s == "" {
		e := d.mistake(graph.InvalidEnum, d.pointer(), `"" is not a `+what)
		e.SetAllowed(allowed)
		e.Fix = replace(e.Path, strconv.Quote(allowed[0]))
	}
	return s
}

// boolean reads true or false.
func (d *decoder) boolean() bool {
	switch d.peek() {
	case 't':
		d.word("true")
		return true
	case 'f':
		d.word("false")
		return false
	}
	d.wrongType("true or false", 't', "")
	return false
}

// integer reads a whole number of at least least. With a cap, a number that is
// too large even to be checked is over that cap.
func (d *decoder) integer(least, most int) int {
	if !isNumber(d.peek()) {
		d.wrongType("a whole number", '0', "")
		return 0
	}
	lit := d.number()
	if d.failed != nil {
		return 0
	}
	if !isInteger(lit) {
		d.notInteger(lit)
		return 0
	}
	n, err := strconv.Atoi(lit)
	switch {
	case err != nil && most > 0 && lit[0] != '-':
		e := d.mistake(graph.LimitExceeded, d.pointer(), fmt.Sprintf("%s is over the cap of %d", short(lit), most))
		e.SetGot(lit)
		e.Fix = replace(e.Path, strconv.Itoa(most))
	case err != nil || n < least:
		e := d.mistake(graph.OutOfRange, d.pointer(), fmt.Sprintf("%s is out of range: the least value is %d", short(lit), least))
		if lit[0] != '-' && err != nil {
			e.Message = short(lit) + " is too large"
		} else {
			e.Fix = replace(e.Path, strconv.Itoa(least))
		}
		e.SetGot(lit)
	default:
		return n
	}
	return 0
}

// notInteger reports a number that is not written as an integer.
func (d *decoder) notInteger(lit string) {
	e := d.mistake(graph.InvalidType, d.pointer(), "expected a whole number, found "+short(lit))
	e.SetGot(lit)
	e.Hint = "write an integer without point or exponent, and 0 without a sign"
	if f, err := strconv.ParseFloat(lit, 64); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		e.Fix = replace(e.Path, strconv.FormatInt(int64(f), 10))
	}
}

// short cuts a text to the length of a message.
func short(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

// isInteger reports whether a number is written as an integer, in its one way.
func isInteger(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || digits[0] == '0' && s != "0" {
		return false
	}
	for i := range len(digits) {
		if !isDigit(digits[i]) {
			return false
		}
	}
	return true
}

// names reads a list of names. The result is not nil, for an empty list is not
// an absent one.
func (d *decoder) names(noun string) []string {
	if !d.openList(noun, `"`) {
		return nil
	}
	out := []string{}
	for i := 0; d.element(i); i++ {
		out = append(out, d.text())
	}
	return out
}

// nameOrNames reads a name or a list of at least one.
func (d *decoder) nameOrNames(noun string) []string {
	if d.peek() == '"' {
		return d.one(d.text())
	}
	list := d.names(noun)
	if list != nil && len(list) == 0 && d.failed == nil {
		d.emptyList()
	}
	return list
}

// one returns a list of one name, cut from a larger piece of memory.
func (d *decoder) one(name string) []string {
	if len(d.single) == 0 {
		d.single = make([]string, 4)
	}
	d.single[0] = name
	list := d.single[:1:1]
	d.single = d.single[1:]
	return list
}

// emptyList reports a list that must have elements.
func (d *decoder) emptyList() {
	e := d.mistake(graph.OutOfRange, d.pointer(), "the list must not be empty")
	e.SetGot("[]")
}

// id reads a key: an integer, a text, or a list of these for a composite key.
func (d *decoder) id() graph.Value {
	switch c := d.peek(); {
	case c == '[':
		if !d.enter() {
			return graph.Value{}
		}
		parts := []graph.Value{}
		for i := 0; d.element(i); i++ {
			parts = append(parts, d.keyPart())
		}
		return graph.List(parts...)
	default:
		return d.keyPart()
	}
}

func (d *decoder) keyPart() graph.Value {
	switch c := d.peek(); {
	case c == '"':
		return graph.String(d.text())
	case isNumber(c):
		lit := d.number()
		if d.failed == nil && !isInteger(lit) {
			d.notInteger(lit)
		}
		return graph.Number(lit)
	}
	d.wrongType("an id, which is an integer or a text", 0, "")
	return unreadable
}

// unreadable stands for a value that could not be read; no check accepts it.
var unreadable = graph.Of(struct{}{})
