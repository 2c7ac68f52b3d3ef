package memory

import (
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/graph"
)

// A jsonScanner reads JSON text strictly: no duplicate member, no lone
// surrogate, nothing after the value.
type jsonScanner struct {
	text []byte
	at   int
}

// decodeJSON reads one value. Numbers keep their digits; an array is a list
// while depth is above zero, and below that, as an object is everywhere, a
// JSON value.
func decodeJSON(text []byte, depth int) (graph.Value, string) {
	s := jsonScanner{text: text}
	v, fault := s.value(depth)
	if fault == "" && s.skip() != 0 {
		fault = "text after the JSON value"
	}
	return v, fault
}

// skip passes white space and returns the byte that follows, 0 at the end.
func (s *jsonScanner) skip() byte {
	for ; s.at < len(s.text); s.at++ {
		if c := s.text[s.at]; c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c
		}
	}
	return 0
}

// member reads the name of an object's member up to its value. It reports the
// end of the object by done.
func (s *jsonScanner) member(first bool) (name string, done bool, fault string) {
	c := s.skip()
	if c == '}' {
		s.at++
		return "", true, ""
	}
	if !first {
		if c != ',' {
			return "", false, s.unexpected()
		}
		s.at++
		c = s.skip()
	}
	if c != '"' {
		return "", false, s.unexpected()
	}
	if name, fault = s.str(); fault != "" {
		return "", false, fault
	}
	if s.skip() != ':' {
		return "", false, s.unexpected()
	}
	s.at++
	return name, false, ""
}

func (s *jsonScanner) unexpected() string {
	if s.at >= len(s.text) {
		return "the JSON text ends too early"
	}
	r, _ := utf8.DecodeRune(s.text[s.at:])
	return "not JSON: unexpected " + strconv.QuoteRune(r) + " at byte " + strconv.Itoa(s.at+1)
}

func (s *jsonScanner) value(depth int) (graph.Value, string) {
	switch c := s.skip(); {
	case c == '"':
		text, fault := s.str()
		return graph.String(text), fault
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	case c == '[' && depth > 0:
		return s.list(depth - 1)
	case c == '[' || c == '{':
		return s.nested()
	}
	for word, v := range map[string]graph.Value{"true": graph.Bool(true), "false": graph.Bool(false), "null": graph.Null()} {
		if end := s.at + len(word); end <= len(s.text) && string(s.text[s.at:end]) == word {
			s.at = end
			return v, ""
		}
	}
	return graph.Null(), s.unexpected()
}

func (s *jsonScanner) number() (graph.Value, string) {
	start := s.at
	for s.at < len(s.text) {
		c := s.text[s.at]
		if (c < '0' || c > '9') && c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E' {
			break
		}
		s.at++
	}
	literal := s.text[start:s.at]
	if !json.Valid(literal) {
		return graph.Null(), quote(literal) + " is not a JSON number"
	}
	return graph.Number(string(literal)), ""
}

func (s *jsonScanner) list(depth int) (graph.Value, string) {
	s.at++
	var list []graph.Value
	for first := true; ; first = false {
		switch c := s.skip(); {
		case c == ']':
			s.at++
			return graph.List(list...), ""
		case first:
		case c != ',':
			return graph.Null(), s.unexpected()
		default:
			s.at++
		}
		v, fault := s.value(depth)
		if fault != "" {
			return graph.Null(), fault
		}
		list = append(list, v)
	}
}

// nested reads an array or object as it stands.
func (s *jsonScanner) nested() (graph.Value, string) {
	start, depth, quoted := s.at, 0, false
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case quoted && c == '\\':
			s.at++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		}
		if depth == 0 {
			s.at++
			raw := s.text[start:s.at]
			if !json.Valid(raw) {
				return graph.Null(), quote(raw) + " is not JSON"
			}
			return graph.JSON(string(raw)), ""
		}
	}
	s.at = len(s.text)
	return graph.Null(), s.unexpected()
}

// str reads a string at its opening quote.
func (s *jsonScanner) str() (string, string) {
	s.at++
	start := s.at
	var out []byte // once there was an escape
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case c == '"':
			part := s.text[start:s.at]
			s.at++
			if out = append(out, part...); !utf8.Valid(out) {
				return "", quote(out) + " is not valid UTF-8"
			}
			return string(out), ""
		case c < 0x20:
			return "", s.unexpected()
		case c != '\\':
			s.at++
		default:
			out = append(out, s.text[start:s.at]...)
			r, fault := s.escape()
			if fault != "" {
				return "", fault
			}
			out = utf8.AppendRune(out, r)
			start = s.at
		}
	}
	return "", s.unexpected()
}

func (s *jsonScanner) escape() (rune, string) {
	if s.at++; s.at >= len(s.text) {
		return 0, s.unexpected()
	}
	c := s.text[s.at]
	s.at++
	switch c {
	case '"', '\\', '/':
		return rune(c), ""
	case 'b':
		return '\b', ""
	case 'f':
		return '\f', ""
	case 'n':
		return '\n', ""
	case 'r':
		return '\r', ""
	case 't':
		return '\t', ""
	case 'u':
		r, ok := s.hex()
		if ok && utf16.IsSurrogate(r) && s.at+1 < len(s.text) && s.text[s.at] == '\\' && s.text[s.at+1] == 'u' {
			s.at += 2
			var low rune
			if low, ok = s.hex(); ok {
				r = utf16.DecodeRune(r, low)
				ok = r != utf8.RuneError
			}
		}
		if !ok || utf16.IsSurrogate(r) {
			return 0, "not JSON: a broken \\u escape"
		}
		return r, ""
	}
	s.at--
	return 0, s.unexpected()
}

func (s *jsonScanner) hex() (rune, bool) {
	if s.at+4 > len(s.text) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(s.text[s.at:s.at+4]), 16, 16)
	s.at += 4
	return rune(n), err == nil
}
