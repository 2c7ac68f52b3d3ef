package memory

import (
	"cmp"
	"maps"
	"slices"

	"github.com/trellisgraph/trellis/schema"
)

// A linkDraft is a pair while a batch changes it. Relationship numbers are only
// appended: a relationship that changes gets a new one. One whose node changes
// keeps its number, and the lists that it is in are written anew.
type linkDraft struct {
	pair     *schema.Pair
	base     *links
	from, to []uint32 // by number: rows that the ends had when it was added
	tails    []tail   // by the pair's properties
	count    int      // of those that live
	out, in  listDraft

	// byEnds has the relationships that the batch added to lists, by the rows
	// of their ends, where the pair has no key.
	byEnds map[[2]uint32]uint32
	// Where it has one: byKey has the numbers of the keys that the batch
	// touched, noRow where there is no relationship any more.
	byKey  map[string]uint32
	dead   ownBitmap
	killed []uint32 // numbers of base
}

func newLinkDraft(p *schema.Pair, base *links) *linkDraft {
	d := &linkDraft{
		pair: p, base: base, from: base.from, to: base.to, count: base.living(),
		out: listDraft{Adjacency: base.outgoing()}, in: listDraft{Adjacency: base.incoming()},
	}
	if base.moved == nil { // to is the list of ends, too, and others may have the room behind them
		d.from, d.to, d.out.Ends = slices.Clip(d.from), slices.Clip(d.to), slices.Clip(d.out.Ends)
		d.in.Ends, d.in.Rels = slices.Clip(d.in.Ends), slices.Clip(d.in.Rels)
	}
	for _, prop := range p.Properties {
		d.tails = append(d.tails, newTail(base.columns[prop]))
	}
	if p.Key == nil {
		d.byEnds = map[[2]uint32]uint32{}
		return d
	}
	d.byKey = map[string]uint32{}
	if base.moved != nil {
		d.dead.bits = base.moved.dead
	}
	return d
}

// key returns the key of a relationship.
func (d *linkDraft) key(rel uint32) []cell {
	return []cell{d.tails[slices.Index(d.pair.Properties, d.pair.Key)].at(rel)}
}

// findKey returns the living relationship with a key.
func (d *linkDraft) findKey(key []cell) (rel uint32, ok bool) {
	if rel, ok := d.byKey[string(appendKey(nil, key))]; ok {
		return rel, rel != noRow
	}
	column := d.base.columns[d.pair.Key]
	rel, ok = d.base.keys.find(column, d.base.dense(), key)
	if d.base.moved == nil || ok && !d.base.moved.dead.has(rel) {
		return rel, ok
	}
	return findLate([]Column{column}, d.base.moved.late, key)
}

// findEnds returns the living relationship between two rows, where the pair
// has no key.
func (d *linkDraft) findEnds(from, to uint32) (rel uint32, ok bool) {
	if rel, ok := d.byEnds[[2]uint32{from, to}]; ok {
		return rel, true
	}
	return d.out.find(from, to)
}

// add adds a relationship.
func (d *linkDraft) add(from, to uint32, values []cell) {
	rel := uint32(len(d.to))
	d.from, d.to = append(d.from, from), append(d.to, to)
	for i := range d.tails {
		d.tails[i].add(values[i])
	}
	d.count++
	if d.byKey != nil {
		d.byKey[string(appendKey(nil, d.key(rel)))] = rel
	}
	d.addOut(from, link{to, rel})
	d.in.add(to, link{from, rel})
}

// delete removes a relationship between two rows.
func (d *linkDraft) delete(from, to, rel uint32) {
	d.removeOut(from, link{to, rel})
	d.in.remove(to, link{from, rel})
	d.kill(rel)
}

// kill counts a relationship that is in no list any more.
func (d *linkDraft) kill(rel uint32) {
	d.count--
	if d.byKey == nil {
		return
	}
	d.dead.set(rel)
	if int(rel) < len(d.base.to) {
		d.killed = append(d.killed, rel)
	}
	d.byKey[string(appendKey(nil, d.key(rel)))] = noRow
}

