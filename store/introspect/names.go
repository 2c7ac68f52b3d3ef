package introspect

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/schema"
)

// lowerName is what a table or column is called in the schema: its own name if
// that can be a name and does not begin in upper case, or else the words of it
// in lower case, with underscores between.
func lowerName(stored string) string {
	if schema.IsName(stored) && !unicode.IsUpper(rune(stored[0])) {
		return stored
	}
	return asName(strings.ToLower(strings.Join(words(stored), "_")))
}

// upperName is a relationship type of the words of a stored name.
func upperName(stored string) string {
	return asName(strings.ToUpper(strings.Join(words(stored), "_")))
}

// asName makes a name of letters, digits and underscores.
func asName(text string) string {
	switch {
	case text == "":
		return "unnamed"
	case text[0] >= '0' && text[0] <= '9':
		text = "_" + text
	}
	return text[:min(len(text), schema.MaxName)]
}

// words takes a stored name apart, at what is no letter or digit and where
// camelCase has a hump. Letters beyond ASCII become u and their code.
func words(stored string) []string {
	var out []string
	var word []byte
	flush := func() {
		if len(word) > 0 {
			out = append(out, string(word))
			word = nil
		}
	}
	runes := []rune(stored)
	for i, r := range runes {
		switch {
		case r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			if i > 0 && unicode.IsUpper(r) {
				before, after := runes[i-1], rune(0)
				if i+1 < len(runes) {
					after = runes[i+1]
				}
				if unicode.IsLower(before) || unicode.IsDigit(before) || unicode.IsUpper(before) && unicode.IsLower(after) {
					flush()
				}
			}
			word = append(word, byte(r))
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if plain, ok := folded[unicode.ToLower(r)]; ok {
				word = append(word, plain...)
			} else {
				word = fmt.Appendf(word, "u%x", r)
			}
		default:
			flush()
		}
	}
	flush()
	return out
}

// folded are letters that have a usual spelling without their marks.
var folded = map[rune]string{
	'ä': "ae", 'ö': "oe", 'ü': "ue", 'ß': "ss", 'é': "e", 'è': "e", 'ê': "e", 'á': "a", 'à': "a", 'â': "a", 'å': "a", 'ã': "a", 'æ': "ae",
	'ç': "c", 'í': "i", 'î': "i", 'ï': "i", 'ñ': "n", 'ó': "o", 'ô': "o", 'õ': "o", 'ø': "o", 'ú': "u", 'û': "u", 'ý': "y",
}

// A namer hands out names that differ in more than their case.
type namer map[string]bool

func (n namer) take(name string) bool {
	low := strings.ToLower(name)
	if n[low] {
		return false
	}
	n[low] = true
	return true
}

// free returns the first candidate that is not taken, or else the last with a
// number behind it.
func (n namer) free(candidates ...string) string {
	for _, c := range candidates {
		if n.take(c) {
			return c
		}
	}
	last := candidates[len(candidates)-1]
	for i := 2; ; i++ {
		suffix := fmt.Sprint("_", i)
		if c := last[:min(len(last), schema.MaxName-len(suffix))] + suffix; n.take(c) {
			return c
		}
	}
}

// identifying are the last words of columns that refer to something.
var identifying = []string{"id", "uuid", "guid", "key", "fk", "ref", "no", "code"}

// subject names what a column refers to: author of author_id and authorId. The
// columns referred to help: customer of customer_number, where the customer's
// key is number. It is empty where the column says no more than its table.
func subject(columns, refers []string) string {
	if len(columns) > 1 {
		return compositeSubject(columns, refers)
	}
	list := words(columns[0])
	if len(refers) == 1 {
		if key := words(refers[0]); len(key) < len(list) && equalWords(list[len(list)-len(key):], key) {
			return strings.Join(list[:len(list)-len(key)], "_")
		}
	}
	if len(list) > 1 && (strings.EqualFold(list[0], "fk") || strings.EqualFold(list[0], "id")) {
		list = list[1:]
	}
	if slices.ContainsFunc(identifying, func(w string) bool { return len(list) > 0 && strings.EqualFold(w, list[len(list)-1]) }) {
		list = list[:len(list)-1]
	}
	return strings.Join(list, "_")
}

// compositeSubject goes by the columns that are called otherwise than what they
// refer to, such as parent_no beside tenant_id; what several have in common comes first.
func compositeSubject(columns, refers []string) string {
	var own [][]string
	var found string
	for i, c := range columns {
		if i < len(refers) && strings.EqualFold(c, refers[i]) {
			continue
		}
		own = append(own, words(c))
		if i < len(refers) {
			found = subject([]string{c}, []string{refers[i]})
		}
	}
	if len(own) < 2 {
		return found
	}
	common := own[0]
	for _, list := range own[1:] {
		n := 0
		for n < len(common) && n < len(list) && strings.EqualFold(common[n], list[n]) {
			n++
		}
		common = common[:n]
	}
	return strings.Join(common, "_")
}

func equalWords(a, b []string) bool { return slices.EqualFunc(a, b, strings.EqualFold) }

// singulars are the forms that a table's name, which is mostly a plural, may
// have for one of its rows.
func singulars(name string) []string {
	out := []string{name}
	for _, ending := range [][2]string{{"ies", "y"}, {"sses", "ss"}, {"xes", "x"}, {"ches", "ch"}, {"shes", "sh"}, {"zes", "z"}, {"ses", "s"}, {"people", "person"}, {"children", "child"}, {"s", ""}} {
		if stem, ok := strings.CutSuffix(name, ending[0]); ok && stem+ending[1] != "" {
			out = append(out, stem+ending[1])
		}
	}
	return out
}

// description makes of a comment what a schema takes for a description: marks
// that do not show become spaces, and it ends after 2,000 characters.
func description(comment string) string {
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, strings.ReplaceAll(comment, "\r\n", "\n"))
	text = strings.TrimSpace(text)
	if utf8.RuneCountInString(text) > schema.MaxDescription {
		text = strings.TrimSpace(string([]rune(text)[:schema.MaxDescription-1])) + "…"
	}
	return text
}

// values reports whether texts can be the values of an enum, and what is wrong.
func validValues(values []string) (why string) {
	seen := map[string]bool{}
	for _, v := range values {
		switch {
		case v == "":
			return "an empty text is among its values"
		case !schema.IsValue(v):
			return fmt.Sprintf("a value is longer than %d bytes or has control characters", schema.MaxValue)
		case seen[v]:
			return "a value is there twice"
		}
		seen[v] = true
	}
	if len(values) == 0 {
		return "it has no values"
	}
	return ""
}

// whole writes the name of a table for a person.
func whole(t schema.Table) string { return shown(t.String()) }

// shown makes a text fit for a line of a comment.
func shown(text string) string {
	const most = 200
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most]) + "…"
	}
	return text
}
