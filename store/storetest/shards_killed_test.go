package storetest_test

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/memory"
)

// killed kills a shard in the middle of a call: the call fails, one made meanwhile
// does too, and when the shard is back calls are answered. Nothing of them is left
// at the head, in the pool, or at the shard that lived on.
func (c *cluster) killed(t *testing.T) {
	s, err := schema.Parse("shelf.yaml", []byte(shelfSchema))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	for id := range 20 {
		b.Node("book", memory.Values{"id": id, "title": "t"})
		b.Node("slow_book", memory.Values{"id": id, "title": "t"})
	}
	g, err := b.Build()
	require.NoError(t, err)
	head := c.open(t, g)
	var name string
	require.NoError(t, head.QueryRow(c.named).Scan(&name))
	// The shards take their time: a table of the head may be a view there.
	at := make([]*sql.DB, shardCount)
	for i, server := range c.shards {
		at[i] = open(t, server.driver, c.in(server, name))
		exec(t, at[i], "DROP TABLE trellis_slow_book")
		exec(t, at[i], "CREATE VIEW trellis_slow_book AS SELECT id, CONCAT(title, "+c.sleep+") AS title FROM trellis_book")
	}
	running := func(db *sql.DB) (n int) {
		_ = db.QueryRow(c.running).Scan(&n) // a server that is away runs nothing
		return n
	}
	e := engine.New(schema.NewCatalog(s), store.SQL(head, c.head.dialect), engine.Options{Log: slog.New(slog.DiscardHandler)})
	call := func(label string) error {
		_, err := e.Run(context.Background(), &graph.FindNodes{NodePattern: graph.NodePattern{Label: label}})
		return err
	}
	unavailable := func(err error) {
		t.Helper()
		var failure *graph.Error
		require.ErrorAs(t, err, &failure)
		require.Equal(t, graph.Unavailable, failure.Code, "%v", failure.Cause)
		require.False(t, strings.Contains(err.Error(), "shard") || strings.Contains(err.Error(), "127.0.0.1"), err.Error())
	}
	for n := range 2 * shardCount {
		died, lives := n%shardCount, (n+1)%shardCount
		require.NoError(t, call("book"))
		ended := make(chan error, 1)
		go func() { ended <- call("slow_book") }()
		require.Eventually(t, func() bool { return running(at[died]) > 0 }, 20*time.Second, 5*time.Millisecond, "nothing runs at the shard")
		c.shards[died].kill()
		select {
		case err := <-ended:
			unavailable(err)
		case <-time.After(30 * time.Second):
			require.Fail(t, "the call hangs")
		}
		unavailable(call("book"))
		c.shards[died].start()
		require.Eventually(t, func() bool {
			err := call("book")
			return err == nil || !errors.Is(err, graph.Unavailable)
		}, 20*time.Second, 20*time.Millisecond)
		require.NoError(t, call("book"))
		require.Eventually(t, func() bool { return running(at[lives]) == 0 }, 20*time.Second, 20*time.Millisecond, "a statement still runs")
		require.Zero(t, head.Stats().InUse)
	}
}
