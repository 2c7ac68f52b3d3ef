package memory

import (
	"slices"
	"sort"

	"github.com/trellisgraph/trellis/schema"
)

// grown are texts or UUIDs to which batches added some, each a string, or which
// they changed.
type grown struct {
	base values // texts or uuids
	from uint32 // base's rows
	more []string
	// changed has the rows that are not what base and more say.
	changed map[uint32]string
}

func (g grown) at(row uint32) cell {
	if text, ok := g.changed[row]; ok {
		return cell{text: text}
	}
	if row < g.from {
		return g.base.at(row)
	}
	return cell{text: g.more[row-g.from]}
}

func (g grown) rows() int { return int(g.from) + len(g.more) }

func (g grown) gather(rows []uint32) values {
	if _, ok := g.base.(uuids); ok {
		out := make([]byte, 0, len(rows)*16)
		for _, r := range rows {
			out = append(out, g.at(r).text...)
		}
		return uuids(out)
	}
	var out textBlocks
	for _, r := range rows {
		out.add(g.at(r).text)
	}
	return out.finish()
}

// lateWords finds the words that batches added at the end of a dictionary.
// Only the writer reads it, and adds to it; what a batch added that was refused
// is told by the dictionary, which does not have it.
type lateWords struct {
	sorted int // words before these are in order
	codes  map[string]uint32
}

// code returns the code of a word of a type, adding it to the dictionary if it
// is not there.
func (w *words) code(t schema.Type, word string) uint32 {
	sorted := len(w.dict)
	if w.late != nil {
		sorted = w.late.sorted
	}
	at := sort.Search(sorted, func(i int) bool { return compareCells(t, cell{text: w.dict[i]}, cell{text: word}) >= 0 })
	if at < sorted && w.dict[at] == word {
		return uint32(at)
	}
	code := uint32(len(w.dict))
	if at < sorted || w.late != nil {
		if w.late == nil {
			w.late = &lateWords{sorted: sorted, codes: map[string]uint32{}}
		}
		if c, ok := w.late.codes[word]; ok && c < code && w.dict[c] == word {
			return c
		}
		w.late.codes[word] = code
	}
	w.dict = append(w.dict, word)
	return code
}

// sort returns the words in order, without those that no row has, or spelled
// out where a dictionary does not pay.
func (w words) sort(t schema.Type, nulls bitmap) values {
	used := make([]bool, len(w.dict))
	for row, code := range w.codes {
		used[code] = used[code] || !nulls.has(uint32(row))
	}
	var order []uint32
	for code, is := range used {
		if is {
			order = append(order, uint32(code))
		}
	}
	if w.late == nil && len(order) == len(w.dict) {
		return w
	}
	if n := len(w.codes); len(order) > maxDict || n >= sampleRows && len(order) > n/2 {
		var out textBlocks
		for _, code := range w.codes {
			out.add(w.dict[code])
		}
		return out.finish()
	}
	slices.SortFunc(order, func(a, b uint32) int {
		return compareCells(t, cell{text: w.dict[a]}, cell{text: w.dict[b]})
	})
	rank := make([]uint32, len(w.dict)) // where the row is null: any
	for i, code := range order {
		rank[code] = uint32(i)
	}
	out := words{codes: make([]uint32, len(w.codes)), dict: pick(w.dict, order)}
	for row, code := range w.codes {
		out.codes[row] = rank[code]
	}
	if len(out.dict) == 0 && len(out.codes) > 0 {
		out.dict = []string{""}
	}
	return out
}
