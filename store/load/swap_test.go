package load_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/load"
	"github.com/trellisgraph/trellis/store/memory"
)

const generations = `
format: trellis.schema.v1
nodes:
  a: {table: lt_gen_a, key: id, properties: {id: int64, gen: {type: int64, index: true}}}
  b: {table: lt_gen_b, key: id, properties: {id: int64, gen: int64}}
relationships:
  R: {from: a, to: b, table: lt_gen_r, from_column: a_id, to_column: b_id}
`

// generation is a graph with a number in all its nodes.
func generation(t *testing.T, gen int) *memory.Graph {
	return build(t, generations, func(b *memory.Builder) {
		for i := range 300 {
			b.Node("a", memory.Values{"id": i, "gen": gen})
			b.Node("b", memory.Values{"id": i, "gen": gen})
			b.Relationship("R", graph.ID("a", i), graph.ID("b", i), nil)
		}
	})
}

func dialectOf(name string) *compile.Dialect {
	d, _ := compile.DialectNamed(name)
	return d
}

// Who asks while a graph is loaded over another gets an answer of one of them,
// never of an empty or a half-filled table.
func TestReadersSeeOneGraph(t *testing.T) {
	for name, s := range servers(t) {
		t.Run(name, func(t *testing.T) {
			g := generation(t, 0)
			s.drop(t, g)
			t.Cleanup(func() { s.drop(t, g) })
			require.NoError(t, load.Load(context.Background(), s.db, g, load.Options{}))
			eng := engine.New(schema.NewCatalog(g.Schema()), store.SQL(s.db, dialectOf(name)), engine.Options{Log: slog.New(slog.DiscardHandler)})
			ctx, stop := context.WithCancel(context.Background())
			var readers sync.WaitGroup
			defer readers.Wait()
			defer stop()
			var mu sync.Mutex
			seen, failed := map[string]int{}, map[graph.Code]int{}
			for range 2 {
				readers.Go(func() {
					for ctx.Err() == nil {
						res, err := eng.Run(context.Background(), &graph.Traverse{From: graph.NodePattern{Label: "a", IDs: []graph.Value{graph.Int(1), graph.Int(2)}},
							Relationships: []graph.Step{{Types: []string{"R"}}}, To: graph.NodePattern{Label: "b"}})
						mu.Lock()
						var e *graph.Error
						if errors.As(err, &e) {
							failed[e.Code]++
							if e.Code != graph.Unavailable {
								t.Errorf("%v", e.Cause)
							}
						} else {
							var gens []string
							for _, n := range res.Nodes {
								for _, p := range n.Properties {
									if p.Name == "gen" {
										gens = append(gens, p.Value.String())
									}
								}
							}
							seen[strings.Join(gens, " ")]++
						}
						mu.Unlock()
					}
				})
			}
			for gen := range 4 {
				require.NoError(t, load.Load(context.Background(), s.db, generation(t, gen+1), load.Options{}))
				time.Sleep(20 * time.Millisecond)
			}
			stop()
			readers.Wait()
			t.Log(seen, failed)
			require.Greater(t, len(seen), 1)
			for gens := range seen {
				f := strings.Fields(gens)
				require.NotEmpty(t, f, "an answer without rows")
				for _, gen := range f {
					require.Equal(t, f[0], gen, "of two graphs: %s", gens)
				}
			}
			requireNothingBeside(t, s)
		})
	}
}

// requireNothingBeside looks for tables and indexes under the names that loading
// gives them meanwhile.
func requireNothingBeside(t *testing.T, s server) {
	t.Helper()
	require.Empty(t, s.beside(t))
	var n int
	if s.quote == `"` {
		require.NoError(t, s.db.QueryRow("SELECT COUNT(*) FROM pg_indexes WHERE indexname LIKE 'trellis\\_%' OR tablename = 'lt_gen_a' AND indexname NOT IN ('lt_gen_a_pkey', 'lt_gen_a_gen_idx')").Scan(&n))
		require.Zero(t, n)
	}
}

