package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
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

// The revisions of the protocol, and whether a client begins with a handshake.
var revisions = map[string]bool{"2024-11-05": true, "2025-03-26": true, "2025-06-18": true, "2025-11-25": true, "2026-07-28": false}

// meta is what each request of the newest revision says of itself.
const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`

// A stream is a client that writes lines and reads lines, as over standard input
// and output.
type stream struct {
	t     *testing.T
	in    io.WriteCloser
	lines *bufio.Scanner
	ended chan error
}

func open(t *testing.T, ctx context.Context, s *mcpserver.Server) *stream {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	c := &stream{t: t, in: toServer, lines: bufio.NewScanner(fromServer), ended: make(chan error, 1)}
	c.lines.Buffer(nil, 4<<20)
	go func() { c.ended <- s.Run(ctx, in, out) }()
	t.Cleanup(func() { _ = toServer.Close(); _ = fromServer.Close() })
	return c
}

func (c *stream) write(line string) {
	_, err := io.WriteString(c.in, line+"\n")
	require.NoError(c.t, err)
}

func (c *stream) read() (out reply) {
	require.True(c.t, c.lines.Scan(), "the stream has ended")
	require.NoError(c.t, json.Unmarshal(c.lines.Bytes(), &out))
	return out
}

// begin does the handshake, where there is one.
func (c *stream) begin(version string) {
	if !revisions[version] {
		return
	}
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, version))
	require.Contains(c.t, string(c.read().Result), `"protocolVersion":"`+version+`"`)
	c.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// message is a request with parameters, which say of themselves what the
// revision asks for.
func message(version string, id int, method, params string) string {
	if !revisions[version] {
		params = strings.TrimSuffix(meta+","+params, ",")
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, id, method, params)
}

const findPeople = `"name":"find_nodes","arguments":{"node_label":"person","properties":["id"]}`

func TestRevisionsOverStreams(t *testing.T) {
	offered, _ := tenants(t, engine.Options{})
	s := mcpserver.New(offered, mcpserver.Options{})
	for version := range revisions {
		t.Run(version, func(t *testing.T) {
			c := open(t, graph.WithScope(t.Context(), callers["token-of-clerk"]), s)
			c.begin(version)
			c.write(message(version, 1, "tools/list", ""))
			require.Contains(t, string(c.read().Result), `"name":"documents_of"`)
			c.write(message(version, 2, "tools/call", findPeople))
			answer := c.read()
			require.Equal(t, "2", string(answer.ID))
			require.Contains(t, string(answer.Result), `\"id\":\"1\"`)
			require.Contains(t, string(answer.Result), `\"statements\":[{\"sql\":`, "the host has not hidden them")
			require.Equal(t, !revisions[version], strings.Contains(string(answer.Result), `"resultType":"complete"`))
			require.NoError(t, c.in.Close())
			require.NoError(t, <-c.ended)
		})
	}
}

func TestRevisionsOverHTTP(t *testing.T) {
	offered, _ := tenants(t, engine.Options{Statements: engine.HideStatements})
	url := serve(t, mcpserver.New(offered, mcpserver.Options{}), mcpserver.HTTPOptions{Authenticate: authenticate})
	for version := range revisions {
		for method, params := range map[string]string{"tools/list": "", "tools/call": findPeople, "resources/read": `"uri":"trellis://schema"`, "prompts/get": `"name":"grounded_answer","arguments":{"question":"Who?"}`} {
			r := request(t, url, "token-of-clerk", version, message(version, 3, method, params))
			if !revisions[version] {
				r.Header.Set("Mcp-Method", method)
				if name, ok := map[string]string{"tools/call": "find_nodes", "resources/read": "trellis://schema", "prompts/get": "grounded_answer"}[method]; ok {
					r.Header.Set("Mcp-Name", name)
				}
			}
			status, replies := send(t, r)
			require.Equal(t, 200, status, "%s %s", version, method)
			require.Len(t, replies, 1)
			require.Nil(t, replies[0].Error)
			require.NotContains(t, string(replies[0].Result), "statements")
			require.Equal(t, !revisions[version], strings.Contains(string(replies[0].Result), `"resultType":"complete"`), "%s %s", version, method)
		}
	}
	status, _ := send(t, request(t, url, "token-of-clerk", "2023-01-01", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	require.Equal(t, 400, status)
	status, _ = send(t, request(t, url, "token-of-clerk", "", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"`+strings.Repeat("x", 1<<20)+`"}}`))
	require.Equal(t, 413, status)
}

// A notice that a call is canceled, or the end of its connection, ends it in the
// store.
func TestCancellation(t *testing.T) {
	st := newStuck()
	s := mcpserver.New(things(t, st), mcpserver.Options{})
	const call = `"name":"find_nodes","arguments":{"node_label":"thing"}`
	for version := range revisions {
		c := open(t, t.Context(), s)
		c.begin(version)
		c.write(message(version, 5, "tools/call", call))
		<-st.asked
		c.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5,"reason":"no longer needed"}}`)
		require.ErrorIs(t, <-st.ended, context.Canceled, "%s over a stream", version)
	}
	url := serve(t, s, mcpserver.HTTPOptions{})
	for version := range revisions {
		ctx, cancel := context.WithCancel(t.Context())
		r := request(t, url, "", version, message(version, 5, "tools/call", call)).WithContext(ctx)
		if !revisions[version] {
			r.Header.Set("Mcp-Method", "tools/call")
			r.Header.Set("Mcp-Name", "find_nodes")
		}
		go func() {
			<-st.asked
			cancel()
		}()
		resp, err := (bearer("")).RoundTrip(r)
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, <-st.ended, context.Canceled, "%s over HTTP", version)
	}
}

