package engine_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/graph/engine/audit"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/embedded"
	"github.com/trellisgraph/trellis/store/storetest"
	"github.com/trellisgraph/trellis/tools"
)

// A call that is refused for its cost is answered with its fix, and was no call
// of the store.
func TestTooCostlyUntilItIsFixed(t *testing.T) {
	g := storetest.Fixture(t, "gitlab")
	st, err := embedded.New(g, embedded.Options{})
	require.NoError(t, err)
	stats := g.Statistics()
	var records bytes.Buffer
	eng := engine.New(schema.NewCatalog(g.Schema()), st, engine.Options{
		Cost:  compile.Cost{Statistics: func() *compile.Statistics { return stats }, Refuse: 20},
		Audit: audit.NewJSONLines(&records),
	})
	offer := tools.New(eng, tools.Options{})
	args := []byte(`{"start_node": {"label": "gl_user", "node_id": 1}, "max_hops": 3}`)
	_, err = offer.Call(t.Context(), "explore_neighbors", args)
	require.ErrorIs(t, err, graph.TooCostly)
	require.Contains(t, records.String(), `"statements":[],`)
	require.Contains(t, records.String(), `"outcome":"refused","codes":["TOO_COSTLY"]`)
	_, err = offer.DryRun(t.Context(), "explore_neighbors", args)
	require.ErrorIs(t, err, graph.TooCostly)

	var refusal *graph.Error
	require.True(t, errors.As(err, &refusal))
	fixed, err := graph.ApplyFix(args, refusal.Fix)
	require.NoError(t, err)
	require.JSONEq(t, `{"start_node": {"label": "gl_user", "node_id": 1}, "max_hops": 1}`, string(fixed))
	answer, err := offer.Call(t.Context(), "explore_neighbors", fixed)
	require.NoError(t, err)
	require.True(t, json.Valid(answer))

	ex, err := offer.DryRun(t.Context(), "explore_neighbors", fixed)
	require.NoError(t, err)
	require.LessOrEqual(t, ex.Estimate.Cost, 20.0)
	require.NotEmpty(t, ex.Estimate.Parts)

	// What a call costs is told once it can be read.
	_, err = offer.Call(t.Context(), "explore_neighbors", []byte(`{"start_node": {"label": "gl_user", "node_id": 1}, "max_hops": 3, "limit": "9"}`))
	require.ErrorIs(t, err, graph.InvalidType)
	require.NotErrorIs(t, err, graph.TooCostly)
}
