package load_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/load"
)

// Tables that somebody else made are emptied and filled, and what depends on them
// stays: here a view, and a column that the graph knows nothing of.
func TestKeptTables(t *testing.T) {
	for name, s := range servers(t) {
		t.Run(name, func(t *testing.T) {
			ctx, g := context.Background(), generation(t, 1)
			target := map[string]load.Target{"mariadb": load.MariaDB, "postgres": load.Postgres}[name]
			s.drop(t, g)
			t.Cleanup(func() { s.exec(t, "DROP VIEW IF EXISTS lt_view"); s.drop(t, g) })
			require.Error(t, load.Load(ctx, s.db, g, load.Options{Keep: true}), "without a table")

			tables, err := load.Tables(g, target)
			require.NoError(t, err)
			for _, table := range tables {
				for _, text := range append([]string{table.Create}, table.Finish...) {
					s.exec(t, text)
				}
				if table.Name.Name == "lt_gen_r" {
					require.Equal(t, []string{"a_id", "b_id"}, table.Key)
					require.Equal(t, [][]string{{"b_id", "a_id"}}, table.Indexes)
				}
			}
			a := s.table(schema.Table{Name: "lt_gen_a"})
			s.exec(t, "ALTER TABLE "+a+" ADD COLUMN more INT DEFAULT 7")
			s.exec(t, "CREATE VIEW lt_view AS SELECT id, more FROM "+a)
			for _, gen := range []int{2, 3} {
				done := 0
				require.NoError(t, load.Load(ctx, s.db, generation(t, gen), load.Options{Keep: true, Progress: func(p load.Progress) {
					if p.Done {
						done++
					}
				}}))
				require.Equal(t, len(tables), done)
				compare(t, s, generation(t, gen))
				var rows int
				require.NoError(t, s.db.QueryRow("SELECT COUNT(*) FROM lt_view WHERE more = 7").Scan(&rows))
				require.Equal(t, 300, rows)
			}

			// Nothing is seen of a load that ends early.
			ctx, cancel := context.WithCancel(ctx)
			require.ErrorIs(t, load.Load(ctx, s.db, generation(t, 4), load.Options{Keep: true, Progress: func(load.Progress) { cancel() }}), context.Canceled)
			compare(t, s, generation(t, 3))
			require.ErrorContains(t, load.Load(context.Background(), s.db, g, load.Options{Keep: true, Role: &load.Role{Name: "x"}}), "give no role")
		})
	}
	_, err := load.Tables(generation(t, 1), load.Detect)
	require.ErrorContains(t, err, "unknown target")
}
