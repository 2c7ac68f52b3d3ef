//go:build linux

package main

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the module's directory.
const root = "../../.."

// instructions returns the file's lines without remarks, by their first word.
func instructions(t *testing.T) (all [][2]string) {
	text, err := os.ReadFile("Dockerfile")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if word, rest, ok := strings.Cut(strings.TrimSpace(line), " "); ok && word != "#" {
			all = append(all, [2]string{word, rest})
		}
	}
	return all
}

// The image is built with the Go of go.mod, and has one program and no rights.
func TestDockerfile(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(mod))
	require.NotNil(t, version)
	all := instructions(t)
	require.Equal(t, [2]string{"FROM", "golang:" + version[1] + " AS build"}, all[0])
	last := 0
	for i, in := range all {
		if in[0] == "FROM" {
			last = i
		}
		if in[0] == "COPY" && !strings.HasPrefix(in[1], "--from") { // what is copied is there
			sources := strings.Fields(in[1])
			for _, source := range sources[:len(sources)-1] {
				_, err := os.Stat(filepath.Join(root, source))
				require.NoError(t, err)
			}
		}
	}
	require.Equal(t, "scratch", all[last][1])
	require.Contains(t, all[last:], [2]string{"USER", "65532:65532"})
	require.Contains(t, all[last:], [2]string{"COPY", "--from=build /out/trellis /trellis"})
	require.Equal(t, [2]string{"ENTRYPOINT", `["/trellis"]`}, all[len(all)-1])
}

// The program that the file builds needs nothing around it. It builds all there is
// anew, so it is asked for.
func TestDockerfileBuild(t *testing.T) {
	if os.Getenv("TRELLIS_TEST_IMAGE") == "" {
		t.Skip("needs TRELLIS_TEST_IMAGE=1, and some minutes")
	}
	var line string
	for _, in := range instructions(t) {
		if in[0] == "RUN" && strings.Contains(in[1], "go build") {
			line = in[1]
		}
	}
	require.Contains(t, line, " -o /out/")
	out, err := os.MkdirTemp("", "trellis") // where others can reach it
	require.NoError(t, err)
	defer os.RemoveAll(out)
	require.NoError(t, os.Chmod(out, 0o755))
	build := exec.Command("sh", "-ec", strings.ReplaceAll(line, "/out/", out+"/"))
	build.Dir = root
	said, err := build.CombinedOutput()
	require.NoError(t, err, string(said))

	program := filepath.Join(out, "trellis")
	file, err := elf.Open(program)
	require.NoError(t, err)
	defer file.Close()
	libraries, err := file.ImportedLibraries()
	require.NoError(t, err)
	require.Empty(t, libraries)
	for _, p := range file.Progs {
		require.NotEqual(t, elf.PT_INTERP, p.Type, "a static program has no interpreter")
	}

	graph := filepath.Join(out, "graph")
	require.NoError(t, os.CopyFS(graph, os.DirFS(filepath.Join(root, "tools/testdata/forge"))))
	require.NoError(t, filepath.Walk(graph, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.IsDir() {
			err = os.Chmod(path, 0o755)
		} else if err == nil {
			err = os.Chmod(path, 0o644)
		}
		return err
	}))
	empty := filepath.Join(out, "empty")
	require.NoError(t, os.Mkdir(empty, 0o555))
	call := exec.Command(program, "call", "find_nodes", `{"node_label": "gl_issue", "search": "login"}`, "--graph", graph)
	call.Dir, call.Env = empty, []string{}
	if os.Getuid() == 0 {
		call.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
	}
	answer, err := call.CombinedOutput()
	require.NoError(t, err, string(answer))
	require.Contains(t, string(answer), "Login loses the session")
	left, err := os.ReadDir(empty)
	require.NoError(t, err)
	require.Empty(t, left)
}
