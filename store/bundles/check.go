package bundles

import (
	"errors"
	"fmt"
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/schema/bundle"
)

// The texts by which programs tell collisions apart. The code is CONFLICT.
const (
	// ToolCollision begins the message where two tools of a tenant would have one
	// name.
	ToolCollision = schema.ToolCollision
	// TypeCollision begins the message where two bundles of a tenant make one
	// label: of entity types, or of the values of their lists.
	TypeCollision = "entity_type_collision_in_tenant"
	// BrokenView begins the message where a view would no longer fit.
	BrokenView = "view_no_longer_fits"
)

// graphTools are the tools that every graph has.
var graphTools = []string{graph.ToolDescribe, graph.ToolFindNodes, graph.ToolTraverse, graph.ToolNeighbors, graph.ToolPaths, graph.ToolAggregate}

func conflict(path, kind, format string, args ...any) *graph.Error {
	return &graph.Error{Code: graph.Conflict, Path: path, Message: kind + ": " + fmt.Sprintf(format, args...)}
}

// collisions are the names that the parts of a tenant cannot both have, told of
// the applied bundle; "" for none.
func (l *Library) collisions(p parts, applied string) graph.Errors {
	var errs graph.Errors
	type owner struct{ bundle, typ string }
	labels, tools := map[string]owner{}, map[string]owner{}
	clashing, queries := map[*bundle.Type]bool{}, l.opts.Queries.Names()
	list := slices.Clone(p.bundles)
	if i := slices.IndexFunc(list, func(b part) bool { return b.revision.Item == applied }); i >= 0 {
		list = append(slices.Delete(list, i, i+1), p.bundles[i]) // the others were there before
	}
	for _, part := range list {
		name := part.revision.Item
		for _, label := range part.bundle.Labels() {
			is, t := labelOf(label), label.Type
			// Two types of one name make the labels of their values too: told once.
			if other, ok := labels[label.Name]; ok && (label.Property == "" || !clashing[t]) {
				e := conflict(graph.Pointer("", name, t.Name), TypeCollision, "%s of the bundle %q is already %s of the bundle %q", is, name, other.typ, other.bundle)
				e.Hint = "rename one of the two"
				errs, clashing[t] = append(errs, e), true
			}
			labels[label.Name] = owner{name, is}
		}
		for _, t := range part.bundle.Types() {
			at := graph.Pointer("", name, t.Name)
			for _, tool := range toolsOf(t) {
				var e *graph.Error
				switch other, ok := tools[tool]; {
				case ok:
					e = conflict(at, ToolCollision, "the tool %q of the entity type %q of the bundle %q is already that of %q of the bundle %q", tool, t.Name, name, other.typ, other.bundle)
				case slices.Contains(graphTools, tool):
					e = conflict(at, ToolCollision, "the tool %q of the entity type %q of the bundle %q is already there for every graph", tool, t.Name, name)
				case slices.Contains(queries, tool):
					e = conflict(at, ToolCollision, "the tool %q of the entity type %q of the bundle %q is already a named query", tool, t.Name, name)
				case slices.Contains(l.opts.Tools, tool):
					e = conflict(at, ToolCollision, "the tool %q of the entity type %q of the bundle %q is already one of the host", tool, t.Name, name)
				}
				if e != nil {
					e.Hint = "rename one of the entity types, or leave the tool out of its x-tool-expose"
					errs = append(errs, e)
					continue
				}
				tools[tool] = owner{name, t.Name}
			}
		}
	}
	return errs
}

// labelOf says what a label is of.
func labelOf(l bundle.Label) string {
	if l.Property == "" {
		return fmt.Sprintf("the entity type %q", l.Name)
	}
	return fmt.Sprintf("the label %q of the values of %s.%s", l.Name, l.Type.Name, l.Property)
}

// toolsOf are the names of a type's tools.
func toolsOf(t *bundle.Type) []string {
	names := make([]string, len(t.Expose))
	for i, tool := range t.Expose {
		names[i] = t.ToolName(tool)
	}
	return names
}

// graphError is why there is no graph of bundles: a context that was done, a fault of
// the program, or a mistake.
func graphError(err error) error {
	var e *graph.Error
	var p *panicked
	if errors.As(err, &e) || errors.As(err, &p) {
		return err
	}
	return schemaErrors(err)
}

// schemaErrors are the mistakes of a schema that bundles make together.
func schemaErrors(err error) graph.Errors {
	var ps schema.Problems
	if errors.As(err, &ps) {
		errs := make(graph.Errors, len(ps))
		for i, p := range ps {
			errs[i] = &graph.Error{Code: graph.InvalidSchema, Path: p.Path, Message: p.Message, Hint: p.Hint, DidYouMean: p.DidYouMean}
		}
		return errs
	}
	return graph.Errors{{Code: graph.InvalidSchema, Message: err.Error()}}
}
