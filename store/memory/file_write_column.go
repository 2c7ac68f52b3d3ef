package memory

import (
	"slices"

	"github.com/trellisgraph/trellis/schema"
)

// column adds the sections of a column of so many rows: which are null, and
// the values, which are zero or empty where they are.
func (w *fileWriter) column(c Column, rows int) {
	w.add(formNulls, bytesOf(c.nulls.trimmed()))
	null := c.nulls.rows(rows)
	switch v := c.values.(type) {
	case nil:
		w.nothing(c.property.Type)
	case numbers[int32]:
		w.add(formSmall, bytesOf(zeroAt(v, null)))
	case numbers[int64]:
		w.add(formLarge, bytesOf(zeroAt(v, null)))
	case codes:
		w.add(formCodes, bytesOf(zeroAt(v, null)))
	case flags:
		set := slices.Clone(v.set)
		for i := range set[:min(len(set), len(c.nulls))] {
			set[i] &^= c.nulls[i]
		}
		w.add(formBits, bytesOf(set.trimmed()))
	case uuids:
		ids := []byte(v)
		for _, row := range null {
			clear(ids[row*16 : row*16+16])
		}
		w.add(formUUIDs, ids)
	default:
		w.texts(c, rows)
	}
}

// nothing adds what a column without rows has.
func (w *fileWriter) nothing(t schema.Type) {
	switch {
	case textual(t):
		w.add(formCodes, nil)
		w.add(formWordEnds, nil)
		w.add(formWords, nil)
	case t == schema.Int32 || t == schema.Date:
		w.add(formSmall, nil)
	case t == schema.Enum:
		w.add(formCodes, nil)
	case t == schema.Bool:
		w.add(formBits, nil)
	case t == schema.UUID:
		w.add(formUUIDs, nil)
	default:
		w.add(formLarge, nil)
	}
}

// texts adds texts, in a dictionary if it pays for the column as a whole. In
// memory that hangs on the order in which they came.
func (w *fileWriter) texts(c Column, rows int) {
	if dict := dictionary(c, rows); dict != nil {
		w.words(c, rows, dict)
		return
	}
	ends := make([]uint32, rows)
	var text []byte
	block := 0
	for row := range uint32(rows) {
		if row%blockRows == 0 {
			block = len(text)
		}
		text = append(text, c.at(row).text...)
		ends[row] = uint32(len(text) - block)
	}
	w.add(formTextEnds, bytesOf(ends))
	w.add(formTexts, text)
}

func (w *fileWriter) words(c Column, rows int, dict map[string]uint32) {
	words := make([]string, 0, len(dict))
	for word := range dict {
		words = append(words, word)
	}
	slices.SortFunc(words, func(a, b string) int { return compareCells(c.property.Type, cell{text: a}, cell{text: b}) })
	ends := make([]uint64, len(words))
	var text []byte
	for i, word := range words {
		dict[word] = uint32(i)
		text = append(text, word...)
		ends[i] = uint64(len(text))
	}
	codes := make([]uint32, rows)
	for row := range uint32(rows) {
		codes[row] = dict[c.at(row).text]
	}
	w.add(formCodes, bytesOf(codes))
	w.add(formWordEnds, bytesOf(ends))
	w.add(formWords, text)
}

// dictionary returns the distinct texts of a column, that of null rows, which
// is empty, among them; nil if there are so many that a dictionary does not
// pay.
func dictionary(c Column, rows int) map[string]uint32 {
	most := maxDict
	if rows >= sampleRows {
		most = min(maxDict, rows/2)
	}
	dict := map[string]uint32{}
	for row := range uint32(rows) {
		if dict[c.at(row).text] = 0; len(dict) > most {
			return nil
		}
	}
	return dict
}

// trimmed is the bitmap up to its last bit that is set.
func (b bitmap) trimmed() bitmap {
	for len(b) > 0 && b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	return b
}

// rows returns the members below a number.
func (b bitmap) rows(below int) []uint32 {
	if b == nil {
		return nil
	}
	var out []uint32
	for row := range uint32(below) {
		if b.has(row) {
			out = append(out, row)
		}
	}
	return out
}

// zeroAt returns numbers that are zero in some rows; the same if they are.
func zeroAt[T fixed](numbers []T, rows []uint32) []T {
	copied := false
	for _, row := range rows {
		if numbers[row] == 0 {
			continue
		}
		if !copied {
			numbers, copied = slices.Clone(numbers), true
		}
		numbers[row] = 0
	}
	return numbers
}
