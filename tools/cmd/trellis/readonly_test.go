package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// T47: an account that may do more than read the graph is told of, or refused.
func TestRequireReadOnly(t *testing.T) {
	for name, open := range map[string]func(*testing.T) string{"mariadb": mariaDB, "postgres": postgres, "sqlite": sqliteFile} {
		t.Run(name, func(t *testing.T) {
			dsn := open(t)
			require.Equal(t, 0, trellis(t, "", "load", "--graph", forgeDir, "--dsn", dsn).code)
			for _, args := range [][]string{{"call", "find_nodes", `{"node_label": "gl_user"}`}, {"explain", "find_nodes", `{"node_label": "gl_user"}`}} {
				args = append(args, "--schema", forgeSchema, "--dsn", dsn)
				told, refused := trellis(t, "", args...), trellis(t, "", append(args, "--require-read-only")...)
				require.Equal(t, 0, told.code, told.err)
				if name == "sqlite" { // which the command opens for reading
					require.Empty(t, told.err)
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
