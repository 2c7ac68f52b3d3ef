package bundle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A Problem is one mistake in a bundle, or, among Warnings, something that is
// allowed and may surprise.
type Problem struct {
	// File is the path within the bundle; empty for what has no file. Lines and
	// columns count from one, columns in characters; zero where nothing was read.
	File       string   `json:"file,omitempty"`
	Line       int      `json:"line,omitempty"`
	Column     int      `json:"column,omitempty"`
	Pointer    string   `json:"pointer,omitempty"` // a JSON Pointer into the file
	Message    string   `json:"message"`
	Hint       string   `json:"hint,omitempty"`         // what to do, where that is not obvious
	DidYouMean []string `json:"did_you_mean,omitempty"` // names that were likely meant, the likeliest first
}

// String is one line: the place, the message, and what would help.
func (p Problem) String() string {
	return schema.Problem{File: p.File, Line: p.Line, Column: p.Column, Message: p.Message, Hint: p.Hint, DidYouMean: p.DidYouMean}.String()
}

// Problems are the mistakes of a bundle, in the order of their files and lines.
// Of more than 200, the last one says how many are left out.
type Problems []Problem

// Error lists the problems, one a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Code is the code of the error for those who tell errors by codes.
func (ps Problems) Code() graph.Code { return graph.InvalidSchema }

// maxProblems bounds what a hostile bundle can make us say.
const maxProblems = 200

// found collects problems. It keeps ten times as many as are told, so that the
// first ones by place are among them in any bundle that is not hostile.
type found struct {
	list  Problems
	count int
}

// report notes a problem at a node; nil is the file as a whole. The pointer is
// good until the next one.
func (f *found) report(file string, n *node, pointer, format string, args ...any) *Problem {
	p := Problem{File: file, Pointer: pointer, Message: fmt.Sprintf(format, args...)}
	if n != nil {
		p.Line, p.Column = int(n.line), int(n.column)
	}
	return f.add(p)
}

func (f *found) add(p Problem) *Problem {
	f.count++
	if len(f.list) == 10*maxProblems {
		return &p
	}
	f.list = append(f.list, p)
	return &f.list[len(f.list)-1]
}

// many reports whether there are so many problems that nobody needs more.
func (f *found) many() bool { return f.count > 10*maxProblems }

// err is the error of all problems, nil if there are none.
func (f *found) err() error {
	if f.count == 0 {
		return nil
	}
	slices.SortStableFunc(f.list, comparePlaces)
	list := f.list
	if f.count > maxProblems {
		list = list[:maxProblems:maxProblems]
		more := "and %d more mistakes"
		if f.many() {
			more = "and more than %d more mistakes"
		}
		list = append(list, Problem{Message: fmt.Sprintf(more, f.count-maxProblems)})
	}
	return list
}

func comparePlaces(a, b Problem) int {
	return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

func quoted(names []string, between string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(out, between)
}

// some lists names, the first of many.
func some(names []string) string {
	const most = 20
	if len(names) > most {
		return quoted(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return quoted(names, ", ")
}

// short cuts a text for a message.
func short(text string) string {
	const most = 80
	if len(text) > most {
		for most := most; ; most-- {
			if utf8.RuneStart(text[most]) {
				return text[:most] + "…"
			}
		}
	}
	return text
}
