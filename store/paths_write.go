package store

import (
	"slices"

	"github.com/trellisgraph/trellis/graph"
)

// A gathering collects what the paths of an answer show.
type gathering struct {
	*search
	fit   *Fitter
	nodes map[*vertex]*graph.Node
	rels  map[link]*webRel
	// What the paths that the answer has room for go over, each once.
	walked []*vertex
	links  []link
	shown  map[any]bool // a *vertex or a link
}

// writePaths writes the nodes and relationships of paths, then the paths: as
// many as the answer has room for.
func (s *search) writePaths(found [][]*edge) error {
	g := &gathering{search: s, fit: NewFitter(s.plan.Limits.Bytes),
		nodes: map[*vertex]*graph.Node{}, rels: map[link]*webRel{}, shown: map[any]bool{}}
	kept, room := 0, true
	for at := 0; at < len(found) && room; at += readSize {
		part := found[at:min(at+readSize, len(found))]
		if err := g.gather(part); err != nil {
			return err
		}
		for _, path := range part {
			if room = g.fits(path, kept == 0); !room {
				if s.out.TruncatedBy != graph.TruncatedBudget {
					s.out.TruncatedBy = graph.TruncatedBytes
				}
				break
			}
			kept++
		}
	}
	s.out.Returned = kept
	return g.write(found[:kept])
}

// gather reads what paths go over, as far as it is not known.
func (g *gathering) gather(paths [][]*edge) error {
	var vertices []*vertex
	var links []link
	seen := map[*vertex]bool{}
	add := func(v *vertex) {
		if g.nodes[v] == nil && !seen[v] {
			seen[v] = true
			vertices = append(vertices, v)
		}
	}
	for _, path := range paths {
		add(path[0].from)
		for _, e := range path {
			add(e.to)
			if l := hop(e); g.rels[l] == nil {
				links = append(links, l)
			}
		}
	}
	slices.SortFunc(vertices, compareVertices)
	slices.SortFunc(links, compareLinks)
	links = slices.Compact(links)
	rels, err := g.readLinks(links)
	if err != nil {
		return err
	}
	for i := range rels { // sorted, so that of parallel ones the least key comes first
		r := &rels[i]
		l := link{r.pair, g.search.vertices[r.From], g.search.vertices[r.To]}
		if g.rels[l] == nil {
			g.rels[l] = r
		}
	}
	for _, l := range links {
		if g.rels[l] == nil {
			return changed()
		}
	}
	nodes, err := g.read(vertices)
	for v, n := range nodes {
		g.nodes[v] = n
	}
	return err
}

// fits offers a path, with what no path before it went over.
func (g *gathering) fits(path []*edge, always bool) bool {
	p := Piece{Always: always}
	shown := g.path(path, nil)
	p.Bytes = PathBytes(&shown)
	walked, links := len(g.walked), len(g.links)
	add := func(v *vertex) {
		if !g.shown[v] {
			g.shown[v] = true
			g.walked = append(g.walked, v)
			p.Nodes = append(p.Nodes, g.nodes[v])
		}
	}
	add(path[0].from)
	for _, e := range path {
		add(e.to)
		if l := hop(e); !g.shown[l] {
			g.shown[l] = true
			g.links = append(g.links, l)
			p.Relationships = append(p.Relationships, &g.rels[l].Relationship)
		}
	}
	if !g.fit.Fit(p) {
		g.walked, g.links = g.walked[:walked], g.links[:links]
		return false
	}
	return true
}

// path is a path as answers show it.
func (g *gathering) path(path []*edge, index map[link]int) graph.Path {
	p := graph.Path{Nodes: []graph.NodeKey{path[0].from.id}, Length: len(path)}
	for _, e := range path {
		p.Nodes = append(p.Nodes, e.to.id)
		p.Relationships = append(p.Relationships, index[hop(e)])
	}
	return p
}

// write writes what fits, and the paths.
func (g *gathering) write(found [][]*edge) error {
	slices.SortFunc(g.walked, compareVertices)
	slices.SortFunc(g.links, compareLinks)
	for _, v := range g.walked {
		if err := g.writer.Node(g.nodes[v]); err != nil {
			return err
		}
	}
	index := map[link]int{}
	for i, l := range g.links {
		index[l] = i
		if err := g.writer.Relationship(&g.rels[l].Relationship); err != nil {
			return err
		}
	}
	for _, path := range found {
		p := g.path(path, index)
		if err := g.writer.Path(&p); err != nil {
			return err
		}
	}
	return nil
}
