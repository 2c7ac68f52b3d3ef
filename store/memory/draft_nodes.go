package memory

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/trellisgraph/trellis/schema"
)

// A nodeDraft is a label while a batch changes it. A node that changes gets a
// new row, and its old one dies; or it keeps its row, and columns are copied.
type nodeDraft struct {
	label *schema.Label
	base  *nodes
	tails []tail // by the label's properties
	count uint32
	dead  ownBitmap
	// killed are the rows of base that died; now has the rows of the keys that
	// the batch touched, noRow where there is no node any more.
	killed []uint32
	now    map[string]uint32
	text   []byte
	kept   map[uint32]struct{} // rows of base that changed and stay
}

const noRow = ^uint32(0)

func newNodeDraft(l *schema.Label, base *nodes) *nodeDraft {
	d := &nodeDraft{label: l, base: base, count: uint32(base.count), dead: ownBitmap{bits: base.dead()}, now: map[string]uint32{}}
	for _, p := range l.Properties {
		d.tails = append(d.tails, newTail(base.columns[p]))
	}
	return d
}

// appendKey writes a key so that no two keys of a label are written alike.
func appendKey(dst []byte, key []cell) []byte {
	for _, c := range key {
		dst = binary.BigEndian.AppendUint64(dst, uint64(c.num))
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(c.text)))
		dst = append(dst, c.text...)
	}
	return dst
}

// find returns the living row with a key.
func (d *nodeDraft) find(key []cell) (row uint32, ok bool) {
	d.text = appendKey(d.text[:0], key)
	if row, ok := d.now[string(d.text)]; ok {
		return row, row != noRow
	}
	return d.base.find(key)
}

// key returns the key of a row, living or dead.
func (d *nodeDraft) key(row uint32) []cell {
	var out []cell
	for _, p := range d.label.Key {
		out = append(out, d.tails[slices.Index(d.label.Properties, p)].at(row))
	}
	return out
}

// same reports whether a row has these values.
func same(tails []tail, row uint32, values []cell) bool {
	for i := range tails {
		if !tails[i].has(row, values[i]) {
			return false
		}
	}
	return true
}

// has reports whether a row has a value.
func (t *tail) has(row uint32, value cell) bool {
	is := t.at(row)
	return is.null == value.null && (is.null || is == value)
}

// put appends a row for the node with a key, in place of the row that it has.
func (d *nodeDraft) put(key, values []cell) (row uint32) {
	if old, ok := d.find(key); ok {
		d.kill(old)
	}
	row = d.count
	d.count++
	for i := range d.tails {
		d.tails[i].add(values[i])
	}
	d.now[string(appendKey(nil, key))] = row
	return row
}

// change gives a row of base other values.
func (d *nodeDraft) change(row uint32, values []cell) {
	if d.kept == nil {
		d.kept = map[uint32]struct{}{}
	}
	d.kept[row] = struct{}{}
	for i := range d.tails {
		if t := &d.tails[i]; !t.has(row, values[i]) {
			t.change(row, values[i])
		}
	}
}

// delete removes the node with a key, which stands in a row.
func (d *nodeDraft) delete(key []cell, row uint32) {
	d.kill(row)
	d.now[string(appendKey(nil, key))] = noRow
}

func (d *nodeDraft) kill(row uint32) {
	d.dead.set(row)
	if int(row) < d.base.count {
		d.killed = append(d.killed, row)
	}
}

// finish returns the nodes after the batch.
func (d *nodeDraft) finish() *nodes {
	n := &nodes{count: int(d.count), columns: maps.Clone(d.base.columns), index: d.base.index, postings: d.base.postings}
	for i, p := range d.label.Properties {
		n.columns[p] = d.tails[i].finish()
	}
	n.key = n.keyColumns(d.label)
	before := since{ordered: d.base.ordered(), living: d.base.count}
	if d.base.since != nil {
		before = *d.base.since
	}
	var removed, added []uint32 // late rows
	for _, row := range d.killed {
		if int(row) >= before.ordered {
			removed = append(removed, row)
		}
	}
	for row := uint32(d.base.count); row < d.count; row++ {
		if !d.dead.has(row) {
			added = append(added, row)
		}
	}
	byKey := func(a, b uint32) int { return compareRows(n.key, a, b) }
	slices.SortFunc(removed, byKey)
	slices.SortFunc(added, byKey)
	n.since = &since{
		living: before.living - len(d.killed) + len(added), ordered: before.ordered, kept: before.kept + len(d.kept), dead: d.dead.bits,
		late: edited(before.late, removed, added, byKey, byKey), postings: make(map[*schema.Property][]uint32, len(n.postings)),
	}
	n.postings = maps.Clone(n.postings)
	for p, ordered := range n.postings {
		c := n.columns[p]
		late := before.postings[p]
		if changed := d.tails[slices.Index(d.label.Properties, p)].changed; len(changed) > 0 {
			ordered, late = reposted(ordered, late, changed, uint32(before.ordered), d.base.columns[p], c)
			n.postings[p] = ordered
		}
		n.since.postings[p] = edited(late, byValue(c, removed), byValue(c, added), c.compareValues, c.compareValues)
	}
	return n
}

// reposted returns postings, those of the rows before ordered and of those from
// there on, after the values of some rows have changed. Dead rows are among them.
func reposted(rows, late []uint32, changed map[uint32]cell, ordered uint32, before, after Column) (r, l []uint32) {
	var low, high []uint32
	for row := range changed {
		if row < ordered {
			low = append(low, row)
		} else {
			high = append(high, row)
		}
	}
	added := func(a, b uint32) int {
		return cmp.Or(compareCells(after.property.Type, before.values.at(a), after.values.at(b)), cmp.Compare(a, b))
	}
	move := func(list, rows []uint32) []uint32 {
		if len(rows) == 0 {
			return list
		}
		return edited(list, byValue(before, rows), byValue(after, rows), before.compareValues, added)
	}
	return move(rows, low), move(late, high)
}

// byValue returns those of some rows that have a value, by it and then by row.
func byValue(c Column, rows []uint32) []uint32 {
	out := slices.DeleteFunc(slices.Clone(rows), c.IsNull)
	slices.SortFunc(out, c.compareValues)
	return out
}

func (c Column) compareValues(a, b uint32) int { return cmp.Or(c.compare(a, b), cmp.Compare(a, b)) }
