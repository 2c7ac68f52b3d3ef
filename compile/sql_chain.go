package compile

import (
	"slices"
	"strconv"

	"github.com/trellisgraph/trellis/schema"
)

// A tableRef is a table in a FROM clause, and its equalities with the one
// before it in the chain.
type tableRef struct {
	alias string
	table schema.Table
	on    []equality
}

// An equality joins two columns that hold the same part of a key.
type equality struct {
	a, b column
	part *schema.Property
	// listed says that b is of the items of a list.
	listed bool
}

// A layout places a chain in a FROM clause: which tables stand in it, and
// under which alias each node and relationship is found. A node without an
// alias is known by its key only, which the relationships beside it hold.
type layout struct {
	w     *sqlWriter
	chain *chain
	nodes []string // node i's alias, or ""
	rels  []string // hop i's alias
	refs  []tableRef
	sides []side // semi-joins of the chain's nodes
	// beside says that the start stands in the FROM clause already.
	beside bool
	// derived writes the derived table p that the chain goes on from, and base
	// are its columns with the start's key.
	derived func()
	base    []column
	// derivedFirst has the engine begin with the derived table.
	derivedFirst bool
	// walked says that the hop may repeat nodes of its step.
	walked bool
}

// place lays out a chain. join says which nodes' tables are needed; a table
// that holds a relationship as a foreign key stands in for the node's own.
func (c *chain) place(w *sqlWriter, join func(i int) bool) *layout {
	l := c.newLayout(w)
	if join(0) {
		l.nodes[0] = "n0"
		l.refs = append(l.refs, tableRef{alias: "n0", table: c.label(0).Table})
	}
	l.walk("", join)
	return l
}

// placeBeside lays out a chain whose start stands in the FROM clause already,
// under an alias of its own, with the conditions on it. The aliases of the rest
// begin with a prefix.
func (c *chain) placeBeside(w *sqlWriter, start, prefix string, join func(i int) bool) *layout {
	l := c.newLayout(w)
	l.nodes[0], l.beside = start, true
	l.walk(prefix, join)
	return l
}

func (c *chain) newLayout(w *sqlWriter) *layout {
	n := c.length()
	return &layout{w: w, chain: c, nodes: w.names.take(n + 1)[:n+1], rels: w.names.take(n)[:n], refs: w.refs.take(2*n + 1)}
}

// walk lays out the hops of a layout's chain.
func (l *layout) walk(prefix string, join func(i int) bool) {
	c := l.chain
	for i, m := range c.moves {
		if m.holdsNear() && l.nodes[i] != "" {
			l.rels[i] = l.nodes[i]
		} else {
			ref := tableRef{alias: hopAlias(prefix, 'r', i+1), table: m.Rel.pair.Table}
			l.rels[i] = ref.alias
			if len(l.refs) > 0 || l.beside {
				ref.on = l.w.paired(l.key(i), l.w.named(ref.alias, m.nearColumns()), c.label(i))
			}
			l.refs = append(l.refs, ref)
			if m.holdsNear() && i == 0 && !l.beside {
				l.nodes[0] = ref.alias
			}
		}
		if m.holdsFar() {
			l.nodes[i+1] = l.rels[i]
			continue
		}
		if join(i + 1) {
			ref := tableRef{alias: hopAlias(prefix, 'n', i+1), table: c.label(i + 1).Table}
			ref.on = l.w.paired(l.w.named(l.rels[i], m.farColumns()), l.w.keyColumns(ref.alias, c.label(i+1)), c.label(i+1))
			l.refs = append(l.refs, ref)
			l.nodes[i+1] = ref.alias
		}
	}
}

// hopAlias is the alias of a relationship, r, or a node, n, after a number of
// hops. The usual ones are not made anew.
func hopAlias(prefix string, kind byte, hop int) string {
	if prefix != "" || hop > len(usualAliases) {
		return prefix + string(kind) + strconv.Itoa(hop)
	}
	if kind == 'n' {
		return usualAliases[hop-1][2:]
	}
	return usualAliases[hop-1][:2]
}

var usualAliases = [...]string{"r1n1", "r2n2", "r3n3", "r4n4", "r5n5", "r6n6", "r7n7", "r8n8"}

