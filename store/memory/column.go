package memory

import (
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A Column holds the values of one property, row by row. It is immutable. The
// zero Column is empty.
type Column struct {
	property *schema.Property
	nulls    bitmap // nil if nothing is null
	values   values
}

// values are the values of a column; where a row is null, any.
type values interface {
	// at returns the value of a row. Its text, if any, lives as long as the
	// column.
	at(row uint32) cell
	// gather returns the values of the given rows, in that order.
	gather(rows []uint32) values
	rows() int
}

// Len returns the number of rows.
func (c Column) Len() int {
	if c.values == nil {
		return 0
	}
	return c.values.rows()
}

// IsNull reports whether the row has no value. It must be below Len.
func (c Column) IsNull(row uint32) bool { return c.nulls.has(row) }

// Value returns the value of a row, which must be below Len. Nothing is
// allocated, except for UUIDs.
func (c Column) Value(row uint32) graph.Value { return c.at(row).value(c.property) }

func (c Column) at(row uint32) cell {
	if c.nulls.has(row) {
		return cell{null: true}
	}
	return c.values.at(row)
}

// compare orders two rows that are not null.
func (c Column) compare(a, b uint32) int {
	return compareCells(c.property.Type, c.values.at(a), c.values.at(b))
}

func (c Column) gather(rows []uint32) Column {
	out := Column{property: c.property, values: c.values.gather(rows)}
	if c.nulls != nil {
		for i, r := range rows {
			if c.nulls.has(r) {
				out.nulls.set(uint32(i))
			}
		}
	}
	return out
}

// A bitmap is a set of rows; nil is the empty set.
type bitmap []uint64

func (b bitmap) has(row uint32) bool {
	i := int(row >> 6)
	return i < len(b) && b[i]&(1<<(row&63)) != 0
}

func (b *bitmap) set(row uint32) {
	for int(row>>6) >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[row>>6] |= 1 << (row & 63)
}

// numbers are integers, days, microseconds and the bits of floats.
type numbers[T int32 | int64] []T

func (n numbers[T]) at(row uint32) cell          { return cell{num: int64(n[row])} }
func (n numbers[T]) gather(rows []uint32) values { return numbers[T](pick(n, rows)) }
func (n numbers[T]) rows() int                   { return len(n) }

// flags are booleans.
type flags struct {
	set   bitmap
	count int
}

func (f flags) rows() int { return f.count }

func (f flags) at(row uint32) cell {
	if f.set.has(row) {
		return cell{num: 1}
	}
	return cell{}
}

func (f flags) gather(rows []uint32) values {
	out := flags{count: len(rows)}
	for i, r := range rows {
		if f.set.has(r) {
			out.set.set(uint32(i))
		}
	}
	return out
}

// codes are positions in the list of an enum's values.
type codes []uint32

func (c codes) at(row uint32) cell          { return cell{num: int64(c[row])} }
func (c codes) gather(rows []uint32) values { return codes(pick(c, rows)) }
func (c codes) rows() int                   { return len(c) }

// words are texts of which many are equal: positions in a dictionary in
// ascending order, so that codes compare as their words do, but for what late
// tells.
type words struct {
	codes []uint32
	dict  []string
	late  *lateWords // nil while the dictionary is in order
}

func (w words) at(row uint32) cell { return cell{text: w.dict[w.codes[row]]} }
func (w words) gather(rows []uint32) values {
	return words{codes: pick(w.codes, rows), dict: w.dict, late: w.late}
}
func (w words) rows() int { return len(w.codes) }

// uuids are UUIDs, 16 bytes each, in one string.
type uuids string

func (u uuids) at(row uint32) cell { return cell{text: string(u[row*16 : row*16+16])} }
func (u uuids) rows() int          { return len(u) / 16 }

func (u uuids) gather(rows []uint32) values {
	out := make([]byte, 0, len(rows)*16)
	for _, r := range rows {
		out = append(out, u[r*16:r*16+16]...)
	}
	return uuids(out)
}

func pick[T any](from []T, rows []uint32) []T {
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = from[r]
	}
	return out
}
