package engine_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/graph/engine/audit"
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

// A store is told that nobody sees the statements that it runs, but only where
// neither answers nor records have them.
func TestStatementsThatNobodySees(t *testing.T) {
	for _, c := range []struct {
		opts   engine.Options
		hidden bool
	}{
		{engine.Options{Statements: engine.HideStatements}, true},
		{engine.Options{Statements: engine.HideStatements, Prompt: true}, true},
		{engine.Options{Statements: engine.HideStatements, Audit: audit.NewJSONLines(io.Discard)}, false},
		{engine.Options{Statements: engine.HideValues}, false},
		{engine.Options{}, false},
	} {
		var told []bool
		eng, _ := newEngine(t, func(_ context.Context, p *compile.Plan, _ graph.Writer) (store.Outcome, error) {
			told = append(told, p.HideStatements)
			return store.Outcome{}, nil
		}, c.opts)
		for range 3 { // known plans, too
			_, err := eng.Run(t.Context(), books())
			require.NoError(t, err)
		}
		require.Equal(t, []bool{c.hidden, c.hidden, c.hidden}, told)
	}
}
