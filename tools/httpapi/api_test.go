package httpapi_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/tools/httpapi"
	"github.com/trellisgraph/trellis/tools/tokens"
)

const people = `{"node_label": "person", "properties": ["name"]}`

func TestCall(t *testing.T) {
	api := offer(t, engine.Options{}, httpapi.Options{}, nil)
	res := ask(t, api, "POST", "/tools/find_nodes", people, bearer(acme)...)
	require.Equal(t, 200, res.StatusCode, res.body)
	require.Equal(t, "application/json", res.Header.Get("Content-Type"))
	require.Equal(t, "private, no-store", res.Header.Get("Cache-Control"))
	require.Equal(t, compact(t, `{"format":"knowledge_graph.result.v1","tool":"find_nodes","nodes":[
		{"label":"person","id":"1","properties":{"name":"Mira Solberg"}},{"label":"person","id":"2","properties":{"name":"Tomás Oliveira"}}],
		"returned":2,"truncated":false,"truncated_by":null,"next_cursor":null,"warnings":[],"executed":"native"}`), res.body, "no statements")
	res = ask(t, api, "POST", "/tools/find_nodes", people, bearer(birch)...)
	require.Contains(t, res.body, "Ines")
	require.NotContains(t, res.body, "Mira")
	res = ask(t, api, "POST", "/tools/documents_of", `{"person": 1}`, bearer(acme)...)
	require.Equal(t, 200, res.StatusCode, res.body)
	require.Contains(t, res.body, `"tool":"traverse_relationships"`)
}

func TestLists(t *testing.T) {
	api := offer(t, engine.Options{}, httpapi.Options{}, nil)
	for path, want := range map[string]string{"/tools": `"format":"trellis.tools.v1"`, "/schema": `"format":"knowledge_graph.schema.v1"`, "/openapi.json": `"openapi":"3.1.0"`} {
		manager, clerk := ask(t, api, "GET", path, "", bearer(acme)...), ask(t, api, "GET", path, "", bearer(birch)...)
		require.Equal(t, 200, manager.StatusCode, path)
		require.Contains(t, manager.body, want)
		require.Equal(t, "private, no-cache", manager.Header.Get("Cache-Control"))
		hidden := map[string]string{"/schema": `{"name":"budget"`}[path]
		if hidden == "" {
			hidden = `"budget"`
		}
		require.Contains(t, manager.body, hidden, path)
		require.NotContains(t, clerk.body, hidden, "what the clerk does not see is not there")
		require.NotContains(t, manager.body, "tenant", path)

		tag := manager.Header.Get("ETag")
		require.NotEmpty(t, tag)
		require.NotEqual(t, tag, clerk.Header.Get("ETag"))
		for header, status := range map[string]int{tag: 304, `"other", ` + strings.TrimPrefix(tag, "W/"): 304, "*": 304, `"other"`: 200, strings.Trim(tag, `W/"`): 200, clerk.Header.Get("ETag"): 200} {
			res := ask(t, api, "GET", path, "", bearer(acme, "If-None-Match", header)...)
			require.Equal(t, status, res.StatusCode, header)
			require.Equal(t, tag, res.Header.Get("ETag"))
			require.Equal(t, status == 304, res.body == "")
		}
		head := ask(t, api, "HEAD", path, "", bearer(acme)...)
		require.Equal(t, 200, head.StatusCode)
		require.Empty(t, head.body)
		require.EqualValues(t, len(manager.body), head.ContentLength)
	}
}

