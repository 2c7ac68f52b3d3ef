package memory

import "math"

const (
	// blockRows is the number of texts kept in one string.
	blockRows = 256
	// maxText is the length of the longest text, in bytes; so a block's
	// offsets fit 32 bits.
	maxText = 1<<24 - 1
)

// texts are texts that mostly differ, 256 to a block. A block is one string,
// and a row's text is a part of it.
type texts struct {
	blocks []string
	ends   []uint32 // by row, within its block
}

func (t texts) at(row uint32) cell {
	block := t.blocks[row/blockRows]
	start := uint32(0)
	if row%blockRows != 0 {
		start = t.ends[row-1]
	}
	return cell{text: block[start:t.ends[row]]}
}

func (t texts) rows() int { return len(t.ends) }

func (t texts) gather(rows []uint32) values {
	var out textBlocks
	for _, r := range rows {
		out.add(t.at(r).text)
	}
	return out.finish()
}

// textBlocks builds texts.
type textBlocks struct {
	blocks []string
	ends   list[uint32]
	open   []byte // the block that is being filled
}

func (b *textBlocks) add(text string) {
	b.open = append(b.open, text...)
	b.ends.add(uint32(len(b.open)))
	if b.ends.len()%blockRows == 0 {
		b.seal()
	}
}

func (b *textBlocks) seal() {
	b.blocks = append(b.blocks, string(b.open))
	b.open = b.open[:0]
}

func (b *textBlocks) finish() texts {
	if b.ends.len()%blockRows != 0 {
		b.seal()
	}
	b.open = nil
	return texts{blocks: b.blocks, ends: b.ends.flatten()}
}

// A list grows without moving what it holds, and so without leaving copies of
// half its size behind.
type list[T any] struct {
	full  [][]T
	last  []T
	count int // in full
}

const (
	firstChunk = 256
	maxChunk   = 1 << 16
	maxRows    = min(math.MaxUint32-1, math.MaxInt)
)

func (l *list[T]) len() int { return l.count + len(l.last) }

func (l *list[T]) add(v T) {
	if len(l.last) == cap(l.last) {
		size := firstChunk
		if l.last != nil {
			l.full = append(l.full, l.last)
			l.count += len(l.last)
			size = min(l.count, maxChunk)
		}
		l.last = make([]T, 0, size)
	}
	l.last = append(l.last, v)
}

// flatten returns the elements in one slice and empties the list.
func (l *list[T]) flatten() []T {
	out := make([]T, 0, l.len())
	for _, chunk := range l.full {
		out = append(out, chunk...)
	}
	out = append(out, l.last...)
	*l = list[T]{}
	return out
}
