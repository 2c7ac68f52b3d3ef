package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStoresByName(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out, "memory"))
	require.Contains(t, out.String(), "    SELECT ", "the SQL is shown although nothing runs it")
	require.ErrorContains(t, run(t.Context(), &out, "disk"), "the stores are memory and embedded")
}

func TestProgramOfTheEmbeddedStoreIsThere(t *testing.T) {
	name, err := exec.Command("go", "list", "-f", "{{.Name}}", embedded).Output()
	require.NoError(t, err)
	require.Equal(t, "main", strings.TrimSpace(string(name)))
}
