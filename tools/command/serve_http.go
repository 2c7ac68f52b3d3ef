package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/tools/explorer"
	"github.com/trellisgraph/trellis/tools/httpapi"
	"github.com/trellisgraph/trellis/tools/mcpserver"
	"github.com/trellisgraph/trellis/tools/tokens"
)

// A web is the flags of a server over HTTP.
type web struct {
	addr, tokens string
	origins      []string
	resource     string
	rate         int
	counts       *httpapi.Metrics
}

func (w *web) define(flags *flag.FlagSet) {
	flags.StringVar(&w.addr, "http", "", "listen on an `address`, such as localhost:8080; without a host, on this machine only")
	flags.StringVar(&w.tokens, "tokens", "", "answer only those whose bearer token is in a `file` (trellis.tokens.v1)")
	flags.Func("origin", "let web pages of an `origin` call, such as https://graph.example.com; may be given again", func(text string) error {
		u, err := url.Parse(text)
		if err != nil || u.Scheme == "" || u.Host == "" || u.Scheme+"://"+u.Host != text {
			return errors.New("an origin is a scheme and a host, such as https://graph.example.com")
		}
		w.origins = append(w.origins, text)
		return nil
	})
	flags.Func("resource", "the `URL` of MCP as clients know it, such as https://graph.example.com/mcp, where a proxy stands before the server", func(text string) error {
		u, err := url.Parse(text)
		if err != nil || u.Scheme == "" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
			return errors.New("a resource is a URL with a scheme and a host")
		}
		w.resource = text
		return nil
	})
	flags.Func("rate", "refuse more than `N` calls a second with one token", positive(&w.rate, strconv.Atoi))
}

func (w *web) check(scoped bool) error {
	host, port, err := net.SplitHostPort(w.addr)
	if err != nil {
		return usagef("--http takes an address with a port, such as localhost:8080")
	}
	if host == "" {
		host = "127.0.0.1"
		w.addr = net.JoinHostPort(host, port)
	}
	switch {
	case w.tokens != "" && scoped:
		return usagef("--tokens says on whose behalf each call is made; leave out --scope")
	case w.tokens == "" && !isLoopback(host):
		return usagef("others can reach %s: give --tokens FILE, or listen on localhost", host)
	}
	return nil
}

// isLoopback reports whether a host is this machine, for itself only.
func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	return strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
}

func (w *web) perToken() engine.Rates {
	return engine.Rates{PerToken: engine.Rate{PerSecond: float64(w.rate)}}
}

// metrics are what the engine tells of its calls; nil without HTTP.
func (w *web) metrics() engine.Observer {
	if w.addr == "" {
		return nil
	}
	w.counts = httpapi.NewMetrics()
	return w.counts
}

// handler answers over HTTP: on behalf of the tokens of a file, or else of one
// caller.
func (w *web) handler(s *session, mcp *mcpserver.Server, caller *graph.Scope, log *slog.Logger) (http.Handler, error) {
	who := func(*http.Request) (*graph.Scope, error) { return caller, nil }
	if w.tokens != "" {
		file, err := tokens.Open(w.tokens, log)
		if err != nil {
			return nil, err
		}
		who = tokens.Bearer(file.Verify)
	} else if all, err := s.engine.Schema(within(context.Background(), caller)); err != nil {
		return nil, err
	} else if caller == nil && all.HasPolicies() {
		return nil, usagef("the schema has policies: give --tokens FILE, which says who calls, or --scope")
	}
	mux := http.NewServeMux()
	mcp.Mount(mux, mcpserver.HTTPOptions{Authenticate: who, Origins: w.origins, Resource: w.resource})
	httpapi.New(s.tools, httpapi.Options{
		Authenticate: who, Origins: w.origins, Metrics: w.counts, Stats: s.engine.Stats, Version: version(), Log: log, Ready: s.ready,
	}).Mount(mux)
	explorer.New(s.tools, explorer.Options{Authenticate: who, Log: log}).Mount(mux)
	mux.Handle("GET /{$}", http.RedirectHandler("explorer/", http.StatusSeeOther))
	if w.tokens == "" {
		return onlyHere(mux), nil
	}
	return mux, nil
}

// onlyHere refuses requests that were not made to this machine by name or
// address: a web page whose own name leads here is somebody else's.
func onlyHere(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if !isLoopback(host) {
			http.Error(w, "this server answers to localhost only", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// ready says whether calls can be answered now.
func (s *session) ready(ctx context.Context) error {
	if s.engine.Stats().CircuitOpen {
		return errors.New("the store does not return")
	}
	if s.ping == nil {
		return nil
	}
	if err := s.ping(ctx); err != nil {
		return fmt.Errorf("the database: %w", s.hide(err))
	}
	return nil
}
