package native

import (
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// numberOf is a value as an integer in the order of the column's values; see
// column.number. Of dictionaries it is the first position whose text is not
// less. It reports false where the column cannot have the value.
func (c *column) numberOf(v graph.Value) (n int64, exact bool) {
	switch c.property.Type {
	case schema.Int32, schema.Int64:
		return v.Int(), v.Kind() == graph.KindInt
	case schema.Float:
		return orderedOf(v.Float()), true
	case schema.Bool:
		if v.Bool() {
			return 1, true
		}
		return 0, true
	case schema.Date:
		return v.Days(), true
	case schema.DateTime:
		return v.Micros(), true
	case schema.Enum:
		i := c.property.EnumIndex(v.Text())
		return int64(i), i >= 0
	}
	return c.position(v.Text())
}

// position is where a text stands in the dictionary, or would if that is in
// order.
func (c *column) position(text string) (n int64, exact bool) {
	if c.lexicon != nil {
		return c.lexicon.code(c, text)
	}
	if c.property.Type == schema.Decimal {
		i, found := sort.Find(len(c.Dict), func(i int) int { return compareDecimals(text, c.Dict[i]) })
		return int64(i), found
	}
	i, found := slices.BinarySearch(c.Dict, text)
	return int64(i), found
}

// bindRange makes the range of values that fulfil a comparison.
func (c comparison) bindRange(r *run, a *arg) {
	v := r.params[c.slot]
	if c.op == graph.StartsWith {
		c.column.startRange(a, v.Text())
		return
	}
	n, exact := c.column.numberOf(v)
	a.lo, a.hi = math.MinInt64, math.MaxInt64
	switch c.op {
	case graph.Eq:
		a.lo, a.hi = n, n
		if !exact {
			a.none()
		}
	case graph.Lt:
		if a.hi = n - 1; n == math.MinInt64 {
			a.none()
		}
	case graph.Lte:
		if a.hi = n; !exact {
			a.hi--
		}
	case graph.Gt:
		switch {
		case !exact:
			a.lo = n
		case n == math.MaxInt64:
			a.none()
		default:
			a.lo = n + 1
		}
	case graph.Gte:
		a.lo = n
	}
}

// startRange makes the range of a dictionary's texts that begin with another.
func (c *column) startRange(a *arg, prefix string) {
	first := sort.SearchStrings(c.Dict, prefix)
	n := sort.Search(len(c.Dict)-first, func(i int) bool { return !strings.HasPrefix(c.Dict[first+i], prefix) })
	a.lo, a.hi = int64(first), int64(first+n-1)
}

// bindList makes the sorted list of the values compared with.
func (c comparison) bindList(r *run, a *arg) {
	a.list = a.list[:0]
	for i := range c.n {
		if n, exact := c.column.numberOf(r.params[int(c.slot)+i]); exact {
			a.list = append(a.list, n)
		}
	}
	slices.Sort(a.list)
}

// bindCodes makes the set of codes that fulfil a comparison.
func (c comparison) bindCodes(r *run, a *arg) {
	size := len(c.column.Dict)
	if c.column.Dict == nil {
		size = len(c.column.property.Values)
	}
	set := r.codeSet(a, size)
	if c.op == graph.In {
		for i := range c.n {
			if n, exact := c.column.numberOf(r.params[int(c.slot)+i]); exact {
				set[n>>6] |= 1 << (n & 63)
			}
		}
		return
	}
	pattern := r.params[c.slot].Text()
	for i, text := range c.column.Dict {
		if matches(c.op, text, pattern) {
			set[i>>6] |= 1 << (i & 63)
		}
	}
}

// codeSet makes the empty set of so many codes.
func (r *run) codeSet(a *arg, size int) []uint64 {
	a.first, a.words = len(r.bits), (size+63)/64
	for range a.words {
		r.bits = append(r.bits, 0)
	}
	return r.bits[a.first:]
}

// bindWords makes the set of the codes whose words fulfil a comparison, of a
// dictionary that is not in order.
func (c comparison) bindWords(r *run, a *arg) {
	c.bindTexts(r, a)
	set := r.codeSet(a, len(c.column.Dict))
	t := textTest{comparison: c}
	for i, text := range c.column.Dict {
		if t.fulfilled(a, text) {
			set[i>>6] |= 1 << (i & 63)
		}
	}
}

// bindTexts makes the texts compared with, sorted where there are several.
func (c comparison) bindTexts(r *run, a *arg) {
	a.texts = a.texts[:0]
	for i := range c.n {
		text := r.params[int(c.slot)+i].Text()
		if c.column.property.Type == schema.UUID {
			text = uuidBytes(text)
		}
		a.texts = append(a.texts, text)
	}
	if c.n > 1 {
		slices.SortFunc(a.texts, c.column.compareTexts)
	}
}

// uuidBytes are the 16 bytes of a UUID's text form.
func uuidBytes(text string) string {
	out := make([]byte, 0, 16)
	digit := func(c byte) byte {
		if c >= 'a' {
			return c - 'a' + 10
		}
		return c - '0'
	}
	for i := 0; i+1 < len(text); i += 2 {
		if text[i] == '-' {
			i++
		}
		out = append(out, digit(text[i])<<4|digit(text[i+1]))
	}
	return string(out)
}
