package tools

import (
	"strings"
	"unicode/utf8"
)

// The faults of a string that can be read over: the text around it still makes
// sense, so they are reported beside other mistakes.
const (
	faultUTF8      = "is not valid UTF-8"
	faultSurrogate = "holds half of a surrogate pair"
	faultNUL       = "holds the character NUL"
)

// quoted reads a string and says what is wrong with its content, if anything.
// A string without escapes is a part of the text, and costs no allocation.
func (r *reader) quoted() (s, fault string) {
	start := r.pos + 1
	ascii := true
	for i := start; i < len(r.src); i++ {
		switch c := r.src[i]; {
		case c == '"':
			r.pos = i + 1
			s = r.src[start:i]
			if !ascii && !utf8.ValidString(s) {
				return "", faultUTF8
			}
			return s, ""
		case c == '\\':
			return r.escaped(start, i)
		case c < 0x20:
			r.pos = i
			r.unexpected("an escape sequence for a control character")
			return "", ""
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	r.pos = len(r.src)
	r.unexpected("the closing quote of a string")
	return "", ""
}

// escaped reads on where quoted met the first escape sequence.
func (r *reader) escaped(start, i int) (s, fault string) {
	var b strings.Builder
	b.WriteString(r.src[start:i])
	for i < len(r.src) {
		c := r.src[i]
		switch {
		case c == '"':
			r.pos = i + 1
			if s = b.String(); fault == "" && !utf8.ValidString(s) {
				fault = faultUTF8
			}
			if fault != "" {
				return "", fault
			}
			return s, ""
		case c < 0x20:
			r.pos = i
			r.unexpected("an escape sequence for a control character")
			return "", ""
		case c != '\\':
			b.WriteByte(c)
			i++
			continue
		}
		if i+1 == len(r.src) {
			break
		}
		switch e := r.src[i+1]; e {
		case '"', '\\', '/':
			b.WriteByte(e)
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'u':
			c, ok := hex4(r.src[i+2:])
			if !ok {
				r.pos = i + 2
				r.unexpected("four hexadecimal digits")
				return "", ""
			}
			i += 6
			switch {
			case c == 0:
				fault = faultNUL
			case 0xDC00 <= c && c <= 0xDFFF:
				fault = faultSurrogate
			case 0xD800 <= c && c <= 0xDBFF:
				low, ok := rune(0), false
				if strings.HasPrefix(r.src[i:], `\u`) {
					low, ok = hex4(r.src[i+2:])
				}
				if !ok || low < 0xDC00 || low > 0xDFFF {
					fault = faultSurrogate // what follows is read for itself
					continue
				}
				i += 6
				b.WriteRune(0x10000 + (c-0xD800)<<10 + (low - 0xDC00))
			default:
				b.WriteRune(c)
			}
			continue
		default:
			r.pos = i + 1
			r.unexpected(`one of "\/bfnrtu after a backslash`)
			return "", ""
		}
		i += 2
	}
	r.pos = len(r.src)
	r.unexpected("the closing quote of a string")
	return "", ""
}

// hex4 reads four hexadecimal digits.
func hex4(s string) (r rune, ok bool) {
	if len(s) < 4 {
		return 0, false
	}
	for i := range 4 {
		c := s[i]
		switch {
		case isDigit(c):
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