func (d *linkDraft) addOut(row uint32, x link) {
	d.out.add(row, x)
	if d.byEnds != nil {
		d.byEnds[[2]uint32{row, x.end}] = x.rel
	}
}

func (d *linkDraft) removeOut(row uint32, x link) {
	d.out.remove(row, x)
	delete(d.byEnds, [2]uint32{row, x.end})
}

// moveFrom moves the relationships that leave a row to the row that its node
// has now.
func (d *linkDraft) moveFrom(old, row uint32) {
	list := d.out.links(old)
	if len(list) == 0 {
		return
	}
	d.out.move(old, row)
	for _, x := range list {
		if _, added := d.byEnds[[2]uint32{old, x.end}]; added {
			delete(d.byEnds, [2]uint32{old, x.end})
			d.byEnds[[2]uint32{row, x.end}] = x.rel
		}
		d.in.remove(x.end, link{old, x.rel})
		d.in.add(x.end, link{row, x.rel})
	}
}

// moveTo does the same with the relationships that arrive. It comes second, and
// so sees a relationship of the node with itself as one that leaves the new row.
func (d *linkDraft) moveTo(old, row uint32) {
	list := d.in.links(old)
	if len(list) == 0 {
		return
	}
	d.in.move(old, row)
	for _, x := range list {
		d.removeOut(x.end, link{old, x.rel})
		d.addOut(x.end, link{row, x.rel})
	}
}

// clearFrom deletes the relationships that leave a row, and calls visit with
// the rows that they led to.
func (d *linkDraft) clearFrom(row uint32, visit func(end uint32)) {
	list := d.out.links(row)
	if len(list) == 0 {
		return
	}
	d.out.clear(row)
	for _, x := range list {
		d.in.remove(x.end, link{row, x.rel})
		delete(d.byEnds, [2]uint32{row, x.end})
		d.kill(x.rel)
		visit(x.end)
	}
}

// clearTo deletes the relationships that arrive at a row.
func (d *linkDraft) clearTo(row uint32, visit func(end uint32)) {
	list := d.in.links(row)
	if len(list) == 0 {
		return
	}
	d.in.clear(row)
	for _, x := range list {
		d.removeOut(x.end, link{row, x.rel})
		d.kill(x.rel)
		visit(x.end)
	}
}

// finish returns the relationships after the batch, between labels of so many
// rows. Lists are long from so many entries on.
func (d *linkDraft) finish(fromRows, toRows uint32, long int) *links {
	r := &links{from: d.from, to: d.to, columns: maps.Clone(d.base.columns), keys: d.base.keys}
	for i, p := range d.pair.Properties {
		r.columns[p] = d.tails[i].finish()
	}
	m := &moved{dense: d.base.dense(), count: d.count}
	compare := func(a, b link) int { return cmp.Compare(a.end, b.end) }
	if p := d.pair.Key; p != nil {
		key := r.columns[p]
		compare = func(a, b link) int { return cmp.Or(cmp.Compare(a.end, b.end), key.compare(a.rel, b.rel)) }
		d.finishKeys(m, key)
	}
	m.out, m.in = d.out.finish(fromRows, long, compare), d.in.finish(toRows, long, compare)
	r.moved = m
	return r
}

// finishKeys notes which relationships have which keys now.
func (d *linkDraft) finishKeys(m *moved, key Column) {
	m.dead = d.dead.bits
	var late, removed, added []uint32
	if d.base.moved != nil {
		late = d.base.moved.late
	}
	for _, rel := range d.killed {
		if int(rel) >= m.dense {
			removed = append(removed, rel)
		}
	}
	for rel := uint32(len(d.base.to)); int(rel) < len(d.to); rel++ {
		if !d.dead.has(rel) {
			added = append(added, rel)
		}
	}
	slices.SortFunc(removed, key.compare)
	slices.SortFunc(added, key.compare)
	m.late = edited(late, removed, added, key.compare, key.compare)
}
