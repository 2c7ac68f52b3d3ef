package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/trellisgraph/trellis/graph"
)

// fixes counts what became of calls that were made with --fix.
type fixes struct{ answered, fixed, not int }

func (f *fixes) String() string {
	return fmt.Sprintf("calls answered: %d, answered after their fixes: %d, not answered: %d", f.answered, f.fixed, f.not)
}

// fixed is call, but a call that is refused is made once more, with the fixes of
// its mistakes, and only what that gives is written. It does what any client can
// that has read nothing but the error document.
func (s *session) fixed(ctx context.Context, w io.Writer, scope *graph.Scope, tool string, args []byte) error {
	var document bytes.Buffer
	err := s.call(ctx, &document, scope, tool, args)
	count := &s.fixes.answered
	if errors.Is(err, errRefused) {
		if mended := mend(args, document.Bytes()); mended != nil {
			document.Reset()
			err = s.call(ctx, &document, scope, tool, mended)
			count = &s.fixes.fixed
		}
	}
	if err != nil {
		count = &s.fixes.not
	}
	*count++
	_, failure := w.Write(document.Bytes())
	return errors.Join(err, failure)
}

// mend applies the fix of every mistake in an error document to the arguments,
// in order. It returns nil where no fix is there that fits.
func mend(args, document []byte) []byte {
	var refused graph.ErrorDocument
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber() // the digits of a value are the caller's
	if d.Decode(&refused) != nil {
		return nil
	}
	mended := args
	var done [][]graph.Patch
	for _, e := range refused.Errors {
		again := func(fix []graph.Patch) bool { return slices.EqualFunc(fix, e.Fix, samePatch) }
		if len(e.Fix) == 0 || slices.ContainsFunc(done, again) {
			continue // two mistakes may have one remedy
		}
		if next, err := graph.ApplyFix(mended, e.Fix); err == nil {
			mended, done = next, append(done, e.Fix)
		}
	}
	if len(done) == 0 {
		return nil
	}
	return mended
}

func samePatch(a, b graph.Patch) bool {
	return a.Op == b.Op && a.From == b.From && a.Path == b.Path && fmt.Sprint(a.Value) == fmt.Sprint(b.Value)
}
