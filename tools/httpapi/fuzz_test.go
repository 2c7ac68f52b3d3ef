package httpapi_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/tools/httpapi"
)

// Whatever comes is answered by a status of the API's, with a document that says
// what it is; nothing of another tenant, and nothing of the process, is in it.
func FuzzHandler(f *testing.F) {
	log := slog.New(slog.DiscardHandler)
	api := offer(f, engine.Options{Log: log}, httpapi.Options{Log: log, Metrics: httpapi.NewMetrics(), Origins: []string{"https://a.example"}}, nil)
	statuses := []int{200, 204, 304, 400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 429}
	f.Add("POST", "/tools/find_nodes", people, "Accept", "text/csv")
	f.Add("POST", "/tools/aggregate_nodes?format=mermaid", `{"node_label": "person", "aggregations": [{"function": "count"}]}`, "Accept-Encoding", "gzip;q=0.1")
	f.Add("GET", "/schema", "", "If-None-Match", `W/"x", *`)
	f.Add("OPTIONS", "/tools/x", "", "Origin", "https://a.example")
	f.Add("GET", "/tools", "\xff", "Authorization", "Bearer "+birch)
	f.Add("HEAD", "/metrics", "", "Content-Type", ";;")
	f.Fuzz(func(t *testing.T, method, target, body, name, value string) {
		r, err := http.NewRequest(method, target, strings.NewReader(body))
		if err != nil {
			return // no request that a server would hand on
		}
		r.Header.Set("Authorization", "Bearer "+acme)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set(name, value)
		foreign := r.Header.Get("Authorization") != "Bearer "+birch
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		if !slices.Contains(statuses, w.Code) {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
		if w.Code >= 400 && method != http.MethodHead && w.Header().Get("Content-Encoding") == "" && !json.Valid(w.Body.Bytes()) {
			t.Fatalf("status %d, and no JSON: %s", w.Code, w.Body)
		}
		if foreign && strings.Contains(w.Body.String(), "Adeyemi") && !strings.Contains(target+body+name+value, "Adeyemi") {
			t.Fatalf("another tenant's: %s", w.Body)
		}
	})
}
