package introspect_test

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/store/introspect"
)

// A foreign key that is declared and may lead nowhere all the same is a remark in the
// draft, and drift once a schema goes by it.
func TestForeignKeysThatAreNotEnforced(t *testing.T) {
	const tables = "CREATE TABLE author (id INTEGER NOT NULL PRIMARY KEY); CREATE TABLE book (id INTEGER NOT NULL PRIMARY KEY, author_id INTEGER%s, editor_id INTEGER UNIQUE REFERENCES author (id)); "
	for name, c := range map[string]struct {
		open  func(*testing.T) *sql.DB
		made  []string
		doubt string
		fixed []string
	}{
		"postgres": {postgres, []string{
			strings.Replace(tables, "%s", "", 1), "INSERT INTO book VALUES (1, 7, NULL); ALTER TABLE book ADD FOREIGN KEY (author_id) REFERENCES author (id) NOT VALID",
		}, "it is NOT VALID or NOT ENFORCED", []string{"INSERT INTO author VALUES (7); ALTER TABLE book VALIDATE CONSTRAINT book_author_id_fkey"}},
		"sqlite": {sqliteFile, []string{
			strings.Replace(tables, "%s", " REFERENCES Author", 1), "PRAGMA foreign_keys = 0; INSERT INTO book VALUES (1, 7, NULL)",
		}, "there are rows that refer to none", []string{"INSERT INTO author VALUES (7)"}},
	} {
		t.Run(name, func(t *testing.T) {
			db := c.open(t)
			db.SetMaxOpenConns(1)
			for _, text := range c.made {
				for statement := range strings.SplitSeq(text, ";") {
					exec(t, db, statement)
				}
			}
			draft, err := introspect.Read(t.Context(), db, introspect.Options{})
			require.NoError(t, err)
			remark := "# the foreign key author_id to author may lead nowhere: " + c.doubt
			require.Contains(t, string(draft.YAML()), remark)
			require.NotContains(t, string(draft.YAML()), "editor_id to author")
			require.Contains(t, string(draft.YAML()), "foreign_key: editor_id, unique: to}")
			s, err := draft.Schema()
			require.NoError(t, err)
			check := func() []introspect.Drift {
				report, err := introspect.Check(t.Context(), db, s, introspect.Options{})
				require.NoError(t, err)
				return report.Drift
			}
			found := check()
			require.Len(t, found, 1)
			require.Equal(t, introspect.UnenforcedForeignKey, found[0].Kind)
			require.Contains(t, found[0].Message, `to "author" may lead nowhere: `+c.doubt)
			for _, text := range c.fixed {
				for statement := range strings.SplitSeq(text, ";") {
					exec(t, db, statement)
				}
			}
			require.Empty(t, check())
			draft, err = introspect.Read(t.Context(), db, introspect.Options{})
			require.NoError(t, err)
			require.NotContains(t, string(draft.YAML()), "may lead nowhere")
		})
	}
}
