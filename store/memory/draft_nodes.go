package memory

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/trellisgraph/trellis/schema"
)

// A nodeDraft is a label while a batch changes it. Rows are only appended: a
// node that changes gets a new row, and its old one dies.
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
		if is := tails[i].at(row); is.null != values[i].null || !is.null && is != values[i] {
			return false
		}
	}
	return true
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
		living: before.living - len(d.killed) + len(added), ordered: before.ordered, dead: d.dead.bits,
		late: edited(before.late, removed, added, byKey), postings: make(map[*schema.Property][]uint32, len(n.postings)),
	}
	for p := range n.postings {
		c := n.columns[p]
		byValue := func(a, b uint32) int { return cmp.Or(c.compare(a, b), cmp.Compare(a, b)) }
		some := func(rows []uint32) []uint32 {
			out := slices.DeleteFunc(slices.Clone(rows), c.IsNull)
			slices.SortFunc(out, byValue)
			return out
		}
		n.since.postings[p] = edited(before.postings[p], some(removed), some(added), byValue)
	}
	return n
}
