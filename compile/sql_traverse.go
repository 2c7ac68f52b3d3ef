package compile

import (
	"slices"
	"strconv"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// traverseSQL lowers traverse_relationships. Where every row of the one chain
// is another target, one statement answers it all. Otherwise the main
// statement finds the page of distinct targets, and a further one for each
// kind of path finds the paths that lead to them.
func traverseSQL(t *Traverse, d *Dialect, limits graph.Limits) (*Program, error) {
	chains, err := t.chains()
	if err != nil {
		return nil, err
	}
	prog := &Program{Dialect: d, Distance: -1, Length: chains[0].length(), Limit: t.Page.Limit}
	if len(chains) == 1 && chains[0].unique() {
		err = prog.whole(t, chains[0])
	} else {
		err = prog.targets(t, chains)
		if t.Connections {
			for _, c := range chains {
				prog.Paths = append(prog.Paths, newPathProgram(c, t.Show, d, limits.Budget))
			}
		}
	}
	if err != nil {
		return nil, err
	}
	if t.From.Keys.N > 0 {
		prog.Lookups = append(prog.Lookups, lookup(t.From, "/from/ids", d))
	}
	return prog, nil
}

// constrained reports whether node i's own table is needed to tell whether it
// belongs to the chain.
func (c *chain) constrained(i int) bool {
	set := c.set(i)
	return set != nil && set.Cond != nil || c.ref(i).Guard() != nil || len(c.label(i).Match) > 0
}

// needs reports whether a statement joins node i's own table: the node may be other
// than what is asked for, or none at all.
func (w *sqlWriter) needs(c *chain, i int) bool {
	if c.constrained(i) {
		return true
	}
	set := c.set(i)
	return w.looselyReferred(c.label(i)) && (set == nil || !set.elsewhere)
}

func (w *sqlWriter) needed(c *chain) func(i int) bool {
	return func(i int) bool { return w.needs(c, i) }
}

// looselyReferred reports whether foreign keys may hold that refer to no node of a
// label: the engine takes a key and what differs from it for the same.
func (w *sqlWriter) looselyReferred(l *schema.Label) bool {
	return w.d.looseReferences && slices.ContainsFunc(l.Key, textual)
}

// shows reports whether an answer shows more of node i than its key.
func (c *chain) shows(i int, show Show) bool {
	l := c.label(i)
	for _, p := range show[l] {
		if !l.IsKey(p) {
			return true
		}
	}
	return false
}

// whole answers a traversal by one statement whose rows are the targets, each
// with its path.
func (p *Program) whole(t *Traverse, c *chain) error {
	w := newWriter(p.Dialect)
	n := c.length()
	l := c.place(w, func(i int) bool {
		return i == n || w.needs(c, i) || t.Connections && c.shows(i, t.Show)
	})
	if err := l.addSides(true); err != nil {
		return err
	}
	w.put("SELECT ")
	w.hint(l.aliases())
	sel := w.project()
	target := sel.node(l.nodes[n], l.key(n), c.label(n), t.Show[c.label(n)])
	p.Target = &target
	if t.Connections {
		fields := sel.path(l, t.Show)
		p.Path = &fields
	}
	terms, order := sel.order(l.nodes[n], &target, &t.Page, -1, n)
	p.Order = order
	w.from(l)
	where := w.where()
	where.chain(l, true)
	if t.Page.Seek != nil {
		where.next()
		w.seek(t.Page.Seek, terms)
	}
	w.orderBy(present(terms, t.Target().Cond))
	w.limit(t.Page.Limit)
	var err error
	p.Main, err = w.bounded()
	return err
}

// path adds the nodes and relationships of a chain to a select list.
func (p *projection) path(l *layout, show Show) PathFields {
	var f PathFields
	for i := range l.chain.length() + 1 {
		label := l.chain.label(i)
		f.Nodes = append(f.Nodes, p.node(l.nodes[i], l.key(i), label, show[label]))
	}
	for i, m := range l.chain.moves {
		f.Rels = append(f.Rels, p.rel(l.rels[i], m))
	}
	return f
}

// targets finds a page of distinct targets: the keys that the chains lead to,
// joined with the target's table.
func (p *Program) targets(t *Traverse, chains []*chain) error {
	if len(chains) == 1 && p.Dialect.semiJoins && chains[0].endsAmong() {
		return p.targetsAmong(t, chains[0])
	}
	w := newWriter(p.Dialect)
	label := t.Target().label
	fixed := true
	for _, c := range chains {
		fixed = fixed && c.length() == p.Length
	}
	w.put("SELECT ")
	w.hint([]string{"w", "n"})
	sel := w.project()
	target := sel.node("n", w.keyColumns("n", label), label, t.Show[label])
	p.Target = &target
	if !fixed {
		p.Distance = sel.expression(intType, false, func() { w.put(distanceColumn) })
	}
	terms, order := sel.order("n", &target, &t.Page, p.Distance, p.Length)
	p.Order = order
	w.put(" FROM (")
	// The target's semi-joins stand once, outside, where there are several ways
	// to repeat them in.
	var beside []side
	var err error
	chains = endingKeyed(chains)
	if len(chains) == 1 {
		err = w.reached(chains[0], false, true)
	} else if err = w.union(chains, label, !fixed); err == nil {
		beside, err = sides(t.Target(), w.keyColumns("n", label), 0)
	}
	if err != nil {
		return err
	}
	w.put(") AS w JOIN ")
	w.table(label.Table)
	w.put(" AS n ON ")
	w.equalities(w.paired(w.aliased("w", len(label.Key)), w.keyColumns("n", label), label))
	for i := range beside {
		w.sideJoin(&beside[i])
	}
	where := w.where()
	where.ref("n", t.Target().NodeRef, true)
	for i := range beside {
		where.side(&beside[i])
	}
	if t.Page.Seek != nil {
		where.next()
		w.seek(t.Page.Seek, terms)
	}
	w.orderBy(terms)
	w.limit(t.Page.Limit)
	p.Main, err = w.bounded()
	return err
}

// endingKeyed are chains that need not read the table of their last nodes only
// to learn whether these are visible: it is joined with what they lead to.
func endingKeyed(chains []*chain) []*chain {
	out := chains
	for i, c := range chains {
		last := c.length() - 1
		m := c.moves[last]
		if !c.ends[last].bare() || m.holdsFar() {
			continue
		}
		end := c.ends[last].keyed()
		keyed := *c
		keyed.moves = append(slices.Clip(c.moves[:last]), &Move{Rel: m.Rel, Incoming: m.Incoming, Cond: m.Cond, Target: end.NodeRef})
		keyed.ends = append(slices.Clip(c.ends[:last]), end)
		if &out[0] == &chains[0] {
			out = slices.Clone(chains)
		}
		out[i] = &keyed
	}
	return out
}

// aliased are the columns k1, k2, … of a derived table.
func (w *sqlWriter) aliased(alias string, n int) []column {
	cols := w.columns.take(n)
	for i := range n {
		cols = append(cols, column{alias, keyAlias(i)})
	}
	return cols
}

func keyAlias(i int) string {
	if i == 0 {
		return "k1"
	}
	return "k" + strconv.Itoa(i+1)
}

// union writes the keys that several chains lead to, each with the least
// number of hops.
func (w *sqlWriter) union(chains []*chain, target *schema.Label, distance bool) error {
	keys := w.aliased("u", len(target.Key))
	w.put("SELECT ")
	for i, k := range keys {
		if i > 0 {
			w.put(", ")
		}
		w.column(k)
	}
	if distance {
		w.put(", MIN(u.d) AS d")
	}
	w.put(" FROM (")
	for i, c := range chains {
		if i > 0 {
			w.put(" UNION ALL ")
		}
		if err := w.reached(c, distance, false); err != nil {
			return err
		}
	}
	w.put(") AS u GROUP BY ")
	for i, k := range keys {
		if i > 0 {
			w.put(", ")
		}
		w.column(k)
	}
	return nil
}

// reached writes the distinct keys that a chain leads to. target says whether
// the target's semi-joins count here.
func (w *sqlWriter) reached(c *chain, distance, target bool) error {
	n := c.length()
	if n >= stagedFrom {
		return w.stagedEnds(c, target, func() {
			if distance {
				w.put(", ", strconv.Itoa(n), " AS d")
			}
		})
	}
	l := c.place(w, w.needed(c))
	if err := l.addSides(target); err != nil {
		return err
	}
	w.put("SELECT ")
	w.hint(l.aliases())
	w.put("DISTINCT ")
	for i, k := range l.key(n) {
		if i > 0 {
			w.put(", ")
		}
		w.distinctly(k, c.label(n).Key[i])
		w.put(" AS ", keyAlias(i))
	}
	if distance {
		w.put(", ", strconv.Itoa(n), " AS d")
	}
	w.from(l)
	w.where().chain(l, true)
	return nil
}

func newPathProgram(c *chain, show Show, d *Dialect, budget int) *PathProgram {
	return &PathProgram{Length: c.length(), chain: c, show: show, d: d, parts: len(c.label(c.length()).Key), budget: budget}
}

// To returns the statement that finds the paths to n targets, whose keys the
// driver binds, and where its rows hold them. It returns one row more than the
// budget allows.
func (p *PathProgram) To(n int) (*Statement, PathFields, error) {
	w := newWriter(p.d)
	c := p.chain
	last := c.length()
	l := c.place(w, func(i int) bool {
		return i < last && (w.needs(c, i) || c.shows(i, p.show)) || c.ref(i).Guard() != nil
	})
	if err := l.addSides(false); err != nil {
		return nil, PathFields{}, err
	}
	w.put("SELECT ")
	w.hint(l.aliases())
	sel := w.project()
	var f PathFields
	for i := range last + 1 {
		label := c.label(i)
		show := p.show[label]
		if i == last {
			show = nil // the main statement has shown it
		}
		f.Nodes = append(f.Nodes, sel.node(l.nodes[i], l.key(i), label, show))
	}
	for i, m := range c.moves {
		f.Rels = append(f.Rels, sel.rel(l.rels[i], m))
	}
	w.from(l)
	where := w.where()
	where.chain(l, false)
	where.next()
	target := c.label(last)
	w.keyIn(l.key(last), target, n, Arg{slot: noSlot, use: useList, parts: p.parts, property: listType}, func(item, part int) Arg {
		return Arg{slot: noSlot, use: useKey, key: item*p.parts + part, parts: p.parts, property: target.Key[part]}
	})
	w.put(" LIMIT ")
	w.constant(graph.Int(int64(p.budget/last+1)), intType)
	return w.statement(), f, nil
}
