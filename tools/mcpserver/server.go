package mcpserver

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

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
	// ListChanged has clients that listen told when the lists have changed: those
	// of the tenant and the view for which the engine's source has something else
	// now, and no others.
	ListChanged bool
	// Log gets what goes wrong with the protocol. Nil means nobody.
	Log *slog.Logger
}

// A Server offers tools to clients of the protocol. It is safe for concurrent
// use.
type Server struct {
	tools *tools.Tools
	opts  Options
	mcp   *mcp.Server

	mu        sync.Mutex
	audiences map[audienceKey]*audience
	listening map[*mcp.ServerSession]*listener
}

// New returns a server of the given tools.
func New(offered *tools.Tools, opts Options) *Server {
	s := build(offered, opts)
	s.mcp.AddReceivingMiddleware(s.receive)
	return s
}

// build makes a server that lists nothing yet: lists depend on the caller.
func build(offered *tools.Tools, opts Options) *Server {
	if opts.Name == "" {
		opts.Name = "trellis"
	}
	if opts.Version == "" {
		opts.Version = "0.0.0"
	}
	if opts.PageSize <= 0 {
		opts.PageSize = 100
	}
	s := &Server{tools: offered, opts: opts, audiences: map[audienceKey]*audience{}, listening: map[*mcp.ServerSession]*listener{}}
	changes := opts.ListChanged
	protocol := &mcp.ServerOptions{
		Instructions: instructions,
		Logger:       opts.Log,
		Capabilities: &mcp.ServerCapabilities{
			Tools:     &mcp.ToolCapabilities{ListChanged: changes},
			Prompts:   &mcp.PromptCapabilities{ListChanged: changes},
			Resources: &mcp.ResourceCapabilities{ListChanged: changes, Subscribe: changes},
		},
		CompletionHandler: s.complete,
		SetCacheable:      func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { *c = private },
	}
	if changes {
		protocol.SubscribeHandler, protocol.UnsubscribeHandler = s.subscribe, s.unsubscribe
	}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: opts.Name, Title: "Trellis", Version: opts.Version}, protocol)
	s.mcp.AddSendingMiddleware(s.told)
	s.register()
	return s
}

// register gives the SDK what it hands requests to. It is the same for every
// caller: one tool that takes all calls, under whatever name, one prompt, and
// all resources. To register again is to say that the lists have changed.
func (s *Server) register() {
	s.mcp.AddTool(&mcp.Tool{Name: anyTool, InputSchema: json.RawMessage(`{"type":"object"}`)}, s.callTool)
	s.mcp.AddPrompt(groundedPrompt, s.getPrompt)
	s.mcp.AddPrompt(recordsPrompt, s.getRecordsPrompt)
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{Name: "all", URITemplate: "trellis://{+path}"}, s.readResource)
}

const anyTool = "any"

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
		s.join(ctx, req.GetSession())
		switch req := req.(type) {
		case *mcp.ListToolsRequest:
			return s.listTools(ctx, req)
		case *mcp.CallToolRequest:
			return next(context.WithValue(ctx, nameKey{}, req.Params.Name), method, renamed(req))
		case *mcp.ListResourcesRequest:
			return s.listResources(ctx, req)
		case *mcp.ListResourceTemplatesRequest:
			return s.listTemplates(ctx)
		case *mcp.ListPromptsRequest:
			return s.listPrompts(ctx)
		case *mcp.SubscriptionsListenRequest:
			_, stop := s.watch(ctx, req.Session)
			defer stop()
		}
		res, err := next(ctx, method, req)
		if first, ok := res.(*mcp.InitializeResult); ok && err == nil {
			own := *first
			own.Instructions = s.instructions(ctx)
			res = &own
		}
		return res, err
	}
}

// instructions are what a client is told at its start: also what the graph says of
// itself, as far as the caller may see it.
func (s *Server) instructions(ctx context.Context) string {
	sch, err := s.tools.Schema(ctx)
	if err != nil || sch.Description() == "" {
		return instructions
	}
	return instructions + "\n\nOf this graph: " + sch.Description()
}

type nameKey struct{}

// renamed is a call for the SDK's one tool; the context has its name.
func renamed(req *mcp.CallToolRequest) *mcp.CallToolRequest {
	call, params := *req, *req.Params
	params.Name = anyTool
	call.Params = &params
	return &call
}

// Run answers one client on a pair of streams, standard input and output as a
// rule, in the context's scope. It returns when in has ended and the calls before
// its end are answered, or when ctx is done, which cancels them.
func (s *Server) Run(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	l, stop := s.watch(ctx, nil)
	defer stop()
	lines := &mcp.IOTransport{Reader: in, Writer: out, MaxLineLength: maxMessage}
	return s.mcp.Run(context.WithValue(context.WithValue(ctx, peerKey{}, ctx), listenerKey{}, l), patient{lines, s.tools.Limits().Timeout + time.Second})
}

// maxMessage is how many bytes a message of a client may have.
const maxMessage = 1 << 20
