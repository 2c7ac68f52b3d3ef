package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/tools/tokens"
)

// HTTPOptions configure what a Server does over HTTP. The zero value answers
// whoever asks, in no scope.
type HTTPOptions struct {
	// Path is where the protocol is spoken; "/mcp" if it is empty.
	Path string
	// Authenticate tells on whose behalf a request is made, at each request; a nil
	// scope is nobody's. tokens.ErrUnknown is answered with 401, any other error
	// with 503 and to the log. Without a function, the scope is that of the
	// request's context, for hosts that have authenticated before.
	Authenticate func(*http.Request) (*graph.Scope, error)
	// Resource is the URL under which clients know this server, with its path,
	// such as https://graph.example.com/mcp. If it is empty, it is made of what
	// the request says, which suits a server that has no proxy before it.
	Resource string
	// AuthorizationServers are the issuers whose tokens Authenticate takes, for
	// clients that look for one to log in at.
	AuthorizationServers []string
	// Origins are those of web pages that may speak with the server, beside its
	// own, such as https://chat.example.com. Other pages are refused with 403.
	Origins []string
}

// Mount puts the server onto a mux: on the path of the options, and its
// metadata for OAuth clients (RFC 9728) on the well-known path of it. It panics
// if an origin is none.
func (s *Server) Mount(mux *http.ServeMux, o HTTPOptions) {
	if o.Path == "" {
		o.Path = "/mcp"
	}
	mux.Handle(o.Path, s.handler(o))
	mux.HandleFunc("GET "+wellKnown+o.Path, o.metadata)
	mux.HandleFunc("GET "+wellKnown, o.metadata) // where clients look second
}

const wellKnown = "/.well-known/oauth-protected-resource"

func (s *Server) handler(o HTTPOptions) http.Handler {
	stream := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{
		Stateless: true, Logger: s.opts.Log, MaxRequestBodyBytes: maxMessage, PropagateRequestCancellation: true,
	})
	cross := http.NewCrossOriginProtection()
	for _, origin := range o.Origins {
		if err := cross.AddTrustedOrigin(origin); err != nil {
			panic(err)
		}
	}
	return o.pages(cross.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		if o.Authenticate != nil {
			scope, err := o.Authenticate(r)
			switch {
			case errors.Is(err, tokens.ErrUnknown):
				o.unauthorized(w, r)
				return
			case err != nil:
				if s.opts.Log != nil {
					s.opts.Log.Error("a caller could not be authenticated", "error", err)
				}
				http.Error(w, "who calls cannot be found out now", http.StatusServiceUnavailable)
				return
			}
			if scope != nil {
				ctx = graph.WithScope(ctx, scope)
			}
		}
		if !readBody(w, r) {
			return
		}
		stream.ServeHTTP(w, r.WithContext(context.WithValue(ctx, peerKey{}, r.Context())))
	})))
}

// pages lets browsers give the answers to pages of the options' origins.
func (o *HTTPOptions) pages(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header, origin := w.Header(), r.Header.Get("Origin")
		if len(o.Origins) > 0 {
			header.Add("Vary", "Origin")
		}
		if slices.Contains(o.Origins, origin) {
			header.Set("Access-Control-Allow-Origin", origin)
			header.Set("Access-Control-Expose-Headers", "WWW-Authenticate")
			if r.Method == http.MethodOptions {
				header.Set("Access-Control-Allow-Methods", "POST")
				header.Set("Access-Control-Allow-Headers", "Accept, Authorization, Content-Type, Mcp-Method, Mcp-Name, Mcp-Protocol-Version")
				header.Set("Access-Control-Max-Age", "600")
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// readBody reads a request's body, which has half a minute to come; afterwards
// the connection has no deadline, for a client may listen for days.
func readBody(w http.ResponseWriter, r *http.Request) bool {
	conn := http.NewResponseController(w)
	_ = conn.SetReadDeadline(time.Now().Add(30 * time.Second)) // what has no deadlines is not a connection
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		http.Error(w, "the message is over a mebibyte", http.StatusRequestEntityTooLarge)
		return false
	case err != nil:
		http.Error(w, "the message could not be read", http.StatusBadRequest)
		return false
	}
	_ = conn.SetReadDeadline(time.Time{})
	r.Body = io.NopCloser(bytes.NewReader(body))
	return true
}

// unauthorized refuses a request, and tells where a token can be had.
func (o *HTTPOptions) unauthorized(w http.ResponseWriter, r *http.Request) {
	challenge := `Bearer resource_metadata="` + o.metadataURL(r) + `"`
	if r.Header.Get("Authorization") != "" {
		challenge += `, error="invalid_token"`
	}
	w.Header().Set("WWW-Authenticate", challenge)
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, tokens.ErrUnknown.Error(), http.StatusUnauthorized)
}

// metadata answers with the protected resource metadata of RFC 9728.
func (o *HTTPOptions) metadata(w http.ResponseWriter, r *http.Request) {
	document := struct {
		Resource             string   `json:"resource"`
		ResourceName         string   `json:"resource_name"`
		AuthorizationServers []string `json:"authorization_servers,omitempty"`
		BearerMethods        []string `json:"bearer_methods_supported"`
	}{o.resource(r), "Trellis", o.AuthorizationServers, []string{"header"}}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Access-Control-Allow-Origin", "*") // it is public, and clients in web pages look for it
	_ = json.NewEncoder(w).Encode(document)            // the client has gone, if it fails
}

// resource is the URL under which the client knows the server.
func (o *HTTPOptions) resource(r *http.Request) string {
	switch {
	case o.Resource != "":
		return o.Resource
	case r.TLS != nil:
		return "https://" + r.Host + o.Path
	}
	return "http://" + r.Host + o.Path
}

// metadataURL is where RFC 9728 puts the metadata of the resource: the
// well-known path comes before the resource's own.
func (o *HTTPOptions) metadataURL(r *http.Request) string {
	u, err := url.Parse(o.resource(r))
	if err != nil {
		return wellKnown
	}
	u.Path = wellKnown + u.Path
	return u.String()
}

type peerKey struct{}

// withPeer returns a context that ends with the HTTP request, or with Run's
// context, too: what nobody can be told any more need not be found out. The SDK keeps the values of a
// request's context, but, before the revision 2026-07-28, not its end.
func withPeer(ctx context.Context) (context.Context, func()) {
	peer, ok := ctx.Value(peerKey{}).(context.Context)
	if !ok {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(peer, cancel)
	return ctx, func() { stop(); cancel() }
}
