package memory

import (
	"slices"
	"sort"
)

// A listDraft is one direction of a pair while a batch changes it.
type listDraft struct {
	Adjacency
	edits map[uint32]*edit // by row
}

// A link is an entry of a list: a relationship and the row at its other end.
type link struct{ end, rel uint32 }

// An edit is the list of one row: a place of the adjacency, without the
// entries that are gone, and with those that were added.
type edit struct {
	listPlace
	gone, added map[link]struct{}
}

func (d *listDraft) edit(row uint32) *edit {
	e := d.edits[row]
	if e == nil {
		e = &edit{listPlace: d.place(row)}
		if d.edits == nil {
			d.edits = map[uint32]*edit{}
		}
		d.edits[row] = e
	}
	return e
}

func (d *listDraft) add(row uint32, x link) {
	e := d.edit(row)
	if e.added == nil {
		e.added = map[link]struct{}{}
	}
	e.added[x] = struct{}{}
}

func (d *listDraft) remove(row uint32, x link) {
	e := d.edit(row)
	if _, ok := e.added[x]; ok {
		delete(e.added, x)
		return
	}
	if e.gone == nil {
		e.gone = map[link]struct{}{}
	}
	e.gone[x] = struct{}{}
}

// move gives one row's list to another row, which has none.
func (d *listDraft) move(from, to uint32) {
	d.edit(to)
	d.edits[to] = d.edit(from)
	d.edits[from] = &edit{}
}

func (d *listDraft) clear(row uint32) {
	d.edit(row)
	d.edits[row] = &edit{}
}

// entries returns a row's list, in no order.
func (d *listDraft) links(row uint32) []link {
	e := edit{listPlace: d.place(row)}
	if changed := d.edits[row]; changed != nil {
		e = *changed
	}
	out := make([]link, 0, int(e.end-e.first)+len(e.added))
	in := e.in(&d.Adjacency)
	for at := e.first; at < e.end; at++ {
		x := in.link(at)
		if _, gone := e.gone[x]; !gone {
			out = append(out, x)
		}
	}
	for x := range e.added {
		out = append(out, x)
	}
	return out
}

// find returns the relationship from a row to another one, where there is one
// at most, unless the batch added it to the list.
func (d *listDraft) find(row, end uint32) (rel uint32, ok bool) {
	e := edit{listPlace: d.place(row)}
	if changed := d.edits[row]; changed != nil {
		e = *changed
	}
	in := e.in(&d.Adjacency)
	at := e.first + uint32(sort.Search(int(e.end-e.first), func(i int) bool { return in.Ends[e.first+uint32(i)] >= end }))
	if at == e.end || in.Ends[at] != end {
		return 0, false
	}
	rel = in.Number(at)
	_, gone := e.gone[link{end, rel}]
	return rel, !gone
}

const (
	// A list of slackFrom entries or more that is written anew gets room for a
	// quarter more: new nodes have the highest rows, so that relationships to
	// them are added at the end, again and again where many lead to one node.
	slackFrom = 32
	slackPart = 4
	// A list of so many entries or more that is written anew gets memory of
	// its own, which ends with the last snapshot that has it: among the others
	// it would have to be swept up after few batches.
	defaultLong = 1024
)

// finish writes the lists that changed, and returns the adjacency for a number
// of rows. Compare orders entries. Lists are long from so many entries on.
func (d *listDraft) finish(rows uint32, long int, compare func(a, b link) int) Adjacency {
	if len(d.edits) == 0 {
		return d.Adjacency
	}
	a := pageDraft{Adjacency: d.Adjacency, long: long}
	a.flat = 0
	a.pages = append(make([]*page, 0, (rows+pageRows-1)/pageRows), a.pages...)
	a.pages = a.pages[:cap(a.pages)]
	a.own = make([]bool, len(a.pages))
	changed := make([]uint32, 0, len(d.edits))
	for row := range d.edits {
		changed = append(changed, row)
	}
	slices.Sort(changed)
	for _, row := range changed {
		e := d.edits[row]
		gone, added := sorted(e.gone, compare), sorted(e.added, compare)
		switch {
		case len(gone) == 0 && len(added) == 0:
			a.set(row, e.listPlace)
		case len(gone) == 0 && a.follows(e.listPlace, added, compare):
			a.set(row, a.append(e.listPlace, added))
		default:
			a.set(row, a.write(e.listPlace, gone, added, compare))
		}
	}
	return a.Adjacency
}

func sorted(set map[link]struct{}, compare func(a, b link) int) []link {
	if len(set) == 0 {
		return nil
	}
	out := make([]link, 0, len(set))
	for x := range set {
		out = append(out, x)
	}
	slices.SortFunc(out, compare)
	return out
}

// follows reports whether there is room for the entries after a list, and they
// belong there.
func (a *pageDraft) follows(p listPlace, added []link, compare func(a, b link) int) bool {
	return p.first < p.end && uint32(len(added)) <= p.room-p.end && compare(p.in(&a.Adjacency).link(p.end-1), added[0]) < 0
}

func (a *Adjacency) link(at uint32) link { return link{a.Ends[at], a.Number(at)} }

// append writes entries after a list. Snapshots of before end sooner, and so
// do not see them.
func (a *pageDraft) append(p listPlace, added []link) listPlace {
	in := p.in(&a.Adjacency)
	for _, x := range added {
		in.Ends[p.end], in.Rels[p.end-in.Plain] = x.end, x.rel
		p.end++
	}
	return p
}

// write writes a list anew: behind all others, or, a long one, in memory of
// its own.
func (a *pageDraft) write(p listPlace, gone, added []link, compare func(a, b link) int) listPlace {
	from, to := p.in(&a.Adjacency), &a.Adjacency
	var own *Adjacency
	if n := int(p.end-p.first) + len(added) - len(gone); n >= a.long {
		n += n / slackPart
		own = &Adjacency{Ends: make([]uint32, 0, n), Rels: make([]uint32, 0, n)}
		to = own
	}
	first := uint32(len(to.Ends))
	at := p.first
	take := func(end uint32) { // the entries up to a position
		to.Ends = append(to.Ends, from.Ends[at:end]...)
		if plain := min(end, from.Plain); at < plain {
			for ; at < plain; at++ {
				to.Rels = append(to.Rels, at)
			}
		}
		if at < end {
			to.Rels = append(to.Rels, from.Rels[at-from.Plain:end-from.Plain]...)
		}
		at = end
	}
	before := func(x link) uint32 {
		return at + uint32(sort.Search(int(p.end-at), func(i int) bool { return compare(from.link(at+uint32(i)), x) >= 0 }))
	}
	for len(gone) > 0 || len(added) > 0 {
		if len(added) == 0 || len(gone) > 0 && compare(gone[0], added[0]) <= 0 {
			take(before(gone[0]))
			at, gone = at+1, gone[1:]
		} else {
			take(before(added[0]))
			to.Ends, to.Rels = append(to.Ends, added[0].end), append(to.Rels, added[0].rel)
			added = added[1:]
		}
	}
	take(p.end)
	end := uint32(len(to.Ends))
	if end == first {
		return listPlace{}
	}
	if n := int(end - first); n >= slackFrom || own != nil {
		to.Ends = append(to.Ends, make([]uint32, n/slackPart)...)
		to.Rels = append(to.Rels, make([]uint32, n/slackPart)...)
	}
	return listPlace{place{first, end, uint32(len(to.Ends))}, own}
}
