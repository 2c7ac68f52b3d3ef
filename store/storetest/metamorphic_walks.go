package storetest

import (
	"fmt"
	"maps"

	"github.com/trellisgraph/trellis/graph"
)

// opposite is the direction in which a step is walked back.
func opposite(d graph.Direction) graph.Direction {
	switch d {
	case graph.Incoming:
		return graph.Outgoing
	case graph.Both:
		return graph.Both
	}
	return graph.Incoming
}

func turned(m *metamorph, v *vertex) error {
	s, end, ok := m.step(v, 3)
	if !ok || len(s.Types) > 1 { // each must lead back
		return errOther
	}
	a, b := m.pattern(v, false), m.pattern(end, false)
	back := s
	back.Direction = opposite(s.Direction)
	there, err := m.relationshipSet(&graph.Traverse{From: a, Relationships: []graph.Step{s}, To: b})
	if err != nil {
		return err
	}
	here, err := m.relationshipSet(&graph.Traverse{From: b, Relationships: []graph.Step{back}, To: a})
	if err != nil {
		return err
	}
	if s.MaxHops > 1 { // of several hops only the least to each target are shown
		if (len(there) == 0) != (len(here) == 0) {
			return fmt.Errorf("%d relationships there, %d back", len(there), len(here))
		}
		return nil
	}
	return equalSets(there, here)
}

func bothWays(m *metamorph, v *vertex) error {
	s, end, ok := m.step(v, 1)
	if !ok || len(s.Types) > 1 {
		return errOther
	}
	a, b := m.pattern(v, false), m.pattern(end, false)
	sum := map[string]bool{}
	for _, d := range []graph.Direction{graph.Outgoing, graph.Incoming} {
		if !m.leads(s.Types[0], v, end, d) {
			continue
		}
		one := s
		one.Direction = d
		set, err := m.relationshipSet(&graph.Traverse{From: a, Relationships: []graph.Step{one}, To: b})
		if err != nil {
			return err
		}
		sum = union(sum, set)
	}
	s.Direction = graph.Both
	both, err := m.relationshipSet(&graph.Traverse{From: a, Relationships: []graph.Step{s}, To: b})
	if err != nil {
		return err
	}
	return equalSets(both, sum)
}

// leads says whether the schema lets a type lead from one node's label to
// another's.
func (m *metamorph) leads(typ string, from, to *vertex, d graph.Direction) bool {
	t, _ := m.ref.schema.Relationship(typ)
	for _, p := range t.Pairs {
		if d == graph.Outgoing && p.From == from.label && p.To == to.label || d == graph.Incoming && p.To == from.label && p.From == to.label {
			return true
		}
	}
	return false
}

func moreHops(m *metamorph, v *vertex) error {
	s, end, ok := m.step(v, 2)
	if !ok {
		return errOther
	}
	s.MinHops = 0
	most := max(1, s.MaxHops)
	a, b := m.pattern(v, false), m.pattern(end, false)
	s.MaxHops = most
	few, err := m.set(&graph.Traverse{From: a, Relationships: []graph.Step{s}, To: b, OmitConnections: true})
	if err != nil {
		return err
	}
	s.MaxHops = most + 1
	s.Filter = nil // it need not stand on the pairs that one more hop may walk
	more, err := m.set(&graph.Traverse{From: a, Relationships: []graph.Step{s}, To: b, OmitConnections: true})
	if err != nil {
		return err
	}
	return subset(few, more)
}

func relatedIsReached(m *metamorph, v *vertex) error {
	s, end, ok := m.step(v, 1)
	if !ok {
		return errOther
	}
	s.Types = s.Types[:1]
	a, b := m.pattern(v, false), m.pattern(end, false)
	with := a
	s.To = &b
	with.Related = []graph.Related{{Relationships: []graph.Step{s}}}
	related, err := m.set(matchingNodes(with))
	if err != nil {
		return err
	}
	back := s
	back.To, back.Direction = nil, opposite(s.Direction)
	reached, err := m.set(&graph.Traverse{From: b, Relationships: []graph.Step{back}, To: a, OmitConnections: true})
	if err != nil {
		return err
	}
	return equalSets(related, reached)
}

