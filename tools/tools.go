package tools

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/engine"
	"github.com/trellisgraph/trellis/schema"
)

// Tools are what a host offers over an engine: to each caller the tools of what
// this caller may see. Nothing that is invisible to the caller stands in a
// tool's description, schema, example or refusal. It is safe for concurrent use.
type Tools struct {
	engine  *engine.Engine
	queries *Queries

	mu   sync.Mutex
	kept map[string]*Registry // by the hash of the visible schema
	last atomic.Pointer[lastRegistry]

	asked, documents sync.Pool // memory of calls that are over: *asked, *[]byte
}

// Options configure Tools. The zero value offers the six tools, and those of the
// records that the schema has.
type Options struct {
	// Queries are offered beside the others, each to those who can see all
	// that it asks about; to others it does not exist.
	Queries *Queries
}

// New returns the tools over an engine.
func New(eng *engine.Engine, opts Options) *Tools {
	if opts.Queries == nil {
		opts.Queries = &Queries{}
	}
	return &Tools{engine: eng, queries: opts.Queries, kept: map[string]*Registry{}}
}

// List returns the tools of the context's scope: the six, then those of records
// by label, then the named queries in the order in which they were defined. The error is that of
// engine.Engine.View: NO_SCOPE if there is nobody whom to show them to.
func (t *Tools) List(ctx context.Context) ([]*Tool, error) {
	r, err := t.Registry(ctx)
	if err != nil {
		return nil, err
	}
	return slices.Clone(r.tools), nil
}

// Registry returns the tools of the context's scope as a registry. Callers with
// the same rights share one.
func (t *Tools) Registry(ctx context.Context) (*Registry, error) {
	s, err := t.engine.View(ctx)
	if err != nil {
		return nil, err
	}
	return t.of(s), nil
}

// Workflow is the text of Registry.Workflow for the context's scope.
func (t *Tools) Workflow(ctx context.Context) (string, error) {
	r, err := t.Registry(ctx)
	if err != nil {
		return "", err
	}
	return r.Workflow(), nil
}

// Schema returns the graph's schema as the context's scope sees it: the one of
// which the tools are made.
func (t *Tools) Schema(ctx context.Context) (*schema.Schema, error) { return t.engine.View(ctx) }

// Changed returns a channel that is closed when the tools of the context's scope
// have changed, or may have; nil if they never do. Who asks for it before List
// misses nothing.
func (t *Tools) Changed(ctx context.Context) <-chan struct{} { return t.engine.Changed(ctx) }

// Limits returns the limits of the tools' calls.
func (t *Tools) Limits() graph.Limits { return t.engine.Limits() }

// maxRegistries bounds the registries that are kept: as many as there are
// schemas in use and kinds of callers.
const maxRegistries = 256

// A lastRegistry is the registry that was asked for last, and what it is of.
type lastRegistry struct {
	of       *schema.Schema
	registry *Registry
}

// of returns the registry of a visible schema.
func (t *Tools) of(s *schema.Schema) *Registry {
	last := t.last.Load()
	if last == nil || last.of != s {
		last = &lastRegistry{s, t.find(s)}
		t.last.Store(last)
	}
	return last.registry
}

// find returns the registry of a visible schema from those kept by its hash.
func (t *Tools) find(s *schema.Schema) *Registry {
	key := s.Hash()
	t.mu.Lock()
	r := t.kept[key]
	t.mu.Unlock()
	if r != nil {
		return r
	}
	// Outside the lock: making one must not hold up calls with another. Two
	// callers may both make one; they are equal.
	r = t.make(s)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.kept) >= maxRegistries { // begin anew: kinds of callers are few in any real use
		clear(t.kept)
	}
	t.kept[key] = r
	return r
}

func (t *Tools) make(s *schema.Schema) *Registry {
	r := Graph(s, t.engine.Limits())
	b := newBuilder(s, r.limits)
	r.queries = map[string]*query{}
	for _, q := range t.queries.list {
		if _, taken := r.byName[q.Name]; taken {
			continue // by a tool of records, of a schema that the queries were not made for: see Unfit
		}
		if q.runs(s, &r.limits, t.engine.Vet) {
			r.add(b.query(q))
			r.queries[q.Name] = q
		}
	}
	return r
}

func (r *Registry) add(tool *Tool) {
	r.tools = append(r.tools, tool)
	r.byName[tool.Name] = tool
}