// named are columns of a table; the list is the writer's.
func (w *sqlWriter) named(alias string, names []string) []column {
	cols := w.columns.take(len(names))
	for _, n := range names {
		cols = append(cols, column{alias, n})
	}
	return cols
}

// paired pairs the columns of a key of a label; the list is the writer's.
func (w *sqlWriter) paired(a, b []column, l *schema.Label) []equality {
	out := w.equals.take(len(a))
	for i := range a {
		out = append(out, equality{a: a[i], b: b[i], part: l.Key[i]})
	}
	return out
}

// key is where the key of node i stands.
func (l *layout) key(i int) []column {
	switch {
	case i == 0 && l.base != nil:
		return l.base
	case l.nodes[i] != "":
		return l.w.keyColumns(l.nodes[i], l.chain.label(i))
	case i > 0:
		return l.w.named(l.rels[i-1], l.chain.moves[i-1].farColumns())
	}
	return l.w.named(l.rels[0], l.chain.moves[0].nearColumns())
}

// backward reports whether the chain is better joined from its target: the
// target is named, and the start is not.
func (l *layout) backward() bool {
	last := l.chain.set(l.chain.length())
	return !l.beside && last != nil && last.Keys.N >= 0 && l.chain.from.Keys.N < 0
}

// hint tells an engine that needs it to join in the given order, by lookup.
// It must directly follow SELECT.
func (w *sqlWriter) hint(aliases []string) {
	if !w.d.hints || len(aliases) < 2 {
		return
	}
	w.put("/*+ JOIN_ORDER(")
	for i, a := range aliases {
		if i > 0 {
			w.put(",")
		}
		w.put(a)
	}
	w.put(")")
	for i := 1; i < len(aliases); i++ {
		w.put(" LOOKUP_JOIN(", aliases[i-1], ",", aliases[i], ")")
	}
	w.put(" */ ")
}

// ordered are the layout's tables in the order in which they are joined.
func (l *layout) ordered() []tableRef {
	if !l.backward() {
		return l.refs
	}
	refs := slices.Clone(l.refs)
	for i := range refs { // an equality moves to the table that now comes later
		refs[i].on = nil
		if i+1 < len(l.refs) {
			refs[i].on = l.refs[i+1].on
		}
	}
	slices.Reverse(refs)
	return refs
}

// addSides adds the semi-joins of the chain's nodes to the layout; target says
// whether the last node's count.
func (l *layout) addSides(target bool) error {
	for i := range l.chain.length() + 1 {
		set := l.chain.set(i)
		if set == nil || i == 0 && l.beside || i == l.chain.length() && !target {
			continue
		}
		more, err := sides(set, l.key(i), len(l.sides))
		if err != nil {
			return err
		}
		l.sides = append(l.sides, more...)
	}
	return nil
}

func (l *layout) aliases() []string {
	out := l.w.names.take(len(l.refs) + 1)
	if l.derived != nil {
		out = append(out, "p")
	}
	for _, r := range l.ordered() {
		out = append(out, r.alias)
	}
	return out
}

// from writes the FROM clause of a layout.
func (w *sqlWriter) from(l *layout) {
	if l.derived != nil {
		w.put(" FROM (")
		l.derived()
		w.put(") AS p")
	}
	for i, r := range l.ordered() {
		if i == 0 && l.derived == nil {
			w.put(" FROM ")
		} else if i == 0 && l.derivedFirst {
			w.put(" CROSS JOIN ")
		} else {
			w.put(" JOIN ")
		}
		w.table(r.table)
		w.put(" AS ", r.alias)
		if i > 0 || l.derived != nil {
			w.put(" ON ")
			w.equalities(r.on)
		}
	}
	for i := range l.sides {
		w.sideJoin(&l.sides[i])
	}
}

func (w *sqlWriter) equalities(on []equality) {
	for i, e := range on {
		if i > 0 {
			w.put(" AND ")
		}
		w.columnsEqual(e)
	}
}

