package native

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
)

// A call that ends while values are numbered leaves no half of a numbering to the
// next ones, and does not wait for who numbers them.
func TestNumberingEndsWithTheContext(t *testing.T) {
	g := items(t)
	p, err := compile.New(compile.Options{}).Check(g.Schema(), nil, &graph.Aggregate{
		NodePattern: graph.NodePattern{Label: "item"}, GroupBy: []graph.GroupKey{{Property: "color"}},
		Aggregations: []graph.Aggregation{{Function: graph.Count}, {Function: graph.CountDistinct, Property: "price"}}})
	require.NoError(t, err)
	tables := newTables(g, nil)
	prog, err := tables.lower(p)
	require.NoError(t, err)
	call := func(ctx context.Context) (*graph.Collector, error) {
		out := graph.Collector{Result: &graph.Result{}}
		r := begin(ctx, p, tables, prog)
		_, err := prog.run(r, &out)
		r.end()
		return &out, err
	}
	gone, leave := context.WithCancel(context.Background())
	leave()
	_, err = call(gone)
	require.ErrorIs(t, err, context.Canceled)

	color := tables.denses.of(begin(context.Background(), p, tables, prog), tables.labels["item"].columns["color"], "")
	require.Equal(t, 3, color.size)
	color.made.Store(false)
	color.turn <- struct{}{} // somebody makes it
	late, stop := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer stop()
	_, err = call(late)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	<-color.turn

	out, err := call(context.Background())
	require.NoError(t, err)
	require.Len(t, out.Result.Rows, 3)
}
