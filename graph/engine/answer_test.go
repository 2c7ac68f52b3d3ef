package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/store"
)

// An answer that goes on and has no cursor says so.
func TestAnswersWithoutACursorSayWhy(t *testing.T) {
	for _, length := range []int{100, 1 << 20} {
		eng, _ := newEngine(t, func(context.Context, *compile.Plan, graph.Writer) (store.Outcome, error) {
			return store.Outcome{Returned: 1, TruncatedBy: graph.TruncatedRows, Next: []graph.Value{graph.String(strings.Repeat("x", length))}}, nil
		}, engine.Options{})
		for range 3 { // known plans keep their warnings to themselves
			res, err := eng.Run(t.Context(), books())
			require.NoError(t, err)
			if length == 100 {
				require.NotEmpty(t, res.NextCursor)
				require.Empty(t, res.Warnings)
				continue
			}
			require.Empty(t, res.NextCursor)
			require.Len(t, res.Warnings, 1)
			require.Equal(t, graph.LimitExceeded, res.Warnings[0].Code)
		}
	}
}
