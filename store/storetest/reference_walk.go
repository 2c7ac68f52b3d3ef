package storetest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/trellisgraph/trellis/graph"
)

// find answers find_nodes.
func (a *answering) find(q *graph.FindNodes) {
	nodes := a.matching(&q.NodePattern)
	slices.SortStableFunc(nodes, func(v, w *vertex) int {
		if len(q.OrderBy) == 0 && q.Search != "" {
			return cmp.Compare(v.rank(q.Search), w.rank(q.Search))
		}
		return compareBy(q.OrderBy, v, w)
	})
	usual := a.limits.Rows
	if q.Page != nil {
		total := int64(len(nodes))
		a.result.Total, usual = &total, min(50, a.limits.ListRows)
		nodes = nodes[min(q.Page.Offset, len(nodes)):]
	}
	nodes = page(a, nodes, q.Limit, usual)
	a.fit(len(nodes), func(rows, _ int) {
		for _, v := range nodes[:rows] {
			a.result.Nodes = append(a.result.Nodes, v.node(q.Properties, 0))
		}
	})
	if q.Page != nil {
		a.result.NextCursor = ""
	}
	for i, id := range q.IDs {
		a.missing(q.Label, id, fmt.Sprintf("/ids/%d", i))
	}
}

// compareBy orders two nodes of one label by what is asked for.
func compareBy(order []graph.Order, v, w *vertex) int {
	for _, o := range order {
		p, ok := v.label.Property(o.Property)
		if !ok {
			continue
		}
		if c := compareNullsLast(p, v.props[p.Name], w.props[p.Name], o.Direction == graph.Desc); c != 0 {
			return c
		}
	}
	return 0
}

// A standing is a node that steps have led to, and in how many hops.
type standing struct {
	at   *vertex
	hops int
}

// traverse answers traverse_relationships.
func (a *answering) traverse(q *graph.Traverse) {
	last := len(q.Relationships) - 1
	target := func(i int) *graph.NodePattern {
		if i == last {
			return &q.To
		}
		return q.Relationships[i].To
	}
	// after[i] is where one can stand after i steps.
	after := make([]map[standing]bool, len(q.Relationships)+1)
	after[0] = map[standing]bool{}
	for _, v := range a.matching(&q.From) {
		after[0][standing{v, 0}] = true
	}
	for i := range q.Relationships {
		after[i+1] = map[standing]bool{}
		for s := range after[i] {
			a.steps(s.at, &q.Relationships[i], target(i), func(path []walk, end *vertex) {
				after[i+1][standing{end, s.hops + len(path)}] = true
			})
		}
	}
	distance := map[*vertex]int{}
	var targets []*vertex
	for s := range after[last+1] {
		if d, known := distance[s.at]; !known {
			targets = append(targets, s.at)
			distance[s.at] = s.hops
		} else {
			distance[s.at] = min(d, s.hops)
		}
	}
	slices.SortFunc(targets, func(v, w *vertex) int {
		return cmp.Or(compareBy(q.OrderBy, v, w), cmp.Compare(distance[v], distance[w]), compareVertices(v, w))
	})
	targets = page(a, targets, q.Limit, a.limits.Rows)
	a.fit(len(targets), func(rows, relationships int) {
		shown := map[*vertex]bool{}
		// Back from the targets, at their distances, over every path that
		// leads to where it goes on.
		wanted := map[standing]bool{}
		for _, v := range targets[:rows] {
			shown[v] = true
			wanted[standing{v, distance[v]}] = true
			a.result.Nodes = append(a.result.Nodes, v.node(q.Properties[v.label.Name], distance[v]))
		}
		if q.OmitConnections {
			return
		}
		walked := map[*edge]bool{}
		for i := last; i >= 0; i-- {
			before := map[standing]bool{}
			for s := range after[i] {
				a.steps(s.at, &q.Relationships[i], target(i), func(path []walk, end *vertex) {
					if wanted[standing{end, s.hops + len(path)}] {
						before[s] = true
						for _, w := range path {
							walked[w.edge] = true
						}
					}
				})
			}
			wanted = before
		}
		a.relationships(keysOf(walked), relationships, shown, q.Properties)
	})
	for i, id := range q.From.IDs {
		a.missing(q.From.Label, id, fmt.Sprintf("/from/ids/%d", i))
	}
}

func keysOf[K comparable, V any](m map[K]V) []K {
	out := make([]K, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	return out
}

// walkable says whether a walk may lead through a node.
func walkable(v *vertex, labels []string, filters map[string]graph.Filter) bool {
	return (labels == nil || slices.Contains(labels, v.label.Name)) && holds(filters[v.label.Name], v.bearer())
}

// neighbors answers explore_neighbors.
func (a *answering) neighbors(q *graph.Neighbors) {
	start := a.vertex(q.Start.Label, q.Start.ID)
	if start == nil {
		a.missing(q.Start.Label, q.Start.ID, "/start_node/node_id")
		return
	}
	most := q.MaxHops
	if most == 0 {
		most = min(2, a.limits.StepHops)
	}
	distance := map[*vertex]int{start: 0}
	var found []*vertex
	frontier := []*vertex{start}
	for d := 1; d <= most; d++ {
		var next []*vertex
		for _, v := range frontier {
			for _, w := range v.walks(q.RelationshipTypes, q.Direction) {
				if _, known := distance[w.end]; !known && walkable(w.end, q.NodeTypes, q.Filters) {
					distance[w.end] = d
					next = append(next, w.end)
				}
			}
		}
		found = append(found, next...)
		frontier = next
	}
	slices.SortFunc(found, func(v, w *vertex) int {
		return cmp.Or(cmp.Compare(distance[v], distance[w]), compareVertices(v, w))
	})
	found = page(a, found, q.Limit, a.limits.Rows)
	a.fit(len(found), func(rows, relationships int) {
		shown := map[*vertex]bool{start: true}
		for _, v := range found[:rows] {
			shown[v] = true
			a.result.Nodes = append(a.result.Nodes, v.node(q.Properties[v.label.Name], distance[v]))
		}
		a.result.Nodes = append(a.result.Nodes, start.node(q.Properties[start.label.Name], 0))
		var edges []*edge
		for v := range shown {
			for _, w := range v.walks(q.RelationshipTypes, q.Direction) {
				if shown[w.end] && distance[w.end] == distance[v]+1 {
					edges = append(edges, w.edge)
				}
			}
		}
		a.relationships(edges, relationships, shown, nil)
	})
}
