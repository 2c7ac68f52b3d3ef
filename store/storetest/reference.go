package storetest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// A Reference answers queries by trying everything: it looks at every node,
// walks every path and sorts what it finds. It is meant to be obviously right
// on small graphs, shares nothing with the way that stores answer, and takes
// queries that keep to the rules: what Check refuses it does not notice.
//
// It is immutable and safe for concurrent use.
type Reference struct {
	schema   *schema.Schema
	limits   graph.Limits
	vertices []*vertex // by label and key
	// strangers are the ids of nodes that callers may not see, by label; they
	// are not in the graph.
	strangers map[string][]graph.Value
}

// A vertex is a node with everything that hangs on it.
type vertex struct {
	label *schema.Label
	key   []graph.Value
	id    string
	props map[string]graph.Value
	edges []*edge // that leave or arrive; a loop once
}

// An edge is a relationship.
type edge struct {
	pair     *schema.Pair
	from, to *vertex
	props    map[string]graph.Value
}

// A walk is a hop over an edge, in or against its direction.
type walk struct {
	edge     *edge
	incoming bool
	end      *vertex
}

// An Asked is a query and what else a Reference needs to answer it.
type Asked struct {
	Query graph.Query
	// Where holds what the query's where expressions mean, by their text: a
	// Reference reads no expressions.
	Where map[string]graph.Filter
	// Offset is how many rows the pages before this one had; a Reference
	// reads no cursors either.
	Offset int
}

// NewReference copies a graph into the form in which it is searched.
func NewReference(g *memory.Graph, limits graph.Limits) *Reference {
	r := &Reference{schema: g.Schema(), limits: limits.WithDefaults()}
	rows := map[*schema.Label][]*vertex{}
	for l := range r.schema.Labels() {
		for row := range uint32(g.NodeCount(l)) {
			v := &vertex{label: l, props: map[string]graph.Value{}}
			for _, p := range l.Properties {
				v.props[p.Name] = g.Value(l, row, p)
			}
			for _, p := range l.Key {
				v.key = append(v.key, v.props[p.Name])
			}
			v.id = graph.KeyText(v.key)
			rows[l] = append(rows[l], v)
		}
		r.vertices = append(r.vertices, rows[l]...)
	}
	slices.SortFunc(r.vertices, compareVertices)
	for t := range r.schema.Relationships() {
		for _, p := range t.Pairs {
			for rel := range uint32(g.RelCount(p)) {
				from, to := g.Ends(p, rel)
				e := &edge{pair: p, from: rows[p.From][from], to: rows[p.To][to], props: map[string]graph.Value{}}
				for _, prop := range p.Properties {
					e.props[prop.Name] = g.RelValue(p, rel, prop)
				}
				e.from.edges = append(e.from.edges, e)
				if e.to != e.from {
					e.to.edges = append(e.to.edges, e)
				}
			}
		}
	}
	return r
}

// Answer answers a query. Its result has no statements and no cursor's text:
// NextCursor is "more" where a page follows. Of the warnings it gives those
// about what was not found, without their messages.
func (r *Reference) Answer(a Asked) (*graph.Result, error) {
	run := &answering{Reference: r, Asked: a, result: &graph.Result{Tool: a.Query.Tool()}}
	switch q := a.Query.(type) {
	case *graph.FindNodes:
		run.find(q)
	case *graph.Traverse:
		run.traverse(q)
	case *graph.Neighbors:
		run.neighbors(q)
	case *graph.Paths:
		run.paths(q)
	case *graph.Aggregate:
		if err := run.aggregate(q); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("storetest: the reference does not answer %s", a.Query.Tool())
	}
	return run.result, nil
}

// answering is the answer to one query in the making.
type answering struct {
	*Reference
	Asked
	result *graph.Result
}

func compareVertices(a, b *vertex) int {
	if c := strings.Compare(a.label.Name, b.label.Name); c != 0 {
		return c
	}
	return compareKeyParts(a.label, a.key, b.key)
}