// An unknown token is 401 with the header that says so, everywhere but where
// everybody may look.
func TestTokens(t *testing.T) {
	api := offer(t, engine.Options{}, httpapi.Options{Metrics: httpapi.NewMetrics()}, nil)
	for _, headers := range [][]string{
		nil, {"Authorization", "Bearer " + acme + "x"}, {"Authorization", "Basic " + acme}, {"Authorization", acme}, {"Authorization", "Bearer"},
		{"Authorization", "Bearer " + acme, "Authorization", "Bearer " + birch}, {"Authorization", "Bearer " + acme + " "}, {"Authorization", "Bearer  " + acme},
		{"X-Tenant", "acme", "Cookie", "token=" + acme},
	} {
		for method, path := range map[string]string{"POST": "/tools/find_nodes?access_token=" + acme, "GET": "/tools"} {
			res := ask(t, api, method, path, people, append(headers, "Content-Type", "application/json")...)
			require.Equal(t, 401, res.StatusCode, headers)
			challenge := res.Header.Get("WWW-Authenticate")
			require.Contains(t, challenge, "Bearer")
			require.Equal(t, len(headers) > 0 && headers[0] == "Authorization", strings.Contains(challenge, `error="invalid_token"`), headers)
			require.Equal(t, "application/problem+json", res.Header.Get("Content-Type"))
			require.NotContains(t, res.body, acme)
		}
		for _, path := range []string{"/schema", "/openapi.json", "/metrics"} {
			require.Equal(t, 401, ask(t, api, "GET", path, "", headers...).StatusCode, path)
		}
		for _, path := range []string{"/healthz", "/readyz"} {
			require.Equal(t, 200, ask(t, api, "GET", path, "", headers...).StatusCode, path)
		}
	}
	require.Equal(t, 200, ask(t, api, "POST", "/tools/find_nodes", people, "Authorization", "bearer "+acme, "Content-Type", "application/json").StatusCode)

	broken := offer(t, engine.Options{}, httpapi.Options{Log: slog.New(slog.DiscardHandler),
		Authenticate: tokens.Bearer(func(context.Context, string) (*graph.Scope, error) { return nil, errors.New("secret host is down") })}, nil)
	res := ask(t, broken, "GET", "/tools", "", bearer(acme)...)
	require.Equal(t, 503, res.StatusCode)
	require.Equal(t, "1", res.Header.Get("Retry-After"))
	require.NotContains(t, res.body, "secret")

	nobody := offer(t, engine.Options{}, httpapi.Options{Authenticate: func(*http.Request) (*graph.Scope, error) { return nil, nil }}, nil)
	res = ask(t, nobody, "POST", "/tools/find_nodes", people, "Content-Type", "application/json")
	require.Equal(t, 401, res.StatusCode, "a schema with policies answers nobody")
	require.Contains(t, res.body, "NO_SCOPE")

	vague := offer(t, engine.Options{}, httpapi.Options{Authenticate: func(*http.Request) (*graph.Scope, error) { return &graph.Scope{Principal: "ada"}, nil }}, nil)
	res = ask(t, vague, "POST", "/tools/find_nodes", people, "Content-Type", "application/json")
	require.Equal(t, 403, res.StatusCode, "a token that is known, of no tenant")
	require.Contains(t, res.body, "NO_SCOPE")
	require.Empty(t, res.Header.Get("WWW-Authenticate"))
}

