package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools"
	"github.com/trellisgraph/trellis/tools/httpapi"
	"github.com/trellisgraph/trellis/tools/tokens"
)

// The tokens of two companies.
const (
	acme  = "the-token-of-acme-000000"
	birch = "the-token-of-birch-00000"
)

var scopes = map[string]*graph.Scope{
	acme:  {Tenant: "acme", Principal: "mira", TokenID: "a", Claims: map[string]any{"role": "manager", "folders": []any{"/"}, "home": "/board/"}},
	birch: {Tenant: "birch", Principal: "ines", TokenID: "b", Claims: map[string]any{"role": "clerk", "folders": []any{"/"}, "home": "/"}},
}

func verify(_ context.Context, token string) (*graph.Scope, error) { return scopes[token], nil }

// offer returns the API over the graph of two companies, or over another store
// of it.
func offer(t testing.TB, opts engine.Options, api httpapi.Options, over func(store.Store) store.Store) *httpapi.API {
	g, err := memory.Open(context.Background(), "../../examples/tenants/graph", memory.Options{})
	require.NoError(t, err)
	st := native.New(g, native.Options{})
	if over != nil {
		st = over(st)
	}
	t.Cleanup(func() { require.NoError(t, st.Close()) })
	queries, err := tools.ReadQueries("../../examples/tenants/graph/queries.yaml", g.Schema(), opts.Limits)
	require.NoError(t, err)
	if api.Metrics != nil {
		opts.Observer = api.Metrics
	}
	if opts.Statements == engine.ShowStatements {
		opts.Statements = engine.HideStatements
	}
	eng := engine.New(schema.NewCatalog(g.Schema()), st, opts)
	api.Stats = eng.Stats
	if api.Authenticate == nil {
		api.Authenticate = tokens.Bearer(verify)
	}
	return httpapi.New(tools.New(eng, tools.Options{Queries: queries}), api)
}

// An answered is what came back.
type answered struct {
	*http.Response
	body string
}

// document reads the body as a JSON object.
func (a answered) document(t testing.TB) map[string]any {
	var doc map[string]any
	require.NoError(t, json.Unmarshal([]byte(a.body), &doc), a.body)
	return doc
}

// ask sends a request; headers are pairs of names and values.
func ask(t testing.TB, h http.Handler, method, target, body string, headers ...string) answered {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	res := w.Result()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return answered{res, string(b)}
}

func bearer(token string, more ...string) []string {
	return append([]string{"Authorization", "Bearer " + token, "Content-Type", "application/json"}, more...)
}

func compact(t testing.TB, text string) string {
	var b bytes.Buffer
	require.NoError(t, json.Compact(&b, []byte(text)))
	return b.String()
}
