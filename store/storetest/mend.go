package storetest

import (
	"strings"
	"testing"

	"github.com/trellisgraph/trellis/graph"
)

// mostFixes is how many fixes one call may need.
const mostFixes = 10

// mend applies the first fix of a refused call, again and again, until no
// mistake has one. Where every mistake had a fix the call must answer then;
// where some had none, only those may be left.
func (r *runner) mend(t testing.TB, caller *Caller, c *testCase, err error) {
	args := []byte(c.args)
	stuck := unfixable(Mistakes(err))
	for range mostFixes {
		fixable := firstFixable(Mistakes(err))
		if fixable == nil {
			break
		}
		mended, patchErr := graph.ApplyFix(args, fixable.Fix)
		if patchErr != nil {
			t.Errorf("%s: the fix of %s does not apply: %v", c.where(), describe(fixable), patchErr)
			return
		}
		args = mended
		if _, err = caller.Call(c.tool, args); err == nil || notExecuted(err) {
			r.coverage.mended++
			return
		}
	}
	left := Mistakes(err)
	if firstFixable(left) != nil || !same(unfixable(left), stuck) {
		_, got := compareRefusal(nil, err)
		t.Errorf("%s: mended to %s the call still fails:\n    %s\n    %s", c.where(), args, strings.Join(got, "\n    "), caller.log.take())
	}
}

// notExecuted reports whether a store says of a call without mistakes that it
// cannot answer its kind, or its mode.
func notExecuted(err error) bool {
	mistakes := Mistakes(err)
	return len(mistakes) == 1 && mistakes[0].Code == graph.Unsupported && (mistakes[0].Path == "" || mistakes[0].Path == "/mode")
}

func firstFixable(mistakes graph.Errors) *graph.Error {
	for _, e := range mistakes {
		if len(e.Fix) > 0 {
			return e
		}
	}
	return nil
}

// unfixable lists the codes of the mistakes without a fix.
func unfixable(mistakes graph.Errors) []graph.Code {
	var codes []graph.Code
	for _, e := range mistakes {
		if len(e.Fix) == 0 {
			codes = append(codes, e.Code)
		}
	}
	return codes
}

func same(a, b []graph.Code) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
