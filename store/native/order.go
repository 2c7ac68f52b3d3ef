package native

import (
	"cmp"
	"math"
	"strings"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// An order is the total order of the nodes of one label in an answer. Its last
// keys are those of the label, so that keys are its ties' order.
type order struct {
	keys  []orderKey
	table *table
	// byRow says that there are no keys: the order is that of the rows' keys.
	byRow bool
	// ties is the order of rows that have the same for the first key; nil where
	// that is the last.
	ties *order
	// seek is the arg of each key with the position after which the page
	// begins, and of the label's key; nil at the start.
	seek []seekKey
}

// An orderKey is one key of an order: a column or, without one, the rank of a
// search or the distance.
type orderKey struct {
	by     compile.OrderBy
	column *column
	desc   bool
	search []*column
	arg    int // of the search's whole text
}

// A seekKey is the position of one key.
type seekKey struct {
	key  orderKey
	null bool
	slot compile.Slot
	arg  int
	enum bool // the slot has its position
}

// order lowers the order of a page.
func (lw *lowering) order(t *table, p *compile.Page) *order {
	o := &order{table: t}
	var all []orderKey
	for _, k := range p.Order {
		key := orderKey{by: k.By, desc: k.Desc}
		switch k.By {
		case compile.ByProperty:
			key.column = t.column(k.Property)
		case compile.ByRank:
			for _, s := range k.Search {
				key.search = append(key.search, t.column(s))
			}
			key.arg = lw.arg(func(r *run, a *arg) {
				a.texts = append(a.texts[:0], foldASCII(r.params[k.Slot].Text()))
			})
		}
		all = append(all, key)
	}
	o.keys = t.withoutRow(all)
	if o.byRow = len(o.keys) == 0; len(o.keys) > 1 {
		o.ties = &order{keys: o.keys[1:], table: t}
	}
	if p.Seek != nil {
		for i, k := range all {
			s := seekKey{key: k, null: p.Seek.Null[i], slot: p.Seek.First + compile.Slot(i)}
			if k.column != nil {
				s.enum = k.column.property.Type == schema.Enum
			}
			s.arg = lw.arg(s.bind)
			o.seek = append(o.seek, s)
		}
	}
	return o
}

// withoutRow leaves out the keys at the end that say no more than the rows'
// own order.
func (t *table) withoutRow(keys []orderKey) []orderKey {
	n := len(keys) - len(t.key)
	if n < 0 {
		return keys
	}
	for i, c := range t.key {
		if k := keys[n+i]; k.column != c || k.desc {
			return keys
		}
	}
	return keys[:n]
}

func foldASCII(s string) string {
	return strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}, s)
}

// A ranked is a row on its way into an order.
type ranked struct {
	// first is what the row has for the first key, so that most comparisons
	// need no more.
	first    int64
	row      uint32
	distance uint32
}

// rank makes the entry of a row.
func (o *order) rank(r *run, row, distance uint32) ranked {
	e := ranked{row: row, distance: distance}
	if len(o.keys) > 0 {
		e.first = o.keys[0].lead(r, row, distance)
	} else if o.table.late == nil {
		e.first = int64(row)
	}
	return e
}

// top returns a top of the order.
func (o *order) top(r *run, most int) top {
	return top{most: most, by: o, run: r, heap: r.ranked[:0]}
}

// offer offers rows at a distance to a top of the order.
func (o *order) offer(r *run, t *top, rows []uint32, distance uint32) {
	if len(o.keys) > 0 && o.seek == nil {
		if k := &o.keys[0]; k.column != nil && k.column.Nulls == nil {
			switch k.column.kind {
			case smallColumn:
				offerNumbers(t, k.column.Small, k, rows, distance)
				return
			case largeColumn, floatColumn:
				offerNumbers(t, k.column.Large, k, rows, distance)
				return
			case codeColumn:
				offerNumbers(t, k.column.Codes, k, rows, distance)
				return
			}
		}
		for _, row := range rows {
			first := o.keys[0].lead(r, row, distance)
			if len(t.heap) < t.most || first <= t.heap[0].first {
				t.offer(ranked{first: first, row: row, distance: distance})
			}
		}
		return
	}
	for _, row := range rows {
		if e := o.rank(r, row, distance); o.after(r, e) {
			t.offer(e)
		}
	}
}

// offerNumbers is offer where the first key is a column of numbers, none of them
// null: most rows need no more than one look. What is wanted from the greatest
// on is looked at from the last row: times often grow with keys, and then most
// rows come after those that are kept.
func offerNumbers[T int32 | int64 | uint32](t *top, values []T, k *orderKey, rows []uint32, distance uint32) {
	desc, float, flip := k.desc, k.column.kind == floatColumn, int64(0)
	if desc {
		flip = -1
	}
	for i := range rows {
		row := rows[i]
		if desc {
			row = rows[len(rows)-1-i]
		}
		n := int64(values[row])
		if float {
			n = orderedFloat(n)
		}
		n ^= flip
		if len(t.heap) == t.most && n > t.heap[0].first {
			continue
		}
		t.offer(ranked{first: n, row: row, distance: distance})
	}
}

