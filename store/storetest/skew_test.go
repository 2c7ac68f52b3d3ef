package storetest_test

import (
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

const skewSchema = `
format: trellis.schema.v1
nodes:
  member: {table: skew_member, key: id, properties: {id: int64, name: string}}
relationships:
  FOLLOWS: {from: member, to: member, table: skew_follows}
`

// A hub with 100,000 neighbours and a leaf with one are the same statement. On
// PostgreSQL it is planned for each of them, whoever comes
// first: no plan for all parameters is ever used.
func TestSkewedParameters(t *testing.T) {
	dsn := os.Getenv("TRELLIS_TEST_POSTGRES")
	if dsn == "" {
		t.Skip("skipped: needs a PostgreSQL server in TRELLIS_TEST_POSTGRES")
	}
	setup := open(t, "pgx", dsn)
	for _, text := range []string{
		"DROP TABLE IF EXISTS skew_member, skew_follows",
		"CREATE TABLE skew_member AS SELECT i::bigint AS id, 'n' || i AS name FROM generate_series(0, 100000) AS g(i)",
		"ALTER TABLE skew_member ADD PRIMARY KEY (id)",
		// everybody is followed by 0, and follows the next
		"CREATE TABLE skew_follows AS SELECT 0::bigint AS from_id, i::bigint AS to_id FROM generate_series(1, 100000) AS g(i) UNION ALL SELECT i, i % 100000 + 1 FROM generate_series(1, 100000) AS g(i)",
		"ALTER TABLE skew_follows ADD PRIMARY KEY (from_id, to_id)", "CREATE INDEX ON skew_follows (to_id, from_id)",
		"ANALYZE skew_member", "ANALYZE skew_follows",
	} {
		exec(t, setup, text)
	}
	t.Cleanup(func() { exec(t, setup, "DROP TABLE skew_member, skew_follows") })
	s, err := schema.Parse("skew.yaml", []byte(skewSchema))
	require.NoError(t, err)
	const hub, leaf = 0, 7
	for name, start := range map[string]struct {
		of    making
		order []int64
	}{
		"hub first": {store.SQL, []int64{hub, leaf}}, "leaf first": {store.SQL, []int64{leaf, hub}},
		"hub first of its own": {store.Own, []int64{hub, leaf}}, "leaf first of its own": {store.Own, []int64{leaf, hub}},
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t, "pgx", dsn)
			db.SetMaxOpenConns(1)
			st := start.of(db, compile.Postgres())
			eng := engine.New(schema.NewCatalog(s), st, engine.Options{Log: slog.New(slog.DiscardHandler)})
			for _, id := range start.order {
				for range 8 { // PostgreSQL thinks of one plan for all from the sixth time on
					res, err := eng.Run(t.Context(), &graph.Traverse{
						From: graph.NodePattern{Label: "member", IDs: []graph.Value{graph.Int(id)}}, Relationships: []graph.Step{{Types: []string{"FOLLOWS"}}},
						To: graph.NodePattern{Label: "member", Filter: graph.Compare{Property: "name", Op: graph.Eq, Value: graph.String("n8")}},
					})
					require.NoError(t, err)
					require.Equal(t, 1, res.Returned)
				}
			}
			var generic, custom int
			require.NoError(t, db.QueryRow("SELECT sum(generic_plans), sum(custom_plans) FROM pg_prepared_statements WHERE statement LIKE '%skew_follows%' AND statement NOT LIKE '%pg_prepared%'").Scan(&generic, &custom))
			require.Zero(t, generic)
			require.GreaterOrEqual(t, custom, 16)
		})
	}
}
