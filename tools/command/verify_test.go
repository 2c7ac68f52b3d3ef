package command

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What was loaded answers as the graph does, on every database, and a row that
// was changed there is found.
func TestVerify(t *testing.T) {
	for name, open := range map[string]func(*testing.T) string{"mariadb": mariaDB, "postgres": postgres, "sqlite": sqliteFile} {
		t.Run(name, func(t *testing.T) {
			dsn := open(t)
			require.Equal(t, 0, trellis(t, "", "load", "--graph", forgeDir, "--dsn", dsn).code)
			o := trellis(t, "", "verify", "--graph", forgeDir, "--dsn", dsn, "--calls", "100", "--seed", "3")
			require.Equal(t, 0, o.code, o.err+o.out)
			doc := o.document(t)
			require.Equal(t, true, doc["same"])
			require.EqualValues(t, 100, doc["calls"])
			require.EqualValues(t, 3, doc["seed"])
			require.Greater(t, doc["found"], 50.0)

			other := sqliteFile(t)
			require.Equal(t, 0, trellis(t, "", "load", "--graph", forgeDir, "--dsn", other).code)
			db, err := openSQLite(strings.TrimPrefix(other, "sqlite:"), true)
			require.NoError(t, err)
			defer func(db *sql.DB) { require.NoError(t, db.Close()) }(db)
			_, err = db.Exec("UPDATE gl_issue SET title = title || '!' WHERE id = (SELECT MIN(id) FROM gl_issue)")
			require.NoError(t, err)
			o = trellis(t, "", "verify", "--graph", forgeDir, "--dsn", dsn, "--dsn", other, "--calls", "500")
			require.Equal(t, 1, o.code, o.err+o.out)
			doc = o.document(t)
			require.Equal(t, false, doc["same"])
			require.Contains(t, doc["difference"], "arguments")
			require.Less(t, doc["calls"], 500.0)
		})
	}
}
