package native

import (
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// textTest compares texts, UUIDs and decimals as they are stored.
type textTest struct {
	comparison
	arg int
}

func (t textTest) holds(r *run, row uint32) bool {
	if t.column.null(row) {
		return false
	}
	return t.fulfilled(&r.args[t.arg], t.column.text(row)) != t.invert
}

func (t textTest) fulfilled(a *arg, text string) bool {
	switch t.op {
	case graph.In:
		_, found := slices.BinarySearchFunc(a.texts, text, t.column.compareTexts)
		return found
	case graph.Contains, graph.StartsWith, graph.EndsWith:
		return matches(t.op, text, a.texts[0])
	}
	order := t.column.compareTexts(text, a.texts[0])
	switch t.op {
	case graph.Lt:
		return order < 0
	case graph.Lte:
		return order <= 0
	case graph.Gt:
		return order > 0
	case graph.Gte:
		return order >= 0
	}
	return order == 0
}

func (t textTest) narrow(r *run, rows []uint32) []uint32 {
	return keep(rows, func(row uint32) bool { return t.holds(r, row) })
}

// compareTexts orders two texts as the column stores them.
func (c *column) compareTexts(a, b string) int {
	if c.property.Type == schema.Decimal {
		return compareDecimals(a, b)
	}
	return strings.Compare(a, b)
}

func matches(op graph.Op, text, pattern string) bool {
	switch op {
	case graph.StartsWith:
		return strings.HasPrefix(text, pattern)
	case graph.EndsWith:
		return strings.HasSuffix(text, pattern)
	}
	return strings.Contains(text, pattern)
}

// search returns the test that every term occurs in one of the properties,
// ASCII case aside, or that this is false.
func (lw *lowering) search(o owner, s compile.Search, want bool) test {
	t := searchTest{want: want, arg: lw.arg(func(r *run, a *arg) {
		a.texts = a.texts[:0]
		for i := range s.N {
			a.texts = append(a.texts, r.params[int(s.Slot)+i].Text())
		}
	})}
	for _, p := range s.Properties {
		t.columns = append(t.columns, o.column(p))
	}
	return t
}

// searchTest looks for terms, whose letters A to Z are lowered.
type searchTest struct {
	columns []*column
	arg     int
	want    bool
}

func (t searchTest) holds(r *run, row uint32) bool {
	terms := r.args[t.arg].texts
	for _, term := range terms {
		found, unknown := false, false
		for _, c := range t.columns {
			if c.null(row) {
				unknown = true
			} else if found = containsFolded(c.text(row), term); found {
				break
			}
		}
		switch {
		case t.want && !found:
			return false
		case !t.want && !found && !unknown:
			return true
		}
	}
	return t.want
}

func (t searchTest) narrow(r *run, rows []uint32) []uint32 {
	return keep(rows, func(row uint32) bool { return t.holds(r, row) })
}

// lower is a byte with the letters A to Z lowered.
func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// prefixFolded reports whether a text, lowered, begins with a lowered one.
func prefixFolded(text, lowered string) bool {
	if len(text) < len(lowered) {
		return false
	}
	for i := range len(lowered) {
		if lower(text[i]) != lowered[i] {
			return false
		}
	}
	return true
}

// containsFolded reports whether a text, lowered, contains a lowered one.
func containsFolded(text, lowered string) bool {
	if lowered == "" {
		return true
	}
	first := lowered[0]
	for i := 0; i+len(lowered) <= len(text); i++ {
		if lower(text[i]) == first && prefixFolded(text[i:], lowered) {
			return true
		}
	}
	return false
}
