package bundle

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A fastYAML reads the YAML that nearly all files with entities consist of, item
// by item: a list of maps in blocks, of names, texts of one line, numbers, short
// lists and maps in brackets, and texts below a bar. Whatever else it comes upon,
// or is not sure about, it leaves to the library, which takes ten times as long
// and the memory of the whole file. Both make the same tree.
type fastYAML struct {
	data []byte
	at   int // the start of a line
	line int
	most int // the deepest nesting

	// The current line, and its indent in spaces.
	text   string
	indent int

	width int // members of the item before, to make room for

	last counted // the place that was told last
}

// newFastYAML returns a reader of a file, nil for one with characters that YAML
// treats specially.
func newFastYAML(data []byte, depth int) *fastYAML {
	for i, c := range data {
		switch {
		case c < 0x20 && c != '\n', c == 0x7f:
			return nil
		case c == 0xc2 || c == 0xe2 || c == 0xef:
			if special(data[i:]) {
				return nil
			}
		}
	}
	if bytes.Contains(data, []byte("\n---")) || bytes.HasPrefix(data, []byte("---")) || bytes.Contains(data, []byte("\n...")) || !utf8.Valid(data) {
		return nil
	}
	f := &fastYAML{data: data, most: depth}
	f.next()
	return f
}

// special reports whether a character is a control character, a line break other
// than the usual one, or none at all.
func special(data []byte) bool {
	c, _ := utf8.DecodeRune(data)
	return c >= 0x80 && c < 0xa0 || c == 0x2028 || c == 0x2029 || c == 0xfeff || c >= 0xfffe && c <= 0xffff
}

// next goes to the next line that is neither empty nor a comment. At the end the
// indent is -1.
func (f *fastYAML) next() {
	for f.at < len(f.data) {
		rest := f.data[f.at:]
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest)
		}
		f.at += end + 1
		f.line++
		indent := 0
		for indent < end && rest[indent] == ' ' {
			indent++
		}
		if indent < end && rest[indent] != '#' {
			f.text, f.indent = strings.TrimRight(string(rest[indent:end]), " "), indent
			return
		}
	}
	f.text, f.indent = "", -1
}

// item reads the next item of the file's list. At the end of the file it returns
// false; ok is false if the library has to read on.
func (f *fastYAML) item() (n node, more, ok bool) {
	switch {
	case f.indent < 0:
		return n, false, true
	case f.indent > 0 || !strings.HasPrefix(f.text, "- ") || len(f.text) < 3 || f.text[2] == ' ':
		return n, false, false
	}
	if f.text[2] == '{' {
		n, ok = f.value(2, 2, 1)
		return n, true, ok && f.indent <= 0
	}
	// What stands beside the hyphen is a line of its own.
	f.text, f.indent = f.text[2:], 2
	n = node{kind: objectNode, line: int32(f.line), column: 3, members: make([]member, 0, f.width)}
	ok = f.object(&n, 2, 1)
	f.width = len(n.members)
	return n, true, ok && f.indent <= 0
}

// object reads the lines of a map with an indent.
func (f *fastYAML) object(n *node, indent, depth int) bool {
	if depth > f.most {
		return false
	}
	for f.indent == indent {
		end := nameEnd(f.text)
		if end < 0 || end > 100 {
			return false
		}
		name := f.text[:end]
		if n.member(name) != nil || len(n.members) > 64 {
			return false
		}
		m := member{name: name, line: int32(f.line), column: int32(indent + 1)}
		rest := f.text[end+1:]
		ok := true
		if rest == "" {
			m.value, ok = f.below(indent, depth+1)
		} else {
			skip := 0
			for skip < len(rest) && rest[skip] == ' ' {
				skip++
			}
			m.value, ok = f.value(indent, end+1+skip, depth+1)
		}
		if !ok {
			return false
		}
		n.members = append(n.members, m)
	}
	return f.indent < indent
}

// nameEnd finds the colon behind a name, -1 if it is not a simple one.
func nameEnd(text string) int {
	for i := range len(text) {
		switch c := text[i]; {
		case letter(c), c == '_', i > 0 && ('0' <= c && c <= '9' || c == '-'):
		case c == ':' && i > 0 && (i+1 == len(text) || text[i+1] == ' '):
			return i
		default:
			return -1
		}
	}
	return -1
}

