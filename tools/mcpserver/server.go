package mcpserver

import (
	"context"
	"io"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/tools"
)

// Options configure a Server. The zero value is a sound default.
type Options struct {
	// Name and Version are how the server introduces itself; "trellis" and
	// "0.0.0" if empty.
	Name, Version string
	// OutputSchemas publishes the form of each tool's answer, and sends answers
	// as structured content beside their text. Both about double what a client
	// has to read, so it is for clients that need them.
	OutputSchemas bool
	// PageSize is how many items a page of a list has; 100 if it is zero or
	// negative.
	PageSize int
	// Catalog, if it is not nil, is that of the tools' engine: when its schema is
	// swapped, clients that listen are told that the lists have changed.
	Catalog *schema.Catalog
	// Log gets what goes wrong with the protocol. Nil means nobody.
	Log *slog.Logger
}

// A Server offers tools to clients of the protocol. It is safe for concurrent
// use.
type Server struct {
	tools *tools.Tools
	opts  Options
	mcp   *mcp.Server
}

// New returns a server of the given tools.
func New(offered *tools.Tools, opts Options) *Server {
	if opts.Name == "" {
		opts.Name = "trellis"
	}
	if opts.Version == "" {
		opts.Version = "0.0.0"
	}
	if opts.PageSize <= 0 {
		opts.PageSize = 100
	}
	s := &Server{tools: offered, opts: opts}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: opts.Name, Title: "Trellis", Version: opts.Version}, &mcp.ServerOptions{
		Instructions: instructions,
		Logger:       opts.Log,
		Capabilities: &mcp.ServerCapabilities{
			Tools: &mcp.ToolCapabilities{},
		},
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { *c = private },
	})
	s.mcp.AddReceivingMiddleware(s.receive)
	return s
}

const instructions = "A knowledge graph that can be read. Call get_graph_schema first: it tells the labels, relationship types and properties, " +
	"which all other tools take by name. A refused call says what would have been right; correct it and call again."

// private are the cache rules of everything that depends on the caller: a
// minute, and for nobody else.
var private = mcp.Cacheable{TTLMs: 60_000, CacheScope: "private"}

// receive answers what depends on the caller, at each request anew; the rest is
// the protocol's.
func (s *Server) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		ctx, release := withPeer(ctx)
		defer release()
		switch req := req.(type) {
		case *mcp.ListToolsRequest:
			return s.listTools(ctx, req)
		case *mcp.CallToolRequest:
			return s.callTool(ctx, req)
		}
		return next(ctx, method, req)
	}
}

// Run answers one client on a pair of streams, standard input and output as a
// rule, in the context's scope. It returns when in ends or ctx is done.
func (s *Server) Run(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	return s.mcp.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out, MaxLineLength: maxMessage})
}

// maxMessage is how many bytes a message of a client may have.
const maxMessage = 1 << 20
