package store

import (
	"context"
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"github.com/trellisgraph/trellis/compile"
)

// Connections that the pool has closed are not kept in memory by what is known of
// them.
func TestClosedConnectionsAreForgotten(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	require.NoError(t, err)
	defer db.Close()
	db.SetMaxIdleConns(-1) // each session has a connection of its own
	b := Database(db, compile.SQLite()).(*local)
	most := 0
	for range 200 {
		s, err := b.Begin(context.Background())
		require.NoError(t, err)
		require.NoError(t, s.Close())
		most = max(most, len(b.ready.known))
	}
	require.LessOrEqual(t, most, mostKnown+2)
	require.Greater(t, most, 1)
}
