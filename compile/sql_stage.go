package compile

import (
	"strconv"

	"github.com/trellisgraph/trellis/schema"
)

// Long chains are walked in stages. A stage is a step of the chain, joined
// whole, or one hop of a step that may as well be shorter; it hands on distinct
// keys, so that what many walks reach is walked on from once. A join over the
// whole chain would list every walk.
//
// Within a step of one hop or more, walks may stand in for paths without
// repetition: a walk that repeats a node has a shorter one with the same ends,
// which is another chain of the same step, and the least distance is the
// path's. Only the ends of the step must differ. Steps with a higher minimum
// have no such shorter chain and are joined whole.

// stagedFrom is the length from which chains are walked in stages: shorter ones
// have few walks, and a plain join leaves the database its choice.
const stagedFrom = 3

// A staging writes the stages of a chain.
type staging struct {
	w *sqlWriter
	c *chain
	// origin says that the stages hand on the key of the chain's start.
	origin bool
	// target says that the semi-joins of the chain's last node count.
	target bool
	// gather says that a stage hands on what those before it reached, too.
	gather bool
	// walked is a subquery that has what the stages before the last hand on, ""
	// where they are written in its place.
	walked string
	err    error
}

// cut is the node before node j at which a stage ends; 0 is the start.
func (g *staging) cut(j int) int {
	first := g.c.first[j-1]
	if g.c.loose[j-1] && j-1 > first {
		return j - 1
	}
	return first
}

// handedOn are the columns in which a stage hands on a key: k for its last
// node, s for the start of an unfinished step, o for the chain's start.
func handedOn(kind string, l *schema.Label) []column {
	cols := make([]column, len(l.Key))
	for i := range cols {
		cols[i] = column{"p", kind + strconv.Itoa(i+1)}
	}
	return cols
}

// stage lays out the stage that ends at node j, with the one before it as a
// derived table p.
func (g *staging) stage(j int) *layout {
	i := g.cut(j)
	c := g.c
	sub := &chain{from: c.from, moves: c.moves[i:j], ends: c.ends[i:j], first: make([]int, j-i), loose: c.loose[i:j]}
	if i == 0 {
		l := sub.place(g.w, g.w.needed(sub))
		l.walked = c.loose[j-1]
		g.addSides(l, j)
		return l
	}
	sub.from = &NodeSet{NodeRef: c.ref(i), Keys: Keys{N: -1}} // the stage before has seen to the rest
	l := sub.newLayout(g.w)
	l.walked = c.loose[j-1]
	l.beside, l.base, l.derivedFirst = true, handedOn("k", c.label(i)), g.walked != ""
	l.derived = func() {
		if g.walked != "" {
			g.w.put(g.walked)
			return
		}
		g.write(i)
	}
	l.walk("", g.w.needed(sub))
	g.addSides(l, j)
	return l
}

func (g *staging) addSides(l *layout, j int) {
	if err := l.addSides(j < g.c.length() || g.target); err != nil {
		g.err = err
	}
}

// write writes the SELECT of the stage that ends at node j, which hands on
// keys.
func (g *staging) write(j int) {
	if g.gather && j > 1 {
		g.writeStage(1, false)
		g.w.put(" UNION ")
	}
	g.writeStage(j, !g.gather || j == 1)
}

func (g *staging) writeStage(j int, distinct bool) {
	w, l := g.w, g.stage(j)
	w.put("SELECT ")
	w.hint(l.aliases())
	if distinct {
		w.put("DISTINCT ")
	}
	g.handOn("k", l.key(j-g.cut(j)), g.c.label(j), true)
	if start := g.c.first[j-1]; g.c.ends[j-1] == nil && !g.named(start) {
		g.handOn("s", g.stepStart(l, j), g.c.label(start), false)
	}
	if g.origin {
		g.handOn("o", g.originKey(l, j), g.c.label(0), false)
	}
	w.from(l)
	g.conditions(l, j)
}

