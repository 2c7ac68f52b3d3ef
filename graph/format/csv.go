package format

import (
	"strings"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/graph"
)

// appendCSV writes tables one after the other, with an empty line between them.
func appendCSV(b []byte, r *graph.Result) ([]byte, error) {
	for i, s := range sections(r) {
		if i > 0 {
			b = append(b, '\n')
		}
		if s.title != "" {
			b = append(appendField(b, s.title, true), '\n')
		}
		for j, c := range s.columns {
			b = appendField(comma(b, j), c, len(s.columns) == 1)
		}
		b = append(b, '\n')
		for _, row := range s.rows {
			for j, v := range row {
				b = appendField(comma(b, j), csvText(v), len(row) == 1)
			}
			b = append(b, '\n')
		}
	}
	return b, nil
}

// csvText is a value as a field holds it. Null is the empty field. What begins
// with an apostrophe is a text, which goes on after it: the empty text, one that
// begins with an apostrophe itself, and one that a spreadsheet would take for a
// formula.
func csvText(v graph.Value) string {
	if v.Kind() != graph.KindString {
		return v.Text()
	}
	text := strings.ToValidUTF8(v.Text(), "\uFFFD")
	if guarded(text) {
		return "'" + text
	}
	return text
}

// guarded reports whether a text needs an apostrophe before it. A number does
// not: nothing is computed by it.
func guarded(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	switch first {
	case utf8.RuneError, '\'', '=', '+', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠':
		return first != utf8.RuneError || text == ""
	case '-':
		return !isNumber(text[1:])
	}
	return false
}

// isNumber reports whether a text is digits, with at most one point between
// them.
func isNumber(text string) bool {
	points := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '.' && i > 0 && i < len(text)-1:
			points++
		case c < '0' || c > '9':
			return false
		}
	}
	return text != "" && points <= 1
}

// appendField writes a field as RFC 4180 has it. An empty one that is alone in
// its record has quotes, for an empty line ends the table.
func appendField(b []byte, text string, alone bool) []byte {
	if text == "" && alone {
		return append(b, `""`...)
	}
	if !strings.ContainsAny(text, ",\"\r\n") && strings.TrimSpace(text) == text {
		return append(b, text...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(text, `"`, `""`)...)
	return append(b, '"')
}
