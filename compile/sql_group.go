package compile

import (
	"slices"
	"strconv"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A grouping says what an aggregate's rows are grouped from: the nodes, or,
// where groups follow relationships, a derived table of the distinct (node,
// values) that the ways to walk their chains lead to.
type grouping struct {
	// columns are, for each group, the columns that are grouped by: one, or the
	// parts of a composite key.
	columns [][]groupColumn
	// ways are the combinations of chains.
	ways []groupedWay
	// late has, by chain, the group that stands for the key of the chain's end, by
	// which is grouped, or -1; nil where there is none at all. merged says that several
	// of these groups may be one in the end.
	late   []int
	merged bool
}

// A groupedWay is one chain for each chain of an aggregate, and what is left to
// ask of the aggregate's nodes beside them.
type groupedWay struct {
	nodes  *NodeSet
	chains []*chain
}

// A groupColumn is a column that is grouped by.
type groupColumn struct {
	column
	property *schema.Property
	truncate graph.TimeUnit
}

func (a *Aggregate) grouping(d *Dialect) (grouping, error) {
	var g grouping
	if err := g.walk(a, d); err != nil {
		return g, err
	}
	for i, group := range a.Groups {
		var cols []groupColumn
		switch {
		case group.Chain < 0:
			cols = []groupColumn{{column{"n", group.Property.Column}, group.Property, group.Truncate}}
		case g.isLate(group) && g.late[group.Chain] != i: // one is enough
		case group.Key || g.isLate(group):
			for p, prop := range a.end(group).Key {
				cols = append(cols, groupColumn{column: column{"n", valueAlias(i, p)}, property: prop})
			}
		default:
			cols = []groupColumn{{column: column{"n", valueAlias(i, 0)}, property: group.Property}}
		}
		g.columns = append(g.columns, cols)
	}
	return g, nil
}

// walk finds the ways to walk an aggregate's chains.
func (g *grouping) walk(a *Aggregate, d *Dialect) error {
	if len(a.Chains) == 0 {
		return nil
	}
	ways := [][]*chain{nil}
	start := &NodeSet{NodeRef: a.Nodes.NodeRef, Keys: Keys{N: -1}} // its conditions stand once, beside the chains
	for _, steps := range a.Chains {
		chains, err := chainsOf(start, steps)
		if err != nil {
			return err
		}
		var more [][]*chain
		for _, way := range ways {
			for _, c := range chains {
				more = append(more, append(slices.Clip(way), c))
			}
		}
		if len(more) > maxChains {
			return errTooManyWays()
		}
		ways = more
	}
	for _, chains := range ways {
		way := groupedWay{a.Nodes, chains}
		if !d.hints { // whose joins begin where they are told to
			if err := way.fold(); err != nil {
				return err
			}
		}
		g.ways = append(g.ways, way)
	}
	if len(g.ways) == 1 {
		g.late, g.merged = a.late(g.ways[0].chains)
	}
	return nil
}

// valueAlias names a group's value in the derived table. No column of a
// label has such a name but by malice, and then the statement fails.
func valueAlias(group, part int) string {
	return "group " + strconv.Itoa(group+1) + "." + strconv.Itoa(part+1)
}

// grouped writes a column that is grouped by.
func (w *sqlWriter) grouped(c groupColumn) {
	if c.truncate != "" {
		w.template(w.d.truncate[c.truncate], func() { w.column(c.column) })
		return
	}
	w.distinctly(c.column, c.property)
}

// groupSource writes what is grouped, under the alias n.
func (w *sqlWriter) groupSource(a *Aggregate, g grouping) error {
	if g.ways == nil {
		return w.groupNodes(a)
	}
	w.put("(")
	for i, way := range g.ways {
		if i > 0 {
			w.put(" UNION ")
		}
		if err := w.groupWay(a, way, g); err != nil {
			return err
		}
	}
	w.put(") AS n")
	return nil
}

// groupNodes writes a label's table with its conditions. Where nodes are only counted
// of which nothing is asked but a semi-join, that has them all.
func (w *sqlWriter) groupNodes(a *Aggregate) error {
	set := a.Nodes
	key := w.keyColumns("n", set.label)
	beside, err := sides(set, key, 0)
	if err != nil {
		return err
	}
	bare := *set
	bare.Related = nil
	if len(beside) == 1 && a.onlyCounts() && bare.bare() && set.Keys.N < 0 && set.Guard() == nil && !w.looselyReferred(set.label) &&
		!beside[0].optional() && w.joins(&beside[0]) {
		w.put("(")
		w.sideRows(&beside[0])
		w.put(") AS n")
		return nil
	}
	w.nodes(set, key, beside)
	return nil
}

// onlyCounts reports whether all nodes are counted together, and nothing else.
func (a *Aggregate) onlyCounts() bool {
	return len(a.Groups) == 0 && !slices.ContainsFunc(a.Values, func(v AggregateValue) bool { return v.Property != nil || v.Cond != nil })
}

// groupWay writes the (node, values) of one way to walk an aggregate's chains.
func (w *sqlWriter) groupWay(a *Aggregate, of groupedWay, g grouping) error {
	way := of.chains
	layouts := make([]*layout, len(way))
	var aliases []string
	begun := !a.keysOnly(of) || w.looselyReferred(a.Nodes.label)
	if begun {
		aliases = []string{"n"}
	}
	for i, c := range way {
		n, prefix := c.length(), "g"+strconv.Itoa(i+1)
		join := func(j int) bool {
			if j == n && g.late != nil && g.late[i] >= 0 {
				return c.constrained(j)
			}
			return w.needs(c, j) || j == n && a.needsEnd(i)
		}
		if begun {
			layouts[i] = c.placeBeside(w, "n", prefix, join)
		} else {
			layouts[i] = c.newLayout(w)
			layouts[i].walk(prefix, join)
		}
		if err := layouts[i].addSides(true); err != nil {
			return err
		}
		for _, r := range layouts[i].refs {
			aliases = append(aliases, r.alias)
		}
	}
	key := layouts[0].key(0)
	beside, err := sides(of.nodes, key, 0)
	if err != nil {
		return err
	}
	w.put("SELECT ")
	if len(way) == 1 { // several chains have no one order
		w.hint(aliases)
	}
	if len(g.ways) > 1 || !a.once(way) {
		w.put("DISTINCT ")
	}
	w.groupColumns(a, layouts, key, g)
	w.put(" FROM ")
	if begun {
		w.table(a.Nodes.label.Table)
		w.put(" AS n")
	}
	for _, l := range layouts {
		for _, r := range l.refs {
			if !begun {
				w.table(r.table)
				w.put(" AS ", r.alias)
				begun = true
				continue
			}
			w.put(" JOIN ")
			w.table(r.table)
			w.put(" AS ", r.alias, " ON ")
			w.equalities(r.on)
		}
	}
	// semi-joins are numbered through the whole statement
	for _, l := range layouts {
		for i := range l.sides {
			l.sides[i].alias = "s" + strconv.Itoa(len(beside)+1)
			beside = append(beside, l.sides[i])
		}
		l.sides = nil
	}
	for i := range beside {
		w.sideJoin(&beside[i])
	}
	where := w.where()
	where.set("n", key, of.nodes, true)
	for i, l := range layouts {
		where.chain(l, true)
		// A node without the connection is in no group; the join with late ends sees to it.
		if n := l.chain.length(); l.nodes[n] == "" && (g.late == nil || g.late[i] < 0) {
			where.notNull(l.key(n))
		}
	}
	for i := range beside {
		where.side(&beside[i])
	}
	return nil
}

// keysOnly reports whether the nodes' own table can be left out: nothing is asked
// of them but their keys, which the relationships of the only chain hold.
func (a *Aggregate) keysOnly(way groupedWay) bool {
	return len(way.chains) == 1 && way.nodes.bare() && way.nodes.Guard() == nil && !way.chains[0].moves[0].holdsNear() &&
		!slices.ContainsFunc(a.reads(), func(p *schema.Property) bool { return !a.Nodes.label.IsKey(p) })
}

// needsEnd reports whether a group shows more of a chain's end than its key.
func (a *Aggregate) needsEnd(chain int) bool {
	for _, g := range a.Groups {
		if g.Chain == chain && !g.Key && !a.end(g).IsKey(g.Property) {
			return true
		}
	}
	return false
}

// once reports whether no (node, values) can come twice: every chain leads from
// a node to one end, or to each of several once, and the values tell them apart.
func (a *Aggregate) once(way []*chain) bool {
	for i, c := range way {
		if !c.functional() && !(c.once() && a.tellsApart(i)) {
			return false
		}
	}
	return true
}

// tellsApart reports whether no two ends of a chain have the same values in its
// groups.
func (a *Aggregate) tellsApart(chain int) bool {
	return slices.ContainsFunc(a.Groups, func(g Group) bool {
		return g.Chain == chain && g.Truncate == "" && (g.Key || a.end(g).Unique(g.Property))
	})
}

// groupColumns writes the select list of a way: the node's key, the properties
// that the aggregate reads, the values of the groups.
func (w *sqlWriter) groupColumns(a *Aggregate, layouts []*layout, key []column, of grouping) {
	for i, p := range a.reads() {
		if i > 0 {
			w.put(", ")
		}
		c := column{"n", p.Column}
		if k := slices.Index(a.Nodes.label.Key, p); k >= 0 {
			c = key[k]
		}
		w.distinctly(c, p)
		w.put(" AS ")
		w.name(p.Column)
	}
	for i, g := range a.Groups {
		if g.Chain < 0 || of.isLate(g) && of.late[g.Chain] != i {
			continue
		}
		l := layouts[g.Chain]
		n := l.chain.length()
		props, truncate := []*schema.Property{g.Property}, g.Truncate
		if g.Key || of.isLate(g) {
			props, truncate = a.end(g).Key, ""
		}
		for part, p := range props {
			c := column{l.nodes[n], p.Column}
			if k := slices.Index(a.end(g).Key, p); k >= 0 {
				c = l.key(n)[k]
			}
			w.put(", ")
			w.grouped(groupColumn{c, p, truncate})
			w.put(" AS ")
			w.name(valueAlias(i, part))
		}
	}
}

// reads lists the node's properties that an aggregate reads: its key first, so
// that nodes stay apart, then what its columns and their conditions use.
func (a *Aggregate) reads() []*schema.Property {
	props := slices.Clone(a.Nodes.label.Key)
	add := func(p *schema.Property) {
		if p != nil && !slices.Contains(props, p) {
			props = append(props, p)
		}
	}
	for _, g := range a.Groups {
		if g.Chain < 0 {
			add(g.Property)
		}
	}
	for _, v := range a.Values {
		add(v.Property)
		eachProperty(v.Cond, add)
	}
	return props
}

// eachProperty calls f with every property that a condition reads.
func eachProperty(c Cond, f func(*schema.Property)) {
	switch c := c.(type) {
	case And:
		for _, d := range c {
			eachProperty(d, f)
		}
	case Or:
		for _, d := range c {
			eachProperty(d, f)
		}
	case Not:
		eachProperty(c.Cond, f)
	case Compare:
		f(c.Property)
	case Search:
		for _, p := range c.Properties {
			f(p)
		}
	}
}
