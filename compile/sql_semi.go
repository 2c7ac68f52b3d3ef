package compile

import (
	"slices"
	"strconv"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A side is a derived table beside a node: the keys that fulfil a semi-join,
// and how many nodes each reaches where that counts. It repeats the node's own
// conditions, so that it is computed for the candidates only; but where the ends are named,
// which are few, it leaves the node's guard to the table beside it.
type side struct {
	alias string
	semi  *Semi
	set   *NodeSet
	key   []column
	// chains are the ways to walk the semi-join's steps.
	chains []*chain
}

// sides prepares the semi-joins of a node set whose key stands in some columns.
// Their aliases continue from n.
func sides(set *NodeSet, key []column, n int) ([]side, error) {
	var out []side
	for i, s := range set.Related {
		from := *set
		from.Related, from.elsewhere = nil, true
		chains, err := chainsOf(&from, s.Steps)
		if err != nil {
			return nil, err
		}
		for _, c := range chains {
			if c.endNamed() && from.bare() && !c.moves[0].holdsNear() {
				c.from = from.keyed()
			}
		}
		out = append(out, side{alias: "s" + strconv.Itoa(n+i+1), semi: s, set: set, key: key, chains: chains})
	}
	return out, nil
}

// optional reports whether the node may stand without a row of the side.
func (s *side) optional() bool { return s.semi.None || len(s.semi.Count) > 0 }

// sideHint tells an engine that needs it to begin with the nodes that the
// first semi-join finds.
func (w *sqlWriter) sideHint(list []side) {
	if len(list) == 1 && !list[0].optional() {
		w.hint([]string{list[0].alias, "n"})
	}
}

// correlates reports whether a semi-join is written as a subquery with the
// node's columns, where the engine can then stop when it has a page. Guards
// have the whole way joined, so that a derived table would be too dear, unless
// it begins with the few nodes that the way must end at.
func (w *sqlWriter) correlates(s *side) bool {
	return w.d.correlated && s.set.Guard() != nil && len(s.semi.Count) == 0 &&
		!slices.ContainsFunc(s.chains, func(c *chain) bool { return c.length() >= stagedFrom || c.endNamed() })
}

// endNamed reports whether the nodes that a chain leads to are given by key.
func (c *chain) endNamed() bool { return c.set(c.length()).Keys.N >= 0 }

// bare reports whether nothing is asked of a set's nodes but their keys, and
// that they are visible.
func (s *NodeSet) bare() bool {
	return s.Cond == nil && len(s.Related) == 0 && len(s.label.Match) == 0
}

// keyed is a bare node set whose table, with its guard, is joined elsewhere in
// the statement: here the keys that relationships hold will do.
func (s *NodeSet) keyed() *NodeSet {
	return &NodeSet{NodeRef: NodeRef{label: s.label}, Keys: s.Keys, elsewhere: true}
}

// sideJoin writes the side into a FROM clause.
func (w *sqlWriter) sideJoin(s *side) {
	if !w.joins(s) {
		return
	}
	if s.optional() {
		w.put(" LEFT JOIN (")
	} else {
		w.put(" JOIN (")
	}
	w.sideRows(s)
	w.put(") AS ", s.alias, " ON ")
	w.equalities(w.paired(s.key, w.aliased(s.alias, len(s.key)), s.set.label))
}

// joins reports whether a semi-join is written as a derived table, and no condition.
func (w *sqlWriter) joins(s *side) bool {
	return !w.correlates(s) && !w.startsAmong(s) && !w.looksNear(s) && !w.amongGathered(s)
}

// sideRows writes the rows of the side.
func (w *sqlWriter) sideRows(s *side) {
	switch {
	case len(s.semi.Count) > 0:
		w.reachCounts(s)
	case w.gathers(s):
		w.gathered(s, " UNION ")
	default:
		for i, c := range s.chains {
			if i > 0 {
				w.put(" UNION ")
			}
			w.reaching(c, nil, len(s.chains) == 1 && c.functional())
		}
	}
}

// reaching writes the distinct starts of a chain, with what ends adds for its
// last node. once says that none of these comes twice anyway.
func (w *sqlWriter) reaching(c *chain, ends func(key []column, l *schema.Label), once bool) {
	n := c.length()
	if n >= stagedFrom {
		w.reachingInStages(c, ends)
		return
	}
	l := c.place(w, w.needed(c))
	w.put("SELECT ")
	w.hint(l.aliases())
	if !once {
		w.put("DISTINCT ")
	}
	for i, k := range l.key(0) {
		if i > 0 {
			w.put(", ")
		}
		w.distinctly(k, c.label(0).Key[i])
		w.put(" AS ", keyAlias(i))
	}
	if ends != nil {
		ends(l.key(n), c.label(n))
	}
	w.from(l)
	where := w.where()
	where.chain(l, true)
	if l.nodes[n] == "" {
		where.notNull(l.key(n))
	}
}

// reachingInStages is reaching for long chains. Where the starts are not named,
// and only they are wanted, it walks back from the end: then nothing but one
// key has to be handed on.
func (w *sqlWriter) reachingInStages(c *chain, ends func(key []column, l *schema.Label)) {
	last := c.set(c.length())
	if ends == nil && c.from.Keys.N < 0 && (last.Keys.N >= 0 || c.from.Cond == nil) {
		w.stagedEnds(c.reverse(), true, func() {})
		return
	}
	w.stagedStarts(c, ends)
}

// distinctly writes a column for a DISTINCT or a GROUP BY, which must tell
// texts apart byte by byte.
func (w *sqlWriter) distinctly(c column, p *schema.Property) {
	switch {
	case w.d.collated:
		w.stored(c, p)
	default:
		w.column(c)
	}
	if (w.d.looseEqual || w.d.collated) && textual(p) {
		w.put(w.d.collate)
	}
}

// reachCounts writes each start with the number of distinct nodes it reaches.
func (w *sqlWriter) reachCounts(s *side) {
	var ends []*schema.Label
	parts := 0
	for _, c := range s.chains {
		if l := c.label(c.length()); !slices.Contains(ends, l) {
			ends = append(ends, l)
			parts = max(parts, len(l.Key))
		}
	}
	w.put("SELECT ")
	keys := w.aliased("u", len(s.key))
	for _, k := range keys {
		w.column(k)
		w.put(", ")
	}
	w.put("COUNT(*) AS c FROM (")
	for i, c := range s.chains {
		if i > 0 {
			w.put(" UNION ")
		}
		w.reaching(c, func(key []column, l *schema.Label) { w.reachedEnd(key, l, ends, parts) }, len(s.chains) == 1 && c.once())
	}
	w.put(") AS u GROUP BY ")
	for i, k := range keys {
		if i > 0 {
			w.put(", ")
		}
		w.column(k)
	}
}

// reachedEnd adds what tells one reached node from another: its key, and,
// where nodes of several labels are reached, the label's number and the key as
// text.
func (w *sqlWriter) reachedEnd(key []column, label *schema.Label, ends []*schema.Label, parts int) {
	if len(ends) == 1 {
		for i, k := range key {
			w.put(", ")
			w.distinctly(k, label.Key[i])
			w.put(" AS e", strconv.Itoa(i+1))
		}
		return
	}
	w.put(", ", strconv.Itoa(slices.Index(ends, label)), " AS l")
	for i := range parts {
		w.put(", ")
		if i < len(key) {
			w.template(w.d.text, func() { w.column(key[i]) })
		} else {
			w.put("''")
		}
		w.put(" AS e", strconv.Itoa(i+1))
	}
}

// side writes what the rows joined with a side must fulfil.
func (c *whereClause) side(s *side) {
	switch {
	case c.w.correlates(s):
		c.next()
		if s.semi.None {
			c.w.put("NOT ")
		}
		c.w.existsAny(s.key[0].alias, s.chains)
	case c.w.startsAmong(s):
		c.amongStarts(s)
	case c.w.looksNear(s):
		c.nearCondition(s)
	case c.w.amongGathered(s):
		c.gatheredCondition(s)
	case s.semi.None:
		c.next()
		c.w.column(column{s.alias, keyAlias(0)})
		c.w.put(" IS NULL")
	case len(s.semi.Count) > 0:
		for _, n := range s.semi.Count {
			c.next()
			c.w.put("COALESCE(", s.alias, ".c, 0)")
			if n.Op == graph.Eq {
				c.w.put(" = ")
			} else {
				c.w.put(comparisons[n.Op])
			}
			c.w.arg(Arg{slot: n.Slot, property: intType})
		}
	}
}
