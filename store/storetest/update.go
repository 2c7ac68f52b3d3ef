package storetest

import (
	"errors"
	"io/fs"
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
	built := scriptText(t, name)
	path := filepath.Join(dir, name)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) { // it is one of policies
		path = filepath.Join(filepath.Dir(dir), "policies", name)
		text, err = os.ReadFile(path)
	}
	require.NoError(t, err)
	require.Equal(t, built, string(text), "%s has changed since this test was built; run it again", path)
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
