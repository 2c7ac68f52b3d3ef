package engine

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
)

// T38: nothing of any kind is taken once the caller has left, and everything
// before.
func TestT38NothingIsWrittenAfterTheEnd(t *testing.T) {
	for name, write := range map[string]func(graph.Writer) error{
		"node":         func(w graph.Writer) error { return w.Node(&graph.Node{}) },
		"relationship": func(w graph.Writer) error { return w.Relationship(&graph.Relationship{}) },
		"path":         func(w graph.Writer) error { return w.Path(&graph.Path{}) },
		"row":          func(w graph.Writer) error { return w.Row([]graph.Value{graph.Int(1)}) },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		res := &graph.Result{}
		written := func() int { return len(res.Nodes) + len(res.Relationships) + len(res.Paths) + len(res.Rows) }
		w := stoppable{graph.Collector{Result: res}, ctx}
		require.NoError(t, write(w), name)
		require.Equal(t, 1, written(), name)
		cancel()
		require.ErrorIs(t, write(w), context.Canceled, name)
		require.Equal(t, 1, written(), name)
	}
}
