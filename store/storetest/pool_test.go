package storetest_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// A pool of two connections and 200 callers: everyone is answered, or told in
// time that there was no connection, and none is lost.
func TestT41PoolExhausted(t *testing.T) {
	for name, d := range databasesAt(t) {
		t.Run(name, func(t *testing.T) {
			db := open(t, d.driver, d.dsn(d.address, "", "", ""))
			db.SetMaxOpenConns(2)
			h := newShelf(t, db, d.dialect)
			callers := func(eng *engine.Engine, label string) (answered int, codes map[graph.Code]int) {
				codes = map[graph.Code]int{}
				var all sync.WaitGroup
				var mu sync.Mutex
				for range 200 {
					all.Go(func() {
						res, err := eng.Run(context.Background(), &graph.FindNodes{NodePattern: graph.NodePattern{Label: label}})
						mu.Lock()
						defer mu.Unlock()
						var e *graph.Error
						if errors.As(err, &e) {
							codes[e.Code]++
						} else if err == nil && res.Returned == 10 {
							answered++
						}
					})
				}
				all.Wait()
				require.Eventually(t, func() bool { return db.Stats().InUse == 0 }, 10*time.Second, 10*time.Millisecond, "connections are lost")
				return answered, codes
			}
			s, err := schema.Parse("shelf.yaml", []byte(shelfSchema))
			require.NoError(t, err)
			with := func(opts engine.Options) *engine.Engine {
				opts.Log = slog.New(slog.DiscardHandler)
				return engine.New(schema.NewCatalog(s), store.SQL(db, d.dialect), opts)
			}

			answered, codes := callers(with(engine.Options{Limits: graph.Limits{Timeout: time.Minute}, Concurrency: 200}), "book")
			require.Equal(t, 200, answered, "%v", codes)

			// A slow book takes a second, so that two are answered in each.
			start := time.Now()
			answered, codes = callers(with(engine.Options{Limits: graph.Limits{Timeout: 2500 * time.Millisecond}, Concurrency: 200}), "slow_book")
			require.Less(t, time.Since(start), 20*time.Second)
			require.LessOrEqual(t, answered, 4)
			require.Equal(t, 200, answered+codes[graph.Timeout], "%v", codes)
			h.works(t)

			answered, codes = callers(with(engine.Options{Limits: graph.Limits{Timeout: time.Minute}, Concurrency: 2, MaxQueue: 10, QueueTimeout: 100 * time.Millisecond}), "slow_book")
			require.Equal(t, 200, answered+codes[graph.Overloaded], "%v", codes)
			require.GreaterOrEqual(t, answered, 2)
			require.GreaterOrEqual(t, codes[graph.Overloaded], 188)
			h.works(t)
		})
	}
}
