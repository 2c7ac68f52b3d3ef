//go:build linux

package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	process "os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// kills is how often the command is killed: 20 times, or as many as
// TRELLIS_KILLS says.
func kills(t *testing.T) int {
	if text := os.Getenv("TRELLIS_KILLS"); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		return n
	}
	if testing.Short() {
		return 5
	}
	return 20
}

// The command that applies is killed at some moment between its start and its
// end: what is there afterwards is what was before or what it applied, as a whole,
// and the next one goes on from there.
func TestApplyingIsKilled(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	repo := filepath.Join(t.TempDir(), "repo")
	at := []string{"--repository", repo, "--tenant", "acme"}
	var sources, revisions [2]string
	for i := range sources {
		sources[i] = copied(t)
		schema := filepath.Join(sources[i], "schemas", "brand.schema.json")
		text, err := os.ReadFile(schema)
		require.NoError(t, err)
		words := fmt.Sprintf("Who makes %d", i)
		require.NoError(t, os.WriteFile(schema, bytes.Replace(text, []byte("Who makes"), []byte(words), 1), 0o644))
		require.Equal(t, 0, trellis(t, "", "bundle", "format", sources[i], "--write").code)
		revisions[i] = trellis(t, "", "bundle", "lint", sources[i]).document(t)["revision"].(string)
	}
	require.NotEqual(t, revisions[0], revisions[1])
	apply := func(i int) *process.Cmd {
		cmd := process.Command(program, append([]string{"bundle", "apply", sources[i]}, at...)...)
		cmd.Env = append(os.Environ(), beCommand+"=1")
		return cmd
	}
	var took time.Duration
	for _, i := range []int{0, 1, 0} {
		began := time.Now()
		text, err := apply(i).CombinedOutput()
		require.NoError(t, err, string(text))
		took = time.Since(began)
	}

	now, old, applied := 0, 0, 0
	for range kills(t) {
		next := 1 - now
		cmd := apply(next)
		var out bytes.Buffer
		cmd.Stdout = &out
		require.NoError(t, cmd.Start())
		time.Sleep(rand.N(took + took/4))
		if err := cmd.Process.Kill(); !errors.Is(err, os.ErrProcessDone) {
			require.NoError(t, err)
		}
		ended := cmd.Wait() == nil // before the kill

		var list []struct{ Revision string }
		o := trellis(t, "", append([]string{"bundle", "list"}, at...)...)
		require.Equal(t, 0, o.code, o.err)
		require.NoError(t, json.Unmarshal([]byte(o.out), &list))
		require.Len(t, list, 1)
		switch list[0].Revision {
		case revisions[next]:
			now, applied = next, applied+1
		case revisions[now]:
			require.False(t, ended, "it said that it is done")
			require.Zero(t, out.Len(), "it told of what is not there")
			old++
		default:
			t.Fatalf("revision %s is neither of the two", list[0].Revision)
		}
		dir := filepath.Join(t.TempDir(), "out")
		o = trellis(t, "", append([]string{"bundle", "export", workshopName, "--out", dir}, at...)...)
		require.Equal(t, 0, o.code, o.err)
		same(t, sources[now], dir)
	}
	t.Logf("%d kills: %d before the change, %d after it", old+applied, old, applied)

	// What was left behind is in nobody's way.
	text, err := apply(1 - now).CombinedOutput()
	require.NoError(t, err, string(text))
	left, err := filepath.Glob(filepath.Join(repo, "tenants", "*", ".tmp-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}
