package memory

import (
	"maps"
	"slices"
)

// with returns the column with other values in some of its rows. It costs a
// copy of the column, for texts that are spelled out and UUIDs one of what such
// changes left.
func (c Column) with(changed map[uint32]cell) Column {
	if len(changed) == 0 {
		return c
	}
	nulls := c.nulls.with(changed, func(x cell) bool { return x.null })
	switch v := c.values.(type) {
	case numbers[int32]:
		c.values = copied(v, changed, func(x cell) int32 { return int32(x.num) })
	case numbers[int64]:
		c.values = copied(v, changed, func(x cell) int64 { return x.num })
	case codes:
		c.values = copied(v, changed, func(x cell) uint32 { return uint32(x.num) })
	case flags:
		c.values = flags{set: v.set.with(changed, func(x cell) bool { return x.num != 0 }), count: v.count}
	case words:
		codes := map[uint32]uint32{}
		for _, row := range slices.Sorted(maps.Keys(changed)) {
			if x := changed[row]; !x.null || len(v.dict) == 0 {
				codes[row] = v.code(c.property.Type, x.text)
			}
		}
		v.codes = copied(v.codes, codes, func(code uint32) uint32 { return code })
		c.values = v
	case grown:
		v.changed = maps.Clone(v.changed)
		if v.changed == nil {
			v.changed = map[uint32]string{}
		}
		for row, x := range changed {
			v.changed[row] = x.text
		}
		c.values = v
	}
	c.nulls = nulls
	return c
}

// copied returns a copy of a list, with room for what is added next, and other
// values in some places.
func copied[S ~[]T, T, V any](list S, changed map[uint32]V, value func(V) T) S {
	out := slices.Grow(slices.Clip(list), len(list)/16+16)
	for row, x := range changed {
		out[row] = value(x)
	}
	return out
}

// with returns a copy of the bitmap in which some rows are what in says.
func (b bitmap) with(changed map[uint32]cell, in func(cell) bool) bitmap {
	out := slices.Clone(b)
	for row, x := range changed {
		if in(x) {
			out.set(row)
		} else if out.has(row) {
			out[row>>6] &^= 1 << (row & 63)
		}
	}
	for len(out) > 0 && out[len(out)-1] == 0 {
		out = out[:len(out)-1]
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
