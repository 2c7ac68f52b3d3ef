package command

import (
	"fmt"
	"os"
	programs "os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCompletionBash(t *testing.T) {
	if _, err := programs.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	o := trellis(t, "", "completion", "bash", "--name", "my-trellis")
	require.Equal(t, 0, o.code, o.err)
	for line, want := range map[string]string{
		"my-trellis ca":                                 "call",
		"my-trellis help comp":                          "compile completion",
		"my-trellis call find_":                         "find_nodes find_paths",
		"my-trellis call --for":                         "--format",
		"my-trellis call find_nodes {} --format ":       "json columns csv markdown mermaid",
		"my-trellis tools --format a":                   "anthropic",
		"my-trellis compile --dialect post":             "postgres",
		"my-trellis call --timeout ":                    "",
		"my-trellis lint --schema " + forgeDir + "/sch": forgeSchema,
		"my-trellis completion z":                       "zsh",
		"my-trellis serve --t":                          "--timeout --tokens",
		"my-trellis nothing --":                         "",
	} {
		words := strings.Split(line, " ")
		script := fmt.Sprintf("%s\nCOMP_WORDS=(", o.out)
		for _, w := range words {
			script += "'" + w + "' "
		}
		script += fmt.Sprintf(")\nCOMP_CWORD=%d\n_my_trellis\necho \"${COMPREPLY[@]}\"\n", len(words)-1)
		out, err := programs.Command("bash", "-c", script).CombinedOutput()
		require.NoError(t, err, string(out))
		require.Equal(t, want, strings.TrimSpace(string(out)), line)
	}
}

// Every shell gets every command and every flag; a shell that is there finds its
// script well formed.
func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		o := trellis(t, "", "completion", shell)
		require.Equal(t, 0, o.code, o.err)
		for _, c := range completions() {
			require.Contains(t, o.out, c.name)
			for _, f := range c.flags {
				flag := "--" + f.name
				if shell == "fish" {
					flag = "-l " + f.name + " "
				}
				require.Contains(t, o.out, flag, shell)
			}
		}
		if _, err := programs.LookPath(shell); err != nil {
			continue
		}
		file := filepath.Join(t.TempDir(), "script")
		require.NoError(t, os.WriteFile(file, []byte(o.out), 0o600))
		out, err := programs.Command(shell, "-n", file).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	for _, args := range [][]string{{"completion"}, {"completion", "ksh"}, {"completion", "bash", "zsh"}, {"completion", "bash", "--name", "a;b"}} {
		require.Equal(t, 2, trellis(t, "", args...).code)
	}
}