func compareKeyParts(l *schema.Label, a, b []graph.Value) int {
	for i, p := range l.Key {
		if c := compareTyped(p, a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

// compareEdges orders relationships as answers list them.
func compareEdges(a, b *edge) int {
	return cmp.Or(strings.Compare(a.pair.Type.Name, b.pair.Type.Name),
		compareVertices(a.from, b.from), compareVertices(a.to, b.to), compareEdgeKeys(a, b))
}

func compareEdgeKeys(a, b *edge) int {
	if a.pair != b.pair || a.pair.Key == nil {
		return 0
	}
	return compareTyped(a.pair.Key, a.props[a.pair.Key.Name], b.props[b.pair.Key.Name])
}

// vertex returns the node that an id names, nil if there is none.
func (r *Reference) vertex(label string, id graph.Value) *vertex {
	for _, v := range r.vertices {
		if v.label.Name == label && v.id == idText(v.label, id) {
			return v
		}
	}
	return nil
}

// walks lists the hops that leave a node along some types.
func (v *vertex) walks(types []string, dir graph.Direction) []walk {
	var out []walk
	for _, e := range v.edges {
		if types != nil && !slices.Contains(types, e.pair.Type.Name) {
			continue
		}
		if e.from == v && dir != graph.Incoming {
			out = append(out, walk{e, false, e.to})
		}
		if e.to == v && dir != graph.Outgoing {
			out = append(out, walk{e, true, e.from})
		}
	}
	return out
}

// node shows a node with the properties asked for; nil names mean the label's
// default ones.
func (v *vertex) node(names []string, distance int) graph.Node {
	n := graph.Node{Label: v.label.Name, ID: v.id, Distance: distance}
	if names == nil {
		for _, p := range v.label.Default {
			names = append(names, p.Name)
		}
	}
	for i, name := range names {
		if !slices.Contains(names[:i], name) {
			n.Properties = append(n.Properties, graph.Property{Name: name, Value: v.props[name]})
		}
	}
	return n
}

func (v *vertex) nodeKey() graph.NodeKey { return graph.NodeKey{Label: v.label.Name, ID: v.id} }

func (e *edge) relationship() graph.Relationship {
	r := graph.Relationship{Type: e.pair.Type.Name, From: e.from.nodeKey(), To: e.to.nodeKey()}
	for _, p := range e.pair.Properties {
		if !p.Hidden {
			r.Properties = append(r.Properties, graph.Property{Name: p.Name, Value: e.props[p.Name]})
		}
	}
	return r
}

// page keeps the asked part of what was found, and says whether more follows.
func page[T any](a *answering, all []T, limit, def int) []T {
	if limit == 0 {
		limit = def
	}
	all = all[min(a.Offset, len(all)):]
	if len(all) > limit {
		all = all[:limit]
		a.result.TruncatedBy = graph.TruncatedRows
		a.result.NextCursor = "more"
	}
	a.result.Returned = len(all)
	return all
}

// relationships lists edges, as many as an answer may show but at most most of
// them, and the nodes at their ends that are not in it yet.
func (a *answering) relationships(edges []*edge, most int, shown map[*vertex]bool, props map[string][]string) {
	slices.SortFunc(edges, compareEdges)
	if len(edges) > a.limits.Connections {
		edges = edges[:a.limits.Connections]
		if a.result.TruncatedBy == graph.Complete {
			a.result.TruncatedBy = graph.TruncatedRelationships
		}
	}
	edges = edges[:min(most, len(edges))]
	var context []*vertex
	for _, e := range edges {
		a.result.Relationships = append(a.result.Relationships, e.relationship())
		for _, v := range []*vertex{e.from, e.to} {
			if !shown[v] {
				shown[v] = true
				context = append(context, v)
			}
		}
	}
	slices.SortFunc(context, compareVertices)
	for _, v := range context {
		a.result.Nodes = append(a.result.Nodes, v.node(props[v.label.Name], 0))
	}
}

// missing warns of an id that names no node.
func (a *answering) missing(label string, id graph.Value, pointer string) {
	if a.vertex(label, id) == nil {
		a.result.Warnings = append(a.result.Warnings, graph.Warning{Code: graph.NotFound, Path: pointer})
	}
}
