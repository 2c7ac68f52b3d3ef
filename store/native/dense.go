package native

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A dense numbering gives equal values of a column the same small number, so
// that groups are found by position. Null is a value here. It is made when a
// group first needs it, and serves all calls from then on.
type dense struct {
	turn chan struct{} // has room for the one who makes it
	made atomic.Bool
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

// of returns the numbering of a column. Where the run ends before it is made, it is
// an empty one, and the next run that needs it makes it.
func (d *denses) of(r *run, c *column, unit graph.TimeUnit) *dense {
	d.mu.Lock()
	if d.kept == nil {
		d.kept = map[denseKey]*dense{}
	}
	key := denseKey{c, unit}
	n := d.kept[key]
	if n == nil {
		n = &dense{turn: make(chan struct{}, 1)}
		d.kept[key] = n
	}
	d.mu.Unlock()
	if !n.made.Load() && !n.make(r, c, unit) {
		return &dense{}
	}
	return n
}

// make makes the numbering, or waits for who does. It reports false where the run
// ended before.
func (d *dense) make(r *run, c *column, unit graph.TimeUnit) bool {
	select {
	case d.turn <- struct{}{}:
	case <-r.ctx.Done():
		r.err = r.ctx.Err()
		return false
	}
	defer func() { <-d.turn }()
	if d.made.Load() {
		return true
	}
	made := dense{}
	if !made.number(r, c, unit) {
		return false
	}
	d.codes, d.rows, d.size, d.starts = made.codes, made.rows, made.size, made.starts
	d.made.Store(true)
	return true
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

// number fills the numbering. It reports false where the run ended before.
func (d *dense) number(r *run, c *column, unit graph.TimeUnit) bool {
	d.codes = make([]uint32, c.rows)
	switch {
	case unit != "":
		if !numberRows(r, d, c, func(row uint32) int64 { return bucketStart(c, row, unit) }) {
			return false
		}
		d.starts = make([]int64, d.size)
		for code, row := range d.rows {
			if !c.null(row) {
				d.starts[code] = bucketStart(c, row, unit)
			}
		}
		return true
	case c.Codes != nil:
		return numberRows(r, d, c, func(row uint32) uint32 { return c.Codes[row] })
	case c.kind >= textColumn:
		return numberRows(r, d, c, c.text)
	}
	return numberRows(r, d, c, c.number)
}

func numberRows[T comparable](r *run, d *dense, c *column, value func(row uint32) T) bool {
	known := map[T]uint32{}
	null := -1
	for row := range c.rows {
		if row%stride == 0 && r.err == nil {
			r.err = r.ctx.Err()
		}
		if r.err != nil {
			return false
		}
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
	return true
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
