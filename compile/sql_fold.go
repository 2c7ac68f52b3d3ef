package compile

import (
	"slices"
	"strconv"

	"github.com/trellisgraph/trellis/graph"
)

// fold takes those semi-joins off a way's nodes that ask something of the very
// nodes by which one of its chains goes: where each node leads to one other at
// most, that there is one which fulfils a condition means that this one does.
func (g *groupedWay) fold() error {
	from := *g.nodes
	from.Related = nil
	var rest []*Semi
	for _, s := range g.nodes.Related {
		chains, err := foldable(&from, s)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(g.chains, func(c *chain) bool { return len(chains) == 1 && c.beginsWith(chains[0]) })
		if at < 0 {
			rest = append(rest, s)
			continue
		}
		g.chains = slices.Clone(g.chains)
		g.chains[at] = g.chains[at].asking(chains[0])
	}
	if len(rest) < len(g.nodes.Related) {
		from.Related = rest
		g.nodes = &from
	}
	return nil
}

// foldable lists the ways to walk a semi-join that only asks whether one is there;
// of others, none.
func foldable(from *NodeSet, s *Semi) ([]*chain, error) {
	if s.None || len(s.Count) > 0 || slices.ContainsFunc(s.Steps, func(x *Expand) bool { return x.Max > 1 }) {
		return nil, nil
	}
	return chainsOf(from, s.Steps)
}

// beginsWith reports whether the chain goes by the very nodes by which another
// does, as far as that goes.
func (c *chain) beginsWith(other *chain) bool {
	if other.length() > c.length() || !other.functional() {
		return false
	}
	for i, m := range other.moves {
		own := c.moves[i]
		if own.Rel.pair != m.Rel.pair || own.Incoming != m.Incoming || c.ends[i] == nil || c.ends[i].Keys.N >= 0 && other.ends[i].Keys.N >= 0 {
			return false
		}
	}
	return true
}

// asking is the chain with the conditions of another that it begins with.
func (c *chain) asking(other *chain) *chain {
	out := *c
	out.moves, out.ends = slices.Clone(c.moves), slices.Clone(c.ends)
	for i, m := range other.moves {
		move, end, more := *c.moves[i], *c.ends[i], other.ends[i]
		move.Cond, end.Cond = also(move.Cond, m.Cond), also(end.Cond, more.Cond)
		if more.Keys.N >= 0 {
			end.Keys = more.Keys
		}
		end.Related = slices.Concat(end.Related, more.Related)
		out.moves[i], out.ends[i] = &move, &end
	}
	return &out
}

// also is two conditions, either of which may be nil for none.
func also(a, b Cond) Cond {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return And{a, b}
}

// late finds out which chains of an aggregate can be grouped by the keys of their
// ends, so that what else the groups show of an end is read once for each group
// and not for each node: nothing else is asked of them. Either no two ends look the
// same, or each node leads to one of them only: then the groups of ends that do are
// merged after. It returns, by chain, the group that has the key, -1 where there is
// none, and whether groups are to be merged.
func (a *Aggregate) late(way []*chain) (groups []int, merged bool) {
	out := slices.Repeat([]int{-1}, len(a.Chains))
	any := false
	for i, c := range way {
		n := c.length()
		if c.constrained(n) || len(c.set(n).Related) > 0 || c.moves[n-1].holdsFar() || len(c.label(n).Key) != 1 || !a.needsEnd(i) {
			continue
		}
		if !a.tellsApart(i) {
			if !c.functional() || !a.counts() {
				continue
			}
			merged = true
		}
		out[i] = slices.IndexFunc(a.Groups, func(g Group) bool { return g.Chain == i })
		any = true
	}
	if !any {
		return nil, false
	}
	return out, merged
}

// counts reports whether an aggregate has nothing but numbers of nodes.
func (a *Aggregate) counts() bool {
	return !slices.ContainsFunc(a.Values, func(v AggregateValue) bool { return v.Function != graph.Count })
}

// endAlias is the alias of the ends of a chain that are read late.
func endAlias(chain int) string { return "e" + strconv.Itoa(chain+1) }

// isLate reports whether a group's values are read late.
func (g *grouping) isLate(group Group) bool {
	return g.late != nil && group.Chain >= 0 && g.late[group.Chain] >= 0
}

// beginLate writes what stands before the statement that groups by keys.
func (w *sqlWriter) beginLate(a *Aggregate, g grouping) {
	w.put("SELECT ")
	for i, group := range a.Groups {
		for p, c := range g.shown(a, i) {
			if i > 0 || p > 0 {
				w.put(", ")
			}
			if g.isLate(group) || g.merged {
				w.grouped(c)
			} else {
				w.column(c.column)
			}
			w.put(" AS ", columnAlias(i, p))
		}
	}
	number := func(alias string) {
		w.put(", ")
		if g.merged {
			w.template(w.d.sum(intType), func() { w.put("b.", alias) })
		} else {
			w.put("b.", alias)
		}
		w.put(" AS ", alias)
	}
	for i := range a.Values {
		number(columnAlias(len(a.Groups)+i, 0))
	}
	if a.MinGroup > 0 {
		number("g")
	}
	w.put(" FROM (")
}

// shown are the columns of a group in the statement around the one that groups by
// keys: of the ends that are joined to it, or its own.
func (g *grouping) shown(a *Aggregate, i int) []groupColumn {
	group := a.Groups[i]
	if g.isLate(group) {
		property := group.Property
		if group.Key {
			property = a.end(group).Key[0]
		}
		return []groupColumn{{column{endAlias(group.Chain), property.Column}, property, group.Truncate}}
	}
	var out []groupColumn
	for p, c := range g.columns[i] {
		out = append(out, groupColumn{column: column{"b", columnAlias(i, p)}, property: c.property})
	}
	return out
}

// endLate joins the ends to it.
func (w *sqlWriter) endLate(a *Aggregate, g grouping) {
	w.put(") AS b")
	for chain, group := range g.late {
		if group < 0 {
			continue
		}
		label := a.end(a.Groups[group])
		w.put(" JOIN ")
		w.table(label.Table)
		w.put(" AS ", endAlias(chain), " ON ")
		w.equalities(w.paired([]column{{"b", columnAlias(group, 0)}}, w.keyColumns(endAlias(chain), label), label))
	}
	if !g.merged {
		return
	}
	sep := " GROUP BY "
	for i := range a.Groups {
		for _, c := range g.shown(a, i) {
			w.put(sep)
			w.grouped(c)
			sep = ", "
		}
	}
}
