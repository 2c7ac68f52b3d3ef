package compile

// addMeetings adds the statements by which a search for the shortest paths meets the
// one from the other end, if the engine can: it compares a column with the items of
// a list, and the far nodes' keys, which a search knows already, are what the
// relationships' columns hold.
func (l *Levels) addMeetings(d *Dialect) {
	w := newWriter(d)
	for _, m := range l.moves {
		lists := d.listRows || d.listAny != "" && len(m.Near.Key) == 1 && len(m.Far.Key) == 1
		if !m.ends && (!lists || w.looselyReferred(m.Far)) {
			return
		}
	}
	l.Meets = true
	for _, m := range l.moves {
		if !m.ends {
			m.Meeting = meeting(m, d)
			l.all = append(l.all, m.Meeting)
		}
	}
}

// meeting writes the statement that looks for the hops of a move between the nodes
// of two lists. What either is asked was asked when it was reached.
func meeting(lm *LevelMove, d *Dialect) *Statement {
	nearCols, farCols := lm.Move.nearColumns(), lm.Move.farColumns()
	if lm.backward {
		nearCols, farCols = farCols, nearCols
	}
	w := newWriter(d)
	w.put("SELECT ")
	sel := w.project()
	near, far := w.named("r", nearCols), w.named("r", farCols)
	for i, c := range near {
		sel.key(c, lm.Near.Key[i], lm.Near)
	}
	for i, c := range far {
		sel.key(c, lm.Far.Key[i], lm.Far)
	}
	more := w.given(lm.Move.Rel.pair.Table, "r", near, lm.Near.Key)
	where := w.where()
	more(where)
	where.hopConditions("r", lm.Move)
	where.next()
	w.inList(far, lm.Far.Key, 1, d.unindexed)
	return w.statement()
}