func (g *staging) handOn(kind string, cols []column, l *schema.Label, first bool) {
	for i, c := range cols {
		if !first || i > 0 {
			g.w.put(", ")
		}
		g.w.distinctly(c, l.Key[i])
		g.w.put(" AS ", kind, strconv.Itoa(i+1))
	}
}

// named reports whether node i is the chain's start and one given node, whose
// key need not be handed on.
func (g *staging) named(i int) bool { return i == 0 && g.c.from.Keys.N == 1 }

// stepStart is where the stage that ends at node j has the start of its step.
func (g *staging) stepStart(l *layout, j int) []column {
	start := g.c.first[j-1]
	if g.cut(j) == start {
		return l.key(0)
	}
	return handedOn("s", g.c.label(start))
}

// originKey is where the stage that ends at node j has the chain's start.
func (g *staging) originKey(l *layout, j int) []column {
	if g.cut(j) == 0 {
		return l.key(0)
	}
	return handedOn("o", g.c.label(0))
}

// conditions writes what the rows of the stage that ends at node j must fulfil.
func (g *staging) conditions(l *layout, j int) *whereClause {
	where := g.w.where()
	where.chain(l, true)
	start := g.c.first[j-1]
	label := g.c.label(j)
	if !g.c.loose[j-1] || g.c.ends[j-1] == nil || j-start < 2 || g.c.label(start) != label {
		return where
	}
	where.next()
	end := l.key(j - g.cut(j))
	if g.named(start) {
		g.w.put("NOT (")
		g.w.keys(end, label, g.c.from.Keys)
		g.w.put(")")
		return where
	}
	where.different(g.stepStart(l, j), end, label)
	return where
}

// stagedEnds writes the distinct keys that a long chain leads to, with what
// more adds to the select list.
func (w *sqlWriter) stagedEnds(c *chain, target bool, more func()) error {
	return w.stagedSelect(&staging{w: w, c: c, target: target}, "DISTINCT ", more)
}

// stagedSelect writes the SELECT around the stages before the last.
func (w *sqlWriter) stagedSelect(g *staging, distinct string, more func()) error {
	c := g.c
	n := c.length()
	l := g.stage(n)
	w.put("SELECT ")
	w.hint(l.aliases())
	w.put(distinct)
	for i, k := range l.key(n - g.cut(n)) {
		if i > 0 {
			w.put(", ")
		}
		w.distinctly(k, c.label(n).Key[i])
		w.put(" AS ", keyAlias(i))
	}
	more()
	w.from(l)
	where := g.conditions(l, n)
	if last := n - g.cut(n); l.nodes[last] == "" {
		where.notNull(l.key(last))
	}
	return g.err
}

// stagedStarts writes the distinct starts of a long chain, with what ends adds
// for its last node. The chain is a semi-join's, whose nodes have no semi-joins
// of their own.
func (w *sqlWriter) stagedStarts(c *chain, ends func(key []column, l *schema.Label)) {
	g := &staging{w: w, c: c, origin: true, target: true}
	n := c.length()
	l := g.stage(n)
	w.put("SELECT ")
	w.hint(l.aliases())
	w.put("DISTINCT ")
	for i, k := range g.originKey(l, n) {
		if i > 0 {
			w.put(", ")
		}
		w.distinctly(k, c.label(0).Key[i])
		w.put(" AS ", keyAlias(i))
	}
	end := l.key(n - g.cut(n))
	if ends != nil {
		ends(end, c.label(n))
	}
	w.from(l)
	where := g.conditions(l, n)
	if l.nodes[n-g.cut(n)] == "" {
		where.notNull(end)
	}
}

// reverse is the chain walked from its end.
func (c *chain) reverse() *chain {
	n := c.length()
	r := &chain{from: c.set(n)}
	for i := n - 1; i >= 0; i-- {
		m := c.moves[i]
		r.moves = append(r.moves, &Move{Rel: m.Rel, Incoming: !m.Incoming, Cond: m.Cond, Target: c.ref(i)})
		r.ends = append(r.ends, c.set(i))
		r.first = append(r.first, n-c.stepEnd(i+1))
		r.loose = append(r.loose, c.loose[i])
	}
	return r
}
