package store

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A vertex is a node that a search has met.
type vertex struct {
	label *schema.Label
	key   []graph.Value
	id    graph.NodeKey
	// depth is the number of hops from the start or, in a backward search, to
	// the end; negative where that side has not met it.
	depth [2]int
	next  []*edge // to the nodes after it, in the direction of the walk
}

// An edge is a hop from one vertex to the next, and the moves that make it.
type edge struct {
	from, to *vertex
	moves    []*compile.Move
}

func compareVertices(a, b *vertex) int { return compareNodes(a.label, b.label, a.key, b.key) }

// The two sides of a search.
const (
	forward = iota
	backward
)

// A search goes out level by level, over statements that expand a whole
// frontier at once. It keeps what it has met, so that no node is expanded
// twice on one side, and it ends at the budget of relationships.
type search struct {
	*run
	levels   *compile.Levels
	vertices map[graph.NodeKey]*vertex
	edges    map[[2]*vertex]*edge
	frontier [2][]*vertex
	depth    [2]int
	expanded int
	spent    bool // the budget was
}

func (r *run) newSearch() *search {
	return &search{run: r, levels: r.prog.Levels, vertices: map[graph.NodeKey]*vertex{}, edges: map[[2]*vertex]*edge{}}
}

// begin starts a side of the search at the node that a lookup names, whether
// it exists or not.
func (s *search) begin(l *compile.Lookup, side int) *vertex {
	label := l.Set.Label()
	first := int(l.Set.Keys.First)
	v := s.vertex(label, s.plan.Params[first:first+len(label.Key)])
	v.depth[side] = 0
	s.frontier[side] = []*vertex{v}
	return v
}

// exists asks whether the node that a lookup names is there, and warns if not.
func (s *search) exists(l *compile.Lookup) (bool, error) {
	found := false
	err := s.execute(l.Statement, nil, func([]graph.Value) (bool, error) {
		found = true
		return false, nil
	})
	if err == nil && !found {
		label := l.Set.Label()
		first := int(l.Set.Keys.First)
		s.out.Warnings = append(s.out.Warnings, NotFound(l.Path, label, graph.KeyText(s.plan.Params[first:first+len(label.Key)])))
	}
	return found, err
}

// known is the vertex of a key; nil where the search has not met it.
func (s *search) known(l *schema.Label, key []graph.Value) *vertex {
	return s.vertices[graph.NodeKey{Label: l.Name, ID: graph.KeyText(key)}]
}

func (s *search) vertex(l *schema.Label, key []graph.Value) *vertex {
	id := graph.NodeKey{Label: l.Name, ID: graph.KeyText(key)}
	v := s.vertices[id]
	if v == nil {
		v = &vertex{label: l, key: key, id: id, depth: [2]int{-1, -1}}
		s.vertices[id] = v
	}
	return v
}

// listSize bounds the keys of one list parameter.
const listSize = 10_000

// expand takes a side of the search one level further.
func (s *search) expand(side int) error {
	s.depth[side]++
	from := s.frontier[side]
	s.frontier[side] = nil
	for l, list := range byLabel(from) {
		for _, m := range s.levels.Moves(l, side == backward) {
			for part := range slices.Chunk(list, listSize) {
				if err := s.expandMove(side, m, part); err != nil || s.spent {
					return err
				}
			}
		}
	}
	return nil
}

// byLabel yields vertices by their label, in the order of the labels' names.
func byLabel(list []*vertex) iter.Seq2[*schema.Label, []*vertex] {
	by := map[*schema.Label][]*vertex{}
	for _, v := range list {
		by[v.label] = append(by[v.label], v)
	}
	labels := slices.SortedFunc(maps.Keys(by), func(a, b *schema.Label) int { return strings.Compare(a.Name, b.Name) })
	return func(yield func(*schema.Label, []*vertex) bool) {
		for _, l := range labels {
			if !yield(l, by[l]) {
				return
			}
		}
	}
}

func keysOf(list []*vertex) []graph.Value {
	var keys []graph.Value
	for _, v := range list {
		keys = append(keys, v.key...)
	}
	return keys
}

func (s *search) expandMove(side int, m *compile.LevelMove, from []*vertex) error {
	return s.execute(m.Statement, keysOf(from), func(row []graph.Value) (bool, error) {
		if !s.spend() {
			return false, nil
		}
		near := s.known(m.Near, pick(row, m.NearKey))
		if near == nil {
			return true, nil // the engine's idea of equality was wider than ours
		}
		far := s.vertex(m.Far, pick(row, m.FarKey))
		if far.depth[side] < 0 {
			far.depth[side] = s.depth[side]
			s.frontier[side] = append(s.frontier[side], far)
		}
		s.hop(side, near, far, m.Move)
		return true, nil
	})
}

// spend takes a relationship from the budget, if there is one left.
func (s *search) spend() bool {
	s.spent = s.expanded >= s.plan.Limits.Budget
	if !s.spent {
		s.expanded++
	}
	return !s.spent
}

