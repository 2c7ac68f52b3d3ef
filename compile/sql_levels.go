package compile

import (
	"cmp"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// Levels are the statements of a search that goes out from a node level by
// level: each expands a whole frontier at once, handed over as one list
// parameter. The driver keeps the visited sets and decides where to go on.
type Levels struct {
	// Start and End find out whether the ends exist; End is nil for
	// explore_neighbors.
	Start, End *Lookup
	// Meets says that the hops between two searches that go towards each other can
	// be asked for, by the moves' Meeting.
	Meets bool
	// Direct comes before the search; nil where there is none.
	Direct *Direct

	all               []*Statement
	moves             []*LevelMove
	forward, backward map[*schema.Label][]*LevelMove
	nodes             map[*schema.Label]*NodeList
	rels              map[*schema.Pair]*RelList
}

// A LevelMove expands the nodes of one label by one move. Its statement takes
// the keys of the frontier and returns pairs of keys: Near of the frontier, Far
// of what is reached.
type LevelMove struct {
	Move      *Move
	Statement *Statement
	// Meeting returns the same pairs, of those alone whose Far is among the keys of
	// a second list: nodes that the search from the other end has reached. It is nil
	// where the search does not meet, and where paths only end at the far nodes.
	Meeting   *Statement
	Near, Far *schema.Label
	NearKey   []int
	FarKey    []int

	backward bool
	ends     bool // paths do not lead on from the far nodes
}

// A NodeList reads the nodes of a label whose keys it is given.
type NodeList struct {
	Statement *Statement
	Fields    NodeFields
}

// A RelList reads the relationships of a pair between nodes that it is given:
// the key of the start, then that of the end.
type RelList struct {
	Statement      *Statement
	FromKey, ToKey []int
	Fields         RelFields
}

// statements are all the search may run: the ends first, then the moves,
// then what reads nodes and relationships.
func (l *Levels) statements() []*Statement {
	out := []*Statement{l.Start.Statement}
	if l.End != nil {
		out = append(out, l.End.Statement)
	}
	return append(out, l.all...)
}

// Moves are the moves that leave a label or, backward, arrive at it.
func (l *Levels) Moves(label *schema.Label, backward bool) []*LevelMove {
	if backward {
		return l.backward[label]
	}
	return l.forward[label]
}

// Nodes reads nodes of a label.
func (l *Levels) Nodes(label *schema.Label) *NodeList { return l.nodes[label] }

// Rels reads relationships of a pair.
func (l *Levels) Rels(p *schema.Pair) *RelList { return l.rels[p] }

func neighborsSQL(n *Neighbors, d *Dialect) *Program {
	l := newLevels(n.Step, n.Start, nil, n.Show, d)
	l.Start = lookup(n.Start, "/start_node/node_id", d)
	return &Program{Dialect: d, Distance: -1, Limit: n.Page.Limit, Levels: l}
}

func pathsSQL(p *Paths, d *Dialect) (*Program, error) {
	if p.Weight != nil {
		return nil, errUnsupported(&place{key: "weight", index: -1}, "weights are not available on SQL stores", "leave out weight: paths are ordered by length")
	}
	l := newLevels(p.Step, p.From, p.To, p.Show, d)
	l.Start = lookup(p.From, "/from/node_id", d)
	l.End = lookup(p.To, "/to/node_id", d)
	if p.Mode == graph.Shortest || p.Mode == graph.AllShortest {
		l.addMeetings(d)
	}
	if p.Mode == graph.Shortest {
		l.addDirect(p.Step, d)
	}
	return &Program{Dialect: d, Distance: -1, Limit: p.Limit, Levels: l}, nil
}

// newLevels writes the statements of a search. The two ends are exempt from
// the conditions on what is walked through.
func newLevels(x *Expand, from, to *NodeSet, show Show, d *Dialect) *Levels {
	l := &Levels{
		forward: map[*schema.Label][]*LevelMove{}, backward: map[*schema.Label][]*LevelMove{},
		nodes: map[*schema.Label]*NodeList{}, rels: map[*schema.Pair]*RelList{},
	}
	through := map[*schema.Label]*NodeSet{}
	for _, e := range x.Ends {
		through[e.label] = e
	}
	l.addNodes(from.NodeRef, show, d)
	if to != nil {
		l.addNodes(to.NodeRef, show, d)
	}
	for _, m := range x.Moves {
		l.addNodes(m.Target, show, d)
		if _, ok := l.rels[m.Rel.pair]; !ok {
			l.rels[m.Rel.pair] = relList(m.Rel, d)
			l.all = append(l.all, l.rels[m.Rel.pair].Statement)
		}
		forward := levelMove(m, false, through[m.Target.label], to, d)
		l.forward[m.Source()] = l.add(l.forward[m.Source()], forward)
		if src := m.Source(); to != nil && (through[src] != nil || src == from.label) {
			backward := levelMove(m, true, through[src], from, d)
			l.backward[m.Target.label] = l.add(l.backward[m.Target.label], backward)
		}
	}
	return l
}

func (l *Levels) add(moves []*LevelMove, m *LevelMove) []*LevelMove {
	l.all = append(l.all, m.Statement)
	l.moves = append(l.moves, m)
	return append(moves, m)
}

func (l *Levels) addNodes(r NodeRef, show Show, d *Dialect) {
	label := r.label
	if _, ok := l.nodes[label]; !ok {
		l.nodes[label] = nodeList(r, show[label], d)
		l.all = append(l.all, l.nodes[label].Statement)
	}
}

// given writes a FROM clause of a table's rows whose columns hold keys that the
// driver supplies as one list parameter. It returns what the WHERE clause must
// add, nil for nothing.
func (w *sqlWriter) given(t schema.Table, alias string, cols []column, parts []*schema.Property) func(*whereClause) {
	w.put(" FROM ")
	if w.d.listRows || w.d.listAny != "" && len(parts) == 1 {
		w.table(t)
		w.put(" AS ", alias)
		return func(c *whereClause) {
			c.next()
			w.inList(cols, parts, 0, "")
		}
	}
	w.template(w.d.listHead, func() { w.listArg(len(parts)) })
	for i, p := range parts {
		if i > 0 {
			w.put(", ")
		}
		w.put(w.d.listColumn(p, i, len(parts)), " ")
	}
	w.template(w.d.listTail, func() { w.listArg(len(parts)) })
	w.put(" AS k", cmp.Or(w.d.listJoin, " JOIN "))
	w.table(t)
	w.put(" AS ", alias, " ON ")
	k := w.aliased("k", len(parts))
	on := make([]equality, len(parts))
	for i := range on {
		on[i] = equality{cols[i], k[i], parts[i], true}
	}
	w.equalities(on)
	return nil
}

// inList writes that columns hold a key of one of the lists that the driver supplies.
// before stands before the columns.
func (w *sqlWriter) inList(cols []column, parts []*schema.Property, list int, before string) {
	arg := listArg(len(parts))
	arg.key = list
	if w.d.listRows {
		w.among(cols, parts, arg)
		return
	}
	w.put(before)
	w.equated(cols[0], parts[0])
	w.put(w.d.listAny, w.d.listColumn(parts[0], 0, 1), " ")
	w.template(w.d.listTail, func() { w.arg(arg) })
	w.put(w.d.listAnyEnd)
}

func (w *sqlWriter) listArg(parts int) { w.arg(listArg(parts)) }

func listArg(parts int) Arg {
	return Arg{slot: noSlot, use: useList, parts: parts, property: listType}
}

// listType is the type of a list parameter.
var listType = &schema.Property{Type: schema.JSON}

// levelMove writes the statement that expands a frontier by a move, or against
// it. through is what a node walked through must fulfil, nil where no such label
// may be; other is the node at the other end, which is exempt.
func levelMove(m *Move, backward bool, through, other *NodeSet, d *Dialect) *LevelMove {
	near, far := m.Source(), m.Target.label
	nearCols, farCols := m.nearColumns(), m.farColumns()
	if backward {
		near, far, nearCols, farCols = far, near, farCols, nearCols
	}
	w := newWriter(d)
	lm := &LevelMove{Move: m, Near: near, Far: far, backward: backward, ends: through == nil}
	exempt := other != nil && other.label == far
	ref := m.Target
	switch {
	case backward && through != nil:
		ref = through.NodeRef
	case backward:
		ref = other.NodeRef
	}
	// What stands in the far node's own table has its row beside it.
	beside := !backward && m.holdsFar() || backward && m.holdsNear()
	own := ref.Guard() != nil && beside
	join := !own && (through != nil && (through.Cond != nil || w.looselyReferred(far) && !beside) || ref.Guard() != nil || len(far.Match) > 0)
	alias := "n"
	if own {
		alias = "r"
	}
	// A guard is asked row by row where the planner would rather read the table.
	inside := join && d.fence != "" && ref.Guard() != nil
	aliases := []string{"k", "r"}
	if join && !inside {
		aliases = append(aliases, "n")
	}
	w.put("SELECT ")
	w.hint(aliases)
	sel := w.project()
	for i, c := range w.named("r", nearCols) {
		lm.NearKey = append(lm.NearKey, sel.key(c, near.Key[i], near))
	}
	for i, c := range w.named("r", farCols) {
		lm.FarKey = append(lm.FarKey, sel.key(c, far.Key[i], far))
	}
	more := w.given(m.Rel.pair.Table, "r", w.named("r", nearCols), near.Key)
	on := w.paired(w.named("r", farCols), w.keyColumns("n", far), far)
	if join && !inside {
		w.put(" JOIN ")
		w.table(far.Table)
		w.put(" AS n ON ")
		w.equalities(on)
	}
	where := w.where()
	if more != nil {
		more(where)
	}
	where.hopConditions("r", m)
	where.notNull(w.named("r", farCols))
	if through == nil {
		where.next()
		w.keys(w.named("r", farCols), far, other.Keys)
	}
	if inside {
		where.next()
		w.put("EXISTS (SELECT 1 FROM ")
		w.table(far.Table)
		w.put(" AS n")
		where = w.where()
		where.next()
		w.equalities(on)
	}
	if through != nil && through.Cond != nil {
		where.next()
		w.put("(")
		w.cond(alias, through.Cond)
		if exempt {
			w.put(" OR ")
			w.keys(w.named("r", farCols), far, other.Keys)
		}
		w.put(")")
	}
	if join || own {
		where.ref(alias, ref, join)
	}
	if inside {
		w.put(d.fence, ")")
	}
	lm.Statement = w.statement()
	return lm
}

// nodeList writes the statement that reads nodes by their keys.
func nodeList(r NodeRef, show []*schema.Property, d *Dialect) *NodeList {
	label := r.label
	w := newWriter(d)
	w.put("SELECT ")
	w.hint([]string{"k", "n"})
	sel := w.project()
	key := w.keyColumns("n", label)
	fields := sel.node("n", key, label, show)
	where := w.where()
	if more := w.given(label.Table, "n", key, label.Key); more != nil {
		more(where)
	}
	where.ref("n", r, true)
	return &NodeList{Statement: w.statement(), Fields: fields}
}

// relList writes the statement that reads relationships by their two ends.
func relList(r RelRef, d *Dialect) *RelList {
	p := r.pair
	w := newWriter(d)
	l := &RelList{}
	w.put("SELECT ")
	w.hint([]string{"k", "r"})
	sel := w.project()
	from, to := w.named("r", p.FromColumns), w.named("r", p.ToColumns)
	for i, c := range from {
		l.FromKey = append(l.FromKey, sel.key(c, p.From.Key[i], p.From))
	}
	for i, c := range to {
		l.ToKey = append(l.ToKey, sel.key(c, p.To.Key[i], p.To))
	}
	m := &Move{Rel: r}
	l.Fields = sel.rel("r", m)
	parts := append(append([]*schema.Property{}, p.From.Key...), p.To.Key...)
	more := w.given(p.Table, "r", append(from, to...), parts)
	where := w.where()
	if more != nil {
		more(where)
	}
	where.hopConditions("r", m)
	l.Statement = w.statement()
	return l
}
