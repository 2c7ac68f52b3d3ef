package introspect

import (
	"strings"
)

// A token is a word, a number, a quoted name, a text or a sign of a condition.
type token struct {
	kind       byte // 'w' a word or number, 'n' a quoted name, 't' a text, or the sign itself
	text       string
	start, end int // where it stands
}

// tokens takes a condition apart; false where it cannot. Backslashes in texts
// are escapes where the database says so.
func tokens(text string, backslash bool) ([]token, bool) {
	var out []token
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			i++
		case strings.HasPrefix(text[i:], "--"):
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				return out, true
			}
			i += end
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				return nil, false
			}
			i += end + 4
		case c == '\'' || c == '"' || c == '`' || c == '[' && bracketName(text[i:]):
			value, size, ok := quoted(text[i:], backslash)
			if !ok {
				return nil, false
			}
			kind := byte('n')
			if c == '\'' {
				kind = 't'
			}
			out = append(out, token{kind, value, i, i + size})
			i += size
		case wordByte(c):
			start := i
			for i < len(text) && (wordByte(text[i]) || text[i] == '$') {
				i++
			}
			out = append(out, token{'w', text[start:i], start, i})
		default:
			out = append(out, token{c, string(c), i, i + 1})
			i++
		}
	}
	return out, true
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}

// bracketName tells a name in brackets from the list of an ARRAY.
func bracketName(text string) bool {
	end := strings.IndexByte(text, ']')
	return end > 1 && !strings.ContainsAny(text[1:end], "',\"[")
}

// quoted reads a quoted name or text, in which the quote stands twice.
func quoted(text string, backslash bool) (value string, size int, ok bool) {
	quote := text[0]
	if quote == '[' {
		quote = ']'
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == quote && quote != ']' && i+1 < len(text) && text[i+1] == quote:
			b.WriteByte(c)
			i++
		case c == quote:
			return b.String(), i + 1, true
		case c == '\\' && backslash && quote == '\'' && i+1 < len(text):
			i++
			b.WriteByte(unescaped(text[i]))
		default:
			b.WriteByte(c)
		}
	}
	return "", 0, false
}

func unescaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case '0':
		return 0
	}
	return c
}

// oneOf reads a condition that allows a column a list of texts, as in
//
//	c IN ('a', 'b')     (c = ANY (ARRAY['a'::text, 'b'::text]))     c = 'a' OR c = 'b'
//
// with or without "c IS NULL OR" before it.
func oneOf(check string, backslash bool) (column string, values []string, ok bool) {
	list, ok := tokens(check, backslash)
	if !ok {
		return "", nil, false
	}
	for _, part := range alternatives(plainly(list)) {
		if len(part) < 3 || part[0].kind != 'w' && part[0].kind != 'n' || column != "" && !sameName(column, part[0].text) {
			return "", nil, false
		}
		column = part[0].text
		rest := part[1:]
		if is(rest, "is", "null") && len(rest) == 2 {
			continue
		}
		texts, ok := listed(rest)
		if !ok {
			return "", nil, false
		}
		values = append(values, texts...)
	}
	return column, values, len(values) > 0
}

// plainly drops what does not matter: casts and charsets, and the parentheses
// around names, values and the whole.
func plainly(list []token) []token {
	var out []token
	for i := 0; i < len(list); i++ {
		switch t := list[i]; {
		case t.kind == ':' && i+1 < len(list) && list[i+1].kind == ':':
			i += 2 // and the type's first word
			for i+1 < len(list) && list[i+1].kind == 'w' && (strings.EqualFold(list[i+1].text, "varying") || strings.EqualFold(list[i+1].text, "precision")) {
				i++
			}
			if i+3 < len(list) && list[i+1].kind == '(' && list[i+3].kind == ')' {
				i += 3
			}
			if i+2 < len(list) && list[i+1].kind == '[' && list[i+2].kind == ']' {
				i += 2
			}
		case t.kind == '(' || t.kind == ')' || t.kind == '[' || t.kind == ']':
		case t.kind == 'w' && strings.HasPrefix(t.text, "_utf8") && i+1 < len(list) && list[i+1].kind == 't':
		default:
			out = append(out, t)
		}
	}
	return out
}

// alternatives splits at OR.
func alternatives(list []token) [][]token {
	var out [][]token
	start := 0
	for i, t := range list {
		if t.kind == 'w' && strings.EqualFold(t.text, "or") {
			out, start = append(out, list[start:i]), i+1
		}
	}
	return append(out, list[start:])
}

// listed reads "in 'a', 'b'", "= any array 'a', 'b'" and "= 'a'".
func listed(list []token) ([]string, bool) {
	switch {
	case is(list, "in"):
		list = list[1:]
	case is(list, "=", "any", "array"):
		list = list[3:]
	case is(list, "=") && len(list) == 2:
		list = list[1:]
	default:
		return nil, false
	}
	var out []string
	for i, t := range list {
		switch {
		case i%2 == 0 && t.kind == 't':
			out = append(out, t.text)
		case i%2 == 1 && t.kind == ',':
		default:
			return nil, false
		}
	}
	return out, len(list)%2 == 1
}

// is reports whether a list begins with these words and signs.
func is(list []token, words ...string) bool {
	if len(list) < len(words) {
		return false
	}
	for i, w := range words {
		if list[i].kind == 't' || list[i].kind == 'n' || !strings.EqualFold(list[i].text, w) {
			return false
		}
	}
	return true
}

// sameName compares names as the databases do that ignore case, which only ever
// finds more of the columns of one table.
func sameName(a, b string) bool { return a == b || strings.EqualFold(a, b) }
