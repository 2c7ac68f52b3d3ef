package command

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools"
)

// Calls of graphs in memory are not watched, which would cost several times what
// they do: the native store returns by itself.
func TestMemoryIsPrompt(t *testing.T) {
	const shop = "../../schema/bundle/testdata/shop"
	ctx := t.Context()
	g, err := openGraph(ctx, shop, 0, nil)
	require.NoError(t, err)
	allocs := func(offered *tools.Tools) float64 {
		var room []byte
		return testing.AllocsPerRun(100, func() {
			room, err = offered.AppendCall(ctx, room[:0], "get_product", []byte(`{"id": "SP-2"}`))
			require.NoError(t, err)
		})
	}
	st := native.New(g, native.Options{})
	of := func(prompt bool) float64 {
		return allocs(tools.New(engine.New(schema.NewCatalog(g.Schema()), st, engine.Options{Prompt: prompt, Statements: engine.HideStatements}), tools.Options{}))
	}
	prompt, watched := of(true), of(false)
	require.Less(t, prompt+2, watched, "so that the number tells them apart")
	least := (prompt + watched) / 2 // the race detector has pools forget at random

	opened, err := openMemory(ctx, shop, 0, "memory", &host{}, engine.Options{Statements: engine.HideStatements})
	require.NoError(t, err)
	require.Less(t, allocs(opened.tools), least, "--graph")
	var from engine.Source = fixedGraph{engine.Snapshot{Schema: g.Schema(), Store: st}}
	require.Less(t, allocs(sourceSession(from, nil, engine.Options{Statements: engine.HideStatements}).tools), least, "--bundle and --repository")
	require.NoError(t, opened.close())
}

// A fixedGraph is the same snapshot for all.
type fixedGraph struct{ snapshot engine.Snapshot }

func (f fixedGraph) Snapshot(context.Context, *graph.Scope) (engine.Snapshot, error) {
	return f.snapshot, nil
}

func (f fixedGraph) Changed(*graph.Scope) <-chan struct{} { return nil }
