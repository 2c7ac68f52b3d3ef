package storetest

import (
	"errors"
	"math"

	"github.com/trellisgraph/trellis/graph"
)

// A verdict is what came of comparing a store's answer with the reference's.
type verdict struct {
	// refused is the code of an error that is no wrong answer: UNSUPPORTED,
	// TOO_COSTLY or TIMEOUT.
	refused  graph.Code
	returned int
	more     string // the cursor of the next page
	// want and got are lines that differ; both are nil if nothing does.
	want, got []string
}

func (v *verdict) wrong() bool { return v.want != nil || v.got != nil }

// judge makes a call and compares its answer with the reference's. cursor is
// that of the page before, "" for the first.
func judge(c *Caller, ref *Reference, a Asked, cursor string) verdict {
	want, wantErr := ref.Answer(a)
	got, err := c.Call(a.Query.Tool(), withCursor(a.Query, cursor))
	var known *graph.Error
	switch {
	case errors.As(err, &known) && (known.Code == graph.Unsupported || known.Code == graph.TooCostly || known.Code == graph.Timeout):
		return verdict{refused: known.Code}
	case err != nil && wantErr != nil && known != nil:
		var expected *graph.Error
		if errors.As(wantErr, &expected) && expected.Code == known.Code {
			return verdict{returned: 1}
		}
		return verdict{want: []string{wantErr.Error()}, got: []string{err.Error()}}
	case err != nil:
		_, lines := compareRefusal(nil, err)
		if log := c.log.take(); log != "" {
			lines = append(lines, "log: "+log[:min(len(log), 1000)])
		}
		return verdict{want: rendered(want), got: lines}
	case wantErr != nil:
		return verdict{want: []string{wantErr.Error()}, got: rendered(got)}
	}
	v := verdict{returned: want.Returned, more: got.NextCursor}
	strip(got)
	roundSums(a.Query, want, got)
	if w, g := answerText(want), answerText(got); w != g {
		v.want, v.got = rendered(want), rendered(got)
		if len(v.want) == len(v.got) && diff(v.want, v.got) == diff(v.want, v.want) {
			v.want, v.got = []string{w}, []string{g}
		}
	}
	return v
}

// withCursor writes a call's arguments with a cursor.
func withCursor(q graph.Query, cursor string) []byte {
	switch q := q.(type) {
	case *graph.FindNodes:
		c := *q
		c.Cursor = cursor
		return Arguments(&c)
	case *graph.Traverse:
		c := *q
		c.Cursor = cursor
		return Arguments(&c)
	case *graph.Neighbors:
		c := *q
		c.Cursor = cursor
		return Arguments(&c)
	case *graph.Aggregate:
		c := *q
		c.Cursor = cursor
		return Arguments(&c)
	}
	return Arguments(q)
}

// strip takes from an answer what only a store can know: what it ran, the
// text of its cursor, the words of warnings, and warnings that are advice.
func strip(r *graph.Result) {
	r.Executed, r.Statements = "", nil
	if r.NextCursor != "" {
		r.NextCursor = "more"
	}
	var kept []graph.Warning
	for _, w := range r.Warnings {
		if w.Code == graph.NotFound {
			kept = append(kept, graph.Warning{Code: w.Code, Path: w.Path})
		}
	}
	r.Warnings = kept
}

// roundSums gives got the sums and averages of want where they differ by less
// than 1e-12 of their size: engines add floats in different orders.
func roundSums(q graph.Query, want, got *graph.Result) {
	if _, ok := q.(*graph.Aggregate); !ok || len(want.Rows) != len(got.Rows) {
		return
	}
	for i, row := range want.Rows {
		for j, v := range row {
			if len(got.Rows[i]) != len(row) || v.Kind() != graph.KindFloat || got.Rows[i][j].Kind() != graph.KindFloat {
				continue
			}
			a, b := v.Float(), got.Rows[i][j].Float()
			if math.Abs(a-b) <= 1e-12*math.Max(math.Abs(a), math.Abs(b)) {
				got.Rows[i][j] = v
			}
		}
	}
}

func answerText(r *graph.Result) string {
	b, err := r.AppendJSON(nil)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func rendered(r *graph.Result) []string {
	lines := render(r)
	if r.NextCursor != "" {
		lines = append(lines, "more")
	}
	return lines
}
