package command

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
)

// A graph file stands wherever a graph directory may, and says the same.
func TestSnapshot(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "forge.trellis")
	o := trellis(t, "", "snapshot", "--graph", forgeDir, "--out", file)
	require.Equal(t, 0, o.code, o.err)
	info, err := os.Stat(file)
	require.NoError(t, err)
	doc := o.document(t)
	require.EqualValues(t, info.Size(), doc["bytes"])
	require.NotZero(t, doc["nodes"])
	require.NotZero(t, doc["relationships"])
	require.Contains(t, o.err, "nodes/gl_issue.csv: ")

	for _, args := range [][]string{
		{"call", "find_nodes", `{"node_label": "gl_issue"}`},
		{"call", "find_nodes", `{"node_label": "gl_issue"}`, "--store", "embedded"},
		{"explain", "find_nodes", `{"node_label": "gl_issue"}`},
	} {
		require.Equal(t, trellis(t, "", append(args, "--graph", forgeDir)...), trellis(t, "", append(args, "--graph", file)...))
	}
	require.Equal(t, trellis(t, "", "lint", "--graph", forgeDir), trellis(t, "", "lint", "--graph", file))
	require.Equal(t, trellis(t, "", "tools", "--schema", forgeDir), trellis(t, "", "tools", "--schema", file))

	// Into a database and out of it again.
	dsn := "sqlite:" + filepath.Join(dir, "forge.db")
	o = trellis(t, "", "load", "--graph", file, "--dsn", dsn)
	require.Equal(t, 0, o.code, o.err)
	again := filepath.Join(dir, "again.trellis")
	o = trellis(t, "", "snapshot", "--schema", forgeSchema, "--dsn", dsn, "--out", again)
	require.Equal(t, 0, o.code, o.err)
	require.Contains(t, o.err, "gl_issue: ")
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	got, err := os.ReadFile(again)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestSnapshotThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "g.trellis")
	for want, args := range map[string][]string{
		"which graph?":         {"--out", file},
		"where to? Give --out": {"--graph", forgeDir},
		"takes flags only":     {"more", "--graph", forgeDir, "--out", file},
		"--graph stands alone": {"--graph", forgeDir, "--dsn", "sqlite:x", "--out", file},
		"--schema needs --dsn": {"--schema", forgeSchema, "--out", file},
		"--dsn needs --schema": {"--dsn", "sqlite:x", "--out", file},
		"starts with mysql://": {"--schema", forgeSchema, "--dsn", "oracle://h/d", "--out", file},
	} {
		o := trellis(t, "", append([]string{"snapshot"}, args...)...)
		require.Equal(t, 2, o.code, want)
		require.Contains(t, o.err, want)
	}
	o := trellis(t, "", "snapshot", "--graph", forgeDir, "--out", filepath.Join(file, "g"))
	require.Equal(t, 3, o.code)
	require.NoFileExists(t, file)

	require.Equal(t, 0, trellis(t, "", "snapshot", "--graph", forgeDir, "--out", file).code)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	data[len(data)/2] ^= 1
	require.NoError(t, os.WriteFile(file, data, 0o666))
	o = trellis(t, "", "call", "find_nodes", `{"node_label": "gl_issue"}`, "--graph", file)
	require.Equal(t, 3, o.code)
	require.Contains(t, o.err, file)
	require.Contains(t, o.err, "damaged: the checksum of ")
	o = trellis(t, "", "call", "find_nodes", `{"node_label": "gl_issue"}`, "--graph", forgeSchema)
	require.Equal(t, 3, o.code)
	require.Contains(t, o.err, "not a graph file of Trellis")
}

// What makes answers of a database wrong is told, although the values that are read
// are checked one by one.
func TestSnapshotTellsWhatIsUnfit(t *testing.T) {
	dir := t.TempDir()
	file, schema := filepath.Join(dir, "x.db"), filepath.Join(dir, "schema.yaml")
	require.NoError(t, os.WriteFile(schema, []byte("{format: trellis.schema.v1, nodes: {bird: {key: id, properties: {id: int64, tag: uuid}}}}"), 0o644))
	exec(t, "sqlite", file, "CREATE TABLE bird (id INTEGER PRIMARY KEY, tag TEXT); INSERT INTO bird VALUES (1, '6BA7B810-9DAD-11D1-80B4-00C04FD430C8')")
	args := []string{"snapshot", "--schema", schema, "--dsn", "sqlite:" + file, "--out", filepath.Join(dir, "g.trellis")}
	o := trellis(t, "", args...)
	require.Equal(t, 0, o.code, o.err)
	require.Contains(t, o.err, `trellis: warning: column "tag" of table "bird" holds a text`)
	require.Equal(t, 0, trellis(t, "", append(args, "--require-read-only")...).code)

	exec(t, "sqlite", file, "ALTER TABLE bird RENAME TO birds")
	o = trellis(t, "", args...)
	require.Equal(t, 3, o.code)
	require.Contains(t, o.err, `tables that the schema maps are not there: "bird" (did you mean "birds"?)`)
}

// The help names the databases that the program links, and no other.
func TestHelpNamesDatabases(t *testing.T) {
	for _, name := range []string{"call", "explain", "introspect", "load", "snapshot", "verify"} {
		var out bytes.Buffer
		require.Equal(t, 0, run(t.Context(), []string{"help", name}, streams{out: &out, err: io.Discard}))
		require.Contains(t, out.String(), "URL: mysql://…, postgres://… or sqlite:FILE", name)
		require.NotContains(t, out.String(), databaseKinds)
		out.Reset()
		drivers := []Driver{{Scheme: "duckdb", Dialect: compile.DuckDB()}, {Scheme: "clickhouse", Dialect: compile.ClickHouse()}}
		require.Equal(t, 0, run(t.Context(), []string{"help", name}, streams{out: &out, err: io.Discard, drivers: drivers}))
		require.Contains(t, out.String(), "URL: mysql://…, postgres://…, sqlite:FILE, duckdb:FILE or clickhouse://…", name)
	}
}
