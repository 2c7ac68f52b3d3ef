package bundle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// ToolName is what one of the tools of a type is called: list_product,
// get_product, list_product_ids.
func (t *Type) ToolName(tool string) string {
	switch tool {
	case ToolGet:
		return "get_" + t.Name
	case ToolListIDs:
		return "list_" + t.Name + "_ids"
	}
	return "list_" + t.Name
}

// builtin are the tools that every graph has.
var builtin = []string{graph.ToolDescribe, graph.ToolFindNodes, graph.ToolTraverse, graph.ToolNeighbors, graph.ToolPaths, graph.ToolAggregate}

// tools checks the names of the tools that types get.
func (r *reader) tools() {
	owner := map[string]*Type{}
	for _, t := range r.bundle.types {
		for _, tool := range t.Expose {
			name := t.ToolName(tool)
			at := t.tree.get("x-tool-expose")
			if at == nil {
				at = t.tree
			}
			if len(name) > schema.MaxToolName {
				r.found.report(t.file, at, "/x-tool-expose", "the tool would be called %q, which is longer than %d characters", name, schema.MaxToolName).Hint = "choose a shorter name for the entity type"
			}
			if other := owner[name]; other != nil {
				r.found.report(t.file, at, "/x-tool-expose", schema.ToolCollision+": the tool %q would be that of %q and of %q", name, other.Name, t.Name).Hint = "rename one of the types, or let it not expose this tool"
			}
			if slices.Contains(builtin, name) {
				r.found.report(t.file, at, "/x-tool-expose", schema.ToolCollision+": %q is a tool that every graph has", name).Hint = "rename the entity type"
			}
			owner[name] = t
		}
	}
}

// cycles warns of types that refer to one another in a circle, each circle once. A
// type that refers to itself, as those of hierarchies do, means it.
func (r *reader) cycles() {
	const (
		unseen = iota
		open
		done
	)
	state := map[*Type]int{}
	var path []*Type
	var visit func(t *Type)
	visit = func(t *Type) {
		state[t] = open
		path = append(path, t)
		for _, p := range t.Properties {
			if p.Ref == nil || p.Ref.Type == t.Name {
				continue
			}
			switch to := r.bundle.byName[p.Ref.Type]; state[to] {
			case unseen:
				visit(to)
			case open:
				r.cycle(path[slices.Index(path, to):], t, p)
			}
		}
		path = path[:len(path)-1]
		state[t] = done
	}
	for _, t := range r.bundle.types {
		if state[t] == unseen {
			visit(t)
		}
	}
	slices.SortStableFunc(r.bundle.warnings, comparePlaces)
}

func (r *reader) cycle(types []*Type, t *Type, p *Property) {
	names := make([]string, len(types), len(types)+1)
	for i, t := range types {
		names[i] = t.Name
	}
	at := t.tree.get("properties").get(p.Name).get("x-ref")
	r.bundle.warnings = append(r.bundle.warnings, Problem{File: t.file, Line: int(at.line), Column: int(at.column),
		Pointer: graph.Pointer("/properties", p.Name) + "/x-ref",
		Message: fmt.Sprintf("entity types refer to one another in a circle: %s", strings.Join(append(names, names[0]), " → "))})
}
