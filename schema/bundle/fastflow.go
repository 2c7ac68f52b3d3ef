package bundle

import (
	"strconv"
	"strings"
)

// flow reads a list or a map in brackets, within one line, and returns where it
// ends.
func (f *fastYAML) flow(from, depth int) (n node, end int, ok bool) {
	n = node{line: int32(f.line), column: f.column(from)}
	if depth > f.most {
		return n, 0, false
	}
	text := f.text
	switch text[from] {
	case '[':
		n.kind = listNode
	case '{':
		n.kind = objectNode
	default:
		return f.flowScalar(n, from)
	}
	at := from + 1
	for {
		at = spaces(text, at)
		if at == len(text) {
			return n, 0, false // it goes on in the next line
		}
		if text[at] == ']' && n.kind == listNode || text[at] == '}' && n.kind == objectNode {
			return n, at + 1, true
		}
		var m member
		if n.kind == objectNode {
			colon := nameEnd(text[at:])
			if colon < 0 || colon > 100 || n.member(text[at:at+colon]) != nil || len(n.members) > 64 {
				return n, 0, false
			}
			m = member{name: text[at : at+colon], line: n.line, column: f.column(at)}
			at = spaces(text, at+colon+1)
		}
		if at == len(text) {
			return n, 0, false
		}
		if m.value, at, ok = f.flow(at, depth+1); !ok {
			return n, 0, false
		}
		if n.kind == objectNode {
			n.members = append(n.members, m)
		} else {
			n.items = append(n.items, m.value)
		}
		at = spaces(text, at)
		switch {
		case at == len(text):
			return n, 0, false
		case text[at] == ',':
			at++
		case text[at] != ']' && text[at] != '}':
			return n, 0, false
		}
	}
}

func spaces(text string, at int) int {
	for at < len(text) && text[at] == ' ' {
		at++
	}
	return at
}

// flowScalar reads a text or a number within brackets.
func (f *fastYAML) flowScalar(n node, from int) (node, int, bool) {
	rest := f.text[from:]
	used, ok := 0, false
	switch rest[0] {
	case '"':
		n.kind = textNode
		n.text, used, ok = doubleQuotedText(rest)
	case '\'':
		n.kind = textNode
		n.text, used, ok = singleQuotedText(rest)
	default:
		if used = strings.IndexAny(rest, ",[]{}"); used < 0 {
			return n, 0, false
		}
		plain := strings.TrimRight(rest[:used], " ")
		if plain == "" || strings.ContainsAny(plain, ":#") {
			return n, 0, false
		}
		ok = resolvePlain(&n, plain)
	}
	return n, from + used, ok
}

// doubleQuotedText reads a text in double quotes, and how many bytes it has. It
// knows the escapes that JSON has too.
func doubleQuotedText(rest string) (text string, used int, ok bool) {
	end := strings.IndexByte(rest[1:], '"') + 1
	if end == 0 {
		return "", 0, false
	}
	if strings.IndexByte(rest[:end], '\\') < 0 {
		return rest[1:end], end + 1, true
	}
	var b strings.Builder
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; c {
		case '"':
			return b.String(), i + 1, true
		case '\\':
			if i++; i == len(rest) {
				return "", 0, false
			}
			switch rest[i] {
			case '"', '\\':
				b.WriteByte(rest[i])
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case 'u':
				if i+4 >= len(rest) {
					return "", 0, false
				}
				c, err := strconv.ParseUint(rest[i+1:i+5], 16, 32)
				if err != nil || c == 0 || c >= 0xd800 && c < 0xe000 {
					return "", 0, false
				}
				b.WriteRune(rune(c))
				i += 4
			default:
				return "", 0, false
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", 0, false
}

// singleQuotedText reads a text in single quotes, in which two stand for one.
func singleQuotedText(rest string) (text string, used int, ok bool) {
	for i := 1; i < len(rest); i++ {
		if rest[i] != '\'' {
			continue
		}
		if i+1 < len(rest) && rest[i+1] == '\'' {
			i++
			continue
		}
		return strings.ReplaceAll(rest[1:i], "''", "'"), i + 1, true
	}
	return "", 0, false
}
