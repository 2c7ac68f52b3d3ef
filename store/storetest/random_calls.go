package storetest

import (
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// toolNames are the tools that a store answers.
func toolNames() []string {
	return []string{graph.ToolFindNodes, graph.ToolTraverse, graph.ToolNeighbors, graph.ToolPaths, graph.ToolAggregate}
}

// randomCall makes a random call of a tool. It tries again, a few times, where the
// answer would be empty.
func randomCall(d dice, ref *Reference, tool string) (a Asked, ok bool) {
	for range 4 {
		k := asker{d, ref, map[string]graph.Filter{}}
		var q graph.Query
		v := pickOne(d, ref.vertices)
		switch tool {
		case graph.ToolFindNodes:
			q = k.findNodes(v)
		case graph.ToolTraverse:
			q = k.traverse(v)
		case graph.ToolNeighbors:
			q = k.neighbors(v)
		case graph.ToolPaths:
			q = k.findPaths(v)
		case graph.ToolAggregate:
			q = k.aggregate(v)
		}
		if q == nil {
			continue
		}
		a, ok = Asked{Query: q, Where: k.where}, true
		if r, err := ref.Answer(a); err != nil || r.Returned > 0 || d.chance(50) {
			break
		}
	}
	a.Query = somePaged(a.Query)
	return a, ok
}

func (k asker) shown(l *schema.Label) []string {
	switch k.IntN(6) {
	case 0:
		return []string{}
	case 1, 2:
		var out []string
		for _, p := range some(k.dice, l.Properties, 1, 4) {
			out = append(out, p.Name)
		}
		return out
	}
	return nil
}

func (k asker) shownByLabel() map[string][]string {
	var out map[string][]string
	for l := range k.ref.schema.Labels() {
		if names := k.shown(l); names != nil && k.chance(60) {
			if out == nil {
				out = map[string][]string{}
			}
			out[l.Name] = names
		}
	}
	return out
}

func (k asker) order(l *schema.Label) []graph.Order {
	if k.chance(50) {
		return nil
	}
	var out []graph.Order
	for _, p := range some(k.dice, usable(l.Properties), 1, 2) {
		if p.Type != schema.JSON {
			out = append(out, graph.Order{Property: p.Name, Direction: pickOne(k.dice, []graph.SortDirection{"", graph.Asc, graph.Desc})})
		}
	}
	return out
}

func (k asker) limit() int {
	return pickOne(k.dice, []int{0, 0, 30, 1, 2, 3, 5, 8})
}

func (k asker) findNodes(v *vertex) graph.Query {
	return &graph.FindNodes{NodePattern: k.pattern(v, true), Properties: k.shown(v.label), OrderBy: k.order(v.label), Limit: k.limit()}
}

func (k asker) traverse(v *vertex) graph.Query {
	steps, end := k.chain(v, pickOne(k.dice, []int{1, 1, 2, 2, 3}), 7, true)
	if len(steps) == 0 {
		return nil
	}
	return &graph.Traverse{From: k.pattern(v, true), Relationships: steps, To: k.pattern(end, true), Properties: k.shownByLabel(),
		OrderBy: k.order(end.label), OmitConnections: k.chance(35), Limit: k.limit()}
}

// around makes what explore_neighbors and find_paths have in common, such that
// a walk of up to some hops from a node remains possible; it returns the walk.
func (k asker) around(v *vertex, most int, dir graph.Direction) (nodes []*vertex, types, labels []string, filters map[string]graph.Filter) {
	nodes = []*vertex{v}
	var walks []walk
	for range 1 + k.IntN(most) {
		at := nodes[len(nodes)-1]
		next := slices.DeleteFunc(at.walks(nil, dir), func(w walk) bool { return slices.Contains(nodes, w.end) })
		if len(next) == 0 {
			break
		}
		w := pickOne(k.dice, next)
		nodes, walks = append(nodes, w.end), append(walks, w)
	}
	if len(walks) == 0 {
		return nodes, nil, nil, nil
	}
	if k.chance(40) {
		for _, w := range walks {
			if name := w.edge.pair.Type.Name; !slices.Contains(types, name) {
				types = append(types, name)
			}
		}
		if k.chance(50) {
			for t := range k.ref.schema.Relationships() {
				if !slices.Contains(types, t.Name) && k.chance(40) {
					types = append(types, t.Name)
				}
			}
		}
	}
	if k.chance(30) {
		for _, n := range nodes {
			if !slices.Contains(labels, n.label.Name) {
				labels = append(labels, n.label.Name)
			}
		}
	}
	for _, n := range nodes[1:] {
		if k.chance(25) && filters[n.label.Name] == nil {
			b := n.bearer()
			if filters == nil {
				filters = map[string]graph.Filter{}
			}
			filters[n.label.Name] = k.filter(n.label.Properties, &b)
		}
	}
	return nodes, types, labels, filters
}

func (k asker) direction() graph.Direction {
	return pickOne(k.dice, []graph.Direction{"", "", graph.Both, graph.Outgoing, graph.Incoming})
}

func (k asker) neighbors(v *vertex) graph.Query {
	q := &graph.Neighbors{MaxHops: k.IntN(4), Direction: k.direction(), Properties: k.shownByLabel(), Limit: k.limit()}
	_, q.RelationshipTypes, q.NodeTypes, q.Filters = k.around(v, max(1, q.MaxHops), q.Direction)
	q.Start = graph.NodeID{Label: v.label.Name, ID: k.id(v)}
	if k.chance(3) {
		q.Start.ID = missingID(v.label)
	}
	if id, ok := k.stranger(v.label, 8); ok {
		q.Start.ID = id
	}
	return q
}

func (k asker) findPaths(v *vertex) graph.Query {
	q := &graph.Paths{Direction: k.direction(), MaxHops: k.IntN(6), Properties: k.shownByLabel(), Limit: k.limit(),
		Mode: pickOne(k.dice, []graph.PathMode{"", graph.Shortest, graph.AllShortest, graph.AllPaths, graph.KShortest})}
	most := q.MaxHops
	if most == 0 {
		most = 3
	}
	var nodes []*vertex
	nodes, q.RelationshipTypes, q.NodeTypes, q.Filters = k.around(v, most, q.Direction)
	end := nodes[len(nodes)-1]
	if len(nodes) == 1 && k.chance(80) {
		return nil
	}
	q.From = graph.NodeID{Label: v.label.Name, ID: k.id(v)}
	q.To = graph.NodeID{Label: end.label.Name, ID: k.id(end)}
	switch {
	case k.chance(3):
		q.To.ID = missingID(end.label)
	case k.chance(2):
		q.From.ID = missingID(v.label)
	}
	if id, ok := k.stranger(end.label, 8); ok {
		q.To.ID = id
	}
	if id, ok := k.stranger(v.label, 3); ok {
		q.From.ID = id
	}
	if q.Mode == graph.KShortest && k.chance(60) {
		q.K = 1 + k.IntN(10)
	}
	if (q.Mode == "" || q.Mode == graph.Shortest || q.Mode == graph.KShortest) && k.chance(85) && k.weighed(nodes, q) {
		q.Weight = "w"
	}
	return q
}

// weighed says whether each hop of a walk can be weighed.
func (k asker) weighed(nodes []*vertex, q *graph.Paths) bool {
	for i := range len(nodes) - 1 {
		if !slices.ContainsFunc(nodes[i].walks(q.RelationshipTypes, q.Direction), func(w walk) bool {
			p, ok := w.edge.pair.Property("w")
			return w.end == nodes[i+1] && ok && !p.NotFilterable && !w.edge.props["w"].IsNull()
		}) {
			return false
		}
	}
	return len(nodes) > 1
}
