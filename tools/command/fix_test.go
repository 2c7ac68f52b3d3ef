package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// gitlabDir is a graph whose names are those of issue trackers.
const gitlabDir = "../../store/storetest/testdata/fixtures/gitlab"

// What models get wrong, a file for each kind of mistake: every call is refused,
// and of all together 95 in a hundred are answered after one retry with nothing but
// the fixes of their refusals.
func TestBrokenCallsAreFixed(t *testing.T) {
	calls, fixed := brokenCalls(t, "../testdata/broken/*.jsonl", gitlabDir)
	require.GreaterOrEqual(t, calls, 300)
	require.GreaterOrEqual(t, fixed*100, calls*95, "%d of %d are answered", fixed, calls)
}

// The same of the tools of records.
func TestBrokenCallsOfRecordsAreFixed(t *testing.T) {
	calls, fixed := brokenCalls(t, "../testdata/broken/records/*.jsonl", "../../store/storetest/testdata/fixtures/records")
	require.GreaterOrEqual(t, calls, 100)
	require.GreaterOrEqual(t, fixed*100, calls*95, "%d of %d are answered", fixed, calls)
}

// brokenCalls makes the calls of some files, and counts how many there are and
// how many are answered once their fixes are applied.
func brokenCalls(t *testing.T, pattern, dir string) (calls, fixed int) {
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	for _, file := range files {
		lines, err := os.ReadFile(file)
		require.NoError(t, err)
		n := strings.Count(string(lines), "\n")

		out := trellis(t, "", "call", "--batch", file, "--graph", dir)
		require.Equal(t, n, strings.Count(out.out, `"format":"knowledge_graph.error.v1"`), "%s holds a call that is not broken", file)

		out = trellis(t, "", "call", "--batch", file, "--graph", dir, "--fix")
		left := strings.Count(out.out, `"format":"knowledge_graph.error.v1"`)
		require.Equal(t, n, strings.Count(out.out, "\n"))
		t.Logf("%-16s %3d of %3d; %s", strings.TrimSuffix(filepath.Base(file), ".jsonl"), n-left, n, strings.TrimSpace(out.err))
		calls, fixed = calls+n, fixed+n-left
	}
	return calls, fixed
}

func TestFixOfOneCall(t *testing.T) {
	out := trellis(t, "", "call", "find_nodes", `{"node_label": "issues", "limit": "2"}`, "--graph", gitlabDir, "--fix")
	require.Equal(t, exitAnswered, out.code, out.out)
	require.Contains(t, out.out, `"nodes":[{"label":"gl_issue","id":"100"`)
	require.Contains(t, out.err, "answered after their fixes: 1")

	out = trellis(t, "", "call", "find_nodes", `{"node_label": "gl_issue"}`, "--graph", gitlabDir, "--fix")
	require.Equal(t, exitAnswered, out.code)
	require.Contains(t, out.err, "calls answered: 1, answered after their fixes: 0, not answered: 0")

	out = trellis(t, "", "call", "find_nodes", `{"node_label": "spaceship"}`, "--graph", gitlabDir, "--fix")
	require.Equal(t, exitRefused, out.code)
	require.Contains(t, out.out, "UNKNOWN_LABEL")
}
