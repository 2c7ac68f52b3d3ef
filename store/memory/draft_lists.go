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
	place
	gone, added map[link]struct{}
}

func (d *listDraft) edit(row uint32) *edit {
	e := d.edits[row]
	if e == nil {
		e = &edit{place: d.place(row)}
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
	e := edit{place: d.place(row)}
	if changed := d.edits[row]; changed != nil {
		e = *changed
	}
	out := make([]link, 0, int(e.end-e.first)+len(e.added))
	for at := e.first; at < e.end; at++ {
		x := link{d.Ends[at], d.Number(at)}
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
	e := edit{place: d.place(row)}
	if changed := d.edits[row]; changed != nil {
		e = *changed
	}
	at := e.first + uint32(sort.Search(int(e.end-e.first), func(i int) bool { return d.Ends[e.first+uint32(i)] >= end }))
	if at == e.end || d.Ends[at] != end {
		return 0, false
	}
	rel = d.Number(at)
	_, gone := e.gone[link{end, rel}]
	return rel, !gone
}

const (
	// A list of slackFrom entries or more that is written anew gets room for a
	// quarter more: new nodes have the highest rows, so that relationships to
	// them are added at the end, again and again where many lead to one node.
	slackFrom = 32
	slackPart = 4
)

// finish writes the lists that changed, and returns the adjacency for a number
// of rows. Compare orders entries.
func (d *listDraft) finish(rows uint32, compare func(a, b link) int) Adjacency {
	if len(d.edits) == 0 {
		return d.Adjacency
	}
	a := pageDraft{Adjacency: d.Adjacency}
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
			a.set(row, e.place)
		case len(gone) == 0 && a.follows(e.place, added, compare):
			a.set(row, a.append(e.place, added))
		default:
			a.set(row, a.write(e.place, gone, added, compare))
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
func (a *pageDraft) follows(p place, added []link, compare func(a, b link) int) bool {
	return p.first < p.end && uint32(len(added)) <= p.room-p.end && compare(a.link(p.end-1), added[0]) < 0
}

func (a *pageDraft) link(at uint32) link { return link{a.Ends[at], a.Number(at)} }

// append writes entries after a list. Snapshots of before end sooner, and so
// do not see them.
func (a *pageDraft) append(p place, added []link) place {
	for _, x := range added {
		a.Ends[p.end], a.Rels[p.end-a.Plain] = x.end, x.rel
		p.end++
	}
	return p
}

// write writes a list anew behind all others.
func (a *pageDraft) write(p place, gone, added []link, compare func(a, b link) int) place {
	first := uint32(len(a.Ends))
	at := p.first
	take := func(end uint32) { // the entries up to a position
		a.Ends = append(a.Ends, a.Ends[at:end]...)
		if plain := min(end, a.Plain); at < plain {
			for ; at < plain; at++ {
				a.Rels = append(a.Rels, at)
			}
		}
		if at < end {
			a.Rels = append(a.Rels, a.Rels[at-a.Plain:end-a.Plain]...)
		}
		at = end
	}
	before := func(x link) uint32 {
		return at + uint32(sort.Search(int(p.end-at), func(i int) bool { return compare(a.link(at+uint32(i)), x) >= 0 }))
	}
	for len(gone) > 0 || len(added) > 0 {
		if len(added) == 0 || len(gone) > 0 && compare(gone[0], added[0]) <= 0 {
			take(before(gone[0]))
			at, gone = at+1, gone[1:]
		} else {
			take(before(added[0]))
			a.Ends, a.Rels = append(a.Ends, added[0].end), append(a.Rels, added[0].rel)
			added = added[1:]
		}
	}
	take(p.end)
	end := uint32(len(a.Ends))
	if end == first {
		return place{}
	}
	if n := int(end - first); n >= slackFrom {
		a.Ends = append(a.Ends, make([]uint32, n/slackPart)...)
		a.Rels = append(a.Rels, make([]uint32, n/slackPart)...)
	}
	return place{first, end, uint32(len(a.Ends))}
}
