package memory

import (
	"fmt"
	"strings"
	"sync"

	"slices"

	"github.com/trellisgraph/trellis/graph"
)

// A Problem says why a row, or a file as a whole, cannot be loaded.
type Problem struct {
	// File is the path within the graph directory, or, where a Builder or a
	// Batch got the row, the name of the label or relationship type.
	File string
	// Line is the line on which the row starts, from 1; 0 means the whole
	// file. For rows of a Builder it is their number, from 1, among those of
	// the label or type; for operations of a Batch, among all.
	Line int
	// Reason names the property, if it is about one, and what is wrong.
	Reason string
}

func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Reason
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Reason)
}

// A LoadError tells why a graph was not built, or a batch not applied. It is graph.InvalidData to
// errors.Is.
type LoadError struct {
	// Problems are by file and line, the first of each file where there are
	// too many.
	Problems []Problem
	// Total counts all problems found.
	Total int

	batch bool
}

func (e *LoadError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d problem", e.Total)
	if e.Total != 1 {
		b.WriteByte('s')
	}
	if e.batch {
		b.WriteString(" in the batch; nothing was changed")
	} else {
		b.WriteString(" in the data; nothing was loaded")
	}
	for _, p := range e.Problems {
		b.WriteString("\n" + p.String())
	}
	if more := e.Total - len(e.Problems); more > 0 {
		fmt.Fprintf(&b, "\nand %d more", more)
	}
	return b.String()
}

// Is reports whether target is graph.InvalidData.
func (e *LoadError) Is(target error) bool { return target == graph.InvalidData }

// defaultProblems is how many problems a LoadError lists by default.
const defaultProblems = 100

// problems collects the problems of files that are read at the same time. To
// make the list the same each time, it keeps as many of each file as the
// whole may list.
type problems struct {
	most int

	mu    sync.Mutex
	files map[string][]Problem
	total int
}

func newProblems(most int) *problems {
	if most <= 0 {
		most = defaultProblems
	}
	return &problems{most: most, files: map[string][]Problem{}}
}

func (ps *problems) add(file string, line int, format string, args ...any) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.total++
	if len(ps.files[file]) < ps.most {
		ps.files[file] = append(ps.files[file], Problem{file, line, fmt.Sprintf(format, args...)})
	}
}

// clone returns a copy that others are added to.
func (ps *problems) clone() *problems {
	out := newProblems(ps.most)
	out.total = ps.total
	for file, list := range ps.files {
		out.files[file] = slices.Clone(list)
	}
	return out
}

// err returns the LoadError, nil if there are no problems.
func (ps *problems) err() error {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if ps.total == 0 {
		return nil
	}
	e := &LoadError{Total: ps.total}
	for _, list := range ps.files {
		e.Problems = append(e.Problems, list...)
	}
	slices.SortStableFunc(e.Problems, func(a, b Problem) int {
		if order := strings.Compare(a.File, b.File); order != 0 {
			return order
		}
		return a.Line - b.Line
	})
	if len(e.Problems) > ps.most {
		e.Problems = e.Problems[:ps.most]
	}
	return e
}
