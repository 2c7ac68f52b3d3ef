package storetest

import (
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/tools"
)

// Same makes every call of the scripts on two stores and fails t where the
// documents differ in a byte, cursors included. Only what was executed may
// differ.
func Same(t *testing.T, a, b Opener) {
	keys := compile.RandomCursorKeys()
	type side struct {
		open   Opener
		stores map[string]store.Store
	}
	sides := []*side{{a, map[string]store.Store{}}, {b, map[string]store.Store{}}}
	graphs := map[string]*memory.Graph{}
	for _, name := range scriptNames(t, scriptFolders...) {
		for _, c := range readScript(t, name) {
			if c.except != nil { // is not the same on all stores
				continue
			}
			g := graphs[c.fixture]
			if g == nil {
				g = Fixture(t, c.fixture)
				graphs[c.fixture] = g
			}
			var documents []string
			for _, s := range sides {
				if s.stores[c.fixture] == nil {
					s.stores[c.fixture] = s.open(t, g)
				}
				documents = append(documents, document(t, g.Schema(), s.stores[c.fixture], keys, c))
			}
			require.Equal(t, documents[0], documents[1], "%s: %s", c.where(), c.args)
		}
	}
	for _, s := range sides {
		for _, st := range s.stores {
			require.NoError(t, st.Close())
		}
	}
}

// document is the answer to a case's call, without what was executed.
func document(t testing.TB, s *schema.Schema, st store.Store, keys *compile.CursorKeys, c *testCase) string {
	ctx := graph.WithScope(context.Background(), c.scope)
	e := engine.New(schema.NewCatalog(s), st, engine.Options{
		Limits: c.limits, Cursors: keys, Statements: engine.HideStatements, MaskKey: maskKey, Log: slog.New(slog.DiscardHandler),
	})
	tool, page := paged(c.tool)
	q, err := tools.New(e, tools.Options{}).Query(ctx, tool, []byte(c.args))
	q = onPage(q, page)
	var r *graph.Result
	if err == nil {
		r, err = e.Run(ctx, q)
	}
	return documentOf(t, r, err)
}
