package storetest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rewrite puts the renewed plans and statements into a script, and touches
// nothing else of it.
func rewrite(t testing.TB, dir, name string, cases []*testCase) {
	path := filepath.Join(dir, name)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	built, err := files.ReadFile("testdata/scripts/" + name)
	require.NoError(t, err)
	require.Equal(t, string(built), string(text), "%s has changed since this test was built; run it again", path)
	lines := strings.Split(string(text), "\n")
	for _, c := range slices.Backward(cases) {
		for _, s := range slices.Backward(c.sections) {
			lines = slices.Replace(lines, s.first, s.end, s.text...)
		}
	}
	renewed := strings.Join(lines, "\n")
	if renewed == string(text) {
		return
	}
	require.NoError(t, os.WriteFile(path, []byte(renewed), 0o644))
}
