package compile

import "strconv"

// exists writes that a guard's walk leads from the row under an alias to some
// node: a subquery for each way to walk, with the row's own columns in it.
func (w *sqlWriter) exists(alias string, x Exists) {
	chains, err := chainsOf(besideSet(x.Steps[0].Moves[0].Source()), x.Steps)
	if err != nil { // too many ways for one statement: bounded refuses it
		w.tables += maxTables
		w.put("1 = 0")
		return
	}
	w.existsAny(alias, chains)
}

// existsAny writes that one of several ways to walk leads somewhere.
func (w *sqlWriter) existsAny(alias string, chains []*chain) {
	w.put("(")
	for i, c := range chains {
		if i > 0 {
			w.put(" OR ")
		}
		w.existsChain(alias, c)
	}
	w.put(")")
}

func (w *sqlWriter) existsChain(alias string, c *chain) {
	w.subqueries++
	l := c.placeBeside(w, alias, "x"+strconv.Itoa(w.subqueries), func(int) bool { return true })
	first := l.refs[0].on
	l.refs[0].on = nil
	if w.d.uncorrelated {
		w.amongStarts(l, first)
		return
	}
	w.put("EXISTS (SELECT 1")
	w.from(l)
	where := w.where()
	where.next()
	w.equalities(first)
	where.chain(l, true)
	w.put(")")
}

// amongStarts writes the same without the row's columns in the subquery: the
// row's key is one of those from which the walk leads somewhere. Neither side is
// null, so that the condition is false and never unknown. The CASE keeps the
// engine from making a join of it, in which it loses its way.
func (w *sqlWriter) amongStarts(l *layout, first []equality) {
	w.put("CASE WHEN ")
	for i, e := range first {
		if i > 0 {
			w.put(" OR ")
		}
		w.column(e.a)
		w.put(" IS NULL")
	}
	list := func(side func(equality) column) {
		for i, e := range first {
			if i > 0 {
				w.put(", ")
			}
			w.exactly(side(e), e.part)
		}
	}
	w.put(" THEN 1 = 0 ELSE (")
	list(func(e equality) column { return e.a })
	w.put(") IN (SELECT ")
	w.hint(l.aliases())
	list(func(e equality) column { return e.b })
	w.from(l)
	where := w.where()
	for _, e := range first {
		where.notNull([]column{e.b})
	}
	where.chain(l, true)
	w.put(") END")
}
