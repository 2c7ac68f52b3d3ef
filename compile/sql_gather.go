package compile

// Of a step of one hop or more, all of one move between nodes of one label, the
// nodes from which it leads to a given one are found without a chain for each
// length: those of the first hop, and with each further hop those next to any
// found so far. Walks may stand in for paths here as they do in stages: what
// walks of fewer hops reach, a path of as few does. Only the given node itself
// is no end of two hops or more; by one hop it may be.

// gathers reports whether a semi-join is written so.
func (w *sqlWriter) gathers(s *side) bool {
	steps := s.semi.Steps
	if !w.d.gathers || len(steps) != 1 || len(s.chains) != steps[0].Max {
		return false
	}
	x := steps[0]
	if x.Min != 1 || x.Max < stagedFrom || len(x.Moves) != 1 || x.Moves[0].Source() != x.Moves[0].Target.label {
		return false
	}
	c := s.chains[x.Max-1]
	return c.length() == x.Max && s.chains[0].length() == 1 && c.from.Keys.N < 0 && c.set(x.Max).Keys.N == 1
}

// gathered writes the starts of the chains of a semi-join that gathers, distinct
// where they are brought together by UNION and not by UNION ALL.
func (w *sqlWriter) gathered(s *side, union string) {
	g := &staging{w: w, c: s.chains[len(s.chains)-1].reverse(), target: true, gather: true}
	w.reaching(s.chains[0], nil, true)
	w.put(union)
	_ = w.stagedSelect(g, "", func() {}) // the chain's nodes have no semi-joins
}

// amongGathered reports whether a semi-join that gathers is written as a condition
// on the node.
func (w *sqlWriter) amongGathered(s *side) bool {
	return w.d.setJoins && !s.optional() && plainKey(s.set.label) && w.gathers(s)
}

// gatheredCondition writes the semi-join of amongGathered.
func (c *whereClause) gatheredCondition(s *side) {
	c.next()
	c.w.column(s.key[0])
	c.w.put(" IN (")
	c.w.gathered(s, " UNION ALL ")
	c.w.put(")")
}

// Where a good part of all nodes is near, the last hop leads to most of them many
// times over: then it is less to look, at each node, for one relationship to a node
// that is near. How many are near only the database knows, so that the statement
// has both ways, and which of them has rows it finds out by reading no more than a
// few nodes for each that is near.

// nearPart is that part of all nodes, as one in so many, from which on it is looked.
const nearPart = "4"

// What is written once for the whole statement has names that no table has: it would
// hide the table. A table that is called so by malice fails the statement.
const (
	nearNodes = "near nodes"
	manyNear  = "many near"
)

// looksNear reports whether a semi-join is written so: one that gathers, and neither
// denies nor counts. Under guards it
// is not: they would have to stand at more tables.
func (w *sqlWriter) looksNear(s *side) bool {
	if !w.d.looksNear || s.optional() || !w.gathers(s) {
		return false
	}
	m := s.semi.Steps[0].Moves[0]
	return plainKey(s.set.label) && !m.holdsNear() && !m.holdsFar() && len(s.set.label.Match) == 0 &&
		s.set.Guard() == nil && m.Rel.Guard() == nil && m.Target.Guard() == nil
}

// nearCondition writes both ways, as a condition on the node: of how many nodes a
// join would be with, the planner has no idea.
func (c *whereClause) nearCondition(s *side) {
	n := c.w.nearWays(s)
	c.next()
	c.w.column(s.key[0])
	c.w.put(" IN (")
	n.with()
	n.few()
	c.w.put(" UNION ALL SELECT ")
	c.w.column(n.key)
	c.w.put(" AS ", keyAlias(0))
	n.many()
	c.w.put(")")
}

// nearTable writes both ways in the place of the nodes' table, so that none of them
// is looked up again by its key.
func (w *sqlWriter) nearTable(s *side) {
	n := w.nearWays(s)
	w.put("(")
	n.with()
	w.put("SELECT ", n.key.alias, ".* FROM ")
	w.table(s.set.label.Table)
	w.put(" AS ", n.key.alias, " WHERE ")
	w.column(n.key)
	w.put(" IN (")
	n.few()
	w.put(") UNION ALL SELECT ", n.key.alias, ".*")
	n.many()
	w.put(") AS n")
}

// nearWays are both ways of a semi-join, for statements to put together.
type nearWays struct {
	w *sqlWriter
	s *side
	g *staging
	// key is that of the nodes' own table.
	key column
	// nodes and decided name what with writes.
	nodes, decided string
}

func (w *sqlWriter) nearWays(s *side) *nearWays {
	g := &staging{w: w, c: s.chains[len(s.chains)-1].reverse(), target: true, gather: true}
	return &nearWays{w: w, s: s, g: g, key: w.keyColumns("m", s.set.label)[0], nodes: w.ownName(nearNodes), decided: w.ownName(manyNear)}
}

// with writes what both ways use: the nodes that are near by one hop less, and
// whether these are many.
func (n *nearWays) with() {
	w := n.w
	w.put("WITH ", n.nodes, " AS MATERIALIZED (")
	n.g.write(n.g.c.length() - 1)
	w.put("), ", n.decided, " AS MATERIALIZED (SELECT NOT EXISTS (SELECT 1 FROM ")
	w.table(n.s.set.label.Table)
	w.put(" LIMIT 1 OFFSET (SELECT ", nearPart, " * COUNT(*) FROM ", n.nodes, ")) AS m) ")
	n.g.walked = "SELECT k1 FROM " + n.nodes
}

// few writes the keys of the nodes next to those that are near, unless they are many.
func (n *nearWays) few() {
	w := n.w
	w.reaching(n.s.chains[0], nil, true)
	w.put(" AND NOT (SELECT m FROM ", n.decided, ") UNION ")
	_ = w.stagedSelect(n.g, "", func() {}) // the chain's nodes have no semi-joins
	w.put(" AND NOT (SELECT m FROM ", n.decided, ")")
}

// many writes from where the nodes come that have a relationship to one that is near,
// if these are many.
func (n *nearWays) many() {
	w, label := n.w, n.s.set.label
	w.put(" FROM ")
	w.table(label.Table)
	// Most nodes have a relationship to one that is near: this is asked first.
	w.put(" AS ", n.key.alias, " WHERE (SELECT m FROM ", n.decided, ") AND (NOT (")
	w.keys([]column{n.key}, label, n.g.c.from.Keys)
	w.put(") AND EXISTS (SELECT 1 FROM ")
	m := n.s.semi.Steps[0].Moves[0]
	w.table(m.Rel.pair.Table)
	w.put(" AS r")
	where := w.where()
	where.next()
	w.column(column{"r", m.nearColumns()[0]})
	w.put(" = ")
	w.column(n.key)
	where.hopConditions("r", m)
	where.next()
	w.put("+") // the relationships are those of the node, of whatever index there is
	w.column(column{"r", m.farColumns()[0]})
	w.put(" IN (SELECT k1 FROM ", n.nodes, ")) OR ")
	w.column(n.key)
	w.put(" IN (")
	w.reaching(n.s.chains[0], nil, true)
	w.put("))")
}
