package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/tools/mcpserver"
)

// Two callers of one server have two lists of tools, and cannot call what only
// the other has.
func TestEachCallerHasTools(t *testing.T) {
	offered, _ := tenants(t, engine.Options{})
	url := serve(t, mcpserver.New(offered, mcpserver.Options{}), mcpserver.HTTPOptions{Authenticate: authenticate})
	lists, names := map[string]string{}, map[string][]string{}
	for token := range callers {
		res, err := connect(t, url, token, nil).ListTools(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, "private", res.CacheScope)
		for _, tool := range res.Tools {
			names[token] = append(names[token], tool.Name)
		}
		list, err := json.Marshal(res.Tools)
		require.NoError(t, err)
		lists[token] = string(list)
	}
	six := []string{"get_graph_schema", "find_nodes", "traverse_relationships", "explore_neighbors", "find_paths", "aggregate_nodes"}
	require.Equal(t, append(six[:6:6], "documents_of"), names["token-of-clerk"])
	require.Equal(t, append(six[:6:6], "documents_of", "dear_projects"), names["token-of-manager"])
	require.NotContains(t, lists["token-of-clerk"], "budget")
	require.Contains(t, lists["token-of-manager"], "budget")

	dear := &mcp.CallToolParams{Name: "dear_projects", Arguments: map[string]any{"least": 1}}
	res, err := connect(t, url, "token-of-manager", nil).CallTool(t.Context(), dear)
	require.NoError(t, err)
	require.Contains(t, textOf(t, res), `"budget"`)
	_, err = connect(t, url, "token-of-clerk", nil).CallTool(t.Context(), dear)
	var refused *jsonrpc.Error
	require.ErrorAs(t, err, &refused)
	require.EqualValues(t, jsonrpc.CodeInvalidParams, refused.Code)
	require.Contains(t, refused.Message, `there is no tool "dear_projects"`)
	require.NotContains(t, string(refused.Data), `"allowed":["dear_projects`)
	require.NotContains(t, string(refused.Data), `,"dear_projects"`, "it is not offered either")

	// What one sees, the others do not: the same call, three answers.
	for token, want := range map[string]string{"token-of-clerk": `"****`, "token-of-manager": `"iban":"`, "token-of-birch": `"id":"3"`} {
		res, err := connect(t, url, token, nil).CallTool(t.Context(), &mcp.CallToolParams{Name: "find_nodes", Arguments: map[string]any{"node_label": "person"}})
		require.NoError(t, err)
		require.False(t, res.IsError)
		require.Contains(t, textOf(t, res), want)
		require.Equal(t, token != "token-of-manager", strings.Contains(textOf(t, res), `"****`))
		require.Equal(t, token == "token-of-birch", strings.Contains(textOf(t, res), `"id":"3"`))
	}
}

// Who has no token that is known is told where to get one, and nothing else.
func TestUnknownToken(t *testing.T) {
	offered, _ := tenants(t, engine.Options{})
	server := mcpserver.New(offered, mcpserver.Options{})
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for name, c := range map[string]struct {
		token, resource, challenge string
	}{
		"none":         {"", "", `Bearer resource_metadata="BASE/.well-known/oauth-protected-resource/mcp"`},
		"unknown":      {"wrong", "", `Bearer resource_metadata="BASE/.well-known/oauth-protected-resource/mcp", error="invalid_token"`},
		"with a proxy": {"", "https://graph.example.com/api/mcp", `Bearer resource_metadata="https://graph.example.com/.well-known/oauth-protected-resource/api/mcp"`},
	} {
		t.Run(name, func(t *testing.T) {
			url := serve(t, server, mcpserver.HTTPOptions{Authenticate: authenticate, Resource: c.resource, AuthorizationServers: []string{"https://login.example.com"}})
			resp, err := http.DefaultClient.Do(request(t, url, c.token, "", list))
			require.NoError(t, err)
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			require.Equal(t, 401, resp.StatusCode)
			require.Equal(t, strings.Replace(c.challenge, "BASE", url, 1), resp.Header.Get("WWW-Authenticate"))
			require.NotContains(t, string(body), "secret reason")

			for _, path := range []string{"/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"} {
				resp, err := http.Get(url + path)
				require.NoError(t, err)
				defer resp.Body.Close()
				var doc map[string]any
				require.NoError(t, json.NewDecoder(resp.Body).Decode(&doc))
				want := c.resource
				if want == "" {
					want = url + "/mcp"
				}
				require.Equal(t, map[string]any{
					"resource": want, "resource_name": "Trellis",
					"authorization_servers": []any{"https://login.example.com"}, "bearer_methods_supported": []any{"header"},
				}, doc)
			}
		})
	}
	url := serve(t, server, mcpserver.HTTPOptions{Authenticate: authenticate})
	status, _ := send(t, request(t, url, "token-of-nobody-knows-whom", "", list))
	require.Equal(t, 503, status, "it may be known later")
	status, replies := send(t, request(t, url, "token-of-clerk", "", list))
	require.Equal(t, 200, status)
	require.Contains(t, string(replies[0].Result), "find_nodes")
}