func TestRefusals(t *testing.T) {
	api := offer(t, engine.Options{}, httpapi.Options{}, nil)
	for _, tc := range []struct {
		tool, args string
		status     int
		code       string
	}{
		{"find_nodes", `{"node_label": "person",}`, 400, "SYNTAX"},
		{"find_nodes", ``, 400, "SYNTAX"},
		{"find_nodes", `{"node_label": "person", "node_label": "person"}`, 400, "DUPLICATE_KEY"},
		{"find_nodes", `{"node_label": "person", "tenant": "birch"}`, 400, "UNKNOWN_FIELD"},
		{"find_nodes", strings.Repeat("[", 40) + strings.Repeat("]", 40), 400, "TOO_DEEP"},
		{"find_nodes", `{"node_label": "` + strings.Repeat("x", 64<<10) + `"}`, 413, "TOO_LARGE"},
		{"find_nodes", `{"node_label": "persn"}`, 422, "UNKNOWN_LABEL"},
		{"find_nodes", `{"node_label": "person", "limit": 31}`, 422, "LIMIT_EXCEEDED"},
		{"find_nodes", `{"node_label": "person", "cursor": "x"}`, 422, "INVALID_CURSOR"},
		{"find_node", `{}`, 404, "UNKNOWN_TOOL"},
		{"find%2Fnodes", `{}`, 404, "UNKNOWN_TOOL"},
		{"aggregate_nodes", `{"node_label": "person", "aggregations": [{"function": "count"}, {"function": "count"}]}`, 409, "CONFLICT"},
	} {
		res := ask(t, api, "POST", "/tools/"+tc.tool, tc.args, bearer(acme)...)
		require.Equal(t, tc.status, res.StatusCode, res.body)
		doc := res.document(t)
		first := doc["errors"].([]any)[0].(map[string]any)
		require.Equal(t, tc.code, first["code"])
		require.Equal(t, "application/problem+json", res.Header.Get("Content-Type"))
		require.Equal(t, "knowledge_graph.error.v1", doc["format"])
		require.Equal(t, "about:blank", doc["type"])
		require.Equal(t, http.StatusText(tc.status), doc["title"])
		require.EqualValues(t, tc.status, doc["status"])
		require.Equal(t, first["message"], doc["detail"])
		require.Equal(t, "private, no-store", res.Header.Get("Cache-Control"))
	}
	for _, tc := range []struct {
		method, target string
		status         int
		headers        []string
	}{
		{"GET", "/tools/find_nodes", 405, bearer(acme)},
		{"DELETE", "/schema", 405, bearer(acme)},
		{"OPTIONS", "/schema", 405, bearer(acme)},
		{"GET", "/tools/", 404, bearer(acme)},
		{"GET", "/metrics", 404, bearer(acme)},
		{"GET", "/", 404, bearer(acme)},
		{"POST", "/tools/find_nodes?limit=3", 400, bearer(acme)},
		{"POST", "/tools/find_nodes?format=csv&format=json", 400, bearer(acme)},
		{"POST", "/tools/find_nodes?format=xml", 400, bearer(acme)},
		{"POST", "/tools/find_nodes?%zz", 400, bearer(acme)},
		{"POST", "/tools/find_nodes", 406, bearer(acme, "Accept", "application/xml")},
		{"POST", "/tools/find_nodes", 415, []string{"Authorization", "Bearer " + acme}},
		{"POST", "/tools/find_nodes", 415, []string{"Authorization", "Bearer " + acme, "Content-Type", "text/plain"}},
		{"POST", "/tools/find_nodes", 415, []string{"Authorization", "Bearer " + acme, "Content-Type", "application/json; charset=utf-16"}},
		{"POST", "/tools/find_nodes", 415, bearer(acme, "Content-Encoding", "gzip")},
	} {
		res := ask(t, api, tc.method, tc.target, people, tc.headers...)
		require.Equal(t, tc.status, res.StatusCode, "%s %s: %s", tc.method, tc.target, res.body)
		require.EqualValues(t, tc.status, res.document(t)["status"])
		require.Equal(t, tc.status == 405, res.Header.Get("Allow") != "")
	}
}

// Each format is what package format writes, asked for by the query or by the
// header; a drawing of an aggregate is refused.
func TestFormats(t *testing.T) {
	api := offer(t, engine.Options{}, httpapi.Options{}, nil)
	csv := "person\n@id,name\n1,Mira Solberg\n2,Tomás Oliveira\n"
	for _, tc := range []struct{ query, accept, media, starts string }{
		{"", "", "application/json", `{"format":"knowledge_graph.result.v1"`},
		{"?format=json", "text/csv", "application/json", `{"format":"knowledge_graph.result.v1"`},
		{"?format=columns", "", "application/json", `{"format":"knowledge_graph.columns.v1"`},
		{"?format=csv", "", "text/csv; charset=utf-8; header=present", csv},
		{"", "text/csv", "text/csv; charset=utf-8; header=present", csv},
		{"", "text/markdown;q=0.5, text/csv;q=0.6, application/json; q=0.1", "text/csv; charset=utf-8; header=present", csv},
		{"", "text/*, application/json;q=0.9", "text/csv; charset=utf-8; header=present", csv},
		{"", "text/csv;q=0, text/*", "text/markdown; charset=utf-8", "### person\n\n|@id|name|\n"},
		{"", "text/vnd.mermaid", "text/vnd.mermaid; charset=utf-8", "graph LR\nn0[\"person 1\"]\n"},
		{"", "*/*", "application/json", `{"format":"knowledge_graph.result.v1"`},
		{"", "text/html, */*;q=0.1", "application/json", `{"format":"knowledge_graph.result.v1"`},
	} {
		res := ask(t, api, "POST", "/tools/find_nodes"+tc.query, people, bearer(acme, "Accept", tc.accept)[:4+2*min(1, len(tc.accept))]...)
		require.Equal(t, 200, res.StatusCode, res.body)
		require.Equal(t, tc.media, res.Header.Get("Content-Type"), tc)
		require.True(t, strings.HasPrefix(res.body, tc.starts), res.body)
	}
	res := ask(t, api, "POST", "/tools/aggregate_nodes?format=mermaid", `{"node_label": "person", "aggregations": [{"function": "count"}]}`, bearer(acme)...)
	require.Equal(t, 422, res.StatusCode)
	require.Contains(t, res.body, "UNSUPPORTED")
	res = ask(t, api, "POST", "/tools/find_nodes?format=csv", `{}`, bearer(acme)...)
	require.Equal(t, "application/problem+json", res.Header.Get("Content-Type"), "a refusal is JSON")
}

