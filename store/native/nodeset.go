package native

import (
	"math/bits"
	"slices"

	"github.com/trellisgraph/trellis/compile"
)

// A nodeSet is the nodes of one label that fulfil a plan's node set: keys,
// condition, guard and semi-joins.
type nodeSet struct {
	table *table
	// keys is the arg with the rows that are named; -1 where none are.
	keys int
	// plain are the conditions on the node itself, nil for none; test are all,
	// keys and semi-joins included.
	plain, test test
	guard       test
	bare        bool // plain is the guard alone
	// fill makes batches of rows that fulfil a part of plain, rest is what they
	// have to fulfil then; nil where all rows have to be looked at by plain.
	fill    func(r *run, dst []uint32, first, end uint32) []uint32
	rest    test
	related []*semi
	access  []access
	// spans are what indexes find; exact is one that finds all rows of the set and
	// no others, nil for none.
	spans []*span
	exact *span
}

// nodeSet lowers a node set.
func (lw *lowering) nodeSet(s *compile.NodeSet) *nodeSet {
	n := &nodeSet{table: lw.label(s.Label()), keys: -1}
	o := owner{n.table.columns, n.table}
	n.guard = lw.guard(s.NodeRef)
	cond := lw.test(o, s.Cond, true)
	n.plain, n.bare = conjunction(cond, n.guard), cond == nil
	n.fill, n.rest = filler(n.plain)
	list := []test{n.plain}
	if s.Keys.N >= 0 {
		n.keys = lw.arg(n.bindKeys(s.Keys.First, listClass(s.Keys.N)))
		list = slices.Insert(list, 0, test(keyTest{n.keys}))
	}
	for _, related := range s.Related {
		sj := lw.semi(n.table, related)
		n.related = append(n.related, sj)
		list = append(list, test(semiTest{sj}))
	}
	n.test = conjunction(list...)
	covered := false
	n.access, n.spans, covered = lw.paths(n.table, s)
	if covered && len(n.spans) == 1 && n.keys < 0 && len(n.related) == 0 {
		n.exact = n.spans[0]
	}
	return n
}

// guard is the test that the caller may see a node of the label.
func (lw *lowering) guard(ref compile.NodeRef) test {
	t := lw.label(ref.Label())
	if g, known := lw.guards[t]; known {
		return g
	}
	g := lw.test(owner{t.columns, t}, ref.Guard(), true)
	lw.guards[t] = g
	return g
}

// bindKeys finds the rows of n keys in slots, ascending and each once.
func (s *nodeSet) bindKeys(first compile.Slot, n int) bindFunc {
	t, parts := s.table, len(s.table.key)
	return func(r *run, a *arg) {
		a.rows = a.rows[:0]
		for i := range n {
			at := int(first) + i*parts
			if row, ok := r.tables.graph.Find(t.label, r.params[at:at+parts]); ok {
				a.rows = append(a.rows, row)
			}
		}
		if len(a.rows) > 1 {
			slices.Sort(a.rows)
			a.rows = slices.Compact(a.rows)
		}
	}
}

// keyTest holds for the rows that are named.
type keyTest struct{ arg int }

func (t keyTest) holds(r *run, row uint32) bool {
	_, found := slices.BinarySearch(r.args[t.arg].rows, row)
	return found
}

func (t keyTest) narrow(r *run, rows []uint32) []uint32 {
	return keep(rows, func(row uint32) bool { return t.holds(r, row) })
}

// each hands the rows of the set, in batches, to visit until that returns
// false; in the order of keys if ordered. from is where it begins.
// The batch is visit's to change, until it returns.
func (s *nodeSet) each(r *run, ordered bool, from position, visit func(rows []uint32) bool) {
	c := s.candidates(r, ordered, from)
	s.prepare(r, c.count())
	s.scan(r, c, visit)
	c.giveBack(r)
}

// scan is each over some of the candidates, with the semi-joins ready.
func (s *nodeSet) scan(r *run, c candidates, visit func(rows []uint32) bool) {
	batch := r.list()
	inRange := !c.listed && (c.table == nil || !c.byKey)
	marked, by := s.marked(r)
	looked := 0
	for size := 64; r.tick(looked) && c.count() > 0; size = min(2*size, batchRows) {
		test := s.plain
		known := (*semi)(nil)
		if inRange && (by != nil || s.fill != nil) && c.first < c.end {
			first := c.first
			c.first = min(c.end, first+uint32(size))
			looked = int(c.first - first)
			if known = by; by != nil {
				batch = appendBits(batch[:0], marked, first, c.first)
			} else {
				batch, test = s.fill(r, batch[:0], first, c.first), s.rest
			}
			if c.table != nil {
				batch = c.table.alive(batch)
			}
		} else {
			batch = c.next(batch[:0], size)
			looked = len(batch)
		}
		rows := s.semis(r, narrow(r, test, batch), known)
		if len(rows) > 0 && r.err == nil && !visit(rows) {
			break
		}
	}
	r.giveList(batch)
}

// semis keeps the rows that fulfil the set's semi-joins, which are ready, and of
// which one may be known to hold.
func (s *nodeSet) semis(r *run, rows []uint32, known *semi) []uint32 {
	for _, related := range s.related {
		if related != known {
			rows = semiTest{related}.narrow(r, rows)
		}
	}
	return rows
}

// marked is the bitmap of the rows for which a semi-join of the set holds, where
// it is one that has been marked.
func (s *nodeSet) marked(r *run) (words []uint64, by *semi) {
	for _, related := range s.related {
		if st := &r.sets[related.number]; st.ready && st.marked && !related.none {
			return st.reached.of(uint32(s.table.number)), related
		}
	}
	return nil, nil
}

// total counts the rows of the set where a marked semi-join is all that they have
// to fulfil; otherwise it is -1.
func (s *nodeSet) total(r *run) int {
	if len(s.related) != 1 || s.plain != nil || s.keys >= 0 || s.table.dead != nil {
		return -1
	}
	words, by := s.marked(r)
	if by == nil {
		return -1
	}
	n := 0
	for _, w := range words {
		n += bits.OnesCount64(w)
	}
	return n
}

// prepare readies the semi-joins of the set for about so many candidates.
func (s *nodeSet) prepare(r *run, candidates int) {
	for _, related := range s.related {
		related.prepare(r, candidates)
	}
}