// columnsEqual compares two columns exactly, by index where there is one.
func (w *sqlWriter) columnsEqual(e equality) {
	w.equated(e.a, e.part)
	w.put(" = ")
	if e.listed && w.d.listText != "" && textual(e.part) {
		w.template(w.d.listText, func() { w.column(e.b) })
	} else {
		w.beside(e.b, e.part)
	}
	if w.d.looseEqual && textual(e.part) {
		w.put(" AND ")
		w.exactly(e.a, e.part)
		w.put(" = ")
		w.column(e.b)
	}
}

// conditions writes everything that the rows of a chain must fulfil beside the
// equalities: the conditions of its nodes and relationships, guards, the fixed
// columns of shared tables, and that no step repeats a node. within is false
// for conditions on the target, where those stand elsewhere.
func (c *whereClause) chain(l *layout, target bool) {
	n := l.chain.length()
	for i := range n + 1 {
		key := l.key(i)
		if i == 0 && l.beside {
			c.hop(l, 0)
			continue
		}
		if i == 0 && l.nodes[0] == "" && l.chain.from.Keys.N < 0 {
			c.notNull(key)
		}
		set := l.chain.set(i)
		if set != nil && (i < n || target) {
			if set.Keys.N >= 0 {
				c.next()
				c.w.keys(key, set.label, set.Keys)
			}
			if set.Cond != nil {
				c.next()
				c.w.cond(l.nodes[i], set.Cond)
			}
		}
		if l.nodes[i] != "" {
			c.ref(l.nodes[i], l.chain.ref(i), l.ownTable(i))
		}
		if i < n {
			c.hop(l, i)
		}
	}
	c.simple(l)
	for i := range l.sides {
		c.side(&l.sides[i])
	}
}

// hop writes the conditions on the relationship that leaves node i.
func (c *whereClause) hop(l *layout, i int) { c.hopConditions(l.rels[i], l.chain.moves[i]) }

// hopConditions writes what the relationship of a move must fulfil.
func (c *whereClause) hopConditions(alias string, m *Move) {
	for _, match := range m.Rel.pair.Match {
		c.next()
		c.w.match(alias, match)
	}
	if m.Cond != nil {
		c.next()
		c.w.cond(alias, m.Cond)
	}
	c.guard(alias, m.Rel.Guard())
}

// ownTable reports whether node i's table is joined for its own sake; the
// fixed columns of a relationship's table stand with the relationship.
func (l *layout) ownTable(i int) bool {
	return l.nodes[i] != "" && (i == 0 || l.nodes[i] != l.rels[i-1]) && (i == len(l.rels) || i > 0 || l.nodes[i] != l.rels[i])
}

func (c *whereClause) notNull(cols []column) {
	for _, col := range cols {
		c.next()
		c.w.column(col)
		c.w.put(" IS NOT NULL")
	}
}

// simple writes that the nodes of each step of several hops are distinct.
func (c *whereClause) simple(l *layout) {
	if l.walked {
		return
	}
	for j := 1; j <= l.chain.length(); j++ {
		first := l.chain.first[j-1]
		if l.chain.stepEnd(j)-first < 2 {
			continue
		}
		for i := first; i < j; i++ {
			if l.chain.label(i) == l.chain.label(j) {
				c.next()
				c.different(l.key(i), l.key(j), l.chain.label(i))
			}
		}
	}
}

// stepEnd is the last hop's number of the step to which hop j belongs.
func (c *chain) stepEnd(j int) int {
	for c.ends[j-1] == nil {
		j++
	}
	return j
}

func (c *whereClause) different(a, b []column, l *schema.Label) {
	w := c.w
	if len(a) > 1 {
		w.put("NOT (")
		w.equalities(w.paired(a, b, l))
		w.put(")")
		return
	}
	w.exactly(a[0], l.Key[0])
	w.put(" <> ")
	if w.d.inOrder[l.Key[0].Type] != nil { // of another type than what is stored
		w.exactly(b[0], l.Key[0])
		return
	}
	w.beside(b[0], l.Key[0])
}

// beside writes the second column of a comparison, of which the first is exact.
func (w *sqlWriter) beside(c column, p *schema.Property) {
	w.column(c)
	if w.d.collations && textual(p) {
		w.put(w.d.collate)
	}
}
