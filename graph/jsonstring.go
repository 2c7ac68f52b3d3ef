package graph

const hexDigits = "0123456789abcdef"

// plain reports whether a text is ASCII of which nothing is escaped.
func plain(s string) bool {
	if len(s) < 8 {
		for i := range len(s) {
			if c := s[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
				return false
			}
		}
		return true
	}
	last := len(s) - 8
	for i := 0; i < last; i += 8 {
		if !plainWord(wordAt(s, i)) {
			return false
		}
	}
	return plainWord(wordAt(s, last)) // whose first bytes may have been looked at
}

// wordAt is eight bytes of a text from i on; the compiler makes one load of it.
func wordAt(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

const (
	ones = 0x0101010101010101 // times a byte: that byte eight times
	tops = 0x8080808080808080
)

// plainWord is plain for eight bytes at once: the top bit of a byte says what
// is found in it. S. E. Anderson, Bit Twiddling Hacks, "Determine if a word has
// a byte less than n".
func plainWord(w uint64) bool {
	quote, slash := w^('"'*ones), w^('\\'*ones)
	found := w | (w + ones) | // over 0x7f, or 0x7f
		(w-0x20*ones)&^w | (quote-ones)&^quote | (slash-ones)&^slash
	return found&tops == 0
}

// AppendJSONString appends s as a JSON string. Control characters, the two line
// separators that break scripts, and nothing else, are escaped; invalid UTF-8 becomes U+FFFD.
func AppendJSONString(b []byte, s string) []byte {
	if plain(s) {
		b = append(b, '"')
		b = append(b, s...)
		return append(b, '"')
	}
	b = append(b, '"')
	start := 0
	for i, r := range s {
		var esc string
		switch {
		case r == '"':
			esc = `\"`
		case r == '\\':
			esc = `\\`
		case r == '\n':
			esc = `\n`
		case r == '\r':
			esc = `\r`
		case r == '\t':
			esc = `\t`
		case r < 0x20 || r == 0x7f:
			esc = `\u00` + string(hexDigits[r>>4]) + string(hexDigits[r&15])
		case r == '\u2028':
			esc = `\u2028`
		case r == '\u2029':
			esc = `\u2029`
		case r == 0xFFFD:
			if i+2 < len(s) && s[i] == 0xEF && s[i+1] == 0xBF && s[i+2] == 0xBD {
				continue // a real U+FFFD
			}
			b = append(b, s[start:i]...)
			b = append(b, "\uFFFD"...)
			start = i + 1
			continue
		default:
			continue
		}
		b = append(b, s[start:i]...)
		b = append(b, esc...)
		start = i + len(string(r))
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}
