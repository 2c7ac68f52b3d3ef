package storetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/load"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/social"
	"github.com/trellisgraph/trellis/tools"
)

// socialNetwork is the graph directory that TRELLIS_SNB names, or a small network
// that is made.
func socialNetwork(t testing.TB) *memory.Graph {
	var g *memory.Graph
	var err error
	if dir := os.Getenv("TRELLIS_SNB"); dir != "" {
		g, err = memory.Open(context.Background(), dir, memory.Options{})
	} else {
		g, err = social.New(social.Options{Persons: 300, Friends: 13, Posts: 4})
	}
	require.NoError(t, err)
	return g
}

// questions asks the ten questions of all benchmarks, of the shards together, of
// one server that has the whole graph, and of the graph in memory: the answers
// are the same. What the first two took is told beside what was sent to shards.
func (c *cluster) questions(t *testing.T) {
	g := socialNetwork(t)
	parameters, err := social.Pick(g)
	require.NoError(t, err)
	began := time.Now()
	head := c.open(t, g)
	spread := time.Since(began)
	name := unique()
	c.database(t, name)
	t.Cleanup(func() { c.drop(t, name) })
	single := open(t, c.head.driver, c.in(c.shards[0], name))
	began = time.Now()
	require.NoError(t, load.Load(context.Background(), single, g, load.Options{}))
	t.Logf("made, filled and measured over %d shards in %v, on one server in %v", shardCount, spread.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))

	peers := []store.Store{inMemory(t, g), store.SQL(single, c.head.dialect), store.SQL(head, c.head.dialect)}
	callers := make([]*tools.Tools, len(peers))
	for i, st := range peers {
		callers[i] = tools.New(engine.New(schema.NewCatalog(g.Schema()), st, engine.Options{Limits: graph.Limits{Rows: social.Rows, Timeout: time.Minute}}), tools.Options{})
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%-4s %10s %10s %7s %10s %10s %10s\n", "", "one", "shards", "ratio", "rows", "sent", "rows sent")
	for _, q := range parameters.Questions(g.Schema()) {
		var answers [3]string
		var took [3][]time.Duration
		var returned, statements, rows int
		for range 5 {
			for i, caller := range callers {
				s, r := 0, 0
				if i == 2 {
					s, r = c.sent(t)
				}
				began := time.Now()
				answer, err := caller.Result(context.Background(), q.Tool, q.Arguments)
				took[i] = append(took[i], time.Since(began))
				var failure *graph.Error
				if errors.As(err, &failure) {
					t.Fatalf("%s: %v: %v", q.Name, err, failure.Cause)
				}
				require.NoError(t, err)
				if i == 2 {
					statements, rows = c.sent(t)
					statements, rows = statements-s, rows-r
				}
				answer.Executed, answer.Statements, answer.NextCursor, returned = "", nil, "", answer.Returned
				text, err := json.Marshal(answer)
				require.NoError(t, err)
				answers[i] = string(text)
			}
			require.Equal(t, answers[0], answers[1], q.Name)
			require.Equal(t, answers[0], answers[2], q.Name)
		}
		require.Positive(t, returned, q.Name)
		for i := range took {
			slices.Sort(took[i])
		}
		one, shards := took[1][2], took[2][2]
		fmt.Fprintf(&table, "%-4s %10v %10v %7.1f %10d %10d %10d\n", q.Name, one.Round(10*time.Microsecond), shards.Round(10*time.Microsecond),
			float64(shards)/float64(one), returned, statements, rows)
	}
	t.Log("\n" + table.String())
}
