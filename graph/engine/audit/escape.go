package audit

import (
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// unsafe reports whether a character can change how a line looks or ends
// wherever it is shown: controls of terminals, separators of lines, marks that
// turn the direction of writing or are not seen at all.
func unsafe(r rune) bool {
	return r < 0x20 || r >= 0x7f && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029')
}

// appendString appends a text as a JSON string of visible characters.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s { // invalid bytes come as U+FFFD
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case unsafe(r):
			b = appendEscape(b, r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// appendJSON appends a JSON document as it stands, on one line and with its
// invisible characters escaped; a text that is none, as a string.
func appendJSON(b []byte, text string) []byte {
	if !json.Valid([]byte(text)) {
		return appendString(b, text)
	}
	for _, r := range text {
		switch {
		case r < 0x20: // between tokens only: strings cannot hold it
		case unsafe(r): // in strings only
			b = appendEscape(b, r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

func appendEscape(b []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		return fmt.Appendf(b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
	}
	return fmt.Appendf(b, `\u%04x`, r)
}

// visible returns a text with its invisible characters written out.
func visible(s string) string {
	for _, r := range s {
		if unsafe(r) || r == utf8.RuneError {
			var b []byte
			for _, r := range s {
				if unsafe(r) {
					b = appendEscape(b, r)
				} else {
					b = utf8.AppendRune(b, r)
				}
			}
			return string(b)
		}
	}
	return s
}
