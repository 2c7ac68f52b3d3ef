package storetest

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A route is a path between two nodes.
type route struct {
	nodes []*vertex
	walks []walk
	// weight is the sum of the weights; 0 where none is asked for.
	weight *big.Rat
}

// paths answers find_paths.
func (a *answering) paths(q *graph.Paths) {
	from, to := a.vertex(q.From.Label, q.From.ID), a.vertex(q.To.Label, q.To.ID)
	a.missing(q.From.Label, q.From.ID, "/from/node_id")
	a.missing(q.To.Label, q.To.ID, "/to/node_id")
	if from == nil || to == nil || from == to {
		return
	}
	routes := a.routes(q, from, to)
	slices.SortFunc(routes, func(r, s *route) int {
		return cmp.Or(r.weight.Cmp(s.weight), cmp.Compare(len(r.walks), len(s.walks)),
			slices.CompareFunc(r.nodes, s.nodes, compareVertices))
	})
	switch q.Mode {
	case graph.AllPaths:
	case graph.AllShortest:
		routes = slices.DeleteFunc(routes, func(r *route) bool { return len(r.walks) > len(routes[0].walks) })
	case graph.KShortest:
		k := q.K
		if k == 0 {
			k = 3
		}
		routes = routes[:min(k, len(routes))]
	default:
		routes = routes[:min(1, len(routes))]
	}
	routes = page(a, routes, q.Limit, a.limits.Rows)
	a.fit(len(routes), func(rows, _ int) { a.write(q, routes[:rows]) })
	a.result.NextCursor = "" // find_paths has no pages
}

// routes lists every path that repeats no node, from one node to another.
func (a *answering) routes(q *graph.Paths, from, to *vertex) []*route {
	most := q.MaxHops
	if most == 0 {
		most = min(3, a.limits.PathHops)
	}
	var out []*route
	r := route{nodes: []*vertex{from}, weight: new(big.Rat)}
	var extend func(at *vertex)
	extend = func(at *vertex) {
		for _, w := range leastNeighbors(q, at) {
			if slices.Contains(r.nodes, w.end) || w.end != to && !walkable(w.end, q.NodeTypes, q.Filters) {
				continue
			}
			before := r
			r.nodes, r.walks = append(slices.Clone(r.nodes), w.end), append(slices.Clone(r.walks), w)
			if q.Weight != "" {
				r.weight = new(big.Rat).Add(r.weight, rational(w.edge.props[q.Weight]))
			}
			switch {
			case w.end == to:
				found := r
				out = append(out, &found)
			case len(r.walks) < most:
				extend(w.end)
			}
			r = before
		}
	}
	extend(from)
	return out
}

// leastNeighbors lists one hop to each neighbour of a node: that over the least
// relationship.
func leastNeighbors(q *graph.Paths, at *vertex) []walk {
	all := at.walks(q.RelationshipTypes, q.Direction)
	if q.Weight != "" {
		all = slices.DeleteFunc(all, func(w walk) bool { return w.edge.props[q.Weight].IsNull() })
	}
	slices.SortFunc(all, func(v, w walk) int {
		weight := 0
		if q.Weight != "" {
			weight = rational(v.edge.props[q.Weight]).Cmp(rational(w.edge.props[q.Weight]))
		}
		direction := 0
		if v.incoming != w.incoming {
			direction = 1
			if w.incoming {
				direction = -1
			}
		}
		// By neighbour before by key: keys of different pairs have no order.
		return cmp.Or(weight, strings.Compare(v.edge.pair.Type.Name, w.edge.pair.Type.Name), direction,
			compareVertices(v.end, w.end), compareEdgeKeys(v.edge, w.edge))
	})
	var out []walk
	for _, w := range all {
		if !slices.ContainsFunc(out, func(o walk) bool { return o.end == w.end }) {
			out = append(out, w)
		}
	}
	return out
}

// write lists paths with their nodes and relationships.
func (a *answering) write(q *graph.Paths, routes []*route) {
	nodes, edges := map[*vertex]bool{}, map[*edge]bool{}
	for _, r := range routes {
		for _, v := range r.nodes {
			nodes[v] = true
		}
		for _, w := range r.walks {
			edges[w.edge] = true
		}
	}
	ordered := keysOf(nodes)
	slices.SortFunc(ordered, compareVertices)
	for _, v := range ordered {
		a.result.Nodes = append(a.result.Nodes, v.node(q.Properties[v.label.Name], 0))
	}
	list := keysOf(edges)
	slices.SortFunc(list, compareEdges)
	for _, e := range list {
		a.result.Relationships = append(a.result.Relationships, e.relationship())
	}
	for _, r := range routes {
		p := graph.Path{Length: len(r.walks)}
		for _, v := range r.nodes {
			p.Nodes = append(p.Nodes, v.nodeKey())
		}
		for _, w := range r.walks {
			p.Relationships = append(p.Relationships, slices.Index(list, w.edge))
		}
		if q.Weight != "" {
			prop, _ := r.walks[0].edge.pair.Property(q.Weight)
			p.Weight = sumValue(prop, r.weight)
		}
		a.result.Paths = append(a.result.Paths, p)
	}
}

// sumValue is the value of a sum over a property that fits it.
func sumValue(p *schema.Property, sum *big.Rat) graph.Value {
	switch p.Type {
	case schema.Float:
		f, _ := sum.Float64()
		return graph.Float(f)
	case schema.Decimal:
		return graph.Decimal(sum.FloatString(p.Scale))
	}
	return graph.Int(sum.Num().Int64())
}
