package compile

import (
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// Where the planner knows several ways to do IN (SELECT …), it chooses by what is
// dearer: to find what a chain leads to, or to look for it at each node. The
// nodes' own conditions then stand once, and none of their rows is read twice.

// plainKey reports whether a label's key is one column that = compares exactly.
func plainKey(l *schema.Label) bool { return len(l.Key) == 1 && !textual(l.Key[0]) }

// endsAmong reports whether the keys that a chain leads to can be written as the
// rows of a subquery: the relationship that ends it has them.
func (c *chain) endsAmong() bool {
	n := c.length()
	return n < stagedFrom && plainKey(c.label(n)) && !c.moves[n-1].holdsFar()
}

// targetsAmong finds a page of the nodes to which a chain leads.
func (p *Program) targetsAmong(t *Traverse, c *chain) error {
	w := newWriter(p.Dialect)
	set := t.Target()
	label := set.label
	key := w.keyColumns("n", label)
	beside, err := sides(set, key, 0)
	if err != nil {
		return err
	}
	w.put("SELECT ")
	sel := w.project()
	target := sel.node("n", key, label, t.Show[label])
	p.Target = &target
	terms, order := sel.order("n", &target, &t.Page, -1, p.Length)
	p.Order = order
	w.put(" FROM ")
	where := w.nodes(set, key, beside)
	where.next()
	w.column(key[0])
	w.put(" IN (")
	if err := w.chainKeys(c.endingAt(&NodeSet{NodeRef: NodeRef{label: label}, Keys: Keys{N: -1}}), c.length()); err != nil {
		return err
	}
	w.put(")")
	if t.Page.Seek != nil {
		where.next()
		w.seek(t.Page.Seek, terms)
	}
	w.orderBy(present(terms, set.Cond))
	w.limit(t.Page.Limit)
	p.Main, err = w.bounded()
	return err
}

// endingAt is the chain with another set of last nodes, of the same label.
func (c *chain) endingAt(end *NodeSet) *chain {
	last := c.length() - 1
	m := c.moves[last]
	out := *c
	out.moves = append(slices.Clip(c.moves[:last]), &Move{Rel: m.Rel, Incoming: m.Incoming, Cond: m.Cond, Target: end.NodeRef})
	out.ends = append(slices.Clip(c.ends[:last]), end)
	return &out
}

// chainKeys writes the keys of node i of a chain as a subquery's rows. That node's own
// table, with its guard, is the one around the subquery.
func (w *sqlWriter) chainKeys(c *chain, i int) error {
	l := c.place(w, func(j int) bool { return j != i && w.needs(c, j) })
	if err := l.addSides(true); err != nil {
		return err
	}
	w.put("SELECT ")
	w.column(l.key(i)[0])
	w.from(l)
	where := w.where()
	where.chain(l, true)
	if n := c.length(); i != n && l.nodes[n] == "" {
		where.notNull(l.key(n)) // a row without it is no relationship
	}
	return nil
}

// startsAmong reports whether a semi-join is written as a subquery with the
// nodes that it lets through. Of one that counts, or that denies, there would be
// no way back from these; guards and named ends have better forms.
func (w *sqlWriter) startsAmong(s *side) bool {
	if !w.d.semiJoins || s.optional() || len(s.chains) != 1 || s.set.Guard() != nil || !plainKey(s.set.label) {
		return false
	}
	c := s.chains[0]
	return c.length() < stagedFrom && !c.endNamed() && !c.moves[0].holdsNear()
}

// amongStarts writes the semi-join of startsAmong.
func (c *whereClause) amongStarts(s *side) {
	chain := *s.chains[0]
	chain.from = s.set.keyed()
	c.next()
	c.w.column(s.key[0])
	c.w.put(" IN (")
	_ = c.w.chainKeys(&chain, 0) // the chain's nodes have no semi-joins
	c.w.put(")")
}

// present says of terms that they have no null where a condition lets none
// through: then an index in their order will do.
func present(terms []term, cond Cond) []term {
	for i := range terms {
		if t := &terms[i]; t.write == nil && t.nullable && denies(cond, t.typ) {
			t.nullable = false
		}
	}
	return terms
}

// denies reports whether a condition is not fulfilled where a property is null.
func denies(cond Cond, p *schema.Property) bool {
	switch c := cond.(type) {
	case And:
		return slices.ContainsFunc(c, func(d Cond) bool { return denies(d, p) })
	case Compare:
		return c.Property == p && c.Op != graph.IsNull
	}
	return false
}
