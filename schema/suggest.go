package schema

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

const (
	maxSuggestions = 3
	// maxSuggestable is the longest text, in bytes, that suggestions are
	// sought for. It bounds the work that a hostile name can cause.
	maxSuggestable = 128
)

// Suggest returns the names that got was likely meant to be: at most three, the
// likeliest first, none if nothing is plausible. It sees through case, plural,
// separators (gl-issue, GlIssue), parts left out (issue for gl_issue) and a few
// wrong letters.
func Suggest(got string, names []string) []string {
	candidates := make([]candidate, len(names))
	for i, n := range names {
		candidates[i].name = n
	}
	return suggest(got, candidates)
}

// SuggestLabel suggests labels, by their names and synonyms.
func (s *Schema) SuggestLabel(got string) []string {
	candidates := make([]candidate, len(s.labels))
	for i, l := range s.labels {
		candidates[i] = candidate{l.Name, l.Synonyms}
	}
	return suggest(got, candidates)
}

// SuggestRelationship suggests relationship types, by their names and synonyms.
func (s *Schema) SuggestRelationship(got string) []string {
	candidates := make([]candidate, len(s.types))
	for i, t := range s.types {
		candidates[i] = candidate{t.Name, t.Synonyms}
	}
	return suggest(got, candidates)
}

// SuggestProperty suggests properties out of props, by their names and
// synonyms, never a hidden one.
func (s *Schema) SuggestProperty(props []*Property, got string) []string {
	candidates := make([]candidate, 0, len(props))
	for _, p := range props {
		if !p.Hidden {
			candidates = append(candidates, candidate{p.Name, p.Synonyms})
		}
	}
	return suggest(got, candidates)
}

type candidate struct {
	name     string
	synonyms []string
}

// Ranks of a suggestion; the least is the best. Edit distances add to
// rankEdits.
const (
	rankSynonym = iota // a synonym, letter for letter
	rankCase
	rankSeparators
	rankPlural
	rankSuffix // the last words of the name
	rankPart   // other words of the name, or the name and more words
	rankEdits
	implausible = 100
)

func suggest(got string, candidates []candidate) []string {
	if got == "" || len(got) > maxSuggestable {
		return nil
	}
	want := spell(got)
	type hit struct {
		name string
		rank int
	}
	var hits []hit
	for _, c := range candidates {
		rank := want.rank(c.name)
		for _, syn := range c.synonyms {
			if syn == got {
				rank = rankSynonym
				break
			}
			rank = min(rank, want.rank(syn))
		}
		if rank < implausible && c.name != got {
			hits = append(hits, hit{c.name, rank})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.rank, b.rank) })
	var out []string
	for _, h := range hits {
		if h.rank > weakest(hits[0].rank) || len(out) == maxSuggestions {
			break
		}
		if !slices.Contains(out, h.name) {
			out = append(out, h.name)
		}
	}
	return out
}

// weakest is the last rank that is plausible beside the best: next to a name
// that differs only in its form, one that merely resembles is noise.
func weakest(best int) int {
	switch {
	case best <= rankPlural:
		return rankPlural
	case best < rankEdits:
		return rankPart
	}
	return best + 1
}

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
	}
	most := min(max(len(s.runes), len(o.runes))/3, 3)
	if d := distance(s.runes, o.runes, most); d <= most {
		return rankEdits + d
	}
	return implausible
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
