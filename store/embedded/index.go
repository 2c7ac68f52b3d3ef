package embedded

import (
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
)

// An index finds rows by a prefix of its columns. It answers in the order of
// its columns, nulls first, because the engine drops the sort of a query whose
// order an index has.
type index struct {
	table    *table
	id       string
	position int // among the table's indexes
	columns  []int
	unique   bool
	names    []string
	types    []sql.ColumnExpressionType
}

func (x *index) ID() string                            { return x.id }
func (x *index) Database() string                      { return x.table.database }
func (x *index) Table() string                         { return x.table.name }
func (x *index) IsUnique() bool                        { return x.unique }
func (x *index) IsSpatial() bool                       { return false }
func (x *index) IsFullText() bool                      { return false }
func (x *index) IsVector() bool                        { return false }
func (x *index) Comment() string                       { return "" }
func (x *index) IndexType() string                     { return "BTREE" }
func (x *index) IsGenerated() bool                     { return false }
func (x *index) PrefixLengths() []uint16               { return nil }
func (x *index) Reversible() bool                      { return true }
func (x *index) String() string                        { return x.id }
func (x *index) CanSupportOrderBy(sql.Expression) bool { return false }

// Order hides the order of several columns that may be null: the engine's merge
// joins, which it would allow, lose rows after such a null.
func (x *index) Order() sql.IndexOrder {
	if len(x.columns) > 1 && slices.ContainsFunc(x.columns, func(i int) bool { return x.table.schema.Schema[i].Nullable }) {
		return sql.IndexOrderNone
	}
	return sql.IndexOrderAsc
}

func (x *index) CanSupport(*sql.Context, ...sql.Range) bool { return true }

func (x *index) Expressions() []string { return x.names }

func (x *index) ColumnExpressionTypes() []sql.ColumnExpressionType { return x.types }

// bind tells the index its table. The planner asks for names and types all the
// time, so they are made once.
func (x *index) bind(t *table) {
	x.table = t
	for _, ordinal := range x.columns {
		column := t.schema.Schema[ordinal]
		x.names = append(x.names, t.name+"."+column.Name)
		x.types = append(x.types, sql.ColumnExpressionType{Expression: t.name + "." + column.Name, Type: column.Type})
	}
}

// find returns the rows whose columns lie in a range, in the index's order.
func (x *index) find(ctx *sql.Context, t *table, r sql.MySQLRange) ([]span, error) {
	bounds := make([]bound, len(r))
	for i := range r {
		b, some, err := makeBound(ctx, r[i], t.schema.Schema[x.columns[i]].Type)
		if err != nil {
			return nil, err
		}
		if !some {
			return nil, nil
		}
		bounds[i] = b
	}
	var spans []span
	ordered := true
	for _, s := range t.segments {
		before := len(spans)
		spans = x.findIn(t, s, bounds, spans)
		ordered = ordered && len(spans)-before <= 1
	}
	if len(spans) > 1 || !ordered {
		return x.merge(spans), nil
	}
	return spans, nil
}

// findIn appends the rows of one segment.
func (x *index) findIn(t *table, s *segment, bounds []bound, spans []span) []span {
	first := bounds[0]
	finders := s.finders[x.position]
	if first.null && t.schema.Schema[x.columns[0]].Nullable || len(finders) == 0 {
		// Only a scan finds nulls, and columns that the segment has no
		// order for.
		only := first
		if len(finders) > 0 {
			only = bound{null: true, none: true}
		}
		var list []uint32
		read := s.columns[x.columns[0]]
		for row := range s.rows {
			if only.holds(read(row)) && x.holds(s, row, bounds[1:], 1) {
				list = append(list, row)
			}
		}
		if len(list) > 0 {
			found := span{segment: s, list: list}
			if len(finders) == 0 {
				x.sort(&found)
			}
			spans = append(spans, found)
		}
		if first.none {
			return spans
		}
	}
	for _, f := range finders {
		found, exact := f.find(bounds)
		found.segment = s
		if !exact {
			found = x.filter(found, bounds)
		}
		if found.len() > 0 {
			spans = append(spans, found)
		}
	}
	return spans
}

// filter keeps the rows that really lie within the bounds.
func (x *index) filter(found span, bounds []bound) span {
	kept := span{segment: found.segment, list: []uint32{}}
	for i := range found.len() {
		if row := found.row(i); x.holds(found.segment, row, bounds, 0) {
			kept.list = append(kept.list, row)
		}
	}
	return kept
}

