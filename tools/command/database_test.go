package command

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
)

// A graph directory that is loaded into a database answers there as it does
// from its files.
func TestLoadAndCall(t *testing.T) {
	for name, open := range map[string]func(*testing.T) string{"mariadb": mariaDB, "postgres": postgres, "sqlite": sqliteFile} {
		t.Run(name, func(t *testing.T) {
			dsn := open(t)
			for _, keep := range []string{"--keep=false", "--keep=false", "--keep"} { // loading again replaces, or fills
				o := trellis(t, "", "load", "--graph", forgeDir, "--dsn", dsn, keep)
				require.Equal(t, 0, o.code, o.err)
				require.JSONEq(t, `{"nodes": 5, "relationships": 3, "tables": 3}`, o.out)
				require.Contains(t, o.err, "gl_issue: 3 rows\n")
			}
			args := `{"from": {"label": "gl_user", "ids": [1]}, "relationships": [{"type": "AUTHORED_ISSUE"}], "to": {"label": "gl_issue"}, "limit": 1}`
			here := trellis(t, "", "call", "traverse_relationships", args, "--graph", forgeDir)
			there := trellis(t, "", "call", "traverse_relationships", args, "--schema", forgeSchema, "--dsn", dsn)
			require.Equal(t, 0, there.code, there.err)
			require.Equal(t, answered(t, here), answered(t, there))
			require.NotNil(t, answered(t, there)["next_cursor"])
			require.Equal(t, name, there.document(t)["executed"])

			explained := trellis(t, "", "explain", "traverse_relationships", args, "--schema", forgeSchema, "--dsn", dsn)
			require.Equal(t, 0, explained.code, explained.err)
			require.NotEmpty(t, explained.document(t)["database"])
		})
	}
}

// answered returns what an answer says on every store.
func answered(t *testing.T, o outcome) map[string]any {
	require.Equal(t, 0, o.code, o.err)
	doc := o.document(t)
	delete(doc, "executed")
	delete(doc, "statements")
	return doc
}

// sqliteFile is a file whose name means something in a URI.
func sqliteFile(t *testing.T) string {
	return "sqlite:" + filepath.Join(t.TempDir(), "a graph?mode=rw%20#1.db")
}

// scratch is the name of a database that a test makes and drops again.
func scratch() string { return fmt.Sprintf("trellis_command_%d", os.Getpid()) }

func mariaDB(t *testing.T) string {
	dsn := os.Getenv("TRELLIS_TEST_MARIADB")
	if dsn == "" {
		t.Skip("skipped: needs a MariaDB server in TRELLIS_TEST_MARIADB")
	}
	config, err := mysql.ParseDSN(dsn)
	require.NoError(t, err)
	exec(t, "mysql", dsn, "CREATE DATABASE "+scratch())
	t.Cleanup(func() { exec(t, "mysql", dsn, "DROP DATABASE "+scratch()) })
	u := url.URL{Scheme: "mysql", User: url.UserPassword(config.User, config.Passwd), Host: config.Addr, Path: scratch()}
	if config.Net == "unix" {
		u.Host, u.RawQuery = "", url.Values{"socket": {config.Addr}}.Encode()
	}
	return u.String()
}

func postgres(t *testing.T) string {
	dsn := os.Getenv("TRELLIS_TEST_POSTGRES")
	if dsn == "" {
		t.Skip("skipped: needs a PostgreSQL server in TRELLIS_TEST_POSTGRES")
	}
	u, err := url.Parse(dsn)
	require.NoError(t, err)
	exec(t, "pgx", dsn, "CREATE DATABASE "+scratch())
	t.Cleanup(func() { exec(t, "pgx", dsn, "DROP DATABASE "+scratch()) })
	u.Path = "/" + scratch()
	return u.String()
}

func exec(t *testing.T, driver, dsn, statement string) {
	db, err := sql.Open(driver, dsn)
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Exec(statement)
	require.NoError(t, err)
}

// What breaks what the schema says to be unique is told with both nodes, and the
// database stays as it was.
func TestLoadIsRefusedWhatIsNotUnique(t *testing.T) {
	for name, open := range map[string]func(*testing.T) string{"mariadb": mariaDB, "postgres": postgres, "sqlite": sqliteFile} {
		t.Run(name, func(t *testing.T) {
			dsn, dir := open(t), t.TempDir()
			require.NoError(t, os.CopyFS(dir, os.DirFS(forgeDir)))
			put := func(file, text string) {
				require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
			}
			text, err := os.ReadFile(forgeSchema)
			require.NoError(t, err)
			said := strings.NewReplacer("name: {type: string,", "name: {type: string, unique: true,", "to: gl_issue}", "to: gl_issue, unique: to}").Replace(string(text))
			put("schema.yaml", said)
			put("relationships/AUTHORED_ISSUE.csv", "from,to\n1,101\n1,102\n")
			o := trellis(t, "", "load", "--graph", dir, "--dsn", dsn)
			require.Equal(t, 0, o.code, o.err)
			checked := trellis(t, "", "introspect", "--dsn", dsn, "--check", filepath.Join(dir, "schema.yaml"))
			require.Equal(t, 0, checked.code, checked.out)
			call := []string{"call", "find_nodes", `{"node_label": "gl_user"}`, "--schema", forgeSchema, "--dsn", dsn}
			before := trellis(t, "", call...)

			put("nodes/gl_user.csv", "id,name\n7,Ada\n8,Ada\n")
			put("relationships/AUTHORED_ISSUE.csv", "from,to\n7,101\n8,101\n")
			o = trellis(t, "", "load", "--graph", dir, "--dsn", dsn)
			require.NotEqual(t, 0, o.code)
			for _, want := range []string{
				`gl_user.csv:3: name: "Ada" is that of gl_user "7" and of gl_user "8", but no two have the same`,
				`gl_issue "101" ends AUTHORED_ISSUE with gl_user "7" and with gl_user "8", but it ends one at most`,
			} {
				require.Contains(t, o.out+o.err, want)
			}
			require.Equal(t, before.out, trellis(t, "", call...).out)
		})
	}
}
