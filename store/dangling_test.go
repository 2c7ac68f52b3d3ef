package store_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
)

// A foreign key that is not enforced may lead nowhere. A search that meets it says so,
// and not that the data changed and the call may be made again.
func TestRelationshipsThatLeadNowhere(t *testing.T) {
	s := server{driver: "sqlite", dsn: "file:" + filepath.Join(t.TempDir(), "x.db")}
	db := s.open(t, 1)
	_, err := db.Exec("CREATE TABLE own_cup (id INTEGER PRIMARY KEY, name TEXT, beside INTEGER); INSERT INTO own_cup VALUES (1, 'red', 77)")
	require.NoError(t, err)
	eng := ownEngine(t, store.SQL(db, compile.SQLite()), time.Minute)
	_, err = eng.Run(context.Background(), &graph.Neighbors{Start: graph.ID("cup", 1)})
	require.ErrorIs(t, err, graph.InvalidData)
	require.ErrorContains(t, err, `cup "77": a relationship leads to it`)
}
