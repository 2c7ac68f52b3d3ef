package compile

import (
	"slices"
	"strconv"

	"github.com/trellisgraph/trellis/schema"
)

// A Direct finds the first of the shortest paths between ends that are near, in one
// statement, where a search runs one for each level.
//
// Its statement has at most one row: the number of hops, then the keys of the nodes
// between, of which there are as many as that says. DirectUnsure is in place of the number
// where an end has so many neighbours that a search does better. Without a row there
// is no path of up to Hops hops.
type Direct struct {
	Statement *Statement
	Move      *Move
	Hops      int
	Length    int      // the field of the number of hops
	Between   [2][]int // those of the keys
}

// DirectUnsure in place of the number of hops says that only a search can tell.
const DirectUnsure = 0

const directHops = 3

// DirectBudget is the least budget with which a Direct is asked: it looks at no more
// relationships where it looks for them one by one.
const DirectBudget = 2*directDegree + directDegree*directDegree

// directDegree is how many neighbours ends may have, where that matters.
const directDegree = 64

// addDirect adds a Direct where the engine can, for one move between nodes of one label
// of which nothing is asked, not even that they are there: what a relationship refers
// to is a node.
func (l *Levels) addDirect(x *Expand, d *Dialect) {
	if !d.inTurn || x.Max < 2 || len(x.Moves) != 1 {
		return
	}
	m := x.Moves[0]
	label := m.Target.label
	through := func(s *NodeSet) bool { return s.label == label && s.Cond == nil && s.Guard() == nil }
	if m.Source() != label || l.Start.Set.label != label || l.End.Set.label != label ||
		m.Target.Guard() != nil || len(label.Match) > 0 || !slices.ContainsFunc(x.Ends, through) ||
		slices.ContainsFunc(label.Key, func(p *schema.Property) bool { return p.Type == schema.Enum }) {
		return
	}
	w := newWriter(d)
	if w.looselyReferred(label) {
		return
	}
	l.Direct = w.direct(m, l.Start.Set.Keys, l.End.Set.Keys, min(x.Max, directHops))
	l.all = append(l.all, l.Direct.Statement)
}

// A directPart asks for the paths of one length, or for ends of many neighbours.
type directPart struct {
	hops int
	// rels are the relationships: that at the start, that at the end, and what is
	// between them, which an index finds by both its ends.
	rels []string
	// next are those that follow each other.
	next         [][2]string
	starts, ends bool // at the start, at the end
	skip         int  // that many rows
}

// directParts are in the order in which they decide. A node between is none of the ends: a
// part before would have found the path without it.
func (d *Dialect) directParts(hops int) []directPart {
	parts := []directPart{{hops: 1, rels: []string{"r1"}, starts: true, ends: true}}
	if d.looksUp {
		parts = append(parts,
			directPart{hops: DirectUnsure, rels: []string{"r1"}, starts: true, skip: directDegree},
			directPart{hops: DirectUnsure, rels: []string{"r1"}, ends: true, skip: directDegree})
	}
	parts = append(parts, directPart{hops: 2, rels: []string{"r1", "r2"}, next: [][2]string{{"r1", "r2"}}, starts: true, ends: true})
	if hops > 2 {
		parts = append(parts, directPart{hops: 3, rels: []string{"r1", "r3", "r2"}, next: [][2]string{{"r1", "r2"}, {"r2", "r3"}}, starts: true, ends: true})
	}
	return parts
}

func (w *sqlWriter) direct(m *Move, from, to Keys, hops int) *Direct {
	label := m.Target.label
	out := &Direct{Move: m, Hops: hops}
	w.put("SELECT ")
	sel := w.project()
	out.Length = sel.expression(intType, false, func() { w.column(column{"p", "hops"}) })
	for i, c := range w.aliased("p", 2*len(label.Key)) {
		node, part := i/len(label.Key), i%len(label.Key)
		out.Between[node] = append(out.Between[node], sel.key(c, label.Key[part], label))
	}
	for i, p := range w.d.directParts(hops) {
		w.put([]string{" FROM (", " UNION ALL "}[min(i, 1)])
		w.directPart(p, m, from, to)
	}
	w.put(") AS p LIMIT 1")
	out.Statement = w.statement()
	return out
}

func (w *sqlWriter) directPart(p directPart, m *Move, from, to Keys) {
	label := m.Target.label
	near := func(rel string) []column { return w.named(rel, m.nearColumns()) }
	far := func(rel string) []column { return w.named(rel, m.farColumns()) }
	first, last := p.rels[0], p.rels[min(1, len(p.rels)-1)]
	w.put("SELECT * FROM (SELECT ", strconv.Itoa(p.hops), " AS ", w.ownName("hops"))
	for i, c := range slices.Concat(far(first), near(last)) {
		w.put(", ")
		w.column(c)
		w.put(" AS ", keyAlias(i))
	}
	for i, rel := range p.rels {
		w.put([]string{" FROM ", " CROSS JOIN "}[min(i, 1)])
		w.table(m.Rel.pair.Table)
		w.put(" AS ", rel)
	}
	where := w.where()
	if p.starts {
		where.next()
		w.keys(near(first), label, from)
	}
	if p.ends {
		where.next()
		w.keys(far(last), label, to)
	}
	for _, follow := range p.next {
		where.next()
		w.equalities(w.paired(near(follow[1]), far(follow[0]), label))
	}
	for _, rel := range p.rels {
		where.hopConditions(rel, m)
	}
	var order []term
	for i, c := range slices.Concat(far(first), near(last)) {
		if i < (p.hops-1)*len(label.Key) {
			order = append(order, w.propertyTerm(c, label.Key[i%len(label.Key)], false))
		}
	}
	w.orderBy(order)
	w.put(" LIMIT 1")
	if p.skip > 0 {
		w.put(" OFFSET ", strconv.Itoa(p.skip))
	}
	w.put(")")
}
