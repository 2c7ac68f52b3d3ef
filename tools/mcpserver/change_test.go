package mcpserver_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/tools"
	"github.com/trellisgraph/trellis/tools/mcpserver"
)

// catalogs are a source with a schema for each tenant, and no graphs.
type catalogs map[string]*schema.Catalog

func (c catalogs) Snapshot(_ context.Context, scope *graph.Scope) (engine.Snapshot, error) {
	if scope == nil || c[scope.Tenant] == nil {
		return engine.Snapshot{}, &graph.Error{Code: graph.NoScope, Message: "there is nothing for this caller"}
	}
	return engine.Snapshot{Schema: c[scope.Tenant].Current(), Store: nothing{}}, nil
}

func (c catalogs) Changed(scope *graph.Scope) <-chan struct{} {
	if scope == nil || c[scope.Tenant] == nil {
		return nil
	}
	return c[scope.Tenant].Changed()
}

func ofLabel(t testing.TB, label string) *schema.Schema {
	s, err := schema.New(schema.Definition{Nodes: []schema.NodeDefinition{
		{Label: label, Key: []string{"id"}, Properties: []schema.PropertyDefinition{{Name: "id", Type: schema.Int64}}},
	}})
	require.NoError(t, err)
	return s
}

// When something changes for one tenant, its clients are told, all of them, and
// the clients of others hear nothing of it. Each sees the tools of its own tenant.
func TestChangesAreTheTenantsOwn(t *testing.T) {
	source := catalogs{"acme": schema.NewCatalog(ofLabel(t, "anvil")), "birch": schema.NewCatalog(ofLabel(t, "branch"))}
	offered := tools.New(engine.NewFrom(source, engine.Options{}), tools.Options{})
	url := serve(t, mcpserver.New(offered, mcpserver.Options{ListChanged: true}), mcpserver.HTTPOptions{Authenticate: authenticate})
	told := map[string]chan struct{}{}
	sessions := map[string]*mcp.ClientSession{}
	for token := range callers {
		c := make(chan struct{}, 100)
		told[token] = c
		sessions[token] = connect(t, url, token, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { c <- struct{}{} }})
	}
	list := func(token string) string {
		res, err := sessions[token].ListTools(t.Context(), nil)
		require.NoError(t, err)
		text := ""
		for _, tool := range res.Tools {
			form, err := json.Marshal(tool.InputSchema)
			require.NoError(t, err)
			text += tool.Name + " " + string(form)
		}
		return text
	}
	require.Contains(t, list("token-of-clerk"), "anvil")
	require.NotContains(t, list("token-of-clerk"), "branch")
	require.Contains(t, list("token-of-birch"), "branch")
	require.NotContains(t, list("token-of-birch"), "anvil")

	// Until all listen: then both clients of acme are told of one change.
	listens := func(token string, swap func()) bool {
		for range 100 {
			swap()
			select {
			case <-told[token]:
				return true
			case <-time.After(50 * time.Millisecond):
			}
		}
		return false
	}
	hammer := ofLabel(t, "hammer")
	require.True(t, listens("token-of-clerk", func() { source["acme"].Swap(hammer) }))
	require.True(t, listens("token-of-manager", func() { source["acme"].Swap(hammer) }))
	require.Contains(t, list("token-of-clerk"), "hammer")
	require.Empty(t, told["token-of-birch"], "nothing has changed for birch")

	require.True(t, listens("token-of-birch", func() { source["birch"].Swap(ofLabel(t, "bough")) }))
	for token, c := range told { // what was told late, of changes before
		for len(c) > 0 {
			<-c
		}
		require.Empty(t, told[token])
	}
	for range 5 {
		source["acme"].Swap(hammer)
		time.Sleep(30 * time.Millisecond)
	}
	require.Eventually(t, func() bool { return len(told["token-of-clerk"]) > 0 && len(told["token-of-manager"]) > 0 }, 5*time.Second, 10*time.Millisecond)
	require.Empty(t, told["token-of-birch"])
}