func TestGzip(t *testing.T) {
	api := offer(t, engine.Options{}, httpapi.Options{}, nil)
	plain := ask(t, api, "GET", "/tools", "", bearer(acme)...)
	for accept, want := range map[string]bool{"gzip": true, "br, gzip;q=0.5": true, "*": true, "GZIP": true, "gzip;q=0, *": false, "identity": false, "br": false, "gzip;q=x": false} {
		res := ask(t, api, "GET", "/tools", "", bearer(acme, "Accept-Encoding", accept)...)
		require.Equal(t, want, res.Header.Get("Content-Encoding") == "gzip", accept)
		require.Contains(t, res.Header.Get("Vary"), "Accept-Encoding")
		require.Equal(t, plain.Header.Get("ETag"), res.Header.Get("ETag"))
		if !want {
			require.Equal(t, plain.body, res.body)
			continue
		}
		z, err := gzip.NewReader(strings.NewReader(res.body))
		require.NoError(t, err)
		b, err := io.ReadAll(z)
		require.NoError(t, err)
		require.Equal(t, plain.body, string(b))
		require.Less(t, len(res.body), len(plain.body)/2)
	}
	res := ask(t, api, "POST", "/tools/find_nodes", people, bearer(acme, "Accept-Encoding", "gzip")...)
	require.Empty(t, res.Header.Get("Content-Encoding"), "too short for it")
}

func TestOrigins(t *testing.T) {
	const page = "https://graph.example.com"
	preflight := []string{"Origin", page, "Access-Control-Request-Method", "POST"}
	for _, api := range []*httpapi.API{offer(t, engine.Options{}, httpapi.Options{}, nil), offer(t, engine.Options{}, httpapi.Options{Origins: []string{"https://other.example.com"}}, nil)} {
		res := ask(t, api, "OPTIONS", "/tools/find_nodes", "", preflight...)
		require.Equal(t, 405, res.StatusCode)
		for _, headers := range [][]string{preflight, bearer(acme, "Origin", page), bearer(acme, "Origin", "null")} {
			res := ask(t, api, "POST", "/tools/find_nodes", people, headers...)
			for name := range res.Header {
				require.NotContains(t, name, "Access-Control")
			}
		}
	}
	api := offer(t, engine.Options{}, httpapi.Options{Origins: []string{page}}, nil)
	res := ask(t, api, "OPTIONS", "/tools/find_nodes", "", preflight...)
	require.Equal(t, 204, res.StatusCode)
	require.Equal(t, page, res.Header.Get("Access-Control-Allow-Origin"))
	require.Equal(t, "POST", res.Header.Get("Access-Control-Allow-Methods"))
	require.Contains(t, res.Header.Get("Access-Control-Allow-Headers"), "Authorization")
	require.Empty(t, res.Header.Get("Access-Control-Allow-Credentials"))
	res = ask(t, api, "POST", "/tools/find_nodes", people, bearer(acme, "Origin", page)...)
	require.Equal(t, 200, res.StatusCode)
	require.Equal(t, page, res.Header.Get("Access-Control-Allow-Origin"))
	require.Contains(t, res.Header.Values("Vary"), "Origin")
	res = ask(t, api, "POST", "/tools/find_nodes", people, bearer(acme, "Origin", page+".evil.example")...)
	require.Empty(t, res.Header.Get("Access-Control-Allow-Origin"))
}

