package schema

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/graph"
)

// namePattern is what a relationship type or a property may be called. It is what the expression language can say and every file system can
// hold. The published JSON Schema has the same.
var namePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,62}$`)

// labelPattern is that of labels, which may be a character longer: as long as the
// name of a table.
var labelPattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

const nameHint = "letters, digits and underscores, at most 63, no digit first"

const labelHint = "letters, digits and underscores, at most 64, no digit first"

// What a schema takes, for whoever writes one.
const (
	// MaxName is the most characters of the name of a relationship type or a
	// property, MaxLabel that of a label.
	MaxName  = 63
	MaxLabel = 64
	// MaxStored is the most bytes of the name of a table or a column: MySQL
	// takes 64, PostgreSQL cuts after 63.
	MaxStored = 64
	// MaxDescription is the most characters of a description.
	MaxDescription = 2000
	// MaxValue is the most bytes of a synonym, an enum value or a match value.
	MaxValue = 256
)

// IsName reports whether a relationship type or a property may have the name:
// letters, digits and underscores, no digit first.
func IsName(name string) bool { return namePattern.MatchString(name) }

// IsLabel reports whether a label may have the name.
func IsLabel(name string) bool { return labelPattern.MatchString(name) }

// IsStored reports whether a schema can name a table or a column so.
func IsStored(name string) bool { return name != "" && len(name) <= MaxStored && printable(name, "") }

// IsValue reports whether a text can be a synonym, an enum value or a match
// value.
func IsValue(text string) bool { return text != "" && len(text) <= MaxValue && printable(text, "") }

// name checks what something is called. The mistake is at the name of the
// member that path points to.
func (b *builder) name(path, what, name string) {
	if IsName(name) {
		return
	}
	p := b.report(path, "%q is no name for a %s", short(name), what)
	p.Hint, p.atName = nameHint, true
}

// labelName is name for a label.
func (b *builder) labelName(path, name string) {
	if IsLabel(name) {
		return
	}
	p := b.report(path, "%q is no name for a label", short(name))
	p.Hint, p.atName = labelHint, true
}

// stored checks the name of a table or column.
func (b *builder) stored(path, what, name string) {
	switch {
	case name == "":
		b.report(path, "the %s has no name", what)
	case len(name) > MaxStored:
		b.report(path, "the name of the %s is longer than %d bytes", what, MaxStored)
	case !printable(name, ""):
		b.report(path, "the name of the %s has control characters or is not UTF-8", what)
	}
}

// value checks a synonym, an enum's name or a match's value.
func (b *builder) value(path, what, text string) {
	switch {
	case text == "":
		b.report(path, "the %s is empty", what)
	case len(text) > MaxValue:
		b.report(path, "the %s is longer than %d bytes", what, MaxValue)
	case !printable(text, ""):
		b.report(path, "the %s has control characters or is not UTF-8", what)
	}
}

// texts checks what a model reads about something. Descriptions reach prompts,
// so nothing invisible may stand in them.
func (b *builder) texts(path, description string, synonyms []string) {
	switch {
	case !printable(description, "\n\t"):
		b.report(path+"/description", "the description has control characters or is not UTF-8")
	case utf8.RuneCountInString(description) > MaxDescription:
		b.report(path+"/description", "the description is longer than %d characters", MaxDescription)
	}
	for i, syn := range synonyms {
		b.value(item(path+"/synonyms", i), "synonym", syn)
	}
}

// printable reports whether a text is UTF-8 without control characters, other
// than those allowed, and without marks that change the direction of writing.
func printable(text, allowed string) bool {
	if !utf8.ValidString(text) {
		return false
	}
	for _, r := range text {
		if unicode.IsControl(r) && !strings.ContainsRune(allowed, r) || unicode.Is(unicode.Bidi_Control, r) {
			return false
		}
	}
	return true
}

// distinctInCase refuses names that differ in case alone: not every database
// and file system tells them apart.
func (b *builder) distinctInCase(path, what string, names []string) {
	seen := map[string]string{}
	for _, n := range names {
		first, ok := seen[strings.ToLower(n)]
		if ok && first != n {
			p := b.report(graph.Pointer(path, n), "the %s %q and %q differ only in case", what, short(first), short(n))
			p.atName = true
		}
		if !ok {
			seen[strings.ToLower(n)] = n
		}
	}
}

// duplicates reports the repeated items of a list.
func (b *builder) duplicates(path, what string, list []string) {
	seen := map[string]bool{}
	for i, v := range list {
		if seen[v] {
			b.report(item(path, i), "the %s %q is listed twice", what, short(v))
		}
		seen[v] = true
	}
}

// short cuts a text for a message.
func short(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
