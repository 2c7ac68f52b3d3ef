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
		args:    "--stdio | --http ADDR --graph DIR | --schema FILE --dsn URL",
		summary: "Offer the tools to language models, over MCP",
		help: `
With --stdio the command is a server of the Model Context Protocol on standard
input and output, as desktop clients start one: put it into their configuration
with all its flags.

    trellis serve --stdio --graph DIR
    trellis serve --stdio --schema schema.yaml --dsn postgres://user@localhost/name

With --http it listens on an address until it is interrupted. The protocol is
spoken on /mcp, without sessions.

    trellis serve --http localhost:8080 --graph DIR

Calls are made on behalf of --scope. Answers tell the SQL that ran over
standard input and output; over HTTP only with --show-statements. Failures are
logged on standard error.`,
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
	stdio          bool
	addr, scope    string
	showStatements bool
	outputSchemas  bool
	caller         *graph.Scope
}

func (s *server) define(flags *flag.FlagSet) {
	s.source.define(flags)
	s.host.define(flags)
	flags.BoolVar(&s.stdio, "stdio", false, "speak MCP on standard input and output")
	flags.StringVar(&s.addr, "http", "", "listen on an `address`, such as localhost:8080")
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
	return nil
}

// serve opens the graph and answers until ctx is done or the input ends.
func (s *server) serve(ctx context.Context, std streams) error {
	s.log = slog.New(slog.NewTextHandler(std.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if s.addr != "" && !s.showStatements {
		s.statements = engine.HideStatements
	}
	graphs, err := s.open(ctx, std, &s.host)
	if err != nil {
		return err
	}
	defer graphs.close()
	mcp := mcpserver.New(graphs.tools, mcpserver.Options{
		Version: version(), OutputSchemas: s.outputSchemas, Catalog: graphs.catalog, Log: s.log,
	})
	if s.stdio {
		err := mcp.Run(within(ctx, s.caller), io.NopCloser(std.in), keepOpen{std.out})
		if ctx.Err() != nil {
			return nil // interrupted, as servers are
		}
		return err
	}
	mux := http.NewServeMux()
	who := s.authenticate
	mcp.Mount(mux, mcpserver.HTTPOptions{Authenticate: who})
	return listen(ctx, std.err, s.addr, mux)
}

// authenticate tells on whose behalf a request is made.
func (s *server) authenticate(*http.Request) (*graph.Scope, error) { return s.caller, nil }

// listen serves HTTP until ctx is done, and then ends in peace within seconds.
func listen(ctx context.Context, log io.Writer, addr string, handler http.Handler) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	// How long a body may take is for the handlers: some requests listen for days.
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
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
