package memory

import (
	"cmp"
	"hash/maphash"
	"math"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A cell is one checked value on its way into a column, or to be compared
// with what stands in one. Num holds integers, days, microseconds, the bits of
// floats, 0 or 1, and the position of an enum's value; text holds texts,
// decimals, JSON and the 16 bytes of a UUID. The text of a cell that was read
// from a file is valid until the next row is read.
type cell struct {
	null bool
	num  int64
	text string
}

// compareCells orders two values of one type that are not null.
func compareCells(t schema.Type, a, b cell) int {
	switch t {
	case schema.Float:
		return cmp.Compare(math.Float64frombits(uint64(a.num)), math.Float64frombits(uint64(b.num)))
	case schema.String, schema.JSON, schema.UUID:
		return strings.Compare(a.text, b.text)
	case schema.Decimal:
		return compareDecimals(a.text, b.text)
	}
	return cmp.Compare(a.num, b.num)
}

// compareDecimals orders two decimals of the same scale, as the decoder writes
// them.
func compareDecimals(a, b string) int {
	negative := strings.HasPrefix(a, "-")
	if negative != strings.HasPrefix(b, "-") {
		if negative {
			return -1
		}
		return 1
	}
	order := cmp.Compare(len(a), len(b))
	if order == 0 {
		order = strings.Compare(a, b)
	}
	if negative {
		return -order
	}
	return order
}

// hash mixes the value into h.
func (c cell) hash(t schema.Type, seed maphash.Seed, h uint64) uint64 {
	switch t {
	case schema.String, schema.JSON, schema.UUID, schema.Decimal:
		return mix(h ^ maphash.String(seed, c.text))
	}
	return mix(h ^ uint64(c.num))
}

// mix is the finalizer of splitmix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// value returns the cell as the graph shows it.
func (c cell) value(p *schema.Property) graph.Value {
	if c.null {
		return graph.Null()
	}
	switch p.Type {
	case schema.Int32, schema.Int64:
		return graph.Int(c.num)
	case schema.Float:
		return graph.Float(math.Float64frombits(uint64(c.num)))
	case schema.Bool:
		return graph.Bool(c.num != 0)
	case schema.Enum:
		return graph.String(p.Values[c.num].Name)
	case schema.Date:
		return graph.DateFromDays(c.num)
	case schema.DateTime:
		return graph.DateTimeFromMicros(c.num)
	case schema.UUID:
		return graph.UUID(uuidText(c.text))
	case schema.Decimal:
		return graph.Decimal(c.text)
	case schema.JSON:
		return graph.JSON(c.text)
	}
	return graph.String(c.text)
}
