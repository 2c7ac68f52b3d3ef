package command

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// A client of the protocol, on the other end of the command's streams or of its
// address.
func connect(t *testing.T, transport mcp.Transport) *mcp.ClientSession {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// find calls find_nodes and returns the answer's text.
func find(t *testing.T, session *mcp.ClientSession, label string) string {
	t.Helper()
	res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "find_nodes", Arguments: map[string]any{"node_label": label, "limit": 1}})
	require.NoError(t, err)
	require.False(t, res.IsError)
	return res.Content[0].(*mcp.TextContent).Text
}

func TestServeStdio(t *testing.T) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(t.Context(), []string{"serve", "--stdio", "--graph", forgeDir}, streams{in: in, out: out, err: io.Discard})
	}()
	session := connect(t, &mcp.IOTransport{Reader: fromServer, Writer: toServer})
	require.Contains(t, find(t, session, "gl_issue"), `"statements":[{"sql":"SELECT`, "shown over standard input and output")
	require.NoError(t, toServer.Close())
	require.Equal(t, 0, <-code, "the input has ended")
}

func TestServeHTTP(t *testing.T) {
	for name, flags := range map[string]struct {
		more []string
		want string
	}{
		"as a rule":        {nil, `"executed":"native"}`},
		"with statements":  {[]string{"--show-statements"}, `"statements":[{"sql":"SELECT`},
		"of somebody":      {[]string{"--graph", tenantsDir, "--scope", clerk}, `"nodes":[{"label":"person","id":"1"`},
		"behind a proxy":   {[]string{"--resource", "https://graph.example.com/mcp"}, `"executed":"native"}`},
		"with a structure": {[]string{"--output-schemas"}, `"format":"knowledge_graph.result.v1"`},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			said, log := io.Pipe()
			code := make(chan int, 1)
			args := append([]string{"serve", "--http", "localhost:0", "--graph", forgeDir}, flags.more...)
			go func() { code <- run(ctx, args, streams{out: io.Discard, err: log}) }()
			line := make([]byte, 200)
			n, err := said.Read(line)
			require.NoError(t, err)
			go func() { _, _ = io.Copy(io.Discard, said) }()
			url := regexp.MustCompile(`http://\S+`).FindString(string(line[:n]))
			require.NotEmpty(t, url, "where it listens is told")
			session := connect(t, &mcp.StreamableClientTransport{Endpoint: url + "/mcp", DisableStandaloneSSE: true})
			label := "gl_issue"
			if name == "of somebody" {
				label = "person"
			}
			require.Contains(t, find(t, session, label), flags.want)
			resp, err := http.Get(url + "/.well-known/oauth-protected-resource/mcp")
			require.NoError(t, err)
			defer resp.Body.Close()
			metadata, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			resource := url + "/mcp"
			if name == "behind a proxy" {
				resource = "https://graph.example.com/mcp"
			}
			require.Contains(t, string(metadata), `"resource":"`+resource+`"`)
			interrupt()
			require.Equal(t, 0, <-code, "an interrupt is no failure")
		})
	}
}
