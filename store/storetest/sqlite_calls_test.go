package storetest_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/storetest"
)

// A call that is given up ends the statement: the engine runs in this process,
// so that whoever comes back in time has stopped it.
func TestSQLiteEndsWhatWasGivenUp(t *testing.T) {
	s, err := schema.Parse("endless.yaml", []byte(`{format: trellis.schema.v1, nodes: {number: {key: id, properties: {id: int64}}}}`))
	require.NoError(t, err)
	db := open(t, "sqlite", ":memory:")
	db.SetMaxOpenConns(1)
	exec(t, db, "CREATE VIEW number AS WITH RECURSIVE c(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM c) SELECT id FROM c")
	exec(t, db, "CREATE TABLE calm (id INTEGER PRIMARY KEY)")
	for code, limit := range map[graph.Code]time.Duration{graph.Timeout: 300 * time.Millisecond, graph.Canceled: time.Minute} {
		eng := engine.New(schema.NewCatalog(s), store.SQL(db, compile.SQLite()), engine.Options{Limits: graph.Limits{Timeout: limit}, Log: slog.New(slog.DiscardHandler)})
		ctx, cancel := context.WithCancel(context.Background())
		if code == graph.Canceled {
			time.AfterFunc(300*time.Millisecond, cancel)
		}
		start := time.Now()
		_, err := eng.Run(ctx, &graph.FindNodes{NodePattern: graph.NodePattern{Label: "number"}, OrderBy: []graph.Order{{Property: "id", Direction: graph.Desc}}})
		cancel()
		require.ErrorIs(t, err, code)
		require.Less(t, time.Since(start), 10*time.Second)
		exec(t, db, "SELECT * FROM calm") // the one connection is free again
	}
}

// Few connections and many callers: everyone is answered.
func TestT41PoolOfSQLite(t *testing.T) {
	g := storetest.Fixture(t, "gitlab")
	for _, size := range []int{1, 2} {
		db := sqliteDatabase(t, g)
		db.SetMaxOpenConns(size)
		eng := engine.New(schema.NewCatalog(g.Schema()), store.SQL(db, compile.SQLite()),
			engine.Options{Limits: graph.Limits{Timeout: time.Minute}, Concurrency: 200, Log: slog.New(slog.DiscardHandler)})
		var all sync.WaitGroup
		failures := make(chan error, 200)
		for range 200 {
			all.Go(func() {
				r, err := eng.Run(context.Background(), &graph.FindNodes{NodePattern: graph.NodePattern{Label: "gl_user"}})
				if err == nil && r.Returned != 6 {
					err = errors.New("another answer")
				}
				failures <- err
			})
		}
		all.Wait()
		close(failures)
		for err := range failures {
			require.NoError(t, err)
		}
		require.Zero(t, db.Stats().InUse)
	}
}

// T47 with what callers can send; what the command's connections refuse has its
// own test.
func TestT47NothingIsWrittenSQLite(t *testing.T) {
	file := "file:" + t.TempDir() + "/canary.db"
	nothingIsWritten(t, open(t, "sqlite", file), store.SQL(open(t, "sqlite", file), compile.SQLite()))
}

// A session cannot write, whatever its connection could.
func TestT47SessionsOnlyReadSQLite(t *testing.T) {
	file := "file:" + t.TempDir() + "/canary.db"
	content := canaries(t, open(t, "sqlite", file))
	before := content()
	b := store.Database(open(t, "sqlite", file), compile.SQLite())
	for _, text := range []string{
		"DELETE FROM trellis_canary", "UPDATE trellis_canary SET name = 'dead'", "INSERT INTO trellis_canary VALUES ('9', 'cuckoo', NULL, NULL)",
		"DROP TABLE trellis_canary", "SELECT 1; DELETE FROM trellis_canary", "CREATE TABLE t (a)",
	} {
		session, err := b.Begin(t.Context())
		require.NoError(t, err)
		rows, err := session.Query(t.Context(), text, nil)
		if err == nil {
			for rows.Next() {
			}
			err = errors.Join(rows.Err(), rows.Close())
		}
		require.Error(t, err, text)
		_ = session.Close()
		require.Equal(t, before, content(), text)
	}
}

// Whether a start exists is asked only where it led nowhere.
func TestSQLiteLooksForStartsOnce(t *testing.T) {
	g := storetest.Fixture(t, "gitlab")
	eng := engine.New(schema.NewCatalog(g.Schema()), store.SQL(sqliteDatabase(t, g), compile.SQLite()), engine.Options{Log: slog.New(slog.DiscardHandler)})
	for id, want := range map[int64]struct{ statements, warnings int }{1: {1, 0}, 6: {2, 0}, 4711: {2, 1}} {
		res, err := eng.Run(context.Background(), &graph.Traverse{
			From: graph.NodePattern{Label: "gl_user", IDs: []graph.Value{graph.Int(id)}}, Relationships: []graph.Step{{Types: []string{"FOLLOWS"}}},
			To: graph.NodePattern{Label: "gl_user"},
		})
		require.NoError(t, err)
		require.Len(t, res.Statements, want.statements, "%d: %v", id, res.Statements)
		require.Len(t, res.Warnings, want.warnings, "%d: %v", id, res.Warnings)
	}
}

// Two searches that are about to meet at hubs ask for what is between them, and do
// not walk around the hubs first: of 1,000 neighbours each, no more than the budget.
func TestSQLiteSearchesMeet(t *testing.T) {
	s, err := schema.Parse("hubs.yaml", []byte(`{format: trellis.schema.v1, nodes: {place: {key: id, properties: {id: int64}}}, relationships: {ROAD: {from: place, to: place}}}`))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	for n := range 2_004 {
		b.Node("place", memory.Values{"id": n})
	}
	road := func(from, to int) {
		b.Relationship("ROAD", graph.ID("place", from), graph.ID("place", to), nil)
	}
	road(0, 1)
	road(1, 2)
	road(2, 3)
	for n := range 1_000 {
		road(1, 4+n)
		road(1_004+n, 2)
	}
	g, err := b.Build()
	require.NoError(t, err)
	c := storetest.NewCaller(s, eachSQLiteMemory(t, g), graph.Limits{Budget: 20})
	r, err := c.Call("find_paths", []byte(`{"from": {"label": "place", "node_id": 0}, "to": {"label": "place", "node_id": 3}, "max_hops": 6}`))
	require.NoError(t, err)
	require.Len(t, r.Paths, 1)
	require.Len(t, r.Paths[0].Relationships, 3)
	require.Empty(t, r.TruncatedBy)
}
