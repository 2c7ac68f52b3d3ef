package native

import (
	"cmp"
	"slices"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// A rel is a relationship of an answer, in its stored direction.
type rel struct {
	links    *links
	typ      uint32 // the links' type, in the order of names
	number   uint32
	from, to node
}

// relAt is the relationship at a position of a list of a hop from a node.
func (h *hop) relAt(near node, a *memory.Adjacency, at uint32) rel {
	far := node{uint32(h.far.number), a.Ends[at]}
	if h.out {
		return rel{h.links, uint32(h.links.typ), a.Number(at), near, far}
	}
	return rel{h.links, uint32(h.links.typ), a.Number(at), far, near}
}

// compareNodes orders nodes by label and key.
func (t *tables) compareNodes(a, b node) int {
	if t.flat || a.label != b.label {
		return cmp.Compare(a.place(), b.place())
	}
	return t.numbered[a.label].compare(a.row, b.row)
}

// place is where the node stands in that order, if no row is late.
func (n node) place() uint64 { return uint64(n.label)<<32 | uint64(n.row) }

// compareRels orders relationships as answers list them: by type, start, end
// and key.
func compareRels(a, b rel) int {
	switch {
	case a.typ != b.typ:
		return cmp.Compare(a.typ, b.typ)
	case a.from != b.from:
		return compareEnds(a.links.from, a.from, b.from)
	case a.to != b.to:
		return compareEnds(a.links.to, a.to, b.to)
	}
	return a.links.compare(a.number, b.number)
}

// compareEnds is compareNodes, where one node is of a table.
func compareEnds(of *table, a, b node) int {
	if of.late == nil || a.label != b.label {
		return cmp.Compare(a.place(), b.place())
	}
	return of.compare(a.row, b.row)
}

// A relSet keeps the first relationships of all that it is given, each once.
type relSet struct {
	most int
	list []rel
}

// relSet is the set of the relationships that an answer may have, and one more.
func (r *run) relSet() relSet {
	return relSet{most: r.plan.Limits.Connections + 1, list: r.rels[:0]}
}

// spareRels is how many relationships a set takes before it drops the last.
const spareRels = 1024

func (s *relSet) add(x rel) {
	if s.list = append(s.list, x); len(s.list) >= 2*s.most+spareRels {
		s.first()
	}
}

// first returns what the set keeps, in order.
func (s *relSet) first() []rel {
	if !slices.IsSortedFunc(s.list, compareRels) { // often they are found in order
		slices.SortFunc(s.list, compareRels)
	}
	s.list = slices.Compact(s.list)
	if len(s.list) > s.most {
		clear(s.list[s.most:])
		s.list = s.list[:s.most]
	}
	return s.list
}

// shows are what an answer shows of nodes and relationships.
type shows struct {
	labels []*shown // by number
	pairs  map[*links]*shown
}

// pair is what is shown of a pair's relationships.
func (s *shows) pair(l *links) *shown { return s.pairs[l] }

// shows lowers what is shown of the nodes of sets, of those that moves lead to,
// and of the moves' relationships.
func (lw *lowering) shows(show compile.Show, steps []*compile.Expand, refs ...compile.NodeRef) *shows {
	s := &shows{labels: make([]*shown, len(lw.labels)+1), pairs: map[*links]*shown{}}
	add := func(ref compile.NodeRef) {
		if t := lw.label(ref.Label()); s.labels[t.number] == nil {
			s.labels[t.number] = lw.shown(ref.Label(), show[ref.Label()])
		}
	}
	for _, ref := range refs {
		add(ref)
	}
	for _, x := range steps {
		for _, m := range x.Moves {
			add(m.Target)
			l := lw.pair(m.Rel.Pair())
			if s.pairs[l] != nil {
				continue
			}
			p := &shown{}
			props := slices.DeleteFunc(slices.Clone(m.Rel.Pair().Properties), func(p *schema.Property) bool { return p.Hidden })
			p.add(owner{columns: l.columns}, props)
			p.bytes += worstEscape * len(l.pair.Type.Name)
			p.head = graph.AppendJSONString([]byte(`{"type":`), l.pair.Type.Name)
			p.head = headOf(append(p.head, `,"from":`...), l.pair.From.Name)
			p.toHead = headOf([]byte(`},"to":`), l.pair.To.Name)
			s.pairs[l] = p
		}
	}
	return s
}

// node is a node as answers show it.
func (s *shows) node(n node, distance int) nodeRow {
	return nodeRow{shown: s.labels[n.label], row: n.row, distance: distance}
}

func (s *shows) key(n node) graph.NodeKey {
	of := s.labels[n.label]
	return graph.NodeKey{Label: of.label.Name, ID: of.table.id(n.row)}
}

// fill reads a relationship into dst, whose properties it overwrites.
func (s *shows) fill(p *compile.Plan, dst *graph.Relationship, x rel) {
	dst.Type, dst.From, dst.To, dst.Cut = x.links.pair.Type.Name, s.key(x.from), s.key(x.to), nil
	dst.Properties = s.pair(x.links).properties(p, dst.Properties[:0], x.number)
}

// room is how many bytes of an answer a relationship takes at most.
func (s *shows) room(x rel) int {
	n := s.pair(x.links).room(x.number)
	for _, end := range [2]node{x.from, x.to} {
		of := s.labels[end.label]
		n += worstEscape*len(of.label.Name) + of.keyRoom(end.row)
	}
	return n
}
