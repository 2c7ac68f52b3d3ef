package native

import (
	"slices"
	"sort"
	"sync"
)

// A lexicon finds the words of a dictionary to which batches have added, and
// which therefore is in order only as far as it was built.
type lexicon struct {
	once sync.Once
	// The first words are in order; late has the codes of the others, in the
	// order of their words.
	first int
	late  []uint32
}

// code is the position of a text in the dictionary of a column.
func (x *lexicon) code(c *column, text string) (code int64, found bool) {
	x.once.Do(func() { x.sort(c) })
	at, found := sort.Find(x.first, func(i int) int { return c.compareTexts(text, c.Dict[i]) })
	if found {
		return int64(at), true
	}
	if at, found = sort.Find(len(x.late), func(i int) int { return c.compareTexts(text, c.Dict[x.late[i]]) }); found {
		return int64(x.late[at]), true
	}
	return 0, false
}

func (x *lexicon) sort(c *column) {
	x.first = min(1, len(c.Dict))
	for x.first < len(c.Dict) && c.compareTexts(c.Dict[x.first-1], c.Dict[x.first]) < 0 {
		x.first++
	}
	for code := x.first; code < len(c.Dict); code++ {
		x.late = append(x.late, uint32(code))
	}
	slices.SortFunc(x.late, func(a, b uint32) int { return c.compareTexts(c.Dict[a], c.Dict[b]) })
}
