package bundle

import (
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth is the deepest nesting of an entity and of a file of schemas.
const maxDepth = 32

// readJSON reads one JSON value, strictly: UTF-8, no name twice in an object,
// no lone surrogates, no NUL, nothing behind it.
func readJSON(file string, data []byte, depth int, f *found) *node {
	r := &jsonReader{data: data, line: 1, most: depth}
	if at := invalidUTF8(data); at >= 0 {
		line, column := position(data, at)
		f.add(Problem{File: file, Line: line, Column: column, Message: "the file is not UTF-8"})
		return nil
	}
	r.space()
	root, ok := r.value(0)
	if ok {
		if r.space(); r.at < len(r.data) {
			ok = r.fail(r.at, "text follows the JSON value")
		}
	}
	for i := range r.repeated {
		p := r.repeated[i]
		p.File = file
		f.add(p)
	}
	if !ok {
		r.problem.File = file
		f.add(r.problem)
		return nil
	}
	if len(r.repeated) > 0 {
		return nil
	}
	return &root
}

// A jsonReader reads JSON text and keeps count of the place.
type jsonReader struct {
	data []byte
	at   int
	most int // the deepest nesting

	line      int // of the place last asked for
	counted   int // its byte
	column    int // its characters behind the line's start
	problem   Problem
	repeated  []Problem
	malformed bool
}

// place is the line and column of a byte that is not before the last one asked.
func (r *jsonReader) place(at int) (line, column int) {
	for r.counted < at {
		switch c := r.data[r.counted]; {
		case c == '\n':
			r.line, r.column = r.line+1, 0
		case c < 0x80 || c >= 0xc0:
			r.column++
		}
		r.counted++
	}
	return r.line, r.column + 1
}

func (r *jsonReader) fail(at int, format string, args ...any) bool {
	if !r.malformed {
		r.malformed = true
		line, column := position(r.data, at)
		r.problem = Problem{Line: line, Column: column, Message: fmt.Sprintf(format, args...)}
	}
	return false
}

func (r *jsonReader) space() {
	for r.at < len(r.data) {
		switch r.data[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

func (r *jsonReader) value(depth int) (n node, ok bool) {
	if r.at == len(r.data) {
		return n, r.fail(r.at, "no JSON: the text ends too early")
	}
	if depth > r.most {
		return n, r.fail(r.at, "the nesting is deeper than %d", r.most)
	}
	line, column := r.place(r.at)
	n.line, n.column = int32(line), int32(column)
	switch c := r.data[r.at]; {
	case c == '{':
		n.kind = objectNode
		return n, r.object(&n, depth)
	case c == '[':
		n.kind = listNode
		return n, r.list(&n, depth)
	case c == '"':
		n.kind = textNode
		n.text, ok = r.text()
		return n, ok
	case c == 't' && r.word("true"), c == 'f' && r.word("false"):
		n.kind, n.text = boolNode, "false"
		if c == 't' {
			n.text = "true"
		}
		return n, true
	case c == 'n' && r.word("null"):
		return n, true
	case c == '-' || '0' <= c && c <= '9':
		n.kind = numberNode
		return n, r.number(&n)
	}
	return n, r.fail(r.at, "no JSON: a value belongs here")
}

func (r *jsonReader) word(w string) bool {
	if len(r.data)-r.at < len(w) || string(r.data[r.at:r.at+len(w)]) != w {
		return false
	}
	r.at += len(w)
	return true
}

func (r *jsonReader) number(n *node) bool {
	start := r.at
	for r.at < len(r.data) {
		switch c := r.data[r.at]; {
		case '0' <= c && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
			r.at++
			continue
		}
		break
	}
	n.text = string(r.data[start:r.at])
	if !isNumber(n.text) {
		return r.fail(start, "no JSON: %q is no number", short(n.text))
	}
	if fault := numberFault(n.text); fault != "" {
		return r.fail(start, "%s", fault)
	}
	return true
}

func (r *jsonReader) list(n *node, depth int) bool {
	r.at++
	for r.space(); ; r.space() {
		if r.at < len(r.data) && r.data[r.at] == ']' && len(n.items) == 0 {
			r.at++
			return true
		}
		v, ok := r.value(depth + 1)
		if !ok {
			return false
		}
		n.items = append(n.items, v)
		if more, ok := r.next(']'); !more {
			return ok
		}
	}
}

// next reads what stands behind an item: a comma, or the end.
func (r *jsonReader) next(end byte) (more, ok bool) {
	r.space()
	if r.at < len(r.data) && (r.data[r.at] == ',' || r.data[r.at] == end) {
		r.at++
		return r.data[r.at-1] == ',', true
	}
	return false, r.fail(r.at, "no JSON: a comma or %q belongs here", end)
}

func (r *jsonReader) object(n *node, depth int) bool {
	r.at++
	seen := map[string]int{}
	for r.space(); ; r.space() {
		if r.at < len(r.data) && r.data[r.at] == '}' && len(n.members) == 0 {
			r.at++
			return true
		}
		if r.at == len(r.data) || r.data[r.at] != '"' {
			return r.fail(r.at, "no JSON: a name in quotes belongs here")
		}
		line, column := r.place(r.at)
		name, ok := r.text()
		if !ok {
			return false
		}
		if r.space(); r.at == len(r.data) || r.data[r.at] != ':' {
			return r.fail(r.at, "no JSON: a colon belongs here")
		}
		r.at++
		r.space()
		v, ok := r.value(depth + 1)
		if !ok {
			return false
		}
		if first, twice := seen[name]; twice {
			if len(r.repeated) <= maxProblems {
				r.repeated = append(r.repeated, Problem{Line: line, Column: column, Message: fmt.Sprintf("%q is here twice; the first is on line %d", short(name), first)})
			}
		} else {
			seen[name] = line
			n.members = append(n.members, member{name, int32(line), int32(column), v})
		}
		if more, ok := r.next('}'); !more {
			return ok
		}
	}
}

// text reads a text in quotes.
func (r *jsonReader) text() (string, bool) {
	start := r.at
	r.at++
	var b []byte
	from := r.at
	for {
		if r.at == len(r.data) {
			return "", r.fail(start, "no JSON: the text has no end")
		}
		c := r.data[r.at]
		switch {
		case c == '"':
			b = append(b, r.data[from:r.at]...)
			r.at++
			return string(b), true
		case c < 0x20:
			return "", r.fail(r.at, "no JSON: a control character must be escaped")
		case c == '\\':
			b = append(b, r.data[from:r.at]...)
			var ok bool
			if b, ok = r.escape(b); !ok {
				return "", false
			}
			from = r.at
		default:
			r.at++
		}
	}
}

var jsonEscapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (r *jsonReader) escape(b []byte) ([]byte, bool) {
	start := r.at
	if r.at++; r.at == len(r.data) {
		return b, r.fail(start, "no JSON: the text has no end")
	}
	c := r.data[r.at]
	r.at++
	if plain, ok := jsonEscapes[c]; ok {
		return append(b, plain), true
	}
	if c != 'u' {
		return b, r.fail(start, "no JSON: an unknown escape")
	}
	u, ok := r.hex()
	if ok && utf16.IsSurrogate(u) {
		low := rune(-1)
		if r.at+1 < len(r.data) && r.data[r.at] == '\\' && r.data[r.at+1] == 'u' {
			r.at += 2
			low, ok = r.hex()
		}
		if u = utf16.DecodeRune(u, low); ok && u == utf8.RuneError {
			return b, r.fail(start, "no text: half of a surrogate pair")
		}
	}
	switch {
	case !ok:
		return b, r.fail(start, "no JSON: an escape \\u has four hexadecimal digits")
	case u == 0:
		return b, r.fail(start, "a text must not hold the character NUL")
	}
	return utf8.AppendRune(b, u), true
}

func (r *jsonReader) hex() (rune, bool) {
	if r.at+4 > len(r.data) {
		return 0, false
	}
	for _, c := range r.data[r.at : r.at+4] {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return 0, false
		}
	}
	u, err := strconv.ParseUint(string(r.data[r.at:r.at+4]), 16, 32)
	r.at += 4
	return rune(u), err == nil
}

// invalidUTF8 is the first byte that is not of UTF-8, or a byte order mark at
// the start, -1 if there is none.
func invalidUTF8(data []byte) int {
	if len(data) >= 3 && data[0] == 0xef && data[1] == 0xbb && data[2] == 0xbf {
		return 0
	}
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; i < len(data); {
		c, size := utf8.DecodeRune(data[i:])
		if c == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// position is the line and column, both from one, of a byte of a text.
func position(data []byte, at int) (line, column int) {
	r := jsonReader{data: data, line: 1}
	return r.place(min(at, len(data)))
}
