package format

import (
	"fmt"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// nothing stands for an answer without nodes.
const nothing = "Nothing was found.\n"

// appendMarkdown writes tables under headings, as GitHub's Markdown has them.
func appendMarkdown(b []byte, r *graph.Result) ([]byte, error) {
	list := sections(r)
	if len(list) == 0 {
		return append(b, nothing...), nil
	}
	for i, s := range list {
		if i > 0 {
			b = append(b, '\n')
		}
		if s.title != "" {
			b = fmt.Appendf(b, "### %s\n\n", s.title)
		}
		for _, c := range s.columns {
			b = append(append(b, '|'), markdownText(c)...)
		}
		b = append(b, "|\n"...)
		b = append(append(b, strings.Repeat("|-", len(s.columns))...), "|\n"...)
		for _, row := range s.rows {
			for _, v := range row {
				b = append(append(b, '|'), markdownCell(v)...)
			}
			b = append(b, "|\n"...)
		}
	}
	return b, nil
}

// markdownCell is a value as a cell holds it. Null is the empty cell, and the
// empty text is two quotes.
func markdownCell(v graph.Value) string {
	text := v.Text()
	if text == "" && !v.IsNull() {
		return `""`
	}
	text = markdownText(text)
	if strings.HasPrefix(text, `"`) {
		return `\` + text
	}
	return text
}

// markdownText escapes what a cell cannot hold, and what would be anything but
// text in it: a link, a picture, which is fetched from wherever it says, an
// element of HTML, code, an entity. What only looks different, such as *this*,
// stays. Line breaks are \n, and control characters numbers.
func markdownText(text string) string {
	if !strings.ContainsFunc(text, special) && strings.Trim(text, " ") == text {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case strings.ContainsRune("\\|`<[&", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case control(r), r == ' ' && (i == 0 || i == len(text)-1):
			fmt.Fprintf(&b, "&#%d;", r)
		default: // what is no UTF-8 is written as U+FFFD
			b.WriteRune(r)
		}
	}
	return b.String()
}

func special(r rune) bool { return control(r) || r == 0xFFFD || strings.ContainsRune("\\|`<[&", r) }

// control reports whether a character may steer a terminal, or begin a line.
func control(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 }
