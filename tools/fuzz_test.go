package tools_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

// FuzzDecode: whatever the bytes, nothing panics; what is accepted is JSON that
// the published schema accepts; every pointer and every fix of a mistake fits the
// arguments.
func FuzzDecode(f *testing.F) {
	for _, c := range good {
		f.Add(c.want.Tool(), []byte(c.args))
	}
	for _, c := range bad {
		f.Add(c.tool, []byte(c.args))
	}
	for _, c := range onlyTrellis {
		f.Add(c.tool, []byte(c.args))
	}
	j := newJudge(f)
	f.Fuzz(func(t *testing.T, tool string, args []byte) {
		q, errs := j.registry.Decode(tool, args)
		if len(errs) == 0 {
			require.NotNil(t, q)
			require.True(t, json.Valid(args), "%q", args)
			if len(j.trellis(tool, args)) == 0 {
				require.Empty(t, j.published(tool, args), "%q", args)
			}
			return
		}
		if q == nil {
			require.Len(t, errs, 1)
			return
		}
		for _, e := range errs {
			require.NotEmpty(t, e.Message)
			if e.Fix != nil && !hasDuplicate(errs) {
				mended, err := graph.ApplyFix(args, e.Fix)
				require.NoError(t, err, "%q: %v", args, e)
				require.True(t, json.Valid(mended))
			}
		}
	})
}

// hasDuplicate reports whether pointers may mean several members, or members
// whose names cannot be written.
func hasDuplicate(errs graph.Errors) bool {
	for _, e := range errs {
		if e.Code == graph.DuplicateKey || e.Code == graph.InvalidString {
			return true
		}
	}
	return false
}