// holds reports whether a row's columns, from the index's column at on, lie
// within the bounds.
func (x *index) holds(s *segment, row uint32, bounds []bound, at int) bool {
	for i := range bounds {
		if !bounds[i].all() && !bounds[i].holds(s.columns[x.columns[at+i]](row)) {
			return false
		}
	}
	return true
}

func (x *index) sort(s *span) {
	slices.SortStableFunc(s.list, func(a, b uint32) int { return x.compare(s.segment, a, s.segment, b) })
}

// merge puts the rows of several spans into one order.
func (x *index) merge(spans []span) []span {
	type place struct {
		segment *segment
		row     uint32
	}
	var places []place
	for i := range spans {
		for j := range spans[i].len() {
			places = append(places, place{spans[i].segment, spans[i].row(j)})
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return x.compare(a.segment, a.row, b.segment, b.row) })
	var out []span
	for _, p := range places {
		if n := len(out); n > 0 && out[n-1].segment == p.segment {
			out[n-1].list = append(out[n-1].list, p.row)
			continue
		}
		out = append(out, span{segment: p.segment, list: []uint32{p.row}})
	}
	return out
}

func (x *index) compare(s *segment, a uint32, t *segment, b uint32) int {
	for _, ordinal := range x.columns {
		if c := compareCells(s.columns[ordinal](a), t.columns[ordinal](b)); c != 0 {
			return c
		}
	}
	return 0
}

// A bound is what a range allows in one column.
type bound struct {
	lower, upper         any // nil if there is none
	lowerOpen, upperOpen bool
	null                 bool // nulls lie within
	none                 bool // nothing but nulls does
}

// all reports whether every value lies within, null too.
func (b *bound) all() bool { return b.null && !b.none && b.lower == nil && b.upper == nil }

// equal returns the only value within, if the bound is an equality.
func (b *bound) equal() (any, bool) {
	if b.lower == nil || b.upper == nil || b.null || b.lowerOpen || b.upperOpen || compareCells(b.lower, b.upper) != 0 {
		return nil, false
	}
	return b.lower, true
}

func (b *bound) holds(cell any) bool { return !b.below(cell) && !b.above(cell) }

// below reports whether a cell lies before the bound; nulls lie before values.
func (b *bound) below(cell any) bool {
	if cell == nil {
		return !b.null
	}
	if b.lower == nil {
		return false
	}
	c := compareCells(cell, b.lower)
	return c < 0 || c == 0 && b.lowerOpen
}

// above reports whether a cell lies after the bound.
func (b *bound) above(cell any) bool {
	if b.none {
		return cell != nil
	}
	if b.upper == nil {
		return false
	}
	c := compareCells(cell, b.upper)
	return c > 0 || c == 0 && b.upperOpen
}

// makeBound reads the engine's range of one column. It reports whether
// anything can lie within. The engine does not always convert the values of a
// range to the column's type; they are here.
func makeBound(ctx *sql.Context, r sql.MySQLRangeColumnExpr, typ sql.Type) (bound, bool, error) {
	var b bound
	switch cut := r.LowerBound.(type) {
	case sql.BelowNull:
		b.null = true
	case sql.AboveNull:
	case sql.Below:
		b.lower = cut.Key
	case sql.Above:
		b.lower, b.lowerOpen = cut.Key, true
	default: // above all
		return b, false, nil
	}
	switch cut := r.UpperBound.(type) {
	case sql.AboveAll:
	case sql.AboveNull:
		b.none = true
		return b, b.null, nil
	case sql.Below:
		b.upper, b.upperOpen = cut.Key, true
	case sql.Above:
		b.upper = cut.Key
	default: // below null
		return b, false, nil
	}
	equality := b.lower != nil && b.upper != nil && !b.lowerOpen && !b.upperOpen && b.lower == b.upper
	for _, key := range []*any{&b.lower, &b.upper} {
		if *key == nil {
			continue
		}
		converted, in, err := typ.Convert(ctx, *key)
		switch {
		case err == nil && in == sql.InRange:
			*key = converted
		case equality:
			return b, false, nil // a value beyond the type equals nothing
		case err != nil:
			return b, false, fmt.Errorf("embedded: bound of an index: %w", err)
		default:
			*key = nil // the filter above decides
		}
	}
	return b, true, nil
}

// all reports whether the bounds let everything pass.
func all(bounds []bound) bool {
	for i := range bounds {
		if !bounds[i].all() {
			return false
		}
	}
	return true
}
