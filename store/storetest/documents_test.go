package storetest

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
)

// unescaped is how documents are written: without what only HTML needs escaped.
func unescaped(t *testing.T, v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	require.NoError(t, enc.Encode(v))
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// What a tool call answers, written straight to bytes, is the marshalled result
// of its query, for every call of every script, whoever makes it: on a store that
// may be abandoned, and on one whose calls use the memory of calls before.
func TestDocumentsAreMarshalledResults(t *testing.T) {
	for name, prompt := range map[string]bool{"watched": false, "prompt": true} {
		t.Run(name, func(t *testing.T) {
			graphs := map[string]*memory.Graph{}
			type key struct {
				fixture string
				limits  graph.Limits
			}
			callers := map[key]*Caller{}
			answers, refusals := 0, 0
			for _, script := range scriptNames(t, scriptFolders...) {
				for _, c := range readScript(t, script) {
					g := graphs[c.fixture]
					if g == nil {
						g = Fixture(t, c.fixture)
						graphs[c.fixture] = g
					}
					caller := callers[key{c.fixture, c.limits}]
					if caller == nil {
						caller = newCaller(g.Schema(), native.New(g, native.Options{}), engine.Options{Limits: c.limits, Prompt: prompt})
						callers[key{c.fixture, c.limits}] = caller
					}
					caller = caller.As(c.scope)
					args := []byte(c.args)
					for range 3 { // of a shape seen never, once, and often
						if _, page := paged(c.tool); page != nil {
							break // no tool asks for it
						}
						doc, err := caller.tools.Call(caller.context(), c.tool, args)
						res, wanted := caller.Call(c.tool, args)
						if wanted != nil {
							refusals++
							// who repeats a call that fails is told so, which a query is not
							require.ErrorIs(t, err, wanted.(graph.Errors)[0].Code, c.where())
							require.Equal(t, unescaped(t, graph.NewErrorDocument(c.tool, err)), string(doc), c.where())
							continue
						}
						answers++
						require.NoError(t, err, c.where())
						want, err := res.MarshalJSON()
						require.NoError(t, err)
						require.Equal(t, string(want), string(doc), c.where())
						require.True(t, json.Valid(doc))
						if res.Records != nil {
							continue // the query alone is a find_nodes, whose nodes are no records
						}
						q, err := caller.Query(c.tool, args)
						require.NoError(t, err)
						run, err := caller.engine.RunJSON(caller.context(), []byte("before"), q)
						require.NoError(t, err)
						require.Equal(t, "before"+string(want), string(run), c.where())
						if res.Schema != nil {
							require.Equal(t, unescaped(t, res.Schema), string(doc), c.where())
						}
					}
				}
			}
			require.Greater(t, answers, 1000)
			require.Greater(t, refusals, 100)
		})
	}
}
