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
	l := c.placeBeside(alias, "x"+strconv.Itoa(w.subqueries), func(int) bool { return true })
	first := l.refs[0].on
	l.refs[0].on = nil
	w.put("EXISTS (SELECT ")
	w.hint(l.aliases())
	w.put("1")
	w.from(l)
	where := w.where()
	where.next()
	w.equalities(first)
	where.chain(l, true)
	w.put(")")
}
