package verify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/embedded"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/store/social"
	"github.com/trellisgraph/trellis/tools/verify"
)

// Stores of the same graph have no differences, and most calls find something.
func TestStoresOfOneGraph(t *testing.T) {
	g, err := social.New(social.Options{Persons: 60})
	require.NoError(t, err)
	other, err := embedded.New(g, embedded.Options{})
	require.NoError(t, err)
	defer other.Close()
	calls := 0
	report, err := verify.Stores(t.Context(), g, native.New(g, native.Options{}), other, verify.Options{Calls: 150, Seed: 7, Progress: func(n int) { calls = n }})
	require.NoError(t, err)
	require.Nil(t, report.Difference, "%+v", report.Difference)
	require.Equal(t, 150, report.Calls)
	require.Equal(t, 150, calls)
	require.Greater(t, report.Found, 90)
	require.Greater(t, report.Pages, 10)
	require.Less(t, report.LeftOut, 15)
}

const towns = `
format: trellis.schema.v1
nodes: {town: {key: id, properties: {id: int64, name: string, size: float}}}
relationships: {ROAD: {from: town, to: town}}
`

func townsWith(t *testing.T, name string, size float64, road int) *memory.Graph {
	s, err := schema.Parse("towns.yaml", []byte(towns))
	require.NoError(t, err)
	b := memory.NewBuilder(s)
	for i := range 20 {
		values := memory.Values{"id": i, "name": fmt.Sprint("town ", i), "size": float64(i) / 3}
		if i == 13 {
			values["name"], values["size"] = name, size
		}
		b.Node("town", values)
		to := (i + 1) % 20
		if i == 13 {
			to = road
		}
		b.Relationship("ROAD", graph.ID("town", i), graph.ID("town", to), nil)
	}
	g, err := b.Build()
	require.NoError(t, err)
	return g
}

// One wrong value and one wrong relationship are found, and told as a small
// call, the same every time; the last digits of a sum are no difference.
func TestDifferencesAreFound(t *testing.T) {
	right := townsWith(t, "town 13", 13.0/3, 14)
	for what, wrong := range map[string]*memory.Graph{
		"value": townsWith(t, "town 13 ", 13.0/3, 14), "relationship": townsWith(t, "town 13", 13.0/3, 15), "number": townsWith(t, "town 13", 4.33334, 14),
	} {
		t.Run(what, func(t *testing.T) {
			var first *verify.Report
			for range 2 {
				report, err := verify.Stores(t.Context(), right, native.New(right, native.Options{}), native.New(wrong, native.Options{}), verify.Options{Calls: 500})
				require.NoError(t, err)
				d := report.Difference
				require.NotNil(t, d)
				require.NotEqual(t, string(d.One), string(d.Other))
				require.Less(t, len(d.Arguments), 160, "%s", d.Arguments)
				require.True(t, json.Valid(d.Arguments))
				if first == nil {
					first = report
				}
				require.Equal(t, first, report)
			}
		})
	}
	report, err := verify.Stores(t.Context(), right, native.New(right, native.Options{}), native.New(right, native.Options{}), verify.Options{Calls: 500})
	require.NoError(t, err)
	require.Nil(t, report.Difference)
}

func TestVerifyingEnds(t *testing.T) {
	g := townsWith(t, "a", 1, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := verify.Stores(ctx, g, native.New(g, native.Options{}), native.New(g, native.Options{}), verify.Options{})
	require.ErrorIs(t, err, context.Canceled)

	s, err := schema.Parse("towns.yaml", []byte(towns))
	require.NoError(t, err)
	empty, err := memory.NewBuilder(s).Build()
	require.NoError(t, err)
	_, err = verify.Stores(t.Context(), empty, native.New(empty, native.Options{}), native.New(empty, native.Options{}), verify.Options{})
	require.ErrorContains(t, err, "no nodes")
}
