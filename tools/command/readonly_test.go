package command

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// T47: an account that may do more than read the graph is told of, or refused.
func TestRequireReadOnly(t *testing.T) {
	for name, open := range map[string]func(*testing.T) string{"mariadb": mariaDB, "postgres": postgres, "sqlite": sqliteFile} {
		t.Run(name, func(t *testing.T) {
			dsn := open(t)
			require.Equal(t, 0, trellis(t, "", "load", "--graph", forgeDir, "--dsn", dsn).code)
			for _, args := range [][]string{
				{"call", "find_nodes", `{"node_label": "gl_user"}`}, {"explain", "find_nodes", `{"node_label": "gl_user"}`},
				{"snapshot", "--out", filepath.Join(t.TempDir(), "graph.trellis")},
			} {
				args = append(args, "--schema", forgeSchema, "--dsn", dsn)
				told, refused := trellis(t, "", args...), trellis(t, "", append(args, "--require-read-only")...)
				require.Equal(t, 0, told.code, told.err)
				if name == "sqlite" { // which the command opens for reading
					require.NotContains(t, told.err, "warning")
					require.Equal(t, 0, refused.code, refused.err)
					continue
				}
				require.Regexp(t, `^trellis: warning: the (account has all privileges|user is a superuser)`, told.err)
				require.Equal(t, 3, refused.code)
				require.Regexp(t, `^trellis: the (account has all privileges|user is a superuser)`, refused.err)
				require.Empty(t, refused.out)
			}
			dry := trellis(t, "", "call", "find_nodes", `{"node_label": "gl_user"}`, "--schema", forgeSchema, "--dsn", dsn, "--dry-run")
			require.Equal(t, 0, dry.code)
			require.Empty(t, dry.err, "no store is asked")
		})
	}
}

// The account that load makes is one that is not refused.
func TestLoadRole(t *testing.T) {
	t.Setenv("READER_PASSWORD", "it's\\ a 'reader'")
	role := fmt.Sprintf("trellis_reader_%d", os.Getpid())
	for name, open := range map[string]func(*testing.T) string{"mariadb": mariaDB, "postgres": postgres} {
		t.Run(name, func(t *testing.T) {
			dsn := open(t)
			u, err := url.Parse(dsn)
			require.NoError(t, err)
			driver, server := "mysql", os.Getenv("TRELLIS_TEST_MARIADB")
			if name == "postgres" {
				driver, server = "pgx", os.Getenv("TRELLIS_TEST_POSTGRES")
				exec(t, driver, dsn, "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
			}
			t.Cleanup(func() {
				if name == "postgres" {
					exec(t, driver, dsn, "DROP OWNED BY "+role)
					exec(t, driver, server, "DROP ROLE "+role)
				} else {
					exec(t, driver, server, "DROP USER "+role)
				}
			})
			o := trellis(t, "", "load", "--graph", forgeDir, "--dsn", dsn, "--role", role)
			require.Equal(t, 3, o.code)
			require.Contains(t, o.err, "to make it takes a password")
			o = trellis(t, "", "load", "--graph", forgeDir, "--dsn", dsn, "--role", role, "--role-password-env", "READER_PASSWORD")
			require.Equal(t, 0, o.code, o.err)
			u.User = url.UserPassword(role, os.Getenv("READER_PASSWORD"))
			o = trellis(t, "", "call", "find_nodes", `{"node_label": "gl_user"}`, "--schema", forgeSchema, "--dsn", u.String(), "--require-read-only")
			require.Equal(t, 0, o.code, o.err)
			require.Empty(t, o.err)
		})
	}
}
