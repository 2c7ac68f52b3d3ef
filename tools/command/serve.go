package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/tools/mcpserver"
)

func serveCommand() *command {
	return &command{
		name:    "serve",
		args:    "--stdio | --http ADDR [--tokens FILE]  --graph DIR | --bundle DIR | --repository DIR|URL | --schema FILE --dsn URL",
		summary: "Offer the tools to language models and programs, over MCP and HTTP",
		help: `
With --stdio the command is a server of the Model Context Protocol on standard
input and output, as desktop clients start one: put it into their configuration
with all its flags.

    trellis serve --stdio --graph DIR
    trellis serve --stdio --schema schema.yaml --dsn postgres://user@localhost/name

With --http it listens on an address until it is interrupted; without a host in
it, on this machine only. The protocol is spoken on /mcp, without sessions; the
same tools are called with POST /tools/NAME, and /openapi.json describes them.

    trellis serve --http localhost:8080 --graph DIR
    curl localhost:8080/tools/find_nodes -H 'Content-Type: application/json' \
        -d '{"node_label": "person"}'

A page to look at the graph with is at the same address: its schema as a diagram,
calls, answers and how they come about.

With --tokens each request needs a bearer token of the file, and is made on
behalf of its scope. A server that others can reach, or whose schema has
policies, needs it; one of this machine may serve a single --scope instead.

    format: trellis.tokens.v1
    tokens:
      - sha256: …                 # of the token; or token: the token itself
        scope: {tenant: acme, principal: ada, claims: {role: manager}}

    trellis serve --http 0.0.0.0:8080 --graph DIR --tokens tokens.yaml

With --bundle the files of a bundle are read again when they change: new tools
appear, clients that listen are told, and calls under way end on what there was. A
bundle with mistakes is told of on standard error, and the one before stays. The time
of its revision is that of its newest file.

    trellis serve --http localhost:8080 --bundle shop

With --repository each call is about what the tenant of its token, or of --scope,
has there, and about the part that its view shows; "trellis bundle" changes it.

    format: trellis.tokens.v1
    tokens:
      - sha256: …
        scope: {tenant: acme, view: support, principal: ada}

    trellis serve --http 0.0.0.0:8080 --repository /var/lib/trellis --tokens tokens.yaml

--queries go with each of these. A bundle of which one would be lost is not taken over.
Of the tenants of a --repository each has those that its bundles can answer, and the
log tells which are left out; a bundle with a tool of the name of one is not loaded.

The file of tokens is read again when it changes. Answers tell the SQL that ran over
standard input and output; over HTTP only with --show-statements. Counts of calls
are at /metrics; /healthz and /readyz tell whether it lives and can answer.
Failures are logged on standard error.`,
		define: func(flags *flag.FlagSet) action {
			var s server
			s.define(flags)
			return func(ctx context.Context, std streams, args []string) error {
				if err := s.check(args); err != nil {
					return err
				}
				caller, err := parseScope([]byte(s.scope))
				if err != nil {
					return usagef("--scope is not a scope: %s", err)
				}
				s.caller = caller
				return s.serve(ctx, std)
			}
		},
	}
}

// A server is what serve is told by its flags.
type server struct {
	source
	host
	web
	stdio bool
	scope string
	// bundle and repository are other sources than a graph or a database.
	bundle, repository string
	showStatements     bool
	outputSchemas      bool
	caller             *graph.Scope
}

func (s *server) define(flags *flag.FlagSet) {
	s.source.define(flags)
	s.host.define(flags)
	flags.StringVar(&s.bundle, "bundle", "", "a bundle's `directory` or archive, which is read again when it changes")
	flags.StringVar(&s.repository, "repository", "", "where the bundles of tenants are: a `directory`, or a database as sqlite:FILE, postgres://… or mysql://…")
	flags.BoolVar(&s.stdio, "stdio", false, "speak MCP on standard input and output")
	s.web.define(flags)
	flags.StringVar(&s.scope, "scope", "", scopeUsage)
	flags.StringVar(&s.audit, "audit", "", "append a record of each call to a `file`, as lines of JSON")
	flags.BoolVar(&s.showStatements, "show-statements", false, "tell over HTTP, too, which SQL ran")
	flags.BoolVar(&s.outputSchemas, "output-schemas", false, "publish the form of MCP tools' answers, and answer with structured content too")
}

func (s *server) check(args []string) error {
	switch {
	case len(args) > 0:
		return usagef("serve takes flags only, not %q", args[0])
	case s.stdio == (s.addr != ""):
		return usagef("serve takes either --stdio or --http ADDR")
	}
	if err := s.checkSource(); err != nil {
		return err
	}
	switch {
	case s.addr != "":
		return s.web.check(s.scope != "")
	case s.tokens != "" || len(s.origins) > 0:
		return usagef("--tokens and --origin are for --http; over standard input calls are made on behalf of --scope")
	}
	return nil
}

// serve opens the graph and answers until ctx is done or the input ends.
func (s *server) serve(ctx context.Context, std streams) error {
	s.log = slog.New(slog.NewTextHandler(std.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if s.addr != "" && !s.showStatements {
		s.statements = engine.HideStatements
	}
	s.host.rates, s.host.observer = s.perToken(), s.metrics()
	graphs, err := s.openSource(ctx, std)
	if err != nil {
		return err
	}
	defer graphs.close()
	mcp := mcpserver.New(graphs.tools, mcpserver.Options{
		Version: version(), OutputSchemas: s.outputSchemas, ListChanged: true, Log: s.log,
	})
	if s.stdio {
		err := mcp.Run(within(ctx, s.caller), io.NopCloser(std.in), keepOpen{std.out})
		if ctx.Err() != nil {
			return nil // interrupted, as servers are
		}
		return err
	}
	handler, err := s.web.handler(graphs, mcp, s.caller, s.log)
	if err != nil {
		return err
	}
	return listen(ctx, std.err, s.addr, handler)
}

// listen serves HTTP until ctx is done, and then ends in peace within seconds.
func listen(ctx context.Context, log io.Writer, addr string, handler http.Handler) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	server := webServer(handler)
	fmt.Fprintf(log, "trellis: listening on http://%s\n", l.Addr())
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		stopped <- errors.Join(server.Shutdown(patience), server.Close())
	})
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		stop()
		return errors.Join(err, server.Close())
	}
	if err := <-stopped; !errors.Is(err, context.DeadlineExceeded) { // who still listened was cut off
		return err
	}
	return nil
}

// webServer bounds what a connection may take. Handlers that read a body set a
// deadline of their own and then take it away: some requests listen for days. The
// others, such as one that has no token, are not held open by a body that does
// not come.
func webServer(handler http.Handler) *http.Server {
	return &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
}

// version is that of the module of which the program was built.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return ""
}

// keepOpen is a writer that whoever is done with it does not close.
type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }
