package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/tools"
	"github.com/trellisgraph/trellis/tools/tokens"
)

// Options configure an API. The zero value answers whoever asks, in the scope of
// the request's own context.
type Options struct {
	// Authenticate tells on whose behalf a request is made; a nil scope is
	// nobody's. tokens.ErrUnknown is answered with 401, any other error with 503
	// and to the log. Without a function, the scope is that of the request's
	// context, for hosts that have authenticated before.
	Authenticate func(*http.Request) (*graph.Scope, error)
	// Origins are those of web pages that may call, such as
	// https://graph.example.com; without any, no page of another origin may.
	Origins []string
	// Ready says whether calls can be answered now; nil means that they can.
	Ready func(context.Context) error
	// Metrics are shown at /metrics; nil means that there is no such page. They are
	// for whoever may call, of all callers, with the names of the tools that this
	// one may see; the others are counted as one.
	Metrics *Metrics
	// Stats are shown among the metrics: those of the engine.
	Stats func() engine.Stats
	// Version is that of the host's program.
	Version string
	// Log gets what callers must not see. Nil is slog.Default().
	Log *slog.Logger
}

// An API is an http.Handler of the paths that the package's doc lists. It is
// safe for concurrent use.
type API struct {
	tools *tools.Tools
	opts  Options
}

// New returns the API of tools.
func New(offered *tools.Tools, opts Options) *API {
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	return &API{offered, opts}
}

// A route answers the requests of one path.
type route struct {
	method string
	open   bool // to everybody
	answer func(*API, *request)
}

var routes = map[string]route{
	"/tools":        {http.MethodGet, false, (*API).list},
	"/tools/":       {http.MethodPost, false, (*API).call}, // and a name
	"/schema":       {http.MethodGet, false, (*API).schema},
	"/openapi.json": {http.MethodGet, false, (*API).openAPI},
	"/llms.txt":     {http.MethodGet, false, (*API).llms},
	"/metrics":      {http.MethodGet, false, (*API).metrics},
	"/healthz":      {http.MethodGet, true, (*API).health},
	"/readyz":       {http.MethodGet, true, (*API).ready},
}

// Mount puts the API onto a mux.
func (a *API) Mount(mux *http.ServeMux) {
	for path := range routes {
		mux.Handle(path, a)
	}
}

// A request is one on its way to its answer.
type request struct {
	w http.ResponseWriter
	*http.Request
	ctx context.Context // with the caller's scope
	// tool is the name of the tool that is called.
	tool string
}

// ServeHTTP implements http.Handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTime)) // a recorder has none
	req := &request{w, r, r.Context(), ""}
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				panic(p)
			}
			a.opts.Log.ErrorContext(r.Context(), "a request failed", "panic", p, "stack", string(debug.Stack()))
			a.refuse(req, graph.Errors{{Code: graph.Internal, Message: "the request could not be answered"}})
		}
	}()
	path := r.URL.Path
	if name, ok := strings.CutPrefix(path, "/tools/"); ok && name != "" {
		path, req.tool = "/tools/", name
	} else if ok {
		path = ""
	}
	to, known := routes[path]
	switch {
	case !known, path == "/metrics" && a.opts.Metrics == nil:
		a.fail(req, http.StatusNotFound, &graph.Error{Code: graph.UnknownTool, Message: "there is nothing at this path", Hint: "GET /tools lists the tools, POST /tools/NAME calls one"})
		return
	case a.crossOrigin(req, to.method): // a preflight, which is answered
		return
	case r.Method != to.method && !(to.method == http.MethodGet && r.Method == http.MethodHead):
		w.Header().Set("Allow", to.method)
		a.fail(req, http.StatusMethodNotAllowed, &graph.Error{Code: graph.Unsupported, Message: "the method of this path is " + to.method})
		return
	case !to.open && !a.authenticate(req):
		return
	}
	to.answer(a, req)
}

