package command

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

const someTokens = `format: trellis.tokens.v1
tokens:
  - {token: the-token-of-acme-0000, scope: {tenant: acme, claims: {role: manager, folders: [/]}}}
  - {token: the-token-of-birch-000, scope: {tenant: birch, claims: {folders: [/]}}}
`

// serving runs serve until the test ends, and returns the URL at which it listens.
func serving(t *testing.T, args ...string) (url string) {
	ctx, interrupt := context.WithCancel(context.Background())
	said, log := io.Pipe()
	code := make(chan int, 1)
	go func() { code <- run(ctx, append([]string{"serve"}, args...), streams{out: io.Discard, err: log}) }()
	line := make([]byte, 300)
	n, err := said.Read(line)
	require.NoError(t, err)
	go func() { _, _ = io.Copy(io.Discard, said) }()
	t.Cleanup(func() {
		interrupt()
		require.Equal(t, 0, <-code, "an interrupt is no failure")
	})
	url = regexp.MustCompile(`http://[0-9.:]+`).FindString(string(line[:n]))
	require.NotEmpty(t, url, string(line[:n]))
	return url
}

// send sends a request and returns the status and the body.
func send(t *testing.T, method, url, body string, headers ...string) (int, string) {
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(b)
}

const asJSON, theType = "Content-Type", "application/json"

// The API and MCP stand on one address, and are counted together.
func TestServeBoth(t *testing.T) {
	url := serving(t, "--http", ":0", "--graph", forgeDir)
	require.Contains(t, url, "http://127.0.0.1:", "without a host, on this machine only")
	status, body := send(t, "POST", url+"/tools/find_nodes", openIssues, asJSON, theType)
	require.Equal(t, 200, status)
	require.Contains(t, body, `"executed":"native"}`, "and no statements")
	find(t, connect(t, &mcp.StreamableClientTransport{Endpoint: url + "/mcp", DisableStandaloneSSE: true}), "gl_issue")
	for path, want := range map[string]string{"/healthz": "ok", "/readyz": "ok", "/openapi.json": `"openapi":"3.1.0"`, "/schema": "gl_issue",
		"/metrics": `trellis_calls_total{tool="find_nodes",outcome="ok"} 2`} {
		status, body := send(t, "GET", url+path, "")
		require.Equal(t, 200, status, path)
		require.Contains(t, body, want)
	}
	// A page that leads its own name here gets nothing, of the API or of MCP.
	for _, path := range []string{"/tools", "/mcp"} {
		status, _ = send(t, "GET", url+path, "", "Host", "evil.example")
		require.Equal(t, http.StatusMisdirectedRequest, status)
	}
}

func TestServeTokens(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens.yaml")
	require.NoError(t, os.WriteFile(file, []byte(someTokens), 0o600))
	url := serving(t, "--http", "127.0.0.1:0", "--graph", tenantsDir, "--tokens", file, "--rate", "1000")
	people := func(token string) (int, string) {
		return send(t, "POST", url+"/tools/find_nodes?format=csv", `{"node_label": "person", "properties": ["name"]}`, asJSON, theType, "Authorization", "Bearer "+token)
	}
	status, body := people("the-token-of-acme-0000")
	require.Equal(t, 200, status, body)
	require.Equal(t, "person\n@id,name\n1,Mira Solberg\n2,Tomás Oliveira\n", body)
	_, body = people("the-token-of-birch-000")
	require.Equal(t, "person\n@id,name\n3,Ines Adeyemi\n", body)
	status, _ = people("the-token-of-nobody-00")
	require.Equal(t, 401, status)
	status, _ = send(t, "POST", url+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, asJSON, theType, "Accept", "application/json, text/event-stream")
	require.Equal(t, 401, status)

	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(someTokens, "the-token-of-birch-000", "another-token-of-birch")), 0o600))
	require.Eventually(t, func() bool { status, _ := people("another-token-of-birch"); return status == 200 }, 30*time.Second, 100*time.Millisecond)
	status, _ = people("the-token-of-birch-000")
	require.Equal(t, 401, status, "it is gone")
}

// What would let strangers in is not served.
func TestServeRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens.yaml")
	require.NoError(t, os.WriteFile(file, []byte(someTokens), 0o600))
	for _, tc := range []struct {
		code int
		want string
		args []string
	}{
		{2, "others can reach 0.0.0.0", []string{"--http", "0.0.0.0:0", "--graph", forgeDir}},
		{2, "others can reach 10.0.0.1", []string{"--http", "10.0.0.1:0", "--graph", forgeDir}},
		{2, "others can reach localhost.example", []string{"--http", "localhost.example:0", "--graph", forgeDir}},
		{2, "the schema has policies", []string{"--http", "localhost:0", "--graph", tenantsDir}},
		{2, "leave out --scope", []string{"--http", "localhost:0", "--graph", tenantsDir, "--tokens", file, "--scope", clerk}},
		{2, "with a port", []string{"--http", "localhost", "--graph", forgeDir}},
		{2, "a scheme and a host", []string{"--http", "localhost:0", "--graph", forgeDir, "--origin", "example.com"}},
		{2, "for --http", []string{"--stdio", "--graph", forgeDir, "--tokens", file}},
		{3, "no such file", []string{"--http", "localhost:0", "--graph", forgeDir, "--tokens", file + "x"}},
		{3, "not a file of tokens", []string{"--http", "localhost:0", "--graph", forgeDir, "--tokens", forgeSchema}},
		{3, "address", []string{"--http", "127.0.0.1:99999", "--graph", forgeDir}},
	} {
		o := trellis(t, "", append([]string{"serve"}, tc.args...)...)
		require.Equal(t, tc.code, o.code, "%s\n%s", tc.args, o.err)
		require.Contains(t, o.err, tc.want)
	}
}

// An answer under way is finished before the server ends.
func TestServeEndsInPeace(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	ctx, interrupt := context.WithCancel(t.Context())
	said, log := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- listen(ctx, log, "127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			close(begun)
			<-goOn
			_, _ = io.WriteString(w, "done")
		}))
	}()
	line := make([]byte, 300)
	n, err := said.Read(line)
	require.NoError(t, err)
	go func() {
		<-begun
		interrupt()
		close(goOn)
	}()
	status, body := send(t, "GET", regexp.MustCompile(`http://[0-9.:]+`).FindString(string(line[:n])), "")
	require.Equal(t, 200, status)
	require.Equal(t, "done", body)
	require.NoError(t, <-ended)
}

// Who sends no body, and has no right to send one, keeps no connection.
func TestServeWaitsForNoBody(t *testing.T) {
	server := webServer(http.NotFoundHandler())
	require.NotZero(t, server.ReadTimeout)
	server.ReadTimeout = 200 * time.Millisecond
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	conn, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n")
	require.NoError(t, err)
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(10*time.Second)))
	_, err = io.ReadAll(conn)
	require.NoError(t, err, "the server ends it")
	require.NoError(t, server.Close())
	require.ErrorIs(t, <-ended, http.ErrServerClosed)
}