func TestReady(t *testing.T) {
	var down error
	api := offer(t, engine.Options{}, httpapi.Options{Ready: func(context.Context) error { return down }, Log: slog.New(slog.DiscardHandler)}, nil)
	require.Equal(t, 200, ask(t, api, "GET", "/readyz", "").StatusCode)
	down = errors.New("no database at secret:3306")
	res := ask(t, api, "GET", "/readyz", "")
	require.Equal(t, 503, res.StatusCode)
	require.NotContains(t, res.body, "secret")
	require.Equal(t, 200, ask(t, api, "GET", "/healthz", "").StatusCode)
}

// A panic of the host's own functions takes one request with it, and tells
// nothing.
func TestPanics(t *testing.T) {
	api := offer(t, engine.Options{}, httpapi.Options{Log: slog.New(slog.DiscardHandler),
		Authenticate: func(*http.Request) (*graph.Scope, error) { panic("secret") }}, nil)
	res := ask(t, api, "GET", "/tools", "")
	require.Equal(t, 500, res.StatusCode)
	require.Contains(t, res.body, "INTERNAL")
	require.NotContains(t, res.body, "secret")
	api = offer(t, engine.Options{Log: slog.New(slog.DiscardHandler)}, httpapi.Options{}, func(s store.Store) store.Store {
		return faulty{s, func(context.Context) error { panic("secret") }}
	})
	res = ask(t, api, "POST", "/tools/find_nodes", people, bearer(acme)...)
	require.Equal(t, 500, res.StatusCode)
	require.NotContains(t, res.body, "secret")
}

func TestMetrics(t *testing.T) {
	metrics := httpapi.NewMetrics()
	api := offer(t, engine.Options{}, httpapi.Options{Metrics: metrics}, nil)
	for range 3 {
		ask(t, api, "POST", "/tools/find_nodes", people, bearer(acme)...)
	}
	ask(t, api, "POST", "/tools/find_nodes", `{"node_label": "persn"}`, bearer(acme)...)
	ask(t, api, "POST", "/tools/in_my_folder", `{"x": 1}`, bearer(acme)...)
	ask(t, api, "POST", "/tools/in_my_folder", `{}`, bearer(acme)...)
	for _, name := range []string{"a", "b", "c\"\n"} {
		ask(t, api, "POST", "/tools/"+strings.ReplaceAll(name, "\"\n", "%22%0a"), `{}`, bearer(acme)...)
	}
	ask(t, api, "GET", "/tools", "")
	res := ask(t, api, "GET", "/metrics", "", bearer(acme)...)
	require.Equal(t, 200, res.StatusCode)
	for _, line := range []string{
		`trellis_calls_total{tool="find_nodes",outcome="ok"} 3`,
		`trellis_calls_total{tool="find_nodes",outcome="refused"} 1`,
		`trellis_calls_total{tool="in_my_folder",outcome="ok"} 1`,
		`trellis_calls_total{tool="other",outcome="refused"} 4`,
		`trellis_errors_total{code="UNKNOWN_LABEL"} 1`,
		`trellis_errors_total{code="UNKNOWN_TOOL"} 3`,
		`trellis_call_duration_seconds_bucket{tool="find_nodes",le="+Inf"} 4`,
		`trellis_call_duration_seconds_bucket{tool="find_nodes",le="10"} 4`,
		`trellis_call_duration_seconds_count{tool="find_nodes"} 4`,
		`trellis_calls_in_flight 0`,
		`trellis_store_running 0`,
		`trellis_http_responses_total{status="200"} 4`,
		`trellis_http_responses_total{status="401"} 1`,
		`trellis_http_responses_total{status="404"} 3`,
	} {
		require.Contains(t, res.body, line+"\n")
	}
	// The text format: a comment, or a name with labels and a number, each family
	// told of before its first sample.
	told := map[string]bool{}
	for line := range strings.Lines(res.body) {
		if name, ok := strings.CutPrefix(line, "# TYPE "); ok {
			told[strings.Fields(name)[0]] = true
			continue
		}
		if strings.HasPrefix(line, "# HELP ") {
			continue
		}
		require.Regexp(t, `^[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+\n$`, line)
		name, _, _ := strings.Cut(strings.Fields(line)[0], "{")
		for _, end := range []string{"_bucket", "_sum", "_count"} {
			name = strings.TrimSuffix(name, end)
		}
		require.True(t, told[name], line)
	}
}
