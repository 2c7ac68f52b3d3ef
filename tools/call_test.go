package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/graph/engine/audit"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/tools"
)

// A nothing is a store that finds nothing.
type nothing struct{}

func (nothing) Run(context.Context, *compile.Plan, graph.Writer) (store.Outcome, error) {
	return store.Outcome{}, nil
}

func (nothing) Explain(context.Context, *compile.Plan) (store.Explanation, error) {
	return store.Explanation{}, nil
}

func (nothing) Close() error { return nil }

func ownedBy(tenant string) context.Context {
	return graph.WithScope(context.Background(), &graph.Scope{Tenant: tenant, Principal: "ann"})
}

// Questions about a call are calls, whether it can be read or not: a rate bounds
// them, and each is on record once, with what was asked.
func TestQuestionsAreCalls(t *testing.T) {
	var out bytes.Buffer
	eng := engine.New(schema.NewCatalog(library(t)), nothing{}, engine.Options{
		Audit: audit.NewJSONLines(&out), Rates: engine.Rates{PerTenant: engine.Rate{PerSecond: 0.001, Burst: 5}},
	})
	offer := tools.New(eng, tools.Options{Queries: parseQueries(t, libraryQueries)})
	for tenant, ask := range map[string]func(context.Context, string, []byte) (*engine.Explanation, error){"a": offer.Explain, "b": offer.DryRun} {
		for i, c := range []struct {
			tool, args string
			code       graph.Code
		}{
			{"find_nodes", `{"node_label":"person"}`, ""},
			{"find_nodes", `{"node_labl":"person"}`, graph.UnknownField},
			{"find_nodes", `{"node_label":"persn"}`, graph.UnknownLabel},
			{"find_nods", `{}`, graph.UnknownTool},
			{"books_of", `{"person":"x"}`, graph.InvalidType},
			{"find_nodes", `{"node_label":"person"}`, graph.RateLimited},
			{"find_nodes", `{`, graph.RateLimited},
		} {
			out.Reset()
			ex, err := ask(ownedBy(tenant), c.tool, []byte(c.args))
			var kept struct {
				Tool      string
				Explained bool
				Arguments json.RawMessage
				Codes     []graph.Code
			}
			require.Equal(t, 1, bytes.Count(out.Bytes(), []byte("\n")), i)
			require.NoError(t, json.Unmarshal(out.Bytes(), &kept))
			require.Equal(t, c.tool, kept.Tool)
			require.True(t, kept.Explained)
			require.NotEmpty(t, kept.Arguments)
			if c.code == "" {
				require.NoError(t, err)
				require.NotEmpty(t, ex.Plan)
				require.Empty(t, kept.Codes)
				continue
			}
			require.Nil(t, ex)
			require.ErrorIs(t, err, c.code, i)
			require.Contains(t, kept.Codes, c.code)
		}
	}
}

// The rate of a tool is that of the tools which the caller has: the names that
// callers make up are one, and take the place of none.
func TestT36MadeUpTools(t *testing.T) {
	eng := engine.New(schema.NewCatalog(library(t)), nothing{}, engine.Options{
		Rates: engine.Rates{PerTool: engine.Rate{PerSecond: 0.001, Burst: 1}, Keep: 3},
	})
	offer := tools.New(eng, tools.Options{Queries: parseQueries(t, libraryQueries)})
	limited := func(tool string) bool {
		_, err := offer.Call(ownedBy("a"), tool, []byte(`{}`))
		var list graph.Errors
		require.ErrorAs(t, err, &list)
		return list[0].Code == graph.RateLimited
	}
	require.False(t, limited("find_nodes"))
	require.False(t, limited("books_of"), "a named query is a tool")
	require.False(t, limited("x"))
	for _, name := range []string{"x", "y", "z", "books_off", "", "find_nodes "} {
		require.True(t, limited(name), name)
	}
	require.True(t, limited("find_nodes"))
	require.True(t, limited("books_of"))
}

// T43: a Guard that holds the reading of a named query holds no caller, and the
// call's refusal is a document.
func TestT43AGuardHoldsANamedQuery(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	eng := engine.New(schema.NewCatalog(library(t)), nothing{}, engine.Options{
		Limits: graph.Limits{Timeout: time.Millisecond},
		Guard:  func(*graph.Scope, compile.Guarded) (graph.Filter, error) { <-release; return nil, nil },
	})
	offer := tools.New(eng, tools.Options{Queries: parseQueries(t, libraryQueries)})
	doc, err := offer.Call(ownedBy("a"), "books_of", []byte(`{"person":1}`))
	require.ErrorIs(t, err, graph.Timeout)
	require.Contains(t, string(doc), `"TIMEOUT"`)
}