func pathsExist(m *metamorph, v *vertex) error {
	q, ok := m.findPaths(v).(*graph.Paths)
	if !ok {
		return errOther
	}
	r, err := m.call(q)
	if err != nil || len(r.Paths) == 0 {
		return other(err)
	}
	for _, p := range r.Paths {
		if len(p.Nodes) != p.Length+1 || len(p.Relationships) != p.Length {
			return fmt.Errorf("a path of length %d has %d nodes and %d relationships", p.Length, len(p.Nodes), len(p.Relationships))
		}
		for i, at := range p.Relationships {
			rel := r.Relationships[at]
			joins := rel.From == p.Nodes[i] && rel.To == p.Nodes[i+1] || rel.To == p.Nodes[i] && rel.From == p.Nodes[i+1]
			if !joins {
				return fmt.Errorf("%s does not join two nodes of its path", relationshipText(&rel))
			}
		}
	}
	rel := &r.Relationships[m.IntN(len(r.Relationships))]
	shown, err := m.relationshipSet(&graph.Traverse{
		From:          graph.NodePattern{Label: rel.From.Label, IDs: graph.IDs(rel.From.ID)},
		Relationships: []graph.Step{{Types: []string{rel.Type}}},
		To:            graph.NodePattern{Label: rel.To.Label, IDs: graph.IDs(rel.To.ID)},
	})
	if err != nil {
		return err
	}
	return subset(map[string]bool{relationshipText(rel): true}, shown)
}

// other turns no error into errOther.
func other(err error) error {
	if err == nil {
		return errOther
	}
	return err
}

func pathIsDistance(m *metamorph, v *vertex) error {
	q, ok := m.findPaths(v).(*graph.Paths)
	if !ok {
		return errOther
	}
	q.Mode, q.K, q.Weight, q.MaxHops, q.NodeTypes, q.Filters = graph.Shortest, 0, "", 1+m.IntN(3), nil, nil
	r, err := m.call(q)
	if err != nil {
		return err
	}
	around, err := m.call(&graph.Neighbors{Start: q.From, MaxHops: q.MaxHops, Direction: q.Direction, RelationshipTypes: q.RelationshipTypes,
		Limit: generous.Rows})
	if err != nil {
		return err
	}
	distance := 0
	if end := m.ref.vertex(q.To.Label, q.To.ID); end != nil {
		for _, n := range around.Answers() {
			if n.Label == q.To.Label && n.ID == end.id {
				distance = n.Distance
			}
		}
	}
	length := 0
	if len(r.Paths) > 0 {
		length = r.Paths[0].Length
	}
	if length != distance {
		return fmt.Errorf("the shortest path has %d hops, the distance is %d", length, distance)
	}
	return nil
}

func exploreTypes(m *metamorph, v *vertex) error {
	q := m.neighbors(v).(*graph.Neighbors)
	q.MaxHops, q.Limit, q.RelationshipTypes = 1, generous.Rows, nil
	all, err := m.set(q)
	if err != nil {
		return err
	}
	sum := map[string]bool{}
	for t := range m.ref.schema.Relationships() {
		if !canLeave(v, t.Name, m, q) {
			continue
		}
		one := *q
		one.RelationshipTypes = []string{t.Name}
		set, err := m.set(&one)
		if err != nil {
			return err
		}
		maps.Copy(sum, set)
	}
	return equalSets(all, sum)
}

// canLeave says whether some relationship of a type leaves a node to where the
// call may walk: a type that the schema does not let leave it is refused.
func canLeave(v *vertex, typ string, m *metamorph, q *graph.Neighbors) bool {
	for _, w := range v.walks([]string{typ}, q.Direction) {
		if walkable(w.end, q.NodeTypes, nil) {
			return true
		}
	}
	return false
}
