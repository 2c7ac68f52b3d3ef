package storetest

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
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
	// kind is that of a wrong answer: what was expected and what came, each an
	// answer or the code of an error and, of INTERNAL, the words of its cause.
	kind string
}

func (v *verdict) wrong() bool { return v.want != nil || v.got != nil }

// judge makes a call and compares its answer with the reference's. cursor is
// that of the page before, "" for the first.
func judge(c *Caller, ref *Reference, a Asked, cursor string) verdict {
	want, wantErr := ref.Answer(a)
	got, err := c.Call(asked(a.Query), withCursor(a.Query, cursor))
	var known *graph.Error
	switch {
	case errors.As(err, &known) && (known.Code == graph.Unsupported || known.Code == graph.TooCostly || known.Code == graph.Timeout):
		return verdict{refused: known.Code}
	case err != nil && wantErr != nil && known != nil:
		var expected *graph.Error
		if errors.As(wantErr, &expected) && expected.Code == known.Code {
			return verdict{returned: 1}
		}
		return verdict{want: []string{wantErr.Error()}, got: []string{err.Error()}, kind: kindOf(wantErr, "") + ", " + kindOf(err, c.log.take())}
	case err != nil:
		_, lines := compareRefusal(nil, err)
		log := c.log.take()
		if log != "" {
			lines = append(lines, "log: "+log[:min(len(log), 1000)])
		}
		return verdict{want: rendered(want), got: lines, kind: kindOf(nil, "") + ", " + kindOf(err, log)}
	case wantErr != nil:
		return verdict{want: []string{wantErr.Error()}, got: rendered(got), kind: kindOf(wantErr, "") + ", " + kindOf(nil, "")}
	}
	v := verdict{returned: want.Returned, more: got.NextCursor}
	strip(got)
	roundSums(ref.schema, a.Query, want, got)
	if w, g := answerText(want), answerText(got); w != g {
		v.want, v.got, v.kind = rendered(want), rendered(got), "another answer"
		if len(v.want) == len(v.got) && diff(v.want, v.got) == diff(v.want, v.want) {
			v.want, v.got = []string{w}, []string{g}
		}
	}
	return v
}

// kindOf is what an error is, whatever names and numbers stand in it. log is
// what the host was told of it.
func kindOf(err error, log string) string {
	var known *graph.Error
	switch {
	case err == nil:
		return "answer"
	case !errors.As(err, &known):
		return "error"
	case known.Code != graph.Internal:
		return string(known.Code)
	}
	_, cause, _ := strings.Cut(log, "cause=")
	if quoted, err := strconv.QuotedPrefix(cause); err == nil {
		cause, _ = strconv.Unquote(quoted)
	}
	words := causeWord.FindAllString(causeName.ReplaceAllString(cause, ""), 6)
	return string(known.Code) + " " + strings.Join(words, " ")
}

var (
	causeName = regexp.MustCompile("\\\\?[`'\"][^`'\"]*[`'\"]|\\w*\\d\\w*")
	causeWord = regexp.MustCompile(`[A-Za-z]{4,}`)
)

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

// roundSums gives got the sums and averages of floats that want has, where they
// differ by less than 1e-12 of their size: engines add floats in different orders.
// Those of integers and decimals are exact.
func roundSums(s *schema.Schema, q graph.Query, want, got *graph.Result) {
	a, ok := q.(*graph.Aggregate)
	if !ok || len(want.Rows) != len(got.Rows) {
		return
	}
	label, ok := s.Label(a.Label)
	if !ok {
		return
	}
	for i, g := range a.Aggregations {
		p, ok := label.Property(g.Property)
		if !ok || p.Type != schema.Float || g.Function != graph.Sum && g.Function != graph.Avg {
			continue
		}
		for j, row := range want.Rows {
			at := len(row) - len(a.Aggregations) + i // group keys come first
			if len(got.Rows[j]) != len(row) || row[at].Kind() != graph.KindFloat || got.Rows[j][at].Kind() != graph.KindFloat {
				continue
			}
			x, y := row[at].Float(), got.Rows[j][at].Float()
			if math.Abs(x-y) <= 1e-12*math.Max(math.Abs(x), math.Abs(y)) {
				got.Rows[j][at] = row[at]
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
