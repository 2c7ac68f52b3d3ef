package tools

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/graph"
)

// A reader reads one JSON text (RFC 8259) token by token. It is stricter than
// encoding/json, which replaces bad UTF-8 and lone surrogates, and it lets
// nothing be lost: numbers stay as they were written.
//
// The first fault that makes the rest unreadable is kept in failed. From then
// on the text counts as ended, so that every loop over it stops.
type reader struct {
	src      string
	pos      int
	depth    int
	maxDepth int
	failed   *graph.Error
}

// fail ends the reading.
func (r *reader) fail(code graph.Code, message string) {
	if r.failed == nil {
		r.failed = &graph.Error{Code: code, Message: message}
	}
	r.pos = len(r.src)
}

// unexpected fails with what stands at the current position.
func (r *reader) unexpected(want string) {
	if r.failed != nil {
		return
	}
	found := "the end of the text"
	if r.pos < len(r.src) {
		c, n := utf8.DecodeRuneInString(r.src[r.pos:])
		found = strconv.QuoteRune(c)
		if c == utf8.RuneError && n == 1 {
			found = fmt.Sprintf("the byte 0x%02x", r.src[r.pos])
		}
	}
	before := r.src[:r.pos]
	line := 1 + strings.Count(before, "\n")
	column := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	r.fail(graph.Syntax, fmt.Sprintf("line %d, column %d: expected %s, found %s", line, column, want, found))
	r.failed.SetGot(found)
	r.failed.Hint = "send one JSON object"
}

// peek skips white space and returns the next byte, 0 at the end. A NUL byte in
// the text reads as 0 too, and is as unexpected wherever it stands.
func (r *reader) peek() byte {
	for r.pos < len(r.src) {
		switch c := r.src[r.pos]; c {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return c
		}
	}
	return 0
}

// take consumes c if it comes next.
func (r *reader) take(c byte) bool {
	if r.peek() != c || r.pos == len(r.src) {
		return false
	}
	r.pos++
	return true
}

// enter consumes an opening bracket.
func (r *reader) enter() bool {
	if r.depth++; r.depth > r.maxDepth {
		r.fail(graph.TooDeep, fmt.Sprintf("the arguments are nested deeper than %d levels", r.maxDepth))
		return false
	}
	r.pos++
	return true
}

// more stands before each element of an array or member of an object and
// reports whether there is one; it consumes commas and the closing bracket.
func (r *reader) more(first bool, closing byte) bool {
	if r.take(closing) {
		r.depth--
		return false
	}
	if first {
		if r.peek() == 0 {
			r.unexpected("a value or '" + string(closing) + "'")
			return false
		}
		return true
	}
	if !r.take(',') {
		r.unexpected("',' or '" + string(closing) + "'")
		return false
	}
	return true
}

// name reads the name of a member and the colon after it.
func (r *reader) name() (name, fault string) {
	if r.peek() != '"' {
		r.unexpected("a name in double quotes")
		return "", ""
	}
	name, fault = r.quoted()
	if r.failed == nil && !r.take(':') {
		r.unexpected("':'")
	}
	return name, fault
}

// skip reads any value and returns its text.
func (r *reader) skip() string {
	r.peek()
	start := r.pos
	switch c := r.peek(); {
	case c == '{':
		for first := r.enter(); r.failed == nil && r.more(first, '}'); first = false {
			r.name()
			r.skip()
		}
	case c == '[':
		for first := r.enter(); r.failed == nil && r.more(first, ']'); first = false {
			r.skip()
		}
	case c == '"':
		r.quoted()
	case isNumber(c):
		r.number()
	case c == 't':
		r.word("true")
	case c == 'f':
		r.word("false")
	case c == 'n':
		r.word("null")
	default:
		r.unexpected("a value")
	}
	if r.failed != nil {
		return ""
	}
	return r.src[start:r.pos]
}

// end makes sure that nothing follows.
func (r *reader) end() {
	if r.failed == nil && (r.peek() != 0 || r.pos < len(r.src)) {
		r.unexpected("nothing more after the arguments")
	}
}

// word reads true, false or null.
func (r *reader) word(w string) {
	if !strings.HasPrefix(r.src[r.pos:], w) {
		r.unexpected("a value")
		return
	}
	r.pos += len(w)
}

func isNumber(c byte) bool { return c == '-' || isDigit(c) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// number reads a number and returns it as it is written.
func (r *reader) number() string {
	start := r.pos
	if r.src[r.pos] == '-' {
		r.pos++
	}
	if r.at('0') {
		r.pos++
	} else if !r.digits() {
		return ""
	}
	if r.at('.') {
		r.pos++
		if !r.digits() {
			return ""
		}
	}
	if r.at('e') || r.at('E') {
		r.pos++
		if r.at('+') || r.at('-') {
			r.pos++
		}
		if !r.digits() {
			return ""
		}
	}
	return r.src[start:r.pos]
}

func (r *reader) at(c byte) bool { return r.pos < len(r.src) && r.src[r.pos] == c }

// digits reads at least one digit.
func (r *reader) digits() bool {
	start := r.pos
	for r.pos < len(r.src) && isDigit(r.src[r.pos]) {
		r.pos++
	}
	if r.pos == start {
		r.unexpected("a digit")
		return false
	}
	return true
}
