package native_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
)

// BenchmarkClients tells how many times the throughput of one client two clients
// have, that call one engine ("shared"), and that call an engine and a store each
// ("apart"), which is as much as the machine lets them have. An iteration is
// a millisecond of each; the best of all counts.
func BenchmarkClients(b *testing.B) {
	g := socialGraph(b)
	shared, other := clientEngine(g), clientEngine(g)
	for _, q := range questions(b, g)[:7] {
		b.Run(q.name, func(b *testing.B) {
			var one, both, apart float64
			for b.Loop() {
				one = max(one, throughput(b, q.query, shared))
				both = max(both, throughput(b, q.query, shared, shared))
				apart = max(apart, throughput(b, q.query, shared, other))
			}
			b.ReportMetric(both/one, "shared")
			b.ReportMetric(apart/one, "apart")
		})
	}
}

func clientEngine(g *memory.Graph) *engine.Engine {
	return engine.New(schema.NewCatalog(g.Schema()), native.New(g, native.Options{HideStatements: true}), engine.Options{
		Statements: engine.HideStatements, Limits: graph.Limits{Rows: 100}, Prompt: true,
	})
}

// throughput is how many answers the engines give, in the same stretch of time,
// to a client each.
func throughput(b *testing.B, q graph.Query, engines ...*engine.Engine) float64 {
	const stretch = time.Millisecond
	var wait sync.WaitGroup
	var calls atomic.Int64
	begin := time.Now().Add(stretch / 20) // until then all have begun
	for _, e := range engines {
		wait.Add(1)
		go func() {
			defer wait.Done()
			var buf []byte
			own := int64(0)
			for time.Until(begin) > 0 {
			}
			for time.Since(begin) < stretch {
				var err error
				if buf, err = e.RunJSON(context.Background(), buf[:0], q); err != nil {
					b.Error(err)
					return
				}
				own++
			}
			calls.Add(own)
		}()
	}
	wait.Wait()
	return float64(calls.Load())
}