// authenticate finds the caller's scope, or answers the request.
func (a *API) authenticate(r *request) bool {
	if a.opts.Authenticate == nil {
		return true
	}
	scope, err := a.opts.Authenticate(r.Request)
	switch {
	case errors.Is(err, tokens.ErrUnknown):
		challenge := "Bearer"
		if len(r.Header["Authorization"]) > 0 {
			challenge += ` error="invalid_token"`
		}
		r.w.Header().Set("WWW-Authenticate", challenge)
		a.fail(r, http.StatusUnauthorized, &graph.Error{Code: graph.NoScope, Message: tokens.ErrUnknown.Error(), Hint: "send it in the header Authorization: Bearer TOKEN"})
		return false
	case err != nil:
		a.opts.Log.ErrorContext(r.ctx, "a token could not be verified", "error", err)
		a.refuse(r, graph.Errors{{Code: graph.Unavailable, Message: "tokens cannot be verified now", Retryable: true, RetryAfterMS: 1000}})
		return false
	}
	if scope != nil {
		r.ctx = graph.WithScope(r.ctx, scope)
	}
	return true
}

// crossOrigin lets the pages of the listed origins in, and reports whether the
// request was a preflight of one. What does not come from a page has no origin.
func (a *API) crossOrigin(r *request, method string) bool {
	header := r.w.Header()
	origin := r.Header.Get("Origin")
	if len(a.opts.Origins) > 0 {
		header.Add("Vary", "Origin")
	}
	if origin == "" || !slices.Contains(a.opts.Origins, origin) {
		return false
	}
	header.Set("Access-Control-Allow-Origin", origin)
	header.Set("Access-Control-Expose-Headers", "ETag, Retry-After, WWW-Authenticate")
	if r.Method != http.MethodOptions {
		return false
	}
	header.Set("Access-Control-Allow-Methods", method)
	header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, If-None-Match")
	header.Set("Access-Control-Max-Age", "600")
	r.w.WriteHeader(http.StatusNoContent)
	return true
}

func (a *API) health(r *request) {
	a.send(r, reply{status: http.StatusOK, media: "text/plain; charset=utf-8", body: []byte("ok\n")})
}

// readyTime is how long the host has to say whether it can answer.
const readyTime = 2 * time.Second

func (a *API) ready(r *request) {
	if a.opts.Ready != nil {
		ctx, cancel := context.WithTimeout(r.ctx, readyTime)
		defer cancel()
		if err := a.opts.Ready(ctx); err != nil {
			a.opts.Log.WarnContext(r.ctx, "not ready", "error", err)
			a.refuse(r, graph.Errors{{Code: graph.Unavailable, Message: "calls cannot be answered now", Retryable: true, RetryAfterMS: 1000}})
			return
		}
	}
	a.health(r)
}

func (a *API) metrics(r *request) {
	list, err := a.tools.List(r.ctx)
	if err != nil {
		a.refuse(r, err)
		return
	}
	visible := func(name string) bool {
		return slices.ContainsFunc(list, func(t *tools.Tool) bool { return t.Name == name })
	}
	var stats engine.Stats
	if a.opts.Stats != nil {
		stats = a.opts.Stats()
	}
	a.send(r, reply{status: http.StatusOK, media: "text/plain; version=0.0.4; charset=utf-8", body: a.opts.Metrics.append(nil, stats, visible)})
}

func (a *API) list(r *request) {
	list, err := a.tools.List(r.ctx)
	if err != nil {
		a.refuse(r, err)
		return
	}
	a.send(r, reply{status: http.StatusOK, media: jsonMedia, revalidate: true, body: marshal(struct {
		Format string        `json:"format"`
		Tools  []*tools.Tool `json:"tools"`
	}{"trellis.tools.v1", list})})
}

func (a *API) schema(r *request) {
	r.tool = graph.ToolDescribe
	doc, err := a.tools.Call(r.ctx, graph.ToolDescribe, []byte(`{"expand_schema":true}`))
	if err != nil {
		a.refuse(r, err)
		return
	}
	a.send(r, reply{status: http.StatusOK, media: jsonMedia, revalidate: true, body: doc})
}

func (a *API) openAPI(r *request) {
	list, err := a.tools.List(r.ctx)
	if err == nil {
		var doc []byte
		if doc, err = describe(list, a.opts.Version, a.opts.Authenticate != nil); err == nil {
			a.send(r, reply{status: http.StatusOK, media: "application/vnd.oai.openapi+json;version=3.1", revalidate: true, body: doc})
			return
		}
		err = fmt.Errorf("the description of the tools: %w", err)
		a.opts.Log.ErrorContext(r.ctx, "a request failed", "error", err)
	}
	a.refuse(r, err)
}
