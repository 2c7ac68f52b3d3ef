package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Problem is one mistake in a schema.
type Problem struct {
	// File, Line and Column say where it was read; empty and zero for a
	// Definition built in Go. Columns count characters, from one.
	File         string
	Line, Column int
	// Path is a JSON Pointer into the document.
	Path    string
	Message string
	// Hint says what to do, where that is not obvious.
	Hint string
	// DidYouMean are names that were likely meant, the likeliest first.
	DidYouMean []string

	atName bool // the mistake is the member's name, not its value
}

// String is one line: the place, the message, and what would help.
func (p Problem) String() string {
	var b strings.Builder
	switch {
	case p.Line > 0:
		fmt.Fprintf(&b, "%s:%d:%d: ", p.File, p.Line, p.Column)
	case p.File != "":
		b.WriteString(p.File + ": ")
	case p.Path != "":
		b.WriteString(p.Path + ": ")
	}
	b.WriteString(p.Message)
	if len(p.DidYouMean) > 0 {
		fmt.Fprintf(&b, "; did you mean %s?", quoted(p.DidYouMean, " or "))
	}
	if p.Hint != "" {
		fmt.Fprintf(&b, " (%s)", p.Hint)
	}
	return b.String()
}

// Problems are all mistakes found in a schema, in the order of their places.
type Problems []Problem

// Error lists the problems, one a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// sort orders by place; what has none keeps the order in which it was found.
func (ps Problems) sort() { slices.SortStableFunc(ps, comparePlaces) }

func comparePlaces(a, b Problem) int {
	if a.Line == 0 && b.Line == 0 {
		return 0
	}
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Path, b.Path))
}

// maxProblems bounds what a hostile schema can make us say.
const maxProblems = 200

// clip keeps the first problems and counts the rest.
func (ps Problems) clip() Problems {
	if len(ps) <= maxProblems {
		return ps
	}
	last := ps[maxProblems]
	last.Message, last.Hint, last.DidYouMean = fmt.Sprintf("and %d more mistakes from here on", len(ps)-maxProblems), "", nil
	return append(ps[:maxProblems:maxProblems], last)
}

func quoted(names []string, between string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(out, between)
}