// below reads what stands in the lines below a name.
func (f *fastYAML) below(indent, depth int) (n node, ok bool) {
	f.next()
	hyphen := strings.HasPrefix(f.text, "- ")
	if f.indent < indent || f.indent == indent && !hyphen || depth > f.most {
		return n, false // perhaps a null
	}
	n = node{line: int32(f.line), column: int32(f.indent + 1)}
	own := f.indent
	if !hyphen {
		n.kind = objectNode
		return n, f.object(&n, own, depth)
	}
	n.kind = listNode
	for f.indent == own && strings.HasPrefix(f.text, "- ") && len(f.text) > 2 && f.text[2] != ' ' {
		var v node
		if nameEnd(f.text[2:]) >= 0 {
			f.text, f.indent = f.text[2:], own+2
			v = node{kind: objectNode, line: int32(f.line), column: int32(own + 3)}
			ok = f.object(&v, own+2, depth+1)
		} else {
			v, ok = f.value(own, 2, depth+1)
		}
		if !ok {
			return n, false
		}
		n.items = append(n.items, v)
	}
	return n, f.indent < own || f.indent == own && own == indent // the map goes on
}

// value reads the rest of a line from a byte on, which is behind a name or a
// hyphen in a line whose block has an indent; a text below a bar too.
func (f *fastYAML) value(indent, from, depth int) (n node, ok bool) {
	n = node{line: int32(f.line), column: f.column(from)}
	if depth > f.most {
		return n, false
	}
	rest := f.text[from:]
	switch rest[0] {
	case '"':
		n.kind = textNode
		var used int
		n.text, used, ok = doubleQuotedText(rest)
		ok = ok && used == len(rest)
	case '\'':
		n.kind = textNode
		var used int
		n.text, used, ok = singleQuotedText(rest)
		ok = ok && used == len(rest)
	case '[', '{':
		used := 0
		n, used, ok = f.flow(from, depth)
		ok = ok && used == len(f.text)
	case '|':
		return f.block(n, indent, rest)
	default:
		if strings.Contains(rest, ": ") || strings.Contains(rest, " #") || rest[len(rest)-1] == ':' {
			return n, false
		}
		ok = resolvePlain(&n, rest)
	}
	f.next()
	return n, ok && f.indent <= indent // deeper lines would be of the same text
}

// A counted place is one of which it is known how many characters are before it
// in its line.
type counted struct{ line, size, at, characters int }

// column is the place of a byte of the line, in characters. It counts on from the
// place before: a line may have a million values.
func (f *fastYAML) column(from int) int32 {
	c := &f.last
	if c.line != f.line || c.size != len(f.text) || from < c.at {
		*c = counted{line: f.line, size: len(f.text)}
	}
	c.characters += utf8.RuneCountInString(f.text[c.at:from])
	c.at = from
	return int32(f.indent + c.characters + 1)
}

// resolvePlain gives a text without quotes its type; it reports whether it is
// sure of it.
func resolvePlain(n *node, text string) bool {
	switch c := text[0]; {
	case letter(c):
		switch text {
		case "true", "false":
			n.kind, n.text = boolNode, text
			return true
		case "null":
			return true
		}
		if len(text) <= 5 && plainWords[strings.ToLower(text)] {
			return false
		}
	case '0' <= c && c <= '9' || c == '-' && len(text) > 1 && '0' <= text[1] && text[1] <= '9':
		if isNumber(text) {
			n.kind, n.text = numberNode, text
			return numberFault(text) == ""
		}
		if !isDate(text) && !strings.ContainsFunc(text, func(c rune) bool { return c > 'f' && c != 'o' && c != 'x' || c == ' ' || c == '/' }) {
			return false
		}
	case c < 0x80:
		return false
	}
	n.kind, n.text = textNode, text
	return true
}

func isDate(text string) bool {
	if len(text) != 10 {
		return false
	}
	for i := range len(text) {
		if c := text[i]; (i == 4 || i == 7) != (c == '-') || c != '-' && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// block reads a text below a bar.
func (f *fastYAML) block(n node, indent int, head string) (node, bool) {
	if head != "|" && head != "|-" {
		return n, false
	}
	var b strings.Builder
	margin := -1
	for f.at < len(f.data) {
		rest := f.data[f.at:]
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			return n, false // the last line has no end
		}
		own := 0
		for own < end && rest[own] == ' ' {
			own++
		}
		switch {
		case own == end && (margin < 0 || own > margin):
			return n, false // an empty first line, or spaces that count
		case own == end:
			b.WriteByte('\n')
		case margin < 0 && own <= indent, margin >= 0 && own < margin && own > indent:
			return n, false
		case margin >= 0 && own <= indent:
			return f.endBlock(n, b.String(), head)
		default:
			if margin < 0 {
				margin = own
			}
			b.Write(rest[margin : end+1])
		}
		f.at += end + 1
		f.line++
	}
	return f.endBlock(n, b.String(), head)
}

func (f *fastYAML) endBlock(n node, text, head string) (node, bool) {
	body := strings.TrimRight(text, "\n")
	if body == "" {
		return n, false
	}
	if n.kind, n.text = textNode, body; head == "|" {
		n.text += "\n"
	}
	f.next()
	return n, true
}
