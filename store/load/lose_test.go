package load_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/store/load"
)

// What a table has beside its rows is never lost silently with it, and other tables
// are not left with references into the new one.
func TestWhatWouldBeLostIsRefused(t *testing.T) {
	const trigger = "CREATE TRIGGER lt_stamp AFTER INSERT ON lt_gen_a FOR EACH ROW "
	type c struct{ made, says, gone string }
	lost := func(what string) string {
		return "making table lt_gen_a: the one that is there has " + what + ", which would be lost with it"
	}
	child := c{"CREATE TABLE lt_gen_child (a BIGINT REFERENCES lt_gen_a (id))", "a foreign key of table lt_gen_child leads to", "DROP TABLE lt_gen_child"}
	cases := map[string][]c{
		"mariadb": {{trigger + "SET @x = 1", lost("the trigger lt_stamp"), "DROP TRIGGER lt_stamp"}},
		"sqlite":  {{trigger + "BEGIN DELETE FROM lt_gen_r; END", lost("the trigger lt_stamp"), "DROP TRIGGER lt_stamp"}, child},
		"postgres": {
			{"ALTER TABLE lt_gen_a ENABLE ROW LEVEL SECURITY", lost("row security"), "ALTER TABLE lt_gen_a DISABLE ROW LEVEL SECURITY"},
			{`CREATE POLICY "lt Own" ON lt_gen_a USING (gen > 0)`, lost(`the policy "lt Own"`), `DROP POLICY "lt Own" ON lt_gen_a`},
			{trigger + "EXECUTE FUNCTION suppress_redundant_updates_trigger()", lost("the trigger lt_stamp"), "DROP TRIGGER lt_stamp ON lt_gen_a"},
			{"CREATE RULE lt_no AS ON DELETE TO lt_gen_a DO INSTEAD NOTHING", lost("the rule lt_no"), "DROP RULE lt_no ON lt_gen_a"},
			child,
		},
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "graph.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	all := map[string]server{"sqlite": {db, "`", func(int) string { return "?" }}}
	for name, s := range servers(t) {
		all[name] = s
	}
	for name, s := range all {
		t.Run(name, func(t *testing.T) {
			before := generation(t, 1)
			if name != "sqlite" {
				s.drop(t, before)
				t.Cleanup(func() { s.drop(t, before) })
			}
			require.NoError(t, load.Load(t.Context(), s.db, before, load.Options{}))
			for _, c := range cases[name] {
				s.exec(t, c.made)
				require.ErrorContains(t, load.Load(t.Context(), s.db, generation(t, 2), load.Options{}), c.says)
				compare(t, s, before)
				s.exec(t, c.gone)
			}
			require.NoError(t, load.Load(t.Context(), s.db, generation(t, 3), load.Options{}))
			compare(t, s, generation(t, 3))
		})
	}
}
