package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/store/analytic/internal/chdb"
)

// asCommand is set where the tests' own program is to be the command.
const asCommand = "TRELLIS_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// trellis runs the command in a process of its own, and returns what it prints.
func trellis(t *testing.T, code int, args ...string) (out, said string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	command := exec.Command(self, args...)
	command.Env = append(os.Environ(), asCommand+"=1")
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		require.IsType(t, &exec.ExitError{}, err)
	}
	require.Equal(t, code, command.ProcessState.ExitCode(), "%v\n%s\n%s", args, &stdout, &stderr)
	return stdout.String(), stderr.String()
}

const graphDir = "../../../storetest/testdata/fixtures/gitlab"

// throughDatabase loads a graph, and asks for it in all ways, each of them a
// process of its own.
func throughDatabase(t *testing.T, dsn, executed string) {
	schema := filepath.Join(graphDir, "schema.yaml")
	call := []string{"find_nodes", `{"node_label": "gl_user", "order_by": [{"property": "username"}]}`}
	at := []string{"--schema", schema, "--dsn", dsn}
	loaded, _ := trellis(t, 0, "load", "--graph", graphDir, "--dsn", dsn)
	require.Contains(t, loaded, `"tables"`)
	answer, _ := trellis(t, 0, append(append([]string{"call"}, call...), at...)...)
	require.Contains(t, answer, `"executed":"`+executed+`"`)
	memory, _ := trellis(t, 0, append(append([]string{"call"}, call...), "--graph", graphDir)...)
	nodes := func(document string) string {
		nodes, _, found := strings.Cut(document, `"executed"`)
		require.True(t, found)
		return nodes
	}
	require.Equal(t, nodes(memory), nodes(answer))
	explained, _ := trellis(t, 0, append(append([]string{"explain"}, call...), at...)...)
	require.Contains(t, explained, "SELECT")
	verified, _ := trellis(t, 0, "verify", "--graph", graphDir, "--dsn", dsn, "--calls", "20")
	require.Contains(t, verified, "20")
	drift, _ := trellis(t, 0, "introspect", "--dsn", dsn, "--check", schema)
	require.Contains(t, drift, `"drift":[]`)
	file := filepath.Join(t.TempDir(), "graph.trellis")
	trellis(t, 0, append([]string{"snapshot", "--out", file}, at...)...)
	again, _ := trellis(t, 0, append(append([]string{"call"}, call...), "--graph", file)...)
	require.Equal(t, nodes(memory), nodes(again))
}

func TestDuckDB(t *testing.T) {
	throughDatabase(t, "duckdb:"+filepath.Join(t.TempDir(), "graph.duckdb"), "duckdb")
}

func TestClickHouse(t *testing.T) {
	library := os.Getenv("TRELLIS_TEST_CHDB")
	if library == "" {
		t.Skip("skipped: needs libchdb.so in TRELLIS_TEST_CHDB")
	}
	server, err := chdb.Start(library, t.TempDir())
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Close()) }()
	dsn := "clickhouse+" + server.URL("default")
	help, _ := trellis(t, 0, "help", "load")
	require.Contains(t, help, "clickhouse://…")
	_, kept := trellis(t, 3, "load", "--graph", graphDir, "--dsn", dsn, "--keep")
	require.Contains(t, kept, "this database has no transactions")
	throughDatabase(t, dsn, "clickhouse")
	drafted, _ := trellis(t, 0, "introspect", "--dsn", dsn)
	require.Contains(t, drafted, "its key is no unique one")
}

// What is wrong with an address is told without its password.
func TestClickHouseAddresses(t *testing.T) {
	schema := filepath.Join(graphDir, "schema.yaml")
	for dsn, code := range map[string]int{
		"clickhouse:reader:hunter2@host/x":               2,
		"clickhouse://reader:hunter2%zz@host/x":          2,
		"clickhouse://reader:hunter2@127.0.0.1:1/x":      3,
		"clickhouse+http://reader:hunter2@127.0.0.1:1/x": 3,
	} {
		out, said := trellis(t, code, "call", "find_nodes", `{"node_label": "gl_user"}`, "--schema", schema, "--dsn", dsn)
		require.NotContains(t, out+said, "hunter2")
	}
}
