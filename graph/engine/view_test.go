package engine_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
)

func guarded(t *testing.T, more string) *schema.Schema {
	s, err := schema.Parse("guarded.yaml", []byte(`
format: trellis.schema.v1
nodes:
  memo:
    key: id
    policy: 'node.tenant == caller.tenant'
    properties:
      id: int64
      tenant: {type: string, visible: false}
      salary: {type: int64, visible: 'caller.role == "boss"'}
  secret:
    key: id
    policy: 'caller.role == "boss"'
    properties: {id: int64}
`+more))
	require.NoError(t, err)
	return s
}

func role(tenant, role string) context.Context {
	return graph.WithScope(context.Background(), &graph.Scope{Tenant: tenant, Claims: map[string]any{"role": role}})
}

// View is what the caller may see, and what its calls are read with.
func TestViews(t *testing.T) {
	catalog := schema.NewCatalog(guarded(t, ""))
	eng := engine.New(catalog, fake(empty), engine.Options{Log: slog.New(slog.DiscardHandler)})
	for _, ctx := range []context.Context{context.Background(), role("", "boss")} {
		_, err := eng.View(ctx)
		require.Equal(t, graph.NoScope, failed(t, err).Code)
		_, err = eng.Call(ctx, engine.Request{Decode: func(*schema.Schema) (graph.Query, graph.Errors) { panic("read without rights") }})
		require.Equal(t, graph.NoScope, failed(t, err).Code)
	}
	clerk, err := eng.View(role("a", "clerk"))
	require.NoError(t, err)
	_, ok := clerk.Label("secret")
	require.False(t, ok)
	boss, err := eng.View(role("a", "boss"))
	require.NoError(t, err)
	_, ok = boss.Label("secret")
	require.True(t, ok)
	same, err := eng.View(role("b", "clerk"))
	require.NoError(t, err)
	require.Same(t, clerk, same, "the same rights, the same schema")

	var read *schema.Schema
	_, err = eng.Call(role("b", "clerk"), engine.Request{Decode: func(s *schema.Schema) (graph.Query, graph.Errors) {
		read = s
		return &graph.FindNodes{NodePattern: graph.NodePattern{Label: "secret"}}, nil
	}})
	require.Equal(t, graph.UnknownLabel, failed(t, err).Code)
	require.NotContains(t, failed(t, err).Allowed, "secret")
	require.Same(t, clerk, read)

	catalog.Swap(guarded(t, "  open: {key: id, policy: public, properties: {id: int64}}\n"))
	fresh, err := eng.View(role("a", "clerk"))
	require.NoError(t, err)
	_, ok = fresh.Label("open")
	require.True(t, ok)
}
