package memory

import (
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/schema"
)

// A columnBuilder takes the values of one property in the order of input.
type columnBuilder struct {
	property *schema.Property
	nulls    bitmap
	count    uint32
	small    list[int32] // int32, date
	large    list[int64] // int64, datetime, float
	set      bitmap      // bool
	enum     list[uint32]
	uuid     []byte
	text     textBuilder // string, decimal, json
}

func newColumns(props []*schema.Property) []columnBuilder {
	out := make([]columnBuilder, len(props))
	for i, p := range props {
		out[i].property = p
	}
	return out
}

func (b *columnBuilder) add(c cell) {
	if c.null {
		b.nulls.set(b.count)
		c = cell{}
	}
	switch b.property.Type {
	case schema.Int32, schema.Date:
		b.small.add(int32(c.num))
	case schema.Bool:
		if c.num != 0 {
			b.set.set(b.count)
		}
	case schema.Enum:
		b.enum.add(uint32(c.num))
	case schema.UUID:
		if c.text == "" {
			c.text = noUUID
		}
		b.uuid = append(b.uuid, c.text...)
	case schema.String, schema.Decimal, schema.JSON:
		b.text.add(c.text)
	default:
		b.large.add(c.num)
	}
	b.count++
}

func (b *columnBuilder) finish() Column {
	c := Column{property: b.property, nulls: b.nulls}
	switch b.property.Type {
	case schema.Int32, schema.Date:
		c.values = numbers[int32](b.small.flatten())
	case schema.Bool:
		c.values = flags{set: b.set, count: int(b.count)}
	case schema.Enum:
		c.values = codes(b.enum.flatten())
	case schema.UUID:
		c.values = uuids(b.uuid)
	case schema.String, schema.Decimal, schema.JSON:
		c.values = b.text.finish(b.property.Type)
	default:
		c.values = numbers[int64](b.large.flatten())
	}
	*b = columnBuilder{}
	return c
}

// noUUID stands where a UUID is null.
const noUUID = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

const (
	// maxDict is the number of distinct texts up to which a column keeps a
	// dictionary, as long as each text occurs twice on average after the
	// first sampleRows rows.
	maxDict    = 1 << 16
	sampleRows = 1024
)

// A textBuilder keeps a dictionary until it does not pay.
type textBuilder struct {
	plain bool
	dict  map[string]uint32
	words []string
	codes list[uint32]
	texts textBlocks
}

func (b *textBuilder) add(text string) {
	if b.plain {
		b.texts.add(text)
		return
	}
	code, ok := b.dict[text]
	if !ok {
		if b.dict == nil {
			b.dict = map[string]uint32{}
		}
		code = uint32(len(b.words))
		text = strings.Clone(text)
		b.dict[text] = code
		b.words = append(b.words, text)
	}
	b.codes.add(code)
	if n := b.codes.len(); len(b.words) > maxDict || n >= sampleRows && len(b.words) > n/2 {
		b.spell()
	}
}

// spell gives the dictionary up.
func (b *textBuilder) spell() {
	for _, code := range b.codes.flatten() {
		b.texts.add(b.words[code])
	}
	b.plain, b.dict, b.words = true, nil, nil
}

func (b *textBuilder) finish(t schema.Type) values {
	if b.plain {
		return b.texts.finish()
	}
	order := make([]uint32, len(b.words))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int {
		return compareCells(t, cell{text: b.words[x]}, cell{text: b.words[y]})
	})
	rank := make([]uint32, len(order))
	for i, code := range order {
		rank[code] = uint32(i)
	}
	out := words{codes: b.codes.flatten(), dict: pick(b.words, order)}
	for i, code := range out.codes {
		out.codes[i] = rank[code]
	}
	return out
}
