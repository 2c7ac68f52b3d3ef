package compile

// findSQL lowers find_nodes: one table, its conditions, one page.
func findSQL(f *Find, d *Dialect) (*Program, error) {
	l := f.Nodes.label
	w := newWriter(d)
	key := w.keyColumns("n", l)
	beside, err := sides(f.Nodes, key, 0)
	if err != nil {
		return nil, err
	}
	prog := &Program{Dialect: d, Distance: -1, Limit: f.Page.Limit}
	w.put("SELECT ")
	w.sideHint(beside)
	sel := w.project()
	target := sel.node("n", key, l, f.Show)
	prog.Target = &target
	terms, order := sel.order("n", &target, &f.Page, -1, 0)
	prog.Order = order
	w.put(" FROM ")
	where := w.nodes(f.Nodes, key, beside)
	if f.Page.Seek != nil {
		where.next()
		w.seek(f.Page.Seek, terms)
	}
	if f.Nodes.Keys.N != 1 { // one node has no order
		w.orderBy(present(terms, f.Nodes.Cond))
	}
	w.limit(f.Page.Limit)
	w.offset(&f.Page)
	if prog.Main, err = w.bounded(); err != nil {
		return nil, err
	}
	if f.Page.Counted {
		if prog.Count, err = countSQL(f.Nodes, d); err != nil {
			return nil, err
		}
	}
	if f.Nodes.Keys.N > 0 {
		prog.Lookups = append(prog.Lookups, lookup(f.Nodes, "/ids", d))
	}
	return prog, nil
}

// countSQL lowers the number of a set's nodes: the same table, sides, conditions
// and guards as those of a page.
func countSQL(s *NodeSet, d *Dialect) (*Statement, error) {
	w := newWriter(d)
	key := w.keyColumns("n", s.label)
	beside, err := sides(s, key, 0)
	if err != nil {
		return nil, err
	}
	w.put("SELECT ")
	w.sideHint(beside)
	w.put("COUNT(*)")
	w.field(intType, false)
	w.put(" FROM ")
	w.nodes(s, key, beside)
	return w.bounded()
}

// A whereClause is a conjunction that grows while it is written.
type whereClause struct {
	w     *sqlWriter
	begun bool
}

// nodes writes the table of a node set as n, with what stands beside it and with
// the conditions of both, to which more can be added.
func (w *sqlWriter) nodes(set *NodeSet, key []column, beside []side) *whereClause {
	if len(beside) > 0 && w.looksNear(&beside[0]) {
		w.nearTable(&beside[0])
		beside = beside[1:]
	} else {
		w.table(set.label.Table)
		w.put(" AS n")
	}
	for i := range beside {
		w.sideJoin(&beside[i])
	}
	where := w.where()
	where.set("n", key, set, true)
	for i := range beside {
		where.side(&beside[i])
	}
	return where
}

func (w *sqlWriter) where() *whereClause { return &whereClause{w: w} }

func (c *whereClause) next() {
	if c.begun {
		c.w.put(" AND ")
	} else {
		c.w.put(" WHERE ")
	}
	c.begun = true
}

// set adds the conditions of a node set whose table stands under an alias; whole says that its
// table's fixed columns are not checked elsewhere.
func (c *whereClause) set(alias string, key []column, s *NodeSet, whole bool) {
	if s.Keys.N >= 0 {
		c.next()
		c.w.keys(key, s.label, s.Keys)
	}
	if s.Cond != nil {
		c.next()
		c.w.cond(alias, s.Cond)
	}
	c.ref(alias, s.NodeRef, whole)
}

// ref adds what every reference to a label's table must fulfil.
func (c *whereClause) ref(alias string, r NodeRef, whole bool) {
	if whole {
		for _, m := range r.label.Match {
			c.next()
			c.w.match(alias, m)
		}
	}
	c.guard(alias, r.Guard())
}

// guard adds a guard. One that leaves all rows visible has nothing to say:
// what matters is that its table stands in the FROM clause.
func (c *whereClause) guard(alias string, guard Cond) {
	if restricts(guard) {
		c.next()
		c.w.cond(alias, guard)
	}
}
