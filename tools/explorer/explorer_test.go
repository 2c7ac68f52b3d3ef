package explorer_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

func mustParse(t *testing.T, text string) *schema.Schema {
	s, err := schema.Parse("test", []byte(text))
	require.NoError(t, err)
	return s
}

// What others wrote lies here unchanged, each file with its licence.
func TestVendoredFiles(t *testing.T) {
	list, err := os.Open("page/vendor/SHA256SUMS")
	require.NoError(t, err)
	defer list.Close()
	known := map[string]bool{"SHA256SUMS": true}
	for lines := bufio.NewScanner(list); lines.Scan(); {
		sum, name, ok := strings.Cut(lines.Text(), "  ")
		require.True(t, ok, lines.Text())
		content, err := os.ReadFile(filepath.Join("page/vendor", name))
		require.NoError(t, err)
		got := sha256.Sum256(content)
		require.Equal(t, sum, hex.EncodeToString(got[:]), name)
		known[name] = true
	}
	files, err := os.ReadDir("page/vendor")
	require.NoError(t, err)
	for _, f := range files {
		require.True(t, known[f.Name()], "%s is not in SHA256SUMS", f.Name())
	}
	require.True(t, known["cytoscape.LICENSE"])
}

// The page comes under its policy, names no other origin, and is kept by its hash.
func TestPage(t *testing.T) {
	address := serve(t, gitlab(t), engine.HideStatements, nobody)
	files := []string{""}
	require.NoError(t, filepath.Walk("page", func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			files = append(files, strings.TrimPrefix(path, "page/"))
		}
		return err
	}))
	for _, file := range files {
		response, err := http.Get(address + file)
		require.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusOK, response.StatusCode, file)
		policy := response.Header.Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'")
		require.NotContains(t, policy, "unsafe")
		require.NotEmpty(t, response.Header.Get("Content-Type"))
		if !strings.HasPrefix(file, "vendor/") {
			rest := strings.ReplaceAll(string(body), "http://www.w3.org/", "")
			require.NotContains(t, rest, "http://", file)
			require.NotContains(t, rest, "https://", file)
			require.NotContains(t, rest, "innerHTML", file)
		}
		again, err := http.NewRequest(http.MethodGet, address+file, nil)
		require.NoError(t, err)
		again.Header.Set("If-None-Match", response.Header.Get("ETag"))
		response, err = http.DefaultClient.Do(again)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusNotModified, response.StatusCode)
	}
	for _, path := range []string{"nothing.js", "../explorer.go", "%2e%2e/explorer.go", "vendor"} {
		response, err := http.Get(address + path)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusNotFound, response.StatusCode, path)
	}
}

func TestExplain(t *testing.T) {
	post := func(address, tool, args string) (int, string) {
		response, err := http.Post(address+"explain/"+tool, "application/json", strings.NewReader(args))
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, string(body)
	}
	shows, hides := serve(t, gitlab(t), engine.ShowStatements, nobody), serve(t, gitlab(t), engine.HideStatements, nobody)
	status, body := post(shows, "find_nodes", `{"node_label": "gl_user", "limit": 2}`)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, "SELECT")
	require.NotContains(t, body, "guards")
	status, body = post(hides, "find_nodes", `{"node_label": "gl_user", "limit": 2}`)
	require.Equal(t, http.StatusOK, status)
	require.NotContains(t, body, "SELECT")
	status, body = post(shows, "find_nodes", `{"node_label": "gl_usr"}`)
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Contains(t, body, "UNKNOWN_LABEL")
	status, _ = post(shows, "find_nodes", strings.Repeat(" ", 2<<20))
	require.Equal(t, http.StatusRequestEntityTooLarge, status)
	response, err := http.Post(shows+"explain/find_nodes", "text/plain", strings.NewReader(`{"node_label": "gl_user"}`))
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusUnsupportedMediaType, response.StatusCode, "a page of another origin can send this")
}

// A plan is told without the policies that stand in it, and the hidden properties
// and values that those read.
func TestExplainTellsNoGuard(t *testing.T) {
	builder := memory.NewBuilder(mustParse(t, `
format: trellis.schema.v1
nodes:
  note:
    policy: node.secret_owner == caller.tenant
    key: id
    properties: {id: int64, secret_owner: {type: string, visible: false}, text: string}
`))
	built, err := builder.Build()
	require.NoError(t, err)
	address := serve(t, built, engine.HideStatements, func(*http.Request) (*graph.Scope, error) { return &graph.Scope{Tenant: "acme"}, nil })
	response, err := http.Post(address+"explain/find_nodes", "application/json", strings.NewReader(`{"node_label": "note", "filters": {"text": "a\n  guard b"}}`))
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Contains(t, string(body), "find note")
	require.Contains(t, string(body), "order by", "a text cuts nothing")
	require.NotContains(t, string(body), "secret_owner")
	require.NotContains(t, string(body), "acme")
}
