package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A graph that was loaded is drafted from the database, and the draft answers.
func TestIntrospect(t *testing.T) {
	for name, open := range map[string]func(*testing.T) string{"mariadb": mariaDB, "postgres": postgres, "sqlite": sqliteFile} {
		t.Run(name, func(t *testing.T) {
			dsn := open(t)
			require.Equal(t, 0, trellis(t, "", "load", "--graph", forgeDir, "--dsn", dsn).code)

			shown := trellis(t, "", "introspect", "--dsn", dsn)
			require.Equal(t, 0, shown.code, shown.err)
			file := filepath.Join(t.TempDir(), "schema.yaml")
			o := trellis(t, "", "introspect", "--dsn", dsn, "--out", file)
			require.Equal(t, 0, o.code, o.err)
			require.EqualValues(t, 2, o.document(t)["labels"]) // the join table is none
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, shown.out, string(text))

			again := trellis(t, "", "introspect", "--dsn", dsn, "--out", file)
			require.Equal(t, 3, again.code)
			require.Contains(t, again.err, "is there already")
			require.Equal(t, 0, trellis(t, "", "lint", file).code)
			asked := trellis(t, "", "call", "find_nodes", `{"node_label": "gl_user", "ids": [1]}`, "--schema", file, "--dsn", dsn)
			require.Equal(t, 0, asked.code, asked.err)
			require.Contains(t, asked.out, `"id":"1"`)

			checked := trellis(t, "", "introspect", "--dsn", dsn, "--check", file)
			require.Equal(t, 0, checked.code, checked.out)
			require.Empty(t, checked.document(t)["drift"])
			// What load writes is declared, unless it is told not to.
			written := trellis(t, "", "introspect", "--dsn", dsn, "--check", forgeSchema)
			require.Equal(t, 0, written.code, written.err)
			require.Equal(t, 0, trellis(t, "", "load", "--graph", forgeDir, "--dsn", dsn, "--no-foreign-keys").code)
			written = trellis(t, "", "introspect", "--dsn", dsn, "--check", forgeSchema)
			require.Equal(t, 1, written.code)
			require.Contains(t, written.err, "/relationships/")
			require.Equal(t, 0, trellis(t, "", "introspect", "--dsn", dsn, "--check", forgeSchema, "--undeclared").code)
			require.Equal(t, 0, trellis(t, "", "load", "--graph", forgeDir, "--dsn", dsn).code)

			require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(text), "gl_user", "gl_usr")), 0o644))
			moved := trellis(t, "", "introspect", "--dsn", dsn, "--check", file)
			require.Equal(t, 1, moved.code)
			require.Contains(t, moved.err, `the table "gl_usr" is not there; did you mean "gl_user"?`)

			one := trellis(t, "", "introspect", "--dsn", dsn, "--tables", "gl_u*")
			require.Contains(t, one.out, "gl_user:")
			require.NotContains(t, one.out, "  gl_issue:")
		})
	}
}

func TestIntrospectUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"which database? Give --dsn URL":             {},
		"takes flags only":                           {"--dsn", "sqlite:x.db", "y"},
		"--out and --check are two different things": {"--dsn", "sqlite:x.db", "--out", "a", "--check", "b"},
		"--undeclared goes with --check":             {"--dsn", "sqlite:x.db", "--undeclared"},
		"write NAME=COLUMN":                          {"--dsn", "sqlite:x.db", "--views", "v"},
		"takes the schemas and views from the file":  {"--dsn", "sqlite:x.db", "--check", "a", "--schema-name", "b"},
	} {
		o := trellis(t, "", append([]string{"introspect"}, args...)...)
		require.Equal(t, 2, o.code, want)
		require.Contains(t, o.err, want)
	}
}
