package bundle

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A yamlWriter writes values as YAML in one way: members each on a line, lists
// below their names, texts plain where every reader takes them for the same
// text, texts of several lines as they are, and everything else in quotes.
type yamlWriter struct{ out []byte }

// entity writes an entity as an item of a list, or as a file of its own.
func (w *yamlWriter) entity(n *node, single bool) {
	if single {
		w.members("", n)
		return
	}
	w.item("", n)
}

// member writes a name and a value, from the line's margin on.
func (w *yamlWriter) member(margin, name string, v *node) {
	w.out = append(append(w.out, margin...), quotedName(name)...)
	w.out = append(w.out, ':')
	w.value(margin, v)
}

func (w *yamlWriter) members(margin string, n *node) {
	for i := range n.members {
		w.member(margin, n.members[i].name, &n.members[i].value)
	}
}

// value writes what stands behind a name.
func (w *yamlWriter) value(margin string, v *node) {
	switch {
	case v.kind == objectNode && len(v.members) > 0:
		w.out = append(w.out, '\n')
		w.members(margin+"  ", v)
	case v.kind == listNode && len(v.items) > 0:
		w.out = append(w.out, '\n')
		for i := range v.items {
			w.item(margin+"  ", &v.items[i])
		}
	default:
		w.out = append(w.out, ' ')
		w.scalar(margin+"  ", v)
	}
}

// item writes an item of a list.
func (w *yamlWriter) item(margin string, v *node) {
	w.out = append(append(w.out, margin...), '-')
	if v.kind != objectNode || len(v.members) == 0 {
		w.value(margin, v)
		return
	}
	// The first member stands beside the hyphen.
	first := &v.members[0]
	w.out = append(w.out, ' ')
	w.out = append(append(w.out, quotedName(first.name)...), ':')
	w.value(margin+"  ", &first.value)
	rest := node{members: v.members[1:]}
	w.members(margin+"  ", &rest)
}

// scalar writes a value of one line, or the lines of a text below it.
func (w *yamlWriter) scalar(margin string, v *node) {
	switch v.kind {
	case listNode:
		w.out = append(w.out, "[]\n"...)
	case objectNode:
		w.out = append(w.out, "{}\n"...)
	case textNode:
		if head, ok := blockHead(v.text); ok {
			w.block(margin, head, v.text)
			return
		}
		w.out = append(append(w.out, quotedText(v.text)...), '\n')
	default:
		w.out = append(v.appendJSON(w.out), '\n')
	}
}

// blockHead is how a text of several lines begins, if it can be written as it
// is.
func blockHead(text string) (string, bool) {
	body := strings.TrimSuffix(text, "\n")
	if !strings.Contains(body, "\n") || body[0] == ' ' || body[0] == '\n' || strings.HasSuffix(body, "\n") {
		return "", false
	}
	for line := range strings.SplitSeq(body, "\n") {
		if strings.HasPrefix(line, "\t") || line != "" && strings.Trim(line, " ") == "" {
			return "", false
		}
	}
	for _, c := range text {
		if c != '\n' && c != '\t' && !printable(c) {
			return "", false
		}
	}
	if body == text {
		return "|-", true
	}
	return "|", true
}

func (w *yamlWriter) block(margin, head, text string) {
	w.out = append(w.out, head...)
	w.out = append(w.out, '\n')
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if line != "" {
			w.out = append(append(w.out, margin...), line...)
		}
		w.out = append(w.out, '\n')
	}
}

// printable reports whether a character may stand in a YAML file as it is, and
// be seen there.
func printable(c rune) bool {
	switch {
	case c < 0x20, c >= 0x7f && c <= 0xa0, c == 0x2028, c == 0x2029, c == 0xfeff, c == utf8.RuneError, c&0xfffe == 0xfffe:
		return false
	}
	return !unicode.Is(unicode.Bidi_Control, c) && c <= unicode.MaxRune
}

// plainWords are what some version of YAML takes for something else than a text.
var plainWords = map[string]bool{"y": true, "n": true, "yes": true, "no": true, "on": true, "off": true, "true": true, "false": true, "null": true, "nan": true, "inf": true}

// isPlain reports whether every reader of YAML takes a text for itself without
// quotes: it begins with a letter, and holds what separates nothing.
func isPlain(text string) bool {
	if text == "" || len(text) > 256 || !letter(text[0]) || text[len(text)-1] == ' ' {
		return false
	}
	for i := range len(text) {
		switch c := text[i]; {
		case letter(c), '0' <= c && c <= '9', c == '_', c == '-', c == '.', c == '/', c == ' ', c == '(', c == ')', c == '+', c == '@', c == ';', c == ',':
		default:
			return false
		}
	}
	return len(text) > 5 || !plainWords[strings.ToLower(text)]
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// quotedName is a member's name.
func quotedName(name string) string {
	if isPlain(name) && !strings.ContainsAny(name, " ") {
		return name
	}
	return doubleQuoted(name)
}

func quotedText(text string) string {
	if isPlain(text) {
		return text
	}
	return doubleQuoted(text)
}

// doubleQuoted writes a text in double quotes, with the escapes that YAML and
// JSON have in common.
func doubleQuoted(text string) string {
	const hex = "0123456789abcdef"
	out := make([]byte, 0, len(text)+2)
	out = append(out, '"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			out = append(out, '\\', byte(c))
		case c == '\n':
			out = append(out, `\n`...)
		case c == '\t':
			out = append(out, `\t`...)
		case c == '\r':
			out = append(out, `\r`...)
		case printable(c) || c > 0xffff && c&0xfffe != 0xfffe:
			out = utf8.AppendRune(out, c)
		case c > 0xffff:
			out = append(out, '\\', 'U')
			for shift := 28; shift >= 0; shift -= 4 {
				out = append(out, hex[c>>shift&15])
			}
		default:
			out = append(out, '\\', 'u', hex[c>>12&15], hex[c>>8&15], hex[c>>4&15], hex[c&15])
		}
	}
	return string(append(out, '"'))
}
