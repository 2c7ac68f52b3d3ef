package command

import (
	"errors"
	"net/url"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDSN(t *testing.T) {
	t.Chdir(t.TempDir())
	const odd = "a b?c%20#.db"
	for _, file := range []string{"graph.db", odd} {
		require.NoError(t, os.WriteFile(file, nil, 0o600)) // what is not there is not opened
	}
	dir, err := os.Getwd()
	require.NoError(t, err)
	for dsn, kind := range map[string]string{
		"mysql://root@127.0.0.1:3306/test":                        kindMySQL,
		"mysql://root@localhost/test":                             kindMySQL,
		"mysql://u:p%40ss%2Fw@[::1]:3307/test?tls=skip-verify":    kindMySQL,
		"mysql://u@/test?socket=/run/mysqld/mysqld.sock":          kindMySQL,
		"mariadb://u@h/test?timeout=3s":                           kindMySQL,
		"postgres://postgres@127.0.0.1:5432/test?sslmode=disable": kindPostgres,
		"postgresql://u:p@h/test":                                 kindPostgres,
		"sqlite:graph.db":                                         kindSQLite,
		"sqlite://" + dir + "/" + odd:                             kindSQLite,
	} {
		db, err := openDatabase(dsn, false, nil)
		require.NoError(t, err, dsn)
		require.Equal(t, kind, db.kind)
		require.NoError(t, db.Close())
	}
}

// Whatever is wrong with a URL, its password stays out of the message.
func TestWrongDSN(t *testing.T) {
	for dsn, want := range map[string]string{
		"":                                      "starts with mysql://, postgres:// or sqlite:",
		"root:hunter2@tcp(localhost:3306)/test": "starts with mysql://, postgres:// or sqlite:",
		"mysql://u:hunter2@h":                   "names no database",
		"mysql://u:hunter2@h/a/b":               "names no database",
		"mysql://u:hunter2@h:port/d":            "not a URL",
		"mysql://u:hunter2@h/d?multiStatements=1":                          `unknown option "multiStatements"`,
		"mysql://u:hunter2@h/d?allowAllFiles=true":                         `unknown option "allowAllFiles"`,
		"mysql://u:hunter2@h/d?timeout=hunter2":                            "not a duration",
		"mysql://u:hunter2@h/d?tls=hunter2":                                "does not work",
		"postgres://u:hunter2@h:99999/d":                                   "does not work",
		"postgres://u:hunter2@h/d?sslmode=hunter2":                         "does not work",
		"postgres://u:hunter2%zz@h/d":                                      "not a URL",
		"postgres://u:hunter2@h/d?default_query_exec_mode=simple_protocol": "default_query_exec_mode",
		"sqlite3:hunter2":                                                  "starts with mysql://, postgres:// or sqlite:",
		"sqlite:":                                                          "names no file",
		"sqlite::memory:":                                                  "names no file",
		"duckdb:hunter2":                                                   "the module store/analytic",
		"clickhouse://u:hunter2@h/d":                                       "the module store/analytic",
	} {
		_, err := openDatabase(dsn, false, nil)
		var usage *usageError
		require.ErrorAs(t, err, &usage, dsn)
		require.ErrorContains(t, err, want, dsn)
		require.NotContains(t, err.Error(), "hunter2")
	}
}

func TestMessagesShowNoPassword(t *testing.T) {
	t.Setenv("PGPASSWORD", "sesame")
	u, err := url.Parse("postgres://u:p%40ss@h/d?sslpassword=open")
	require.NoError(t, err)
	db := &database{secrets: secrets(u)}
	got := db.withoutSecrets(errors.New("dial postgres://u:p%40ss@h/d?sslpassword=open with p@ss or sesame"))
	require.EqualError(t, got, "dial postgres://u:xxxxx@h/d?sslpassword=xxxxx with xxxxx or xxxxx")
	require.NoError(t, db.withoutSecrets(nil))
}

func TestServerThatIsNotThere(t *testing.T) {
	for _, dsn := range []string{
		"mysql://u:hunter2@127.0.0.1:1/d",
		"postgres://u:hunter2@127.0.0.1:1/d?sslmode=disable",
	} {
		for _, args := range [][]string{
			{"call", "find_nodes", `{"node_label": "gl_user"}`, "--schema", forgeSchema, "--dsn", dsn},
			{"load", "--graph", forgeDir, "--dsn", dsn},
		} {
			o := trellis(t, "", args...)
			require.Equal(t, 3, o.code, args)
			require.Contains(t, o.err, "connection refused")
			require.NotContains(t, o.err+o.out, "hunter2")
		}
	}
}
