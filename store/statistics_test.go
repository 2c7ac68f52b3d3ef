package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/embedded"
	"github.com/trellisgraph/trellis/store/load"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/storetest"
)

// What is counted in the tables of a graph is what is counted in the graph.
func TestReadStatistics(t *testing.T) {
	for _, name := range storetest.FixtureNames() {
		g := storetest.Fixture(t, name)
		for engine, open := range map[string]func(*testing.T, *memory.Graph) (store.Backend, *compile.Dialect){
			"embedded": embeddedBackend, "mariadb": mariaBackend, "postgres": postgresBackend,
		} {
			t.Run(name+"/"+engine, func(t *testing.T) {
				b, d := open(t, g)
				got, err := store.ReadStatistics(t.Context(), b, d, g.Schema())
				require.NoError(t, err)
				want := g.Statistics()
				for l := range g.Schema().Labels() {
					for _, p := range l.Properties {
						if p.Type == schema.JSON { // not counted
							delete(want.Labels[l.Name].Properties, p.Name)
							continue
						}
						a, b := want.Labels[l.Name].Properties[p.Name], got.Labels[l.Name].Properties[p.Name]
						require.InDelta(t, a.Nulls, b.Nulls, 1e-9, p.Name)
						a.Nulls = b.Nulls
						want.Labels[l.Name].Properties[p.Name] = a
					}
				}
				require.Equal(t, want, got)
			})
		}
	}
}

func embeddedBackend(t *testing.T, g *memory.Graph) (store.Backend, *compile.Dialect) {
	b, err := embedded.NewBackend(g, embedded.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	return b, compile.Embedded()
}

func mariaBackend(t *testing.T, g *memory.Graph) (store.Backend, *compile.Dialect) {
	dsn := os.Getenv("TRELLIS_TEST_MARIADB")
	if dsn == "" {
		t.Skip("skipped: needs TRELLIS_TEST_MARIADB")
	}
	config, err := mysql.ParseDSN(dsn)
	require.NoError(t, err)
	name := newDatabase(t, "mysql", dsn, "DATABASE", "")
	config.DBName = name
	return loaded(t, "mysql", config.FormatDSN(), g), compile.MariaDB()
}

func postgresBackend(t *testing.T, g *memory.Graph) (store.Backend, *compile.Dialect) {
	dsn := os.Getenv("TRELLIS_TEST_POSTGRES")
	if dsn == "" {
		t.Skip("skipped: needs TRELLIS_TEST_POSTGRES")
	}
	own, err := url.Parse(dsn)
	require.NoError(t, err)
	query := own.Query()
	query.Set("search_path", newDatabase(t, "pgx", dsn, "SCHEMA", " CASCADE"))
	own.RawQuery = query.Encode()
	return loaded(t, "pgx", own.String(), g), compile.Postgres()
}

// newDatabase makes a database of this test alone.
func newDatabase(t *testing.T, driver, dsn, kind, cascade string) string {
	db, err := sql.Open(driver, dsn)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	name := fmt.Sprintf("trellis_%d_%d", os.Getpid(), time.Now().UnixNano())
	_, err = db.Exec("CREATE " + kind + " " + name)
	require.NoError(t, err)
	t.Cleanup(func() { db.Exec("DROP " + kind + " " + name + cascade) })
	return name
}

func loaded(t *testing.T, driver, dsn string, g *memory.Graph) store.Backend {
	db, err := sql.Open(driver, dsn)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	require.NoError(t, load.Load(t.Context(), db, g, load.Options{}))
	d := compile.MariaDB()
	if driver == "pgx" {
		d = compile.Postgres()
	}
	return store.Database(db, d)
}

// What was counted before a failure is kept, and an estimate takes it.
func TestReadStatisticsInPart(t *testing.T) {
	g := storetest.Fixture(t, "gitlab")
	b, d := embeddedBackend(t, g)
	all := len(d.Countings(g.Schema()))
	for n := range all + 1 {
		got, err := store.ReadStatistics(t.Context(), &failingBackend{Backend: b, left: n}, d, g.Schema())
		if n == all {
			require.NoError(t, err)
			continue
		}
		var failure *graph.Error
		require.True(t, errors.As(err, &failure))
		require.Equal(t, graph.Internal, failure.Code)
		require.NotContains(t, failure.Error(), "secret")
		plan, err := compile.New(compile.Options{}).Check(g.Schema(), nil, &graph.Neighbors{Start: graph.NodeID{Label: "gl_user", ID: graph.Int(1)}})
		require.NoError(t, err)
		require.NotZero(t, compile.EstimateCost(plan, got).Cost)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := store.ReadStatistics(ctx, b, d, g.Schema())
	require.ErrorIs(t, err, graph.Canceled)
}

// failingBackend fails after so many statements.
type failingBackend struct {
	store.Backend
	left int
}

func (b *failingBackend) Begin(ctx context.Context) (store.Session, error) {
	s, err := b.Backend.Begin(ctx)
	return failingSession{s, b}, err
}

type failingSession struct {
	store.Session
	b *failingBackend
}

func (s failingSession) Query(ctx context.Context, text string, args []any) (store.Rows, error) {
	if s.b.left--; s.b.left < 0 {
		return nil, errors.New("secret")
	}
	return s.Session.Query(ctx, text, args)
}

// The statements hold no value, and nothing but counts comes back.
func TestCountings(t *testing.T) {
	g := storetest.Fixture(t, "mapping")
	for _, d := range compile.Dialects() {
		for _, c := range d.Countings(g.Schema()) {
			require.True(t, strings.HasPrefix(c.Text(nil), "SELECT COUNT("), c.Text(nil))
			for _, f := range c.Fields {
				require.Equal(t, schema.Int64, f.Type.Type)
			}
		}
	}
}
