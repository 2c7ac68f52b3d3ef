package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/store/native"
	"github.com/trellisgraph/trellis/tools"
	"github.com/trellisgraph/trellis/tools/mcpserver"
	"github.com/trellisgraph/trellis/tools/tokens"
)

// The callers of two companies. Only managers see budgets, and so the named query
// about them.
var callers = map[string]*graph.Scope{
	"token-of-clerk":   {Tenant: "acme", Principal: "tomas", Claims: map[string]any{"role": "clerk", "folders": []any{"/sales/"}}},
	"token-of-manager": {Tenant: "acme", Principal: "mira", Claims: map[string]any{"role": "manager", "folders": []any{"/"}}},
	"token-of-birch":   {Tenant: "birch", Principal: "bo"},
}

func authenticate(r *http.Request) (*graph.Scope, error) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if scope, ok := callers[token]; ok {
		return scope, nil
	}
	if token == "token-of-nobody-knows-whom" {
		return nil, errors.New("a secret reason")
	}
	return nil, fmt.Errorf("a secret reason: %w", tokens.ErrUnknown)
}

// tenants is the example of two companies, with named queries.
func tenants(t testing.TB, opts engine.Options) (*tools.Tools, *schema.Catalog) {
	t.Helper()
	const dir = "../../examples/tenants/graph"
	g, err := memory.Open(t.Context(), dir, memory.Options{})
	require.NoError(t, err)
	queries, err := tools.ReadQueries("testdata/queries.yaml", g.Schema(), opts.Limits)
	require.NoError(t, err)
	catalog := schema.NewCatalog(g.Schema())
	eng := engine.New(catalog, native.New(g, native.Options{}), opts)
	return tools.New(eng, tools.Options{Queries: queries}), catalog
}

// A stuck is a store that answers only when its context is done, and tells when
// it was asked and how it ended.
type stuck struct {
	asked chan struct{}
	ended chan error
}

func newStuck() stuck { return stuck{make(chan struct{}, 10), make(chan error, 10)} }

func (s stuck) Run(ctx context.Context, _ *compile.Plan, _ graph.Writer) (store.Outcome, error) {
	s.asked <- struct{}{}
	<-ctx.Done()
	s.ended <- ctx.Err()
	return store.Outcome{}, ctx.Err()
}

func (stuck) Explain(context.Context, *compile.Plan) (store.Explanation, error) {
	return store.Explanation{}, nil
}

func (stuck) Close() error { return nil }

// things is a schema of one label, and its tools over a store.
func things(t testing.TB, st store.Store) *tools.Tools {
	t.Helper()
	s, err := schema.New(schema.Definition{Nodes: []schema.NodeDefinition{
		{Label: "thing", Key: []string{"id"}, Properties: []schema.PropertyDefinition{{Name: "id", Type: schema.Int64}}},
	}})
	require.NoError(t, err)
	quiet := engine.Options{Log: slog.New(slog.DiscardHandler)}
	return tools.New(engine.New(schema.NewCatalog(s), st, quiet), tools.Options{})
}

// serve puts a server on a listener of its own.
func serve(t testing.TB, s *mcpserver.Server, o mcpserver.HTTPOptions) (url string) {
	t.Helper()
	mux := http.NewServeMux()
	s.Mount(mux, o)
	listener := httptest.NewServer(mux)
	t.Cleanup(listener.Close)
	return listener.URL
}

// A bearer sends a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// connect is a client over HTTP with a token.
func connect(t testing.TB, url, token string, opts *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	transport := &mcp.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)}, DisableStandaloneSSE: true}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opts).Connect(t.Context(), transport, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return session
}

func textOf(t testing.TB, res *mcp.CallToolResult) string {
	t.Helper()
	require.Len(t, res.Content, 1)
	return res.Content[0].(*mcp.TextContent).Text
}

// A reply is a message of the server, as it stands on the wire.
type reply struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// request is a POST of one message.
func request(t testing.TB, url, token, version, message string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", url+"/mcp", strings.NewReader(message))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if version != "" {
		r.Header.Set("Mcp-Protocol-Version", version)
	}
	return r
}

// send sends a request and returns the messages of its reply.
func send(t testing.TB, r *http.Request) (status int, list []reply) {
	t.Helper()
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			var one reply
			require.NoError(t, json.Unmarshal([]byte(data), &one))
			list = append(list, one)
		}
	}
	require.NoError(t, lines.Err())
	return resp.StatusCode, list
}
