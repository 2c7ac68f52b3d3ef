// Package explorer is a page on which people look at a graph: its schema as a
// diagram, calls built from the tools' schemas, answers as graph, table and JSON,
// and beside them the way of the call, from its plan to the database's own.
//
//	httpapi.New(offered, httpapi.Options{Authenticate: who}).Mount(mux)
//	explorer.New(offered, explorer.Options{Authenticate: who}).Mount(mux)
//
//	GET  /explorer/               the page
//	POST /explorer/explain/{tool} how a call is answered: plan, statements, the database's plan
//
// Labels whose nodes are records are shown by the tools of their records: a table to
// page, sort and filter, and a view of each record, whose references are links. What
// a member refers to is found among what its node is connected to: the page is told of
// no other. Each view is a call, which the address after # names.
//
// The page asks what package httpapi offers, and nothing of any other server: it
// works offline, under a content security policy that allows nothing else. What it
// shows is what the token that is typed into it may see; it keeps the token in
// memory alone. How a call is answered is told as far as engine.Options.Statements
// shows statements, without the guards and the estimates, which are for hosts.
//
// The picture is drawn by Cytoscape.js, a copy of which lies in page/vendor.
package explorer

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/tools"
	"github.com/trellisgraph/trellis/tools/tokens"
)

//go:embed page
var pages embed.FS

// Options configure an explorer.
type Options struct {
	// Authenticate tells on whose behalf a request is made, as that of package
	// httpapi does. The page itself is for everybody: it holds nothing.
	Authenticate func(*http.Request) (*graph.Scope, error)
	// Log gets what callers must not see. Nil is slog.Default().
	Log *slog.Logger
}

// An Explorer is an http.Handler of the paths that the package's doc lists. It is
// safe for concurrent use.
type Explorer struct {
	tools *tools.Tools
	opts  Options
	mux   *http.ServeMux
}

// New returns an explorer of tools.
func New(offered *tools.Tools, opts Options) *Explorer {
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	e := &Explorer{tools: offered, opts: opts, mux: http.NewServeMux()}
	e.mux.HandleFunc("GET /explorer/", e.page)
	e.mux.HandleFunc("POST /explorer/explain/{tool}", e.explain)
	return e
}

// Mount puts the explorer onto a mux.
func (e *Explorer) Mount(mux *http.ServeMux) { mux.Handle("/explorer/", e) }

// policy is the content security policy of the page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP implements http.Handler.
func (e *Explorer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	e.mux.ServeHTTP(w, r)
}

// page serves a file of the page.
func (e *Explorer) page(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/explorer/")
	if name == "" {
		name = "index.html"
	}
	content, err := pages.ReadFile(path.Join("page", name))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	sum := sha256.Sum256(content)
	tag := `"` + hex.EncodeToString(sum[:12]) + `"`
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "no-cache")
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", mediaType(name))
	_, _ = w.Write(content)
}

// mediaType does not ask the machine, whose tables differ.
func mediaType(name string) string {
	switch path.Ext(name) {
	case ".js", ".mjs":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".html":
		return "text/html; charset=utf-8"
	}
	return mime.FormatMediaType("text/plain", map[string]string{"charset": "utf-8"})
}

// most is the most bytes of arguments that are read; the engine's limit is lower.
const most = 1 << 20

// A way is how a call is answered.
type way struct {
	Plan       string            `json:"plan"`
	Executed   string            `json:"executed"`
	Statements []graph.Statement `json:"statements"`
	Database   []string          `json:"database"`
}

// explain tells how a call is answered.
func (e *Explorer) explain(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	if e.opts.Authenticate != nil {
		scope, err := e.opts.Authenticate(r)
		switch {
		case errors.Is(err, tokens.ErrUnknown):
			w.Header().Set("WWW-Authenticate", "Bearer")
			answer(w, http.StatusUnauthorized, nil)
			return
		case err != nil:
			e.opts.Log.ErrorContext(ctx, "a token could not be verified", "error", err)
			answer(w, http.StatusServiceUnavailable, nil)
			return
		case scope != nil:
			ctx = graph.WithScope(ctx, scope)
		}
	}
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		answer(w, http.StatusUnsupportedMediaType, nil) // pages of others can send other types without asking
		return
	}
	conn := http.NewResponseController(w)
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second)) // a recorder has none
	args, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		answer(w, http.StatusRequestEntityTooLarge, nil)
		return
	case err != nil:
		answer(w, http.StatusBadRequest, nil)
		return
	}
	_ = conn.SetReadDeadline(time.Time{}) // or the call would end with it
	tool := r.PathValue("tool")
	told, err := e.tools.Explain(ctx, tool, args)
	if err != nil {
		answer(w, http.StatusUnprocessableEntity, graph.NewErrorDocument(tool, err))
		return
	}
	answer(w, http.StatusOK, way{told.Asked, told.Executed, told.Statements, told.Database})
}

func answer(w http.ResponseWriter, status int, document any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "private, no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(document)
}
