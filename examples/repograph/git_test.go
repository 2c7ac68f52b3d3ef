package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A sandbox is a git repository in a temporary directory.
type sandbox struct {
	t    *testing.T
	dir  string
	tick int
}

func newSandbox(t *testing.T) *sandbox {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GIT_COMMITTER_NAME", "Committer")
	t.Setenv("GIT_COMMITTER_EMAIL", "committer@example.org")
	t.Setenv("GIT_AUTHOR_NAME", "Author")
	t.Setenv("GIT_AUTHOR_EMAIL", "author@example.org")
	s := &sandbox{t: t, dir: t.TempDir()}
	s.git("init", "-q", "-b", "main")
	return s
}

func (s *sandbox) git(args ...string) {
	cmd := exec.Command("git", args...)
	cmd.Dir = s.dir
	out, err := cmd.CombinedOutput()
	require.NoError(s.t, err, "git %v: %s", args, out)
}

// write writes files: name, content, name, content …
func (s *sandbox) write(files ...string) {
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(s.dir, filepath.FromSlash(files[i]))
		require.NoError(s.t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(s.t, os.WriteFile(path, []byte(files[i+1]), 0o644))
	}
}

// commit commits everything, one day after the commit before, from 2026-01-02 on.
func (s *sandbox) commit(author, subject string) {
	s.tick++
	date := fmt.Sprintf("2026-01-%02dT12:00:00Z", 1+s.tick)
	s.t.Setenv("GIT_AUTHOR_DATE", date)
	s.t.Setenv("GIT_COMMITTER_DATE", date)
	s.git("add", "-A")
	s.git("commit", "-q", "--allow-empty", "--author", author, "-m", subject)
}

func (s *sandbox) history() *history {
	h, err := readHistory(s.t.Context(), s.dir)
	require.NoError(s.t, err)
	return h
}

// changes renders what each commit changed, oldest first.
func (h *history) changes() (lines []string) {
	for i := len(h.Commits) - 1; i >= 0; i-- {
		c := h.Commits[i]
		line := c.Subject + ":"
		for _, ch := range c.Changes {
			line += fmt.Sprintf(" %s+%d-%d", ch.Path, ch.Added, ch.Deleted)
		}
		lines = append(lines, line)
	}
	return lines
}

const (
	ada   = "Ada Lovelace <Ada@Example.org>"
	grace = "Grace \"Amazing\" Hopper <grace@example.org>"
)

func TestHistoryFollowsRenames(t *testing.T) {
	s := newSandbox(t)
	s.write("a.txt", "1\n2\n3\n4\n5\n")
	s.commit(ada, "create a")
	s.git("mv", "a.txt", "b.txt")
	s.commit(ada, "a is b")
	s.write("a.txt", "something else\n")
	s.commit(grace, "another a")
	s.git("mv", "b.txt", "c.txt")
	s.commit(ada, "b is c")
	h := s.history()
	require.Equal(t, []string{"create a: c.txt+5-0", "a is b: c.txt+0-0", "another a: a.txt+1-0", "b is c: c.txt+0-0"}, h.changes())
	require.Equal(t, []string{"a.txt", "c.txt"}, h.Files)
	require.Equal(t, `Grace "Amazing" Hopper`, h.Commits[1].Name)
	require.Equal(t, "2026-01-04T12:00:00Z", h.Commits[1].At.Format("2006-01-02T15:04:05Z07:00"))
}

func TestHistoryTakesAnyFileName(t *testing.T) {
	s := newSandbox(t)
	names := []string{"sp ace.go", `quo"te'.go`, "new\nline.go", "tab\there.go", "ünï.go", "bytes\xff.go", "-dash", "40\t1\t.go"}
	for _, name := range names {
		s.write(name, "x\n")
	}
	s.commit(ada, "odd\tsubject with a tab")
	s.git("mv", "sp ace.go", "tab\tbed.go")
	s.commit(ada, "rename")
	h := s.history()
	require.Len(t, h.Commits, 2)
	require.Equal(t, "odd\tsubject with a tab", h.Commits[1].Subject)
	names[0], names[5] = "tab\tbed.go", `bytes\xff.go`
	var got []string
	for _, c := range h.Commits[1].Changes {
		got = append(got, c.Path)
	}
	require.ElementsMatch(t, names, got)
	require.ElementsMatch(t, names, h.Files)
}

func TestHistoryWithMergesAndBinaries(t *testing.T) {
	s := newSandbox(t)
	s.write("f", "1\n")
	s.commit(ada, "first")
	s.git("checkout", "-q", "-b", "side")
	s.write("blob", "\x00\x01")
	s.commit(grace, "binary")
	s.git("checkout", "-q", "main")
	s.write("f", "1\n2\n")
	s.commit(ada, "more")
	s.git("merge", "-q", "--no-ff", "-m", "join", "side")
	h := s.history()
	require.True(t, h.Commits[0].Merge)
	require.Equal(t, []string{"first: f+1-0", "binary: blob+0-0", "more: f+1-0", "join:"}, h.changes())
}

func TestHistoryOfNothing(t *testing.T) {
	s := newSandbox(t)
	h := s.history()
	require.Empty(t, h.Commits)
	require.Empty(t, h.Files)
	require.False(t, h.Shallow)
}

func TestHistoryOfAShallowClone(t *testing.T) {
	s := newSandbox(t)
	s.write("f", "1\n")
	s.commit(ada, "first")
	s.write("f", "1\n2\n")
	s.commit(ada, "second")
	s.write("f", "1\n2\n3\n")
	s.commit(ada, "third")
	clone := filepath.Join(t.TempDir(), "clone")
	s.git("clone", "-q", "--depth", "2", "file://"+s.dir, clone)
	h, err := readHistory(t.Context(), clone)
	require.NoError(t, err)
	require.True(t, h.Shallow)
	require.Equal(t, []string{"second:", "third: f+1-0"}, h.changes(), "the oldest commit would seem to have written everything")
}

func TestHistoryFromASubdirectory(t *testing.T) {
	s := newSandbox(t)
	s.write("sub/dir/f", "1\n", "g", "1\n")
	s.commit(ada, "first")
	h, err := readHistory(t.Context(), filepath.Join(s.dir, "sub"))
	require.NoError(t, err)
	require.Equal(t, "sub/", h.Prefix)
	require.Equal(t, []string{"g", "sub/dir/f"}, h.Files)
	require.Equal(t, []string{"first: g+1-0 sub/dir/f+1-0"}, h.changes())
}

func TestNoRepository(t *testing.T) {
	newSandbox(t)
	t.Setenv("GIT_CEILING_DIRECTORIES", os.TempDir())
	_, err := readHistory(t.Context(), t.TempDir())
	require.ErrorContains(t, err, "is not in a git repository")

	t.Setenv("PATH", "")
	_, err = readHistory(t.Context(), t.TempDir())
	require.ErrorContains(t, err, "git is needed")
}

func TestATruncatedLogIsAnError(t *testing.T) {
	err := new(history).parseLog(strings.NewReader("abc\x00name\x00"), nil)
	require.ErrorContains(t, err, "in the middle")
}
