package introspect_test

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/store/introspect"
)

// A check or type that listed an enum's values and was dropped is told, and so is a
// text that became one of a fixed length.
func TestWhatIsNotKeptAnyMore(t *testing.T) {
	for name, c := range map[string]struct {
		open       func(*testing.T) *sql.DB
		made, then string
	}{
		"mariadb": {mariaDB, "CREATE TABLE book (id int PRIMARY KEY, title varchar(9) NOT NULL, state varchar(9), CONSTRAINT states CHECK (state IN ('in', 'out')), kind enum('a', 'b'))",
			"ALTER TABLE book DROP CONSTRAINT states; ALTER TABLE book MODIFY kind varchar(9), MODIFY title char(9) NOT NULL"},
		"postgres": {postgres, "CREATE TYPE kinds AS ENUM ('a', 'b'); CREATE TABLE book (id int PRIMARY KEY, title text NOT NULL, state text CONSTRAINT states CHECK (state IN ('in', 'out')), kind kinds)",
			"ALTER TABLE book DROP CONSTRAINT states; ALTER TABLE book ALTER kind TYPE text, ALTER title TYPE char(9)"},
	} {
		t.Run(name, func(t *testing.T) {
			db := c.open(t)
			for statement := range strings.SplitSeq(c.made, "; ") {
				exec(t, db, statement)
			}
			draft, err := introspect.Read(t.Context(), db, introspect.Options{})
			require.NoError(t, err)
			s, err := draft.Schema()
			require.NoError(t, err)
			unkept := func() (out []string) {
				report, err := introspect.Check(t.Context(), db, s, introspect.Options{})
				require.NoError(t, err)
				require.Empty(t, report.Drift)
				for _, u := range report.Unkept {
					out = append(out, u.Kind+" "+u.Column)
				}
				return out
			}
			require.Empty(t, unkept())
			for statement := range strings.SplitSeq(c.then, "; ") {
				exec(t, db, statement)
			}
			require.Equal(t, []string{"unkept_spaces title", "unkept_values state", "unkept_values kind"}, unkept())
		})
	}
}
