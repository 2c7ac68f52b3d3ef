package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A bundle of more than 10 MiB is refused, and read by whoever says that it may be so
// large.
func TestBundlesMayBeLarger(t *testing.T) {
	dir := copied(t)
	name := filepath.Join(dir, "entities", "tools.yaml")
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	comment := "# " + strings.Repeat("x", 1000) + "\n"
	require.NoError(t, os.WriteFile(name, append([]byte(strings.Repeat(comment, 10_600)), data...), 0o600))

	repo := filepath.Join(t.TempDir(), "repo")
	where := []string{"--repository", repo, "--tenant", "acme"}
	const more = "--max-bundle-bytes"
	for _, args := range [][]string{
		{"bundle", "lint", dir}, {"lint", "--bundle", dir}, {"bundle", "prompt", dir},
		append([]string{"bundle", "plan", dir}, where...),
		append([]string{"bundle", "apply", dir}, where...),
		{"call", "get_graph_schema", "{}", "--graph", dir},
	} {
		o := trellis(t, "", args...)
		require.Equal(t, 1, o.code, args)
		require.Contains(t, o.out+o.err, "larger than 10485760 bytes", args)
		o = trellis(t, "", append(args, more, "20000000")...)
		require.Equal(t, 0, o.code, "%v: %s", args, o.err)
	}
	o := trellis(t, "", append([]string{"bundle", "list"}, where...)...)
	require.Contains(t, o.out, `"version":1`)
	require.Equal(t, 2, trellis(t, "", "bundle", "lint", dir, more, "0").code)
}
