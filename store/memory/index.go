package memory

import (
	"hash/maphash"
	"math/bits"
	"slices"
)

// A keyIndex finds rows by key: a hash table with linear probing, at most half
// full, that holds row numbers and compares with the key's columns.
type keyIndex struct {
	seed  maphash.Seed
	slots []uint32 // row+1; 0 is free
}

func newKeyIndex(key []Column, count int) keyIndex {
	x := keyIndex{seed: maphash.MakeSeed(), slots: make([]uint32, 1<<bits.Len(uint(2*count)))}
	mask := uint64(len(x.slots) - 1)
	for row := range uint32(count) {
		h := uint64(0)
		for _, c := range key {
			h = c.values.at(row).hash(c.property.Type, x.seed, h)
		}
		i := h & mask
		for x.slots[i] != 0 {
			i = (i + 1) & mask
		}
		x.slots[i] = row + 1
	}
	return x
}

func (x *keyIndex) find(key []Column, cells []cell) (row uint32, ok bool) {
	h := uint64(0)
	for i, c := range key {
		h = cells[i].hash(c.property.Type, x.seed, h)
	}
	mask := uint64(len(x.slots) - 1)
	for i := h & mask; x.slots[i] != 0; i = (i + 1) & mask {
		row := x.slots[i] - 1
		if compareKey(key, row, cells) == 0 {
			return row, true
		}
	}
	return 0, false
}

// compareKey orders a row's key, as far as cells go, against cells.
func compareKey(key []Column, row uint32, cells []cell) int {
	for i := range cells {
		if order := compareCells(key[i].property.Type, key[i].values.at(row), cells[i]); order != 0 {
			return order
		}
	}
	return 0
}

// postingsOf returns the rows that have a value, by value and then by row.
func postingsOf(c Column) []uint32 {
	rows := make([]uint32, 0, c.Len())
	for row := range uint32(c.Len()) {
		if !c.IsNull(row) {
			rows = append(rows, row)
		}
	}
	switch v := c.values.(type) {
	case words:
		return sortByCode(rows, v.codes, len(v.dict))
	case codes:
		return sortByCode(rows, v, len(c.property.Values))
	}
	slices.SortFunc(rows, func(a, b uint32) int {
		if order := c.compare(a, b); order != 0 {
			return order
		}
		if a < b {
			return -1
		}
		return 1
	})
	return rows
}

// sortByCode is a counting sort, which keeps equal rows in their order.
func sortByCode(rows, code []uint32, size int) []uint32 {
	next := make([]uint32, size+1)
	for _, r := range rows {
		next[code[r]+1]++
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	out := make([]uint32, len(rows))
	for _, r := range rows {
		out[next[code[r]]] = r
		next[code[r]]++
	}
	return out
}
