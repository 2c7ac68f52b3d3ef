package storetest

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store"
	"github.com/trellisgraph/trellis/store/memory"
	"github.com/trellisgraph/trellis/tools"
)

// An Opener returns a store that holds exactly the given graph. What must be
// undone afterwards it leaves to t.Cleanup.
type Opener func(t testing.TB, g *memory.Graph) store.Store

// A Caller makes tool calls on a store, the whole way: it decodes the
// arguments, checks the query and runs its plan.
type Caller struct {
	schema *schema.Schema
	tools  *tools.Tools
	engine *engine.Engine
	log    *failures
	scope  *graph.Scope
}

// NewCaller returns a Caller for a store of a schema's graph. Its calls have no
// scope.
func NewCaller(s *schema.Schema, st store.Store, limits graph.Limits) *Caller {
	return newCaller(s, st, engine.Options{Limits: limits})
}

func newCaller(s *schema.Schema, st store.Store, opts engine.Options) *Caller {
	log := &failures{}
	opts.Log, opts.MaskKey = slog.New(slog.NewTextHandler(log, nil)), maskKey
	e := engine.New(schema.NewCatalog(s), st, opts)
	return &Caller{schema: s, tools: tools.New(e, tools.Options{}), log: log, engine: e}
}

// As returns a Caller that makes the same calls in a scope.
func (c *Caller) As(scope *graph.Scope) *Caller {
	other := *c
	other.scope = scope
	return &other
}

func (c *Caller) context() context.Context {
	if c.scope == nil {
		return context.Background()
	}
	return graph.WithScope(context.Background(), c.scope)
}

// Query returns the query of a call's arguments, or all their mistakes. A tool
// "find_nodes page 3" asks for a page by its offset.
func (c *Caller) Query(tool string, args []byte) (graph.Query, error) {
	tool, page := paged(tool)
	q, err := c.tools.Query(c.context(), tool, args)
	return onPage(q, page), err
}

// Plan returns the plan of a call.
func (c *Caller) Plan(tool string, args []byte) (*compile.Plan, error) {
	q, err := c.Query(tool, args)
	if err != nil {
		return nil, err
	}
	return c.engine.Check(c.context(), q)
}

// Call answers a call.
func (c *Caller) Call(tool string, args []byte) (*graph.Result, error) {
	if isRecords(tool) {
		return c.tools.Result(c.context(), tool, args) // whose answer has a form of its own
	}
	q, err := c.Query(tool, args)
	if err != nil {
		return nil, err
	}
	return c.engine.Run(c.context(), q)
}

// isRecords reports whether a tool is one of records, by its name.
func isRecords(tool string) bool {
	return strings.HasPrefix(tool, "list_") || strings.HasPrefix(tool, "get_") && tool != graph.ToolDescribe
}

// failures keeps what the engine logged last: callers do not see why a store
// failed, but whoever reads a failed test must.
type failures struct{ last []byte }

var _ io.Writer = (*failures)(nil)

func (f *failures) Write(p []byte) (int, error) {
	f.last = append([]byte(nil), p...)
	return len(p), nil
}

func (f *failures) take() string {
	s := string(f.last)
	f.last = nil
	return s
}