// lead is a number that orders rows by the key as far as a number can.
func (k *orderKey) lead(r *run, row, distance uint32) int64 {
	switch {
	case k.by == compile.ByRank:
		return k.searchRank(r, row)
	case k.by == compile.ByDistance:
		return int64(distance)
	case k.column == nil:
		return 0
	case k.column.null(row):
		return math.MaxInt64
	case k.column.kind >= textColumn:
		return 0
	}
	n := k.column.number(row)
	if k.desc {
		n = ^n
	}
	return n
}

// compare orders two entries.
func (o *order) compare(r *run, a, b ranked) int {
	if a.first != b.first {
		return cmp.Compare(a.first, b.first)
	}
	for i := range o.keys {
		if c := o.keys[i].compare(r, a, b); c != 0 {
			return c
		}
	}
	return o.table.compare(a.row, b.row)
}

func (k *orderKey) compare(r *run, a, b ranked) int {
	switch {
	case k.by == compile.ByRank:
		return cmp.Compare(k.searchRank(r, a.row), k.searchRank(r, b.row))
	case k.by == compile.ByDistance:
		return cmp.Compare(a.distance, b.distance)
	case k.column == nil:
		return 0
	}
	return k.column.compareRows(a.row, b.row, k.desc)
}

// compareRows orders two rows by the column, nulls last in both directions.
func (c *column) compareRows(a, b uint32, desc bool) int {
	if c.Nulls != nil {
		if na, nb := c.null(a), c.null(b); na || nb {
			switch {
			case na && nb:
				return 0
			case na:
				return 1
			}
			return -1
		}
	}
	var order int
	if c.kind >= textColumn {
		order = c.compareTexts(c.text(a), c.text(b))
	} else {
		order = cmp.Compare(c.number(a), c.number(b))
	}
	if desc {
		return -order
	}
	return order
}

// searchRank is how well a row matches the search: 0 where a text is equal to
// it, 1 where one begins with it, 2 otherwise.
func (k *orderKey) searchRank(r *run, row uint32) int64 {
	text := r.args[k.arg].texts[0]
	best := int64(2)
	for _, c := range k.search {
		if c.null(row) {
			continue
		}
		if have := c.text(row); prefixFolded(have, text) {
			if len(have) == len(text) {
				return 0
			}
			best = 1
		}
	}
	return best
}

// bind makes the position's value comparable with rows.
func (s *seekKey) bind(r *run, a *arg) {
	v := r.params[s.slot]
	c := s.key.column
	switch {
	case s.null:
	case c == nil || s.enum:
		a.lo, a.hi = v.Int(), v.Int()
	case c.kind >= textColumn:
		text := v.Text()
		if c.property.Type == schema.UUID {
			text = uuidBytes(text)
		}
		a.texts = append(a.texts[:0], text)
	default:
		// a text that the dictionary lacks stands between hi and lo
		n, exact := c.numberOf(v)
		if a.lo, a.hi = n, n; !exact {
			a.hi--
		}
	}
}

// compareWith orders an entry against the position.
func (s *seekKey) compareWith(r *run, e ranked) int {
	k := &s.key
	a := &r.args[s.arg]
	var n int64
	switch {
	case k.by == compile.ByRank:
		n = k.searchRank(r, e.row)
	case k.by == compile.ByDistance:
		n = int64(e.distance)
	case k.column == nil:
		return 0
	default:
		null := k.column.null(e.row)
		switch {
		case null && s.null:
			return 0
		case null:
			return 1
		case s.null:
			return -1
		}
		if k.column.kind >= textColumn {
			order := k.column.compareTexts(k.column.text(e.row), a.texts[0])
			if k.desc {
				return -order
			}
			return order
		}
		n = k.column.number(e.row)
	}
	order := 0
	switch {
	case n < a.lo && n <= a.hi:
		order = -1
	case n > a.hi:
		order = 1
	}
	if k.desc {
		return -order
	}
	return order
}

// after reports whether an entry comes after the position that the page begins
// after.
func (o *order) after(r *run, e ranked) bool {
	for i := range o.seek {
		if c := o.seek[i].compareWith(r, e); c != 0 {
			return c > 0
		}
	}
	return o.seek == nil
}

// begin is where the page begins, where keys are in the order.
func (o *order) begin(r *run) position {
	if o.seek == nil {
		return position{}
	}
	return o.table.search(func(row uint32) bool { return o.after(r, ranked{row: row}) })
}

// position appends the values of the order's keys that a row has, for the
// cursor of the page after it.
func (o *order) position(r *run, dst []graph.Value, keys []compile.OrderKey, e ranked) []graph.Value {
	for i := range keys {
		switch keys[i].By {
		case compile.ByRank:
			dst = append(dst, graph.Int(o.keys[i].searchRank(r, e.row)))
		case compile.ByDistance:
			dst = append(dst, graph.Int(int64(e.distance)))
		case compile.ByProperty:
			dst = append(dst, orderValue(o.table.column(keys[i].Property), e.row))
		}
	}
	return dst
}

// orderValue is a row's value as cursors hold it: of an enum its position.
func orderValue(c *column, row uint32) graph.Value {
	if c.property.Type == schema.Enum && !c.null(row) {
		return graph.Int(c.number(row))
	}
	return c.value(row)
}