// Who gives a token for it hears every second that the call still runs.
func TestProgress(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	st := newStuck()
	c := open(t, t.Context(), mcpserver.New(things(t, st), mcpserver.Options{}))
	c.begin("2025-06-18")
	c.write(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_nodes","arguments":{"node_label":"thing"},"_meta":{"progressToken":"p"}}}`)
	last := 0.0
	for range 2 {
		told := c.read()
		require.Equal(t, "notifications/progress", told.Method)
		var p mcp.ProgressNotificationParams
		require.NoError(t, json.Unmarshal(told.Params, &p))
		require.Equal(t, "p", p.ProgressToken)
		require.Greater(t, p.Progress, last)
		require.Equal(t, 10.0, p.Total, "the seconds that a call may take")
		last = p.Progress
	}
	c.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	require.Error(t, <-st.ended)
	c.write(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	for answer := c.read(); string(answer.ID) != "2"; answer = c.read() {
		require.Equal(t, "1", string(answer.ID), "of a call that is over, no progress is told")
	}
}

// A rate is a refusal of the tool, which says when to come back.
func TestRates(t *testing.T) {
	offered, _ := tenants(t, engine.Options{Rates: engine.Rates{PerPrincipal: engine.Rate{PerSecond: 0.5, Burst: 1}}})
	url := serve(t, mcpserver.New(offered, mcpserver.Options{}), mcpserver.HTTPOptions{Authenticate: authenticate})
	session := connect(t, url, "token-of-clerk", nil)
	call := &mcp.CallToolParams{Name: "find_nodes", Arguments: map[string]any{"node_label": "person"}}
	res, err := session.CallTool(t.Context(), call)
	require.NoError(t, err)
	require.False(t, res.IsError)
	res, err = session.CallTool(t.Context(), call)
	require.NoError(t, err)
	require.True(t, res.IsError)
	var doc struct{ Errors []graph.Error }
	require.NoError(t, json.Unmarshal([]byte(textOf(t, res)), &doc))
	require.Equal(t, graph.RateLimited, doc.Errors[0].Code)
	require.True(t, doc.Errors[0].Retryable)
	require.InDelta(t, 2000, doc.Errors[0].RetryAfterMS, 500)
	require.Contains(t, doc.Errors[0].Hint, "wait for retry_after_ms")
}

// A mistake is a refusal of the tool, which says what would have been right.
func TestRefusals(t *testing.T) {
	offered, _ := tenants(t, engine.Options{})
	c := open(t, graph.WithScope(t.Context(), callers["token-of-clerk"]), mcpserver.New(offered, mcpserver.Options{OutputSchemas: true}))
	c.begin("2025-11-25")
	for params, want := range map[string]string{
		`"name":"find_nodes","arguments":{"node_label":"persn"}`:                          `\"did_you_mean\":[\"person\"]`,
		`"name":"find_nodes","arguments":{"node_label":"person","node_label":"document"}`: `\"code\":\"DUPLICATE_KEY\"`,
		`"name":"find_nodes"`: `\"code\":\"MISSING_FIELD\",\"path\":\"/node_label\"`,
		`"name":"find_nodes","arguments":{"node_label":"project","filters":{"budget":{"gt":1}}}`: `\"code\":\"UNKNOWN_PROPERTY\"`,
		`"name":"find_nodes","arguments":{"node_label":"person","limit":1.0}`:                    `\"code\":\"INVALID_TYPE\",\"path\":\"/limit\"`,
	} {
		c.write(message("2025-11-25", 1, "tools/call", params))
		answer := c.read()
		require.Nil(t, answer.Error)
		require.Contains(t, string(answer.Result), `"isError":true`)
		require.Contains(t, string(answer.Result), want)
		require.NotContains(t, string(answer.Result), "structuredContent", "which has the form of an answer")
	}
}

// Lists come in pages, which together are the whole list.
func TestPages(t *testing.T) {
	offered, _ := tenants(t, engine.Options{})
	c := open(t, graph.WithScope(t.Context(), callers["token-of-manager"]), mcpserver.New(offered, mcpserver.Options{PageSize: 3}))
	c.begin("2025-11-25")
	for method, want := range map[string]string{
		"tools/list":     "get_graph_schema find_nodes traverse_relationships explore_neighbors find_paths aggregate_nodes documents_of dear_projects",
		"resources/list": "schema documents_of dear_projects",
	} {
		var got []string
		for cursor := ""; ; {
			c.write(message("2025-11-25", 1, method, cursor))
			var res struct {
				Tools, Resources []struct{ Name string }
				NextCursor       string
			}
			require.NoError(t, json.Unmarshal(c.read().Result, &res))
			all := append(res.Tools, res.Resources...)
			require.LessOrEqual(t, len(all), 3)
			for _, item := range all {
				got = append(got, item.Name)
			}
			if res.NextCursor == "" {
				break
			}
			cursor = fmt.Sprintf(`"cursor":%q`, res.NextCursor)
		}
		require.Equal(t, want, strings.Join(got, " "))
	}
	for _, cursor := range []string{"x", "!!", "ZmluZF9ub2Rl"} {
		c.write(message("2025-11-25", 1, "tools/list", fmt.Sprintf(`"cursor":%q`, cursor)))
		answer := c.read()
		require.NotNil(t, answer.Error)
		require.Equal(t, -32602, answer.Error.Code)
	}
}

// When the schema is swapped, who listens is told, and the next list is new.
func TestSwap(t *testing.T) {
	other, err := schema.New(schema.Definition{Nodes: []schema.NodeDefinition{
		{Label: "parcel", Key: []string{"id"}, Policy: "public", Properties: []schema.PropertyDefinition{{Name: "id", Type: schema.Int64}}},
	}})
	require.NoError(t, err)
	for version, handshake := range revisions {
		t.Run(version, func(t *testing.T) {
			offered, catalog := tenants(t, engine.Options{})
			s := mcpserver.New(offered, mcpserver.Options{ListChanged: true})
			c := open(t, graph.WithScope(t.Context(), callers["token-of-clerk"]), s)
			c.begin(version)
			if handshake {
				c.write(message(version, 1, "resources/subscribe", `"uri":"trellis://schema"`))
				require.Nil(t, c.read().Error)
				c.write(message(version, 1, "resources/subscribe", `"uri":"trellis://schema/labels/parcel"`))
				require.NotNil(t, c.read().Error, "there is none yet")
				c.write(message(version, 1, "resources/subscribe", `"uri":"trellis://%73chema"`))
				require.NotNil(t, c.read().Error, "another spelling would be kept, too, and of those there are any number")
			} else {
				c.write(message(version, 1, "subscriptions/listen", `"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["trellis://schema"]}`))
				require.Equal(t, "notifications/subscriptions/acknowledged", c.read().Method)
			}
			catalog.Swap(other)
			told := map[string]bool{}
			for range 4 {
				told[c.read().Method] = true
			}
			require.Equal(t, map[string]bool{
				"notifications/tools/list_changed": true, "notifications/prompts/list_changed": true,
				"notifications/resources/list_changed": true, "notifications/resources/updated": true,
			}, told)
			c.write(message(version, 2, "tools/list", ""))
			list := c.read()
			require.Contains(t, string(list.Result), "parcel")
			require.NotContains(t, string(list.Result), "person")
		})
	}
}

// Over HTTP, too, for as long as the client listens.
func TestSwapOverHTTP(t *testing.T) {
	offered, catalog := tenants(t, engine.Options{})
	url := serve(t, mcpserver.New(offered, mcpserver.Options{ListChanged: true}), mcpserver.HTTPOptions{Authenticate: authenticate})
	told := make(chan struct{}, 1)
	session := connect(t, url, "token-of-clerk", &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- struct{}{} }})
	before, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	for range 100 { // until the client listens
		catalog.Swap(catalog.Current())
		select {
		case <-told:
			require.Len(t, before.Tools, 7)
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
	t.Fatal("nobody was told")
}

// With the option, answers come with their form.
func TestStructuredContent(t *testing.T) {
	offered, _ := tenants(t, engine.Options{})
	url := serve(t, mcpserver.New(offered, mcpserver.Options{OutputSchemas: true}), mcpserver.HTTPOptions{Authenticate: authenticate})
	session := connect(t, url, "token-of-manager", nil)
	list, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	for _, tool := range list.Tools {
		form, err := json.Marshal(tool.OutputSchema)
		require.NoError(t, err)
		asks := tool.Name
		switch tool.Name {
		case "documents_of":
			asks = graph.ToolTraverse
		case "dear_projects":
			asks = graph.ToolFindNodes
		}
		require.JSONEq(t, string(tools.AnswerSchema(asks)), string(form))
	}
	res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "documents_of", Arguments: map[string]any{"person": 1}})
	require.NoError(t, err)
	structured, err := json.Marshal(res.StructuredContent)
	require.NoError(t, err)
	require.JSONEq(t, textOf(t, res), string(structured))
}
