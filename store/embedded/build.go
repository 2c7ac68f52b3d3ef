package embedded

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/trellisgraph/trellis/store/memory"
)

// defaultDatabase holds the tables without a schema of their own.
const defaultDatabase = "graph"

// newCatalog lays a graph out in databases.
func newCatalog(g *memory.Graph) *catalog {
	c := &catalog{databases: map[string]*database{}}
	c.database(defaultDatabase)
	for _, p := range plots(g) {
		d := c.database(cmp.Or(p.name.Schema, defaultDatabase))
		t := p.build(d.name)
		d.add(t)
	}
	return c
}

func (c *catalog) database(name string) *database {
	key := strings.ToLower(name)
	if c.databases[key] == nil {
		d := &database{name: name, tables: map[string]*table{}}
		c.databases[key] = d
		c.list = append(c.list, d)
	}
	return c.databases[key]
}

// build makes the table of a plot.
func (p *plot) build(database string) *table {
	columns := make(sql.Schema, len(p.order))
	for i, name := range p.order {
		columns[i] = p.column(name)
		columns[i].Source, columns[i].DatabaseSource = p.name.Name, database
	}
	indexes, keys := p.indexes(columns)
	segments := make([]*segment, len(p.parts))
	for i, part := range p.parts {
		segments[i] = part.segment(p.order, columns, keys)
	}
	var primary []int
	if len(p.parts) == 1 {
		for _, name := range p.parts[0].key {
			ordinal := columns.IndexOfColName(name)
			columns[ordinal].PrimaryKey = true
			primary = append(primary, ordinal)
		}
	}
	return newTable(database, p.name.Name, columns, primary, indexes, segments)
}

// column unites what the parts say about a column. Integers of two widths
// become the wider, anything else that differs becomes text.
func (p *plot) column(name string) *sql.Column {
	out := &sql.Column{Name: name}
	for _, part := range p.parts {
		sources := part.columns[strings.ToLower(name)]
		null := true
		for _, s := range sources {
			null = null && s.nullable
			switch {
			case s.typ == nil || s.typ == out.Type:
			case out.Type == nil || out.Type.Equals(s.typ):
				out.Type = s.typ
			case types.IsInteger(out.Type) && types.IsInteger(s.typ):
				out.Type = types.Int64
			default:
				out.Type = textType
			}
		}
		out.Nullable = out.Nullable || null
	}
	if out.Type == nil {
		out.Type = textType
	}
	return out
}

// indexes unites the indexes of the parts: one for each list of columns. keys
// are their columns in lower case. The engine takes names apart at points, so
// names with one have no index.
func (p *plot) indexes(columns sql.Schema) (out []*index, keys []string) {
	for _, part := range p.parts {
		for _, x := range part.indexes {
			key := strings.ToLower(strings.Join(x.columns, "\x00"))
			if slices.Contains(keys, key) || strings.Contains(p.name.Name+key, ".") {
				continue
			}
			made := &index{position: len(out), unique: x.unique && len(p.parts) == 1, id: "i" + strconv.Itoa(len(out))}
			for _, name := range x.columns {
				made.columns = append(made.columns, columns.IndexOfColName(name))
			}
			if len(p.parts) == 1 && slices.Equal(x.columns, part.key) {
				made.id = "PRIMARY"
			}
			out, keys = append(out, made), append(keys, key)
		}
	}
	return out, keys
}

// segment makes the readers and finders of a part.
func (p *part) segment(names []string, columns sql.Schema, keys []string) *segment {
	s := &segment{rows: p.rows, finders: make([][]finder, len(keys))}
	for i, name := range names {
		s.columns = append(s.columns, united(p.columns[strings.ToLower(name)], columns[i].Type))
	}
	for i, key := range keys {
		s.finders[i] = p.finders(strings.Split(key, "\x00"), s, columns)
	}
	return s
}

// finders returns the finders of an index's columns: those of the part where
// they speak of the column's own values, or else a sorted one.
func (p *part) finders(names []string, s *segment, columns sql.Schema) []finder {
	own := true
	sorted := &sortedFinder{rows: p.rows}
	for _, name := range names {
		ordinal := columns.IndexOfColName(name)
		sorted.cells = append(sorted.cells, s.columns[ordinal])
		for _, src := range p.columns[name] {
			own = own && src.typ != nil && src.typ.Equals(columns[ordinal].Type)
		}
	}
	if p.columns[names[0]] == nil {
		return []finder{noFinder{}}
	}
	var out []finder
	for _, x := range p.indexes {
		if strings.ToLower(strings.Join(x.columns, "\x00")) != strings.Join(names, "\x00") {
			continue
		}
		own = own && x.finder != nil
		out = append(out, x.finder)
	}
	if !own || len(out) == 0 {
		return []finder{sorted}
	}
	return out
}

// noFinder is the finder of a segment in which the column is null.
type noFinder struct{}

func (noFinder) find([]bound) (span, bool) { return span{}, true }

// united reads the first source that is not null, as a cell of a type.
func united(sources []source, typ sql.Type) reader {
	if len(sources) == 0 {
		return nothing
	}
	readers := make([]reader, len(sources))
	for i, s := range sources {
		readers[i] = s.as(typ)
	}
	if len(readers) == 1 {
		return readers[0]
	}
	return func(row uint32) any {
		for _, read := range readers {
			if cell := read(row); cell != nil {
				return cell
			}
		}
		return nil
	}
}

// as returns a reader of the source's cells in a type.
func (s source) as(typ sql.Type) reader {
	if s.typ == nil {
		var cell any = s.text
		if n, err := strconv.ParseInt(s.text, 10, 64); err == nil && types.IsInteger(typ) {
			cell = recast(n, typ)
		}
		if s.read == nil {
			return func(uint32) any { return cell }
		}
		return func(row uint32) any {
			if s.read(row) == nil {
				return nil
			}
			return cell
		}
	}
	if s.typ.Equals(typ) {
		return s.read
	}
	return func(row uint32) any { return recast(s.read(row), typ) }
}

// recast turns a cell into one of a wider integer type, or into text.
func recast(cell any, typ sql.Type) any {
	if cell == nil {
		return nil
	}
	if !types.IsInteger(typ) {
		return fmt.Sprint(cell)
	}
	var n int64
	switch v := cell.(type) {
	case int8:
		n = int64(v)
	case int32:
		n = int64(v)
	case int64:
		n = v
	}
	switch {
	case typ.Equals(types.Int32):
		return int32(n)
	case typ.Equals(types.Boolean):
		return int8(n)
	}
	return n
}
