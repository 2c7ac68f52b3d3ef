package store_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
)

// A statement that is kept holds on to nothing when it has been read: the next call
// sees what was written meanwhile, and nobody who writes has to wait for it.
func TestKeptStatementsHoldNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cups.db")
	writer, err := sql.Open("sqlite", "file:"+file+"?_pragma=journal_mode(wal)")
	require.NoError(t, err)
	defer writer.Close()
	run := func(text string) {
		_, err := writer.Exec(text)
		require.NoError(t, err, text)
	}
	run("CREATE TABLE own_cup (id INTEGER PRIMARY KEY, name TEXT, beside INTEGER)")
	run("CREATE TABLE own_slow (id INTEGER PRIMARY KEY, name TEXT)")
	db, err := sql.Open("sqlite", "file:"+file+"?mode=ro")
	require.NoError(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	eng := ownEngine(t, store.SQL(db, compile.SQLite()), time.Minute)
	for n := range 8 {
		run("INSERT INTO own_cup (name) VALUES ('red')")
		for _, limit := range []int{1, 30} { // read in part, and to the end
			found, err := eng.Run(context.Background(), &graph.FindNodes{NodePattern: graph.NodePattern{Label: "cup"}, Limit: limit})
			require.NoError(t, err)
			require.Equal(t, min(limit, n+1), found.Returned)
			around, err := eng.Run(context.Background(), &graph.Neighbors{Start: graph.ID("cup", n+1)})
			require.NoError(t, err)
			require.Zero(t, around.Returned)
		}
		var busy, frames, done int
		require.NoError(t, writer.QueryRow("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &done))
		require.Zero(t, busy, "a reader is in the way")
	}
}
