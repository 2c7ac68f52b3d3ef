package native

import (
	"math"
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/store"
)

// write writes the nodes and relationships of paths, then the paths: as many as
// the answer has room for.
func (p *paths) write(r *run, w graph.Writer, found []walk, out *store.Outcome) error {
	if e := newEncoder(r, w); e.doc != nil {
		if done, err := p.encodeAll(r, &e, found, out); done || err != nil {
			return err
		}
		e.back()
	} else if p.room(found) <= r.plan.Limits.Bytes {
		return p.writeAll(r, w, found, out)
	}
	f := store.NewFitter(r.plan.Limits.Bytes)
	nodes, rels := map[node]*graph.Node{}, map[rel]*graph.Relationship{}
	for i := range found {
		fits, err := p.fits(r, f, &found[i], nodes, rels, i == 0)
		if err != nil {
			return err
		}
		if !fits {
			found = found[:i]
			if out.TruncatedBy != graph.TruncatedBudget {
				out.TruncatedBy = graph.TruncatedBytes
			}
			break
		}
	}
	out.Returned = len(found)
	var walked []node
	for n := range nodes {
		walked = append(walked, n)
	}
	slices.SortFunc(walked, r.tables.compareNodes)
	for _, n := range walked {
		if err := w.Node(nodes[n]); err != nil {
			return err
		}
	}
	var hops []rel
	for x := range rels {
		hops = append(hops, x)
	}
	slices.SortFunc(hops, compareRels)
	index := make(map[rel]int, len(hops))
	for i, x := range hops {
		index[x] = i
		if err := w.Relationship(rels[x]); err != nil {
			return err
		}
	}
	for i := range found {
		path, err := p.path(&found[i], func(x rel) int { return index[x] })
		if err != nil {
			return err
		}
		if err := w.Path(&path); err != nil {
			return err
		}
	}
	return nil
}

// fits offers a path, with what no path before it went over.
func (p *paths) fits(r *run, f *store.Fitter, path *walk, nodes map[node]*graph.Node, rels map[rel]*graph.Relationship, always bool) (bool, error) {
	shown, err := p.path(path, func(rel) int { return 0 })
	if err != nil {
		return false, err
	}
	piece := store.Piece{Always: always, Bytes: store.PathBytes(&shown)}
	var newNodes []node
	var newRels []rel
	for _, n := range path.nodes {
		if nodes[n] == nil {
			nodes[n] = &graph.Node{}
			p.shows.node(n, 0).fill(r.plan, nodes[n])
			newNodes, piece.Nodes = append(newNodes, n), append(piece.Nodes, nodes[n])
		}
	}
	for _, x := range path.rels {
		if rels[x] == nil {
			rels[x] = &graph.Relationship{}
			p.shows.fill(r.plan, rels[x], x)
			newRels, piece.Relationships = append(newRels, x), append(piece.Relationships, rels[x])
		}
	}
	if f.Fit(piece) {
		return true, nil
	}
	for _, n := range newNodes {
		delete(nodes, n)
	}
	for _, x := range newRels {
		delete(rels, x)
	}
	return false, nil
}

// path is a path as answers show it.
func (p *paths) path(w *walk, index func(rel) int) (graph.Path, error) {
	out := graph.Path{Length: len(w.rels), Nodes: make([]graph.NodeKey, 0, len(w.nodes)), Relationships: make([]int, 0, len(w.rels))}
	for _, n := range w.nodes {
		out.Nodes = append(out.Nodes, p.shows.key(n))
	}
	for _, x := range w.rels {
		out.Relationships = append(out.Relationships, index(x))
	}
	if p.scale == nil {
		return out, nil
	}
	var err error
	out.Weight, err = p.scale.value(w.weight)
	return out, err
}

// Bytes of an answer that a path takes at most, beside the labels and ids of its
// nodes.
const (
	roomOfPath = 128
	roomOfHop  = 48
)

// room is how many bytes of an answer paths take at most.
func (p *paths) room(found []walk) int {
	n := 0
	for _, w := range found {
		n += roomOfPath + roomOfValue
		for _, at := range w.nodes {
			s := p.shows.labels[at.label]
			n += s.room(at.row) + roomOfHop + worstEscape*len(s.label.Name) + s.keyRoom(at.row)
		}
		for _, x := range w.rels {
			n += p.shows.room(x)
		}
		if w.weight.big != nil { // of any number of digits
			return math.MaxInt
		}
	}
	return n
}

// writeAll is write where all is sure to fit.
func (p *paths) writeAll(r *run, w graph.Writer, found []walk, out *store.Outcome) error {
	out.Returned = len(found)
	shown := make([]graph.Path, len(found))
	nodes, rels := p.walked(r, found)
	defer func() { r.giveNodes(nodes) }()
	for i := range found {
		var err error
		if shown[i], err = p.path(&found[i], func(x rel) int { return indexOf(rels, x) }); err != nil {
			return err
		}
	}
	for _, n := range nodes {
		p.shows.node(n, 0).fill(r.plan, &r.node)
		if err := w.Node(&r.node); err != nil {
			return err
		}
	}
	for _, x := range rels {
		p.shows.fill(r.plan, &r.rel, x)
		if err := w.Relationship(&r.rel); err != nil {
			return err
		}
	}
	for i := range shown {
		if err := w.Path(&shown[i]); err != nil {
			return err
		}
	}
	return nil
}

// walked returns the nodes and relationships of paths, in order.
func (p *paths) walked(r *run, found []walk) (nodes []node, rels []rel) {
	nodes, rels = r.nodeList(), r.rels[:0]
	for _, path := range found {
		nodes, rels = append(nodes, path.nodes...), append(rels, path.rels...)
	}
	r.rels = rels
	slices.SortFunc(nodes, r.tables.compareNodes)
	slices.SortFunc(rels, compareRels)
	return slices.Compact(nodes), slices.Compact(rels)
}

// indexOf is where a relationship stands among some in order.
func indexOf(rels []rel, x rel) int {
	at, _ := slices.BinarySearchFunc(rels, x, compareRels)
	return at
}

// encodeAll is write to a document. It reports false where not all is sure to
// fit.
func (p *paths) encodeAll(r *run, e *encoder, found []walk, out *store.Outcome) (bool, error) {
	nodes, rels := p.walked(r, found)
	defer func() { r.giveNodes(nodes) }()
	for _, n := range nodes {
		if !e.node(p.shows.node(n, 0)) {
			return false, nil
		}
	}
	for _, x := range rels {
		if !e.relationship(p.shows, x) {
			return false, nil
		}
	}
	for i := range found {
		if fits, err := e.path(p, &found[i], rels); !fits || err != nil {
			return false, err
		}
	}
	out.Returned = len(found)
	return true, nil
}