// hop notes a hop that a side of the search found from a vertex to a far one.
func (s *search) hop(side int, near, far *vertex, m *compile.Move) {
	if side == backward {
		near, far = far, near
	}
	s.connect(near, far, m)
}

// connect notes a hop.
func (s *search) connect(from, to *vertex, m *compile.Move) {
	k := [2]*vertex{from, to}
	e := s.edges[k]
	if e == nil {
		e = &edge{from: from, to: to}
		s.edges[k] = e
		from.next = append(from.next, e)
	}
	if !slices.Contains(e.moves, m) {
		e.moves = append(e.moves, m)
	}
}

func pick(row []graph.Value, fields []int) []graph.Value {
	out := make([]graph.Value, len(fields))
	for i, f := range fields {
		out[i] = row[f]
	}
	return out
}

// readSize is how many rows of an answer are read at a time: all of them, as a
// rule, but never so many that texts which the answer has no room for fill the
// memory.
const readSize = 100

// read fetches nodes with the properties that the answer shows.
func (s *search) read(list []*vertex) (map[*vertex]*graph.Node, error) {
	nodes := make(map[*vertex]*graph.Node, len(list))
	for l, vs := range together(list, func(v *vertex) *schema.Label { return v.label }) {
		st := s.levels.Nodes(l)
		err := s.execute(st.Statement, keysOf(vs), func(row []graph.Value) (bool, error) {
			n := s.node(&st.Fields, s.keyOf(&st.Fields, row), row)
			if v := s.vertices[graph.NodeKey{Label: n.Label, ID: n.ID}]; v != nil {
				nodes[v] = n
			}
			return true, nil
		})
		if err != nil {
			return nil, err
		}
	}
	for _, v := range list {
		if nodes[v] == nil {
			return nil, s.gone(v)
		}
	}
	return nodes, nil
}

// gone says that a node which a search met is not there when it is read. Of one
// snapshot that is a relationship that leads nowhere, as a foreign key may which the
// database does not enforce.
func (s *search) gone(v *vertex) error {
	if s.renewed || s.prog.Dialect.Trailing() {
		return changed()
	}
	return &graph.Error{Code: graph.InvalidData, Message: v.label.Name + " " + shownID(v.id.ID, len(v.key)) + ": a relationship leads to it, and it is not there"}
}

// changed says that what a search met is no longer there when it is read, which
// only engines without snapshots, and searches of several, let happen.
func changed() error {
	return &graph.Error{Code: graph.Unavailable, Message: "the data changed during the call", Retryable: true}
}

// together yields the items of a list by a key, in the order in which the keys
// come first, so that the same call runs the same statements in the same order.
func together[K comparable, V any](list []V, key func(V) K) iter.Seq2[K, []V] {
	return func(yield func(K, []V) bool) {
		var keys []K
		by := map[K][]V{}
		for _, v := range list {
			k := key(v)
			if _, known := by[k]; !known {
				keys = append(keys, k)
			}
			by[k] = append(by[k], v)
		}
		for _, k := range keys {
			if !yield(k, by[k]) {
				return
			}
		}
	}
}

// A link names the relationships of a pair between two nodes, in their stored
// direction.
type link struct {
	pair     *schema.Pair
	from, to *vertex
}

// linkOf is a hop by a move, in the stored direction.
func linkOf(e *edge, m *compile.Move) link {
	if m.Incoming {
		return link{m.Rel.Pair(), e.to, e.from}
	}
	return link{m.Rel.Pair(), e.from, e.to}
}

// compareLinks orders links as answers order relationships.
func compareLinks(a, b link) int {
	return cmp.Or(strings.Compare(a.pair.Type.Name, b.pair.Type.Name), compareVertices(a.from, b.from), compareVertices(a.to, b.to))
}

// readLinks fetches relationships, sorted and each once.
func (s *search) readLinks(links []link) ([]webRel, error) {
	w := s.newWeb()
	for p, ls := range together(links, func(l link) *schema.Pair { return l.pair }) {
		st := s.levels.Rels(p)
		wanted := map[webKey]link{}
		var keys []graph.Value
		for _, l := range ls {
			keys = append(append(keys, l.from.key...), l.to.key...)
			wanted[webKey{pair: p, from: l.from.id.ID, to: l.to.id.ID}] = l
		}
		err := s.execute(st.Statement, keys, func(row []graph.Value) (bool, error) {
			from, to := pick(row, st.FromKey), pick(row, st.ToKey)
			k := webKey{pair: p, from: graph.KeyText(from), to: graph.KeyText(to)}
			l, ok := wanted[k]
			if !ok {
				return true, nil
			}
			var key graph.Value
			if st.Fields.Key >= 0 {
				key = row[st.Fields.Key]
				k.key = key.Text()
			}
			if !w.known[k] {
				w.known[k] = true
				w.rels = append(w.rels, webRel{
					Relationship: graph.Relationship{Type: p.Type.Name, From: l.from.id, To: l.to.id, Properties: s.properties(st.Fields.Shown, row)},
					pair:         p, fromKey: from, toKey: to, key: key,
				})
			}
			return true, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return w.relationships(), nil
}
