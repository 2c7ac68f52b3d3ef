package memory

import (
	"slices"
)

// A tail adds rows at the end of a column. The rows before stay where they
// are: the memory is shared with the snapshots that end earlier, as that of Go
// slices is under append. So a column may have one tail at most that leads to
// another column. Bitmaps are copied before they change, and columns before a row
// of before changes.
type tail struct {
	column Column // as it was
	count  uint32
	nulls  ownBitmap
	set    ownBitmap
	small  []int32
	large  []int64
	codes  []uint32
	words  words
	more   []string
	// changed are other values of rows that were there.
	changed map[uint32]cell
}

func newTail(c Column) tail {
	t := tail{column: c, count: uint32(c.Len()), nulls: ownBitmap{bits: c.nulls}}
	switch v := c.values.(type) {
	case numbers[int32]:
		t.small = v
	case numbers[int64]:
		t.large = v
	case flags:
		t.set.bits = v.set
	case codes:
		t.codes = v
	case words:
		t.words = v
	case grown:
		t.more = v.more
	}
	return t
}

// add adds a row. The text of the cell is kept.
func (t *tail) add(c cell) {
	if c.null {
		t.nulls.set(t.count)
	}
	switch t.column.values.(type) {
	case numbers[int32]:
		t.small = append(t.small, int32(c.num))
	case numbers[int64]:
		t.large = append(t.large, c.num)
	case flags:
		if c.num != 0 {
			t.set.set(t.count)
		}
	case codes:
		t.codes = append(t.codes, uint32(c.num))
	case words:
		code := uint32(0)
		if !c.null || len(t.words.dict) == 0 {
			code = t.words.code(t.column.property.Type, c.text)
		}
		t.words.codes = append(t.words.codes, code)
	default: // texts, uuids, and either grown
		if c.null {
			c.text = noUUID[:t.width()]
		}
		t.more = append(t.more, c.text)
	}
	t.count++
}

// width is the length of what stands where the row is null.
func (t *tail) width() int {
	base := t.column.values
	if g, ok := base.(grown); ok {
		base = g.base
	}
	if _, ok := base.(uuids); ok {
		return len(noUUID)
	}
	return 0
}

// change gives a row of before another value.
func (t *tail) change(row uint32, c cell) {
	if c.null {
		c = cell{null: true, text: noUUID[:t.width()]}
	}
	if t.changed == nil {
		t.changed = map[uint32]cell{}
	}
	t.changed[row] = c
}

// finish returns the column after the batch.
func (t *tail) finish() Column { return t.added().with(t.changed) }

// added returns the column with the rows that were added.
func (t *tail) added() Column {
	c := Column{property: t.column.property, nulls: t.nulls.bits}
	switch v := t.column.values.(type) {
	case numbers[int32]:
		c.values = numbers[int32](t.small)
	case numbers[int64]:
		c.values = numbers[int64](t.large)
	case flags:
		c.values = flags{set: t.set.bits, count: int(t.count)}
	case codes:
		c.values = codes(t.codes)
	case words:
		c.values = t.words
	case grown:
		c.values = grown{base: v.base, from: v.from, more: t.more, changed: v.changed}
	default:
		c.values = grown{base: v, from: uint32(v.rows()), more: t.more}
	}
	return c
}

// at returns the value of a row.
func (t *tail) at(row uint32) cell {
	if c, ok := t.changed[row]; ok {
		return c
	}
	if row < uint32(t.column.Len()) {
		return t.column.at(row)
	}
	return t.added().at(row)
}

// clip returns the column so that whatever is added to it is added to a copy.
func (c Column) clip() Column {
	switch v := c.values.(type) {
	case numbers[int32]:
		c.values = slices.Clip(v)
	case numbers[int64]:
		c.values = slices.Clip(v)
	case codes:
		c.values = slices.Clip(v)
	case words:
		c.values = words{codes: slices.Clip(v.codes), dict: slices.Clip(v.dict)}
	}
	return c
}

// An ownBitmap copies a bitmap before it changes it.
type ownBitmap struct {
	bits bitmap
	own  bool
}

func (b *ownBitmap) has(row uint32) bool { return b.bits.has(row) }

func (b *ownBitmap) set(row uint32) {
	if !b.own {
		b.bits, b.own = slices.Clone(b.bits), true
	}
	b.bits.set(row)
}
