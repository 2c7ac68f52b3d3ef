package schema

import (
	"cmp"
	"slices"
	"strings"
)

const (
	maxSuggestions = 3
	// maxSuggestable is the longest text, in bytes, that suggestions are
	// sought for. It bounds the work that a hostile name can cause.
	maxSuggestable = 128
)

// Suggest returns the names that got was likely meant to be: at most three, the
// likeliest first, none if nothing is plausible. It sees through case, plural,
// separators (gl-issue, GlIssue), parts left out (issue for gl_issue), other orders
// (issue_authored_by for authored_issue), initials (merge_request for gl_mr), a few
// wrong letters, and other first words (created_issue for authored_issue).
func Suggest(got string, names []string) []string {
	candidates := make([]candidate, len(names))
	for i, n := range names {
		candidates[i].name = n
	}
	return suggest(got, candidates)
}

// SuggestLabel suggests labels, by their names and synonyms, and where those tell
// nothing by the words of their descriptions.
func (s *Schema) SuggestLabel(got string) []string {
	candidates := make([]candidate, len(s.labels))
	for i, l := range s.labels {
		candidates[i] = candidate{l.Name, l.Synonyms, l.Description}
	}
	return suggest(got, candidates)
}

// SuggestRelationship suggests relationship types as SuggestLabel does labels.
func (s *Schema) SuggestRelationship(got string) []string {
	candidates := make([]candidate, len(s.types))
	for i, t := range s.types {
		candidates[i] = candidate{t.Name, t.Synonyms, t.Description}
	}
	return suggest(got, candidates)
}

// SuggestProperty suggests properties out of props as SuggestLabel does labels,
// and by words that often stand for one another, never a hidden one.
func (s *Schema) SuggestProperty(props []*Property, got string) []string {
	candidates := make([]candidate, 0, len(props))
	for _, p := range props {
		if !p.Hidden {
			candidates = append(candidates, candidate{p.Name, p.Synonyms, p.Description})
		}
	}
	if similar := suggest(got, candidates); similar != nil {
		return similar
	}
	for _, words := range sameWords {
		if slices.Contains(words, strings.ToLower(got)) {
			var same []string
			for _, c := range candidates {
				if slices.Contains(words, strings.ToLower(c.name)) {
					same = append(same, c.name)
				}
			}
			return same[:min(len(same), maxSuggestions)]
		}
	}
	return nil
}

// sameWords are words by which schemas call the same kinds of properties.
var sameWords = [][]string{
	{"title", "name", "label", "subject", "summary", "headline", "caption"},
	{"body", "text", "content", "message", "description", "notes"},
	{"status", "state", "stage", "phase"},
	{"type", "kind", "category", "class"},
	{"created_at", "creationdate", "created_on", "date", "timestamp", "time"},
}

type candidate struct {
	name        string
	synonyms    []string
	description string
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
	rankOrder  // the same words in another order, but for small ones
	rankInitials
	rankEdits
	rankLast     = rankEdits + 10 // the same last word
	rankDescribe = rankEdits + 20 // a word of the description
	implausible  = 100
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
		if rank == implausible && want.describedBy(c.description) {
			rank = rankDescribe
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
		return rankInitials
	case best < rankLast:
		return best + 1
	}
	return best
}
