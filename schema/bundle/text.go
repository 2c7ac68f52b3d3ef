package bundle

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTitle is the most characters of a title.
const maxTitle = 200

// invisible reports whether a character shows nothing of its own: with such a one
// a text says more than people see, or differs from another that looks the same.
func invisible(c rune) bool {
	if c < unicode.MaxASCII {
		return c < ' '
	}
	return unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, c)
}

// shaping are the invisible characters that texts need: ends of lines, tabs, and
// what joins or parts letters and chooses the form of a sign.
const shaping = "\n\t\u200c\u200d\ufe0e\ufe0f"

// describes says why a text cannot stand in a description, or nothing.
// Descriptions reach prompts, so nothing invisible may stand in them but what
// shapes other characters.
func describes(text string, most int) string {
	if utf8.RuneCountInString(text) > most {
		return fmt.Sprintf("is longer than %d characters", most)
	}
	for _, c := range text {
		if invisible(c) && !strings.ContainsRune(shaping, c) {
			return fmt.Sprintf("has the character U+%04X, which nobody sees", c)
		}
	}
	return ""
}
