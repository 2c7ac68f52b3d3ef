package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
)

// T58: a hundred readers under a schema that is swapped all the time: each call
// sees one revision from its view to its answer.
func TestT58SchemasAreSwappedUnderReaders(t *testing.T) {
	labels := []string{"book", "volume", "tome"}
	var schemas []*schema.Schema
	for _, l := range labels {
		schemas = append(schemas, library(t, l))
	}
	catalog := schema.NewCatalog(schemas[0])
	eng := engine.New(catalog, fake(func(_ context.Context, p *compile.Plan, w graph.Writer) (store.Outcome, error) {
		name := p.Root.(*compile.Find).Nodes.Label().Name
		if _, ok := p.Schema.Label(name); !ok {
			return store.Outcome{}, errors.New("a plan of two schemas")
		}
		return store.Outcome{Returned: 1}, w.Node(&graph.Node{Label: name, ID: p.Schema.Hash()})
	}), engine.Options{Log: slog.New(slog.DiscardHandler), Concurrency: 100})

	stop := make(chan struct{})
	var swaps, readers sync.WaitGroup
	swaps.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				catalog.Swap(schemas[i%len(schemas)])
			}
		}
	})
	for range 100 {
		readers.Go(func() {
			for range 50 {
				var label, hash string
				res, err := eng.Call(context.Background(), engine.Request{Tool: graph.ToolFindNodes, Decode: func(s *schema.Schema) (graph.Query, graph.Errors) {
					hash = s.Hash()
					for l := range s.Labels() {
						label = l.Name
					}
					return &graph.FindNodes{NodePattern: graph.NodePattern{Label: label}}, nil
				}})
				if err != nil || len(res.Nodes) != 1 || res.Nodes[0].Label != label || res.Nodes[0].ID != hash {
					t.Errorf("read as %s: %v, %v", label, res, err)
					return
				}
			}
		})
	}
	readers.Wait()
	close(stop)
	swaps.Wait()
}

// echo is a store whose answer is the value that was asked for, after a while.
func echo(ctx context.Context, p *compile.Plan, w graph.Writer) (store.Outcome, error) {
	f := p.Root.(*compile.Find)
	value := p.Params[f.Nodes.Cond.(compile.Compare).Slot]
	for range 3 {
		if err := w.Node(&graph.Node{Label: "book", ID: value.Text()}); err != nil {
			return store.Outcome{}, err
		}
	}
	return store.Outcome{Returned: 3, Executed: value.Text(), Statements: []graph.Statement{{SQL: value.Text()}}}, nil
}

// mine reports what is wrong with an answer to a call for an own value.
func mine(res *graph.Result, value string) error {
	if len(res.Nodes) != 3 || res.Executed != value || res.Statements[0].SQL != value {
		return fmt.Errorf("%s got %+v", value, res)
	}
	for _, n := range res.Nodes {
		if n.ID != value {
			return fmt.Errorf("%s got the node %s", value, n.ID)
		}
	}
	return nil
}

// T59: callers that share an engine and send equal requests with values of
// their own never get each other's answers.
func TestT59AnswersNeverCross(t *testing.T) {
	eng, _ := newEngine(t, echo, engine.Options{})
	var callers sync.WaitGroup
	for c := range 50 {
		callers.Go(func() {
			for i := range 100 {
				value := fmt.Sprint(c, "/", i)
				q := books()
				q.Filter = graph.Where("title", value)
				res, err := eng.Call(as("a", "p", "t"), readable(`{"id": 1}`, q))
				if err == nil {
					err = mine(res, value)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	callers.Wait()
}

// A thousand callers on a store with room for eight: every answer is right,
// whoever gets none is OVERLOADED or RATE_LIMITED, and nothing is left behind.
// TRELLIS_LOAD_TIME sets how long it lasts, such as 60s; 2 s by default.
func TestAThousandCallers(t *testing.T) {
	lasts := 2 * time.Second
	if text := os.Getenv("TRELLIS_LOAD_TIME"); text != "" {
		var err error
		lasts, err = time.ParseDuration(text)
		require.NoError(t, err)
	}
	const callers, places = 1000, 8
	var running, most atomic.Int64
	pool := make(chan struct{}, places)
	eng, _ := newEngine(t, func(ctx context.Context, p *compile.Plan, w graph.Writer) (store.Outcome, error) {
		if n := running.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer running.Add(-1)
		select {
		case pool <- struct{}{}:
		default:
			return store.Outcome{}, errors.New("the pool is exhausted")
		}
		defer func() { <-pool }()
		time.Sleep(time.Millisecond)
		return echo(ctx, p, w)
	}, engine.Options{Concurrency: places, MaxQueue: 600, QueueTimeout: 50 * time.Millisecond,
		Rates: engine.Rates{PerPrincipal: engine.Rate{PerSecond: 50, Burst: 10}, PerTenant: engine.Rate{PerSecond: 20_000}}})
	end := time.Now().Add(lasts)
	var answered, overloaded, limited atomic.Int64
	var all sync.WaitGroup
	for c := range callers {
		all.Go(func() {
			ctx := as(fmt.Sprint("tenant ", c%3), fmt.Sprint("principal ", c), "")
			for i := 0; time.Now().Before(end); i++ {
				value := fmt.Sprint(c, "/", i)
				q := books()
				q.Filter = graph.Where("title", value)
				res, err := eng.Run(ctx, q)
				switch {
				case err == nil:
					answered.Add(1)
					if err := mine(res, value); err != nil {
						t.Error(err)
					}
				case errors.Is(err, graph.Overloaded):
					overloaded.Add(1)
					time.Sleep(time.Duration(5+c%20) * time.Millisecond)
				case errors.Is(err, graph.RateLimited):
					limited.Add(1)
					time.Sleep(time.Duration(5+c%20) * time.Millisecond)
				default:
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	t.Logf("%d answered, %d overloaded, %d limited in %s; at most %d at once", answered.Load(), overloaded.Load(), limited.Load(), lasts, most.Load())
	require.Positive(t, answered.Load())
	require.Positive(t, overloaded.Load())
	require.LessOrEqual(t, most.Load(), int64(places))
	require.Equal(t, engine.Stats{}, eng.Stats())
}
