package embedded

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
)

// A table is one physical table of the schema's mapping. Its rows are those of
// its segments, one after the other; no row is copied, every value is read from
// the graph when the engine asks for it.
type table struct {
	name     string
	database string
	schema   sql.PrimaryKeySchema
	indexes  []sql.Index
	segments []*segment

	// projected lists the ordinals of the columns that rows hold; nil for all.
	projected []int
	visible   sql.Schema
	names     []string
}

// A segment is the part of a table that one label or one pair contributes.
type segment struct {
	rows    uint32
	columns []reader   // by ordinal of the table's columns
	finders [][]finder // by position in the table's indexes
}

// A reader returns a column's value in a row of a segment, in the Go type of
// the column's SQL type; nil for NULL.
type reader func(row uint32) any

func newTable(database, name string, columns sql.Schema, key []int, indexes []*index, segments []*segment) *table {
	t := &table{name: name, database: database, segments: segments, visible: columns}
	t.schema = sql.NewPrimaryKeySchema(columns, key...)
	for _, x := range indexes {
		x.bind(t)
		t.indexes = append(t.indexes, x)
	}
	return t
}

func (t *table) Name() string               { return t.name }
func (t *table) String() string             { return t.name }
func (t *table) Collation() sql.CollationID { return textCollation }
func (t *table) Schema() sql.Schema         { return t.visible }

// PrimaryKeySchema names the key only where the mapping makes it unique: in a
// table of one label.
func (t *table) PrimaryKeySchema() sql.PrimaryKeySchema { return t.schema }

func (t *table) RowCount(*sql.Context) (uint64, bool, error) {
	var n uint64
	for _, s := range t.segments {
		n += uint64(s.rows)
	}
	return n, true, nil
}

// DataLength is an estimate of 16 bytes a column; the planner only compares it
// with that of other tables.
func (t *table) DataLength(ctx *sql.Context) (uint64, error) {
	n, _, err := t.RowCount(ctx)
	return n * 16 * uint64(len(t.schema.Schema)), err
}

func (t *table) Projections() []string { return t.names }

func (t *table) WithProjections(names []string) sql.Table {
	p := *t
	p.names = names
	p.projected = make([]int, len(names))
	p.visible = make(sql.Schema, len(names))
	for i, name := range names {
		p.projected[i] = t.schema.Schema.IndexOfColName(name)
		p.visible[i] = t.schema.Schema[p.projected[i]]
	}
	return &p
}

func (t *table) GetIndexes(*sql.Context) ([]sql.Index, error) { return t.indexes, nil }

// PreciseMatch is false: the engine keeps its filters above an index, which
// makes a lookup that finds too much harmless.
func (t *table) PreciseMatch() bool { return false }

func (t *table) IndexedAccess(*sql.Context, sql.IndexLookup) sql.IndexedTable { return t }

// Partitions returns the whole table as one partition.
func (t *table) Partitions(*sql.Context) (sql.PartitionIter, error) {
	p := &partition{}
	for _, s := range t.segments {
		p.spans = append(p.spans, span{segment: s, end: s.rows})
	}
	return sql.PartitionsToPartitionIter(p), nil
}

// LookupPartitions returns the rows that a lookup finds as one partition, in
// the order of the index.
func (t *table) LookupPartitions(ctx *sql.Context, lookup sql.IndexLookup) (sql.PartitionIter, error) {
	p := &partition{reverse: lookup.IsReverse}
	x, ok := lookup.Index.(*index)
	if ok && !lookup.IsEmptyRange {
		ranges, _ := lookup.Ranges.(sql.MySQLRangeCollection)
		for _, r := range ranges {
			spans, err := x.find(ctx, t, r)
			if err != nil {
				return nil, err
			}
			if lookup.IsReverse {
				for i, j := 0, len(spans)-1; i < j; i, j = i+1, j-1 {
					spans[i], spans[j] = spans[j], spans[i]
				}
			}
			p.spans = append(p.spans, spans...)
		}
	}
	return sql.PartitionsToPartitionIter(p), nil
}

func (t *table) PartitionRows(_ *sql.Context, p sql.Partition) (sql.RowIter, error) {
	part, ok := p.(*partition)
	if !ok {
		return nil, errForeignPartition
	}
	return &rowIter{partition: part, projected: t.projected, width: len(t.visible)}, nil
}

// A partition is a sequence of spans.
type partition struct {
	spans   []span
	reverse bool
}

func (p *partition) Key() []byte { return []byte{0} }

// A span is some rows of a segment: those listed, or those from first to
// before end if there is no list.
type span struct {
	segment    *segment
	list       []uint32
	first, end uint32
}

func (s *span) len() int {
	if s.list != nil {
		return len(s.list)
	}
	return int(s.end - s.first)
}

func (s *span) row(i int) uint32 {
	if s.list != nil {
		return s.list[i]
	}
	return s.first + uint32(i)
}

// rowsBetweenChecks is how many rows are read before the context is looked at
// again.
const rowsBetweenChecks = 1024

type rowIter struct {
	partition *partition
	projected []int
	width     int
	span, row int
	read      int
}

func (it *rowIter) Next(ctx *sql.Context) (sql.Row, error) {
	if it.read++; it.read%rowsBetweenChecks == 0 && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for it.span < len(it.partition.spans) {
		s := &it.partition.spans[it.span]
		n := s.len()
		if it.row >= n {
			it.span, it.row = it.span+1, 0
			continue
		}
		at := it.row
		if it.partition.reverse {
			at = n - 1 - at
		}
		it.row++
		return it.build(s.segment, s.row(at)), nil
	}
	return nil, io.EOF
}

func (it *rowIter) build(s *segment, row uint32) sql.Row {
	out := make(sql.Row, it.width)
	if it.projected == nil {
		for i, read := range s.columns {
			out[i] = read(row)
		}
		return out
	}
	for i, ordinal := range it.projected {
		out[i] = s.columns[ordinal](row)
	}
	return out
}

func (it *rowIter) Close(*sql.Context) error { return nil }
