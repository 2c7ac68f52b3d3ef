package native

import (
	"sync"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A dense numbering gives equal values of a column the same small number, so
// that groups are found by position. Null is a value here. It is made when a
// group first needs it, and serves all calls from then on.
type dense struct {
	once sync.Once
	// codes are the numbers by row; nil where every row has its own.
	codes []uint32
	// rows has a row of each number.
	rows []uint32
	size int
	// starts are the beginnings of buckets by number, in days or, of minutes and
	// hours, in microseconds.
	starts []int64
}

// A denseKey names a numbering: of a column, or of the buckets of its times.
type denseKey struct {
	column *column
	unit   graph.TimeUnit
}

// denses keeps the numberings of a graph's columns.
type denses struct {
	mu   sync.Mutex
	kept map[denseKey]*dense
}

// keep takes over the numberings of the columns that are still those of t.
func (d *denses) keep(before *denses, t *tables) {
	before.mu.Lock()
	defer before.mu.Unlock()
	for key, n := range before.kept {
		if l := key.column.table; l != nil && t.labels[l.label.Name] == l {
			if d.kept == nil {
				d.kept = map[denseKey]*dense{}
			}
			d.kept[key] = n
		}
	}
}

// of returns the numbering of a column, whose rows are at most so many.
func (d *denses) of(c *column, unit graph.TimeUnit) *dense {
	d.mu.Lock()
	if d.kept == nil {
		d.kept = map[denseKey]*dense{}
	}
	key := denseKey{c, unit}
	n := d.kept[key]
	if n == nil {
		n = &dense{}
		d.kept[key] = n
	}
	d.mu.Unlock()
	n.once.Do(func() { n.number(c, unit) })
	return n
}

func (d *dense) code(row uint32) uint32 {
	if d.codes == nil {
		return row
	}
	return d.codes[row]
}

// row returns a row that has a code's value.
func (d *dense) row(code uint32) uint32 {
	if d.codes == nil {
		return code
	}
	return d.rows[code]
}

// own reports whether every node has a value of its own.
func (d *dense) own(t *table) bool { return d.codes == nil || d.size == int(t.living) }

// number makes the numbering.
func (d *dense) number(c *column, unit graph.TimeUnit) {
	d.codes = make([]uint32, c.rows)
	switch {
	case unit != "":
		numberRows(d, c, func(row uint32) int64 { return bucketStart(c, row, unit) })
		d.starts = make([]int64, d.size)
		for code, row := range d.rows {
			if !c.null(row) {
				d.starts[code] = bucketStart(c, row, unit)
			}
		}
	case c.Codes != nil:
		numberRows(d, c, func(row uint32) uint32 { return c.Codes[row] })
	case c.kind >= textColumn:
		numberRows(d, c, c.text)
	default:
		numberRows(d, c, c.number)
	}
}

func numberRows[T comparable](d *dense, c *column, value func(row uint32) T) {
	known := map[T]uint32{}
	null := -1
	for row := range c.rows {
		if c.table != nil && bit(c.table.dead, row) {
			continue
		}
		if c.null(row) {
			if null < 0 {
				null = len(d.rows)
				d.rows = append(d.rows, row)
			}
			d.codes[row] = uint32(null)
			continue
		}
		v := value(row)
		code, ok := known[v]
		if !ok {
			code = uint32(len(d.rows))
			known[v] = code
			d.rows = append(d.rows, row)
		}
		d.codes[row] = code
	}
	d.size = len(d.rows)
}

const microsOfDay = 24 * 60 * 60 * 1_000_000

// bucketStart is the beginning of the stretch of time in which a row's value
// lies: in days, or in microseconds for minutes and hours.
func bucketStart(c *column, row uint32, unit graph.TimeUnit) int64 {
	n := c.number(row)
	day := n
	if c.property.Type == schema.DateTime {
		switch unit {
		case graph.Minute:
			return floorTo(n, 60*1_000_000)
		case graph.Hour:
			return floorTo(n, 60*60*1_000_000)
		}
		day = floorTo(n, microsOfDay) / microsOfDay
	}
	if unit == graph.Day {
		return day
	}
	if unit == graph.Week {
		return floorTo(day+3, 7) - 3 // day 0 was a Thursday
	}
	y, m, _ := time.Unix(day*24*60*60, 0).UTC().Date()
	switch unit {
	case graph.Quarter:
		m -= (m - 1) % 3
	case graph.Year:
		m = time.January
	}
	return time.Date(y, m, 1, 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60)
}

// floorTo is the greatest multiple of step that is not over n.
func floorTo(n, step int64) int64 {
	rest := n % step
	if rest < 0 {
		rest += step
	}
	return n - rest
}

// bucketValue is the beginning of a bucket as answers show it.
func bucketValue(start int64, unit graph.TimeUnit) graph.Value {
	if unit == graph.Minute || unit == graph.Hour {
		return graph.DateTimeFromMicros(start)
	}
	return graph.DateFromDays(start)
}
