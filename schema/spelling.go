package schema

import (
	"slices"
	"strings"
	"unicode"
)

// A spelling is a name taken apart for comparing.
type spelling struct {
	text   string
	words  []string // lower case, singular
	joined string   // lower case, without separators
	single string   // joined, singular
	runes  []rune   // of joined
}

func spell(text string) *spelling {
	words := splitWords(text)
	s := &spelling{text: text, joined: strings.Join(words, "")}
	for _, w := range words {
		s.words = append(s.words, singular(w))
	}
	s.single = strings.Join(s.words, "")
	s.runes = []rune(s.joined)
	return s
}

// rank says how close a name is.
func (s *spelling) rank(name string) int {
	if len(name) > maxSuggestable {
		return implausible
	}
	if strings.EqualFold(s.text, name) {
		return rankCase
	}
	o := spell(name)
	switch {
	case o.joined == "" || s.joined == "":
		return implausible
	case o.joined == s.joined:
		return rankSeparators
	case o.single == s.single || singular(o.joined) == singular(s.joined):
		return rankPlural
	case endsWith(o.words, s.words):
		return rankSuffix
	case len(s.joined) >= 3 && contains(o.words, s.words), len(o.joined) >= 3 && contains(s.words, o.words):
		return rankPart
	case sameSet(s.words, o.words):
		return rankOrder
	case shortens(o.words, s.words), shortens(s.words, o.words):
		return rankInitials
	}
	most := min(max(len(s.runes), len(o.runes))/3, 3)
	if d := distance(s.runes, o.runes, most); d <= most {
		return rankEdits + d
	}
	if last := s.words[len(s.words)-1]; len(last) >= leastTelling && last == o.words[len(o.words)-1] {
		return rankLast
	}
	return implausible
}

// leastTelling is the length of the shortest word that tells something by itself.
const leastTelling = 4

// smallWords join the words of names, and tell nothing.
var smallWords = []string{"a", "an", "at", "by", "for", "from", "has", "have", "in", "is", "of", "on", "the", "to", "with"}

func small(w string) bool { return slices.Contains(smallWords, w) }

// sameSet reports whether two names have the same words, at least two, in any
// order.
func sameSet(a, b []string) bool {
	a, b = slices.DeleteFunc(slices.Clone(a), small), slices.DeleteFunc(slices.Clone(b), small)
	slices.Sort(a)
	slices.Sort(b)
	return len(a) >= 2 && slices.Equal(a, b)
}

// shortens reports whether the last word of a name are the initials of the last
// words of another, of at least two.
func shortens(short, long []string) bool {
	word := short[len(short)-1]
	n := len(word)
	if n < 2 || n > len(long) || small(word) {
		return false
	}
	for i, w := range long[len(long)-n:] {
		if w[0] != word[i] {
			return false
		}
	}
	return true
}

// describedBy reports whether a word of the name that tells something is one of
// the first words of a description.
func (s *spelling) describedBy(description string) bool {
	const most = 256 // bytes: what it is stands in front
	told := splitWords(description[:min(len(description), most)])
	return slices.ContainsFunc(s.words, func(w string) bool {
		return len(w) >= leastTelling && slices.ContainsFunc(told, func(t string) bool { return singular(t) == w })
	})
}

// splitWords splits at separators and where a capital follows a small letter,
// and lowers the case.
func splitWords(text string) []string {
	var words []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	var before rune
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			before = 0
			continue
		}
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			flush()
		}
		word.WriteRune(unicode.ToLower(r))
		before = r
	}
	flush()
	return words
}

// singular takes the usual English plural endings off a lower-case word.
func singular(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 4 && (strings.HasSuffix(w, "ses") || strings.HasSuffix(w, "xes") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes")):
		return w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us"):
		return w[:len(w)-1]
	}
	return w
}

func endsWith(words, end []string) bool {
	return len(end) > 0 && len(end) < len(words) && slices.Equal(words[len(words)-len(end):], end)
}

func contains(words, part []string) bool {
	for i := 0; i+len(part) <= len(words) && len(part) > 0; i++ {
		if slices.Equal(words[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// distance is the number of insertions, deletions, replacements and swaps of
// neighbours that make b of a (optimal string alignment), or most+1 if it is
// over most. It takes time in proportion to most times the length.
func distance(a, b []rune, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	far := most + 1
	var rows [3][maxSuggestable + 1]int
	for j := 0; j <= len(b); j++ {
		rows[0][j] = min(j, far)
	}
	for i := 1; i <= len(a); i++ {
		row, last, beforeLast := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		from, to := max(1, i-most), min(len(b), i+most)
		row[from-1] = far
		if from == 1 {
			row[0] = min(i, far)
		}
		best := row[from-1]
		for j := from; j <= to; j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(last[j-1]+cost, row[j-1]+1)
			if j < i+most { // beyond the band of the last row
				d = min(d, last[j]+1)
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, beforeLast[j-2]+1)
			}
			row[j] = min(d, far)
			best = min(best, row[j])
		}
		if best > most {
			return far
		}
	}
	return rows[len(a)%3][len(b)]
}