// What fails leaves the tables as they were, and nothing beside them.
func TestFailureOnMariaDBLeavesWhatWasThere(t *testing.T) {
	s, ok := servers(t)["mariadb"]
	if !ok {
		t.Skip("skipped: needs TRELLIS_TEST_MARIADB")
	}
	before := generation(t, 1)
	s.drop(t, before)
	t.Cleanup(func() { s.exec(t, "DROP TABLE IF EXISTS lt_gen_child"); s.drop(t, before) })
	require.NoError(t, load.Load(context.Background(), s.db, before, load.Options{}))

	s.exec(t, "CREATE TABLE lt_gen_child (a BIGINT, FOREIGN KEY (a) REFERENCES lt_gen_a (id))")
	err := load.Load(context.Background(), s.db, generation(t, 2), load.Options{})
	require.ErrorContains(t, err, `making table "lt_gen_a": a foreign key of table`)
	compare(t, s, before)
	s.exec(t, "DROP TABLE lt_gen_child")

	s.exec(t, "DROP TABLE lt_gen_r")
	s.exec(t, "CREATE VIEW lt_gen_r AS SELECT id AS a_id, id AS b_id FROM lt_gen_a")
	err = load.Load(context.Background(), s.db, generation(t, 2), load.Options{})
	require.ErrorContains(t, err, `making table "lt_gen_r": there is a view of that name`)
	s.exec(t, "DROP VIEW lt_gen_r")

	ctx, cancel := context.WithCancel(context.Background())
	err = load.Load(ctx, s.db, generation(t, 2), load.Options{Progress: func(load.Progress) { cancel() }})
	require.ErrorIs(t, err, context.Canceled)
	requireNothingBeside(t, s)
	require.NoError(t, load.Load(context.Background(), s.db, generation(t, 3), load.Options{}))
	compare(t, s, generation(t, 3))

	// A foreign key from one of the tables to another is no hindrance.
	s.exec(t, "ALTER TABLE lt_gen_r ADD FOREIGN KEY (a_id) REFERENCES lt_gen_a (id)")
	require.NoError(t, load.Load(context.Background(), s.db, generation(t, 4), load.Options{}))
	compare(t, s, generation(t, 4))
	var checks int
	require.NoError(t, s.db.QueryRow("SELECT @@foreign_key_checks").Scan(&checks))
	require.Equal(t, 1, checks)
}

// The role that Load makes may read the graph, and nothing else, so that a check
// of its connection finds nothing.
func TestRole(t *testing.T) {
	for name, s := range servers(t) {
		t.Run(name, func(t *testing.T) {
			g := generation(t, 1)
			s.drop(t, g)
			s.exec(t, "DROP TABLE IF EXISTS lt_secret")
			s.exec(t, "CREATE TABLE lt_secret (id BIGINT)")
			role := load.Role{Name: fmt.Sprintf("lt role's \"%d`", os.Getpid()), Password: `it's a "\ pass'; DROP TABLE lt_secret; -- `}
			t.Cleanup(func() {
				if name == "postgres" {
					s.exec(t, "DROP OWNED BY "+s.name(role.Name))
					s.exec(t, "DROP ROLE "+s.name(role.Name))
				} else {
					s.exec(t, "DROP USER "+s.name(role.Name))
				}
				s.exec(t, "DROP TABLE lt_secret")
				s.drop(t, g)
			})
			err := load.Load(context.Background(), s.db, g, load.Options{Role: &load.Role{Name: role.Name}})
			require.ErrorContains(t, err, "there is no role")
			require.NoError(t, load.Load(context.Background(), s.db, g, load.Options{Role: &role}))
			again := role
			again.Password = "" // it keeps its own
			require.NoError(t, load.Load(context.Background(), s.db, generation(t, 2), load.Options{Role: &again}))

			db := asUser(t, name, role.Name, role.Password)
			if name == "postgres" {
				s.exec(t, "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
			}
			found, err := store.CheckConnection(context.Background(), db, dialectOf(name), g.Schema())
			require.NoError(t, err)
			require.Empty(t, found)
			compare(t, server{db, s.quote, s.bind}, generation(t, 2))
			_, err = db.Exec("SELECT * FROM lt_secret")
			require.Error(t, err)
			_, err = db.Exec("DELETE FROM lt_gen_a")
			require.Error(t, err)
		})
	}
}

func TestRefusedRoles(t *testing.T) {
	g := generation(t, 1)
	for want, opts := range map[string]load.Options{
		"load: SQLite and DuckDB have no roles":       {Target: load.SQLite, Role: &load.Role{Name: "a", Password: "b"}},
		"load: the role has no name":                  {Target: load.Postgres, Role: &load.Role{Password: "b"}},
		"load: the role's name and password must be ": {Target: load.MariaDB, Role: &load.Role{Name: "a", Password: "b\x00"}},
	} {
		require.ErrorContains(t, load.Load(context.Background(), nil, g, opts), want)
	}
}
