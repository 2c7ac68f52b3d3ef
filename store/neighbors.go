package store

import (
	"cmp"
	"slices"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// neighbors answers explore_neighbors: breadth first, until the levels hold
// more than the page asks for.
func (r *run) neighbors(n *compile.Neighbors) error {
	s := r.newSearch()
	if found, err := s.exists(s.levels.Start); err != nil || !found {
		return err
	}
	start := s.begin(s.levels.Start, forward)
	after, err := r.position(n.Page.Seek)
	if err != nil {
		return err
	}
	limit := r.limit()
	var page []*vertex
	for s.depth[forward] < n.Step.Max && len(s.frontier[forward]) > 0 && len(page) <= limit && !s.spent {
		if err := s.expand(forward); err != nil {
			return err
		}
		level := slices.Clone(s.frontier[forward])
		slices.SortFunc(level, compareVertices)
		for _, v := range level {
			if after == nil || after.before(v) {
				page = append(page, v)
			}
		}
	}
	switch {
	case s.spent:
		r.out.TruncatedBy = graph.TruncatedBudget
	case len(page) > limit:
		r.out.TruncatedBy = graph.TruncatedRows
	}
	return s.writeNeighbors(start, page[:min(limit, len(page))])
}

// A position is where a page begins: after this node, in the order of
// distance, label and key.
type position struct {
	depth int
	label *schema.Label
	key   []graph.Value
}

func (r *run) position(s *compile.Seek) (*position, error) {
	if s == nil {
		return nil, nil
	}
	v := r.plan.Params[s.First:]
	p := &position{depth: int(v[0].Int())}
	var ok bool
	if p.label, ok = r.plan.Schema.Label(v[1].Text()); ok {
		var bad *graph.Error
		p.key, bad = p.label.CoerceKey(graph.String(v[2].Text()))
		ok = bad == nil
	}
	if !ok {
		return nil, &graph.Error{Code: graph.InvalidCursor, Path: "/cursor", Message: "the cursor is not one of this call"}
	}
	return p, nil
}

func (p *position) before(v *vertex) bool {
	return cmp.Or(cmp.Compare(v.depth[forward], p.depth), compareNodes(v.label, p.label, v.key, p.key)) > 0
}

// writeNeighbors writes the page, its start, and the relationships between
// neighbours of neighbouring distances.
func (s *search) writeNeighbors(start *vertex, page []*vertex) error {
	fit := NewFitter(s.plan.Limits.Bytes)
	nodes, err := s.fitNodes(start, page, fit)
	if err != nil {
		return err
	}
	if n := len(nodes) - 1; n < len(page) {
		page = page[:n]
		if s.out.TruncatedBy != graph.TruncatedBudget {
			s.out.TruncatedBy = graph.TruncatedBytes
		}
	}
	s.out.Returned = len(page)
	if by := s.out.TruncatedBy; by == graph.TruncatedRows || by == graph.TruncatedBytes {
		last := page[len(page)-1]
		s.out.Next = []graph.Value{graph.Int(int64(last.depth[forward])), graph.String(last.label.Name), graph.String(last.id.ID)}
	}
	links := linksBetween(append(slices.Clone(page), start))
	rels, err := s.readLinks(links[:min(len(links), s.plan.Limits.Connections+1)])
	if err != nil {
		return err
	}
	rels, _ = s.clip(rels, s.newWeb(), nil, fit)
	for _, n := range nodes {
		if err := s.writer.Node(n); err != nil {
			return err
		}
	}
	for i := range rels {
		if err := s.writer.Relationship(&rels[i].Relationship); err != nil {
			return err
		}
	}
	return nil
}

// fitNodes reads the nodes of a page, as many as there is room for, and behind
// them the start.
func (s *search) fitNodes(start *vertex, page []*vertex, fit *Fitter) ([]*graph.Node, error) {
	var nodes []*graph.Node
	var first *graph.Node
	for at := 0; at == 0 || at < len(page); at += readSize {
		part := slices.Clone(page[at:min(at+readSize, len(page))])
		if at == 0 {
			part = append(part, start)
		}
		read, err := s.read(part)
		if err != nil {
			return nil, err
		}
		if at == 0 {
			first = read[start]
			fit.Fit(Piece{Nodes: []*graph.Node{first}, Always: true})
			part = part[:len(part)-1]
		}
		for _, v := range part {
			n := read[v]
			n.Distance = v.depth[forward]
			if !fit.Fit(Piece{Nodes: []*graph.Node{n}, Always: len(nodes) == 0}) {
				return append(nodes, first), nil
			}
			nodes = append(nodes, n)
		}
	}
	return append(nodes, first), nil
}

// linksBetween lists the links between nodes of neighbouring distances.
func linksBetween(all []*vertex) []link {
	shown := make(map[*vertex]bool, len(all))
	for _, v := range all {
		shown[v] = true
	}
	var links []link
	for _, v := range all {
		for _, e := range v.next {
			if !shown[e.to] || e.to.depth[forward] != v.depth[forward]+1 {
				continue
			}
			for _, m := range e.moves {
				links = append(links, linkOf(e, m))
			}
		}
	}
	slices.SortFunc(links, compareLinks)
	return slices.Compact(links)
}