// Without a scope a schema with policies has nothing to show.
func TestNoScope(t *testing.T) {
	offered, _ := tenants(t, engine.Options{})
	url := serve(t, mcpserver.New(offered, mcpserver.Options{}), mcpserver.HTTPOptions{})
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/templates/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"trellis://schema"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"trellis://queries/documents_of"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"grounded_answer","arguments":{"question":"Who?"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"grounded_answer"},"argument":{"name":"label","value":""}}}`,
	} {
		_, replies := send(t, request(t, url, "", "", message))
		require.Len(t, replies, 1)
		require.NotNil(t, replies[0].Error, message)
		require.Contains(t, replies[0].Error.Message, "NO_SCOPE")
	}
	_, replies := send(t, request(t, url, "", "", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_nodes","arguments":{"node_label":"person"}}}`))
	require.Contains(t, string(replies[0].Result), `NO_SCOPE`)
	require.Contains(t, string(replies[0].Result), `"isError":true`)
}

// A thousand calls at the same time, of three callers, which all give their
// request the same id: each gets its own answer.
func TestT59ConcurrentCalls(t *testing.T) {
	offered, _ := tenants(t, engine.Options{Concurrency: 1000, MaxQueue: 1000})
	url := serve(t, mcpserver.New(offered, mcpserver.Options{}), mcpserver.HTTPOptions{Authenticate: authenticate})
	tokens := []string{"token-of-clerk", "token-of-manager", "token-of-birch"}
	people := map[string]string{"token-of-clerk": "12", "token-of-manager": "12", "token-of-birch": "3"}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
	defer client.CloseIdleConnections()
	turns := make(chan int)
	var running sync.WaitGroup
	for range 100 {
		running.Go(func() {
			for i := range turns {
				token := tokens[i%len(tokens)]
				message := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"find_nodes","arguments":{"node_label":"person","ids":[1,2,3,%d],"properties":["id"]}}}`, 1000+i)
				text, err := only(client, request(t, url, token, "2025-06-18", message))
				if err != nil || !strings.Contains(text, fmt.Sprintf(`there is no person \"%d\"`, 1000+i)) {
					t.Errorf("call %d of %s: %v %s", i, token, err, text)
				}
				for _, id := range []string{"1", "2", "3"} {
					sees := strings.Contains(text, `"label":"person","id":"`+id+`"`)
					if mine := strings.Contains(people[token], id); sees != mine {
						t.Errorf("call %d of %s: %s is seen: %v in %s", i, token, id, sees, text)
					}
				}
			}
		})
	}
	for i := range 1000 {
		turns <- i
	}
	close(turns)
	running.Wait()
}

// only is the text of the one answer to a call with the id 7.
func only(client *http.Client, r *http.Request) (string, error) {
	resp, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	var message struct {
		ID     int
		Result struct{ Content []struct{ Text string } }
	}
	_, data, _ := strings.Cut(string(body), "data: ")
	if err := json.Unmarshal([]byte(data), &message); err != nil {
		return "", err
	}
	if message.ID != 7 || len(message.Result.Content) != 1 {
		return "", fmt.Errorf("not the reply to this call: %s", body)
	}
	return message.Result.Content[0].Text, nil
}

// A web page of somebody else cannot speak with the server.
func TestOrigins(t *testing.T) {
	offered, _ := tenants(t, engine.Options{})
	url := serve(t, mcpserver.New(offered, mcpserver.Options{}), mcpserver.HTTPOptions{Authenticate: authenticate, Origins: []string{"https://chat.example.com"}})
	for origin, want := range map[string]int{"": 200, "https://chat.example.com": 200, url: 200, "https://evil.example.com": 403, "null": 403} {
		r := request(t, url, "token-of-clerk", "", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		status, _ := send(t, r)
		require.Equal(t, want, status, origin)
	}
	for origin, allowed := range map[string]string{"https://chat.example.com": "POST", "https://evil.example.com": "", "": ""} {
		r, err := http.NewRequestWithContext(t.Context(), "OPTIONS", url+"/mcp", nil) // as browsers ask before they send a token
		require.NoError(t, err)
		r.Header.Set("Origin", origin)
		r.Header.Set("Access-Control-Request-Method", "POST")
		resp, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, allowed, resp.Header.Get("Access-Control-Allow-Methods"))
		require.Equal(t, allowed != "", resp.StatusCode == 204)
		require.Equal(t, allowed != "", resp.Header.Get("Access-Control-Allow-Origin") == origin && origin != "")
	}
	r := request(t, url, "token-of-clerk", "", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	r.Host = "evil.example.com" // whose name now leads here
	status, _ := send(t, r)
	require.Equal(t, 403, status)
	require.Panics(t, func() {
		mcpserver.New(offered, mcpserver.Options{}).Mount(http.NewServeMux(), mcpserver.HTTPOptions{Origins: []string{"no origin"}})
	})
}
