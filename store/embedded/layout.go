package embedded

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// A source is what one segment contributes to one column.
type source struct {
	typ  sql.Type // nil for a constant, which takes the type of the others
	read reader
	text string // of a constant
	// exclusive says that the column is a property's, whatever relationships
	// say about it.
	exclusive bool
	nullable  bool
}

// A part is a segment before its table's columns are known.
type part struct {
	rows    uint32
	columns map[string][]source // by lower-case name; the first that is not null counts
	indexes []partIndex
	key     []string // names of the columns that identify a row; nil if none do
}

// A partIndex is an index that a part asks for. Without a finder of its own it
// gets a sorted one.
type partIndex struct {
	columns []string
	unique  bool
	finder  finder
}

// A plot is a table before it is built.
type plot struct {
	name  schema.Table
	order []string // column names as the schema spells them, by first use
	parts []*part
}

func (p *plot) add(to *part, column string, s source) {
	name := strings.ToLower(column)
	if !slices.ContainsFunc(p.order, func(c string) bool { return strings.EqualFold(c, column) }) {
		p.order = append(p.order, column)
	}
	to.columns[name] = append(to.columns[name], s)
}

// plots lays a graph out as the tables that its schema maps it to.
func plots(g *memory.Graph) []*plot {
	var out []*plot
	byName := map[schema.Table]*plot{}
	at := func(t schema.Table) *plot {
		if byName[t] == nil {
			byName[t] = &plot{name: t}
			out = append(out, byName[t])
		}
		return byName[t]
	}
	s := g.Schema()
	labels := map[*schema.Label]*part{}
	for l := range s.Labels() {
		t := at(l.Table)
		labels[l] = t.label(g, l)
		t.parts = append(t.parts, labels[l])
	}
	for r := range s.Relationships() {
		for _, p := range r.Pairs {
			t := at(p.Table)
			if p.Holder != nil {
				t.held(g, p, labels[p.Holder])
				continue
			}
			t.parts = append(t.parts, t.join(g, p))
		}
	}
	return out
}

// label makes the part of a label's nodes.
func (t *plot) label(g *memory.Graph, l *schema.Label) *part {
	p := &part{rows: uint32(g.NodeCount(l)), columns: map[string][]source{}}
	for _, prop := range l.Properties {
		t.add(p, prop.Column, source{
			typ: columnType(prop), read: propertyReader(g, l, prop),
			exclusive: true, nullable: prop.Nullable && !l.IsKey(prop),
		})
	}
	t.match(p, l.Match)
	for _, k := range l.Key {
		p.key = append(p.key, k.Column)
	}
	p.indexes = append(p.indexes, partIndex{columns: p.key, unique: true, finder: keyFinder{keySequence(g, l)}})
	for _, prop := range l.Properties {
		if !prop.Index || prop.Type == schema.JSON || len(l.Key) == 1 && l.IsKey(prop) {
			continue
		}
		x := partIndex{columns: []string{prop.Column}}
		if f, ok := postingFinder(g, l, prop); ok {
			x.finder = f
		}
		p.indexes = append(p.indexes, x)
	}
	return p
}

// match adds the constants by which labels and types share a table.
func (t *plot) match(p *part, list []schema.Match) {
	for _, m := range list {
		if p.columns[strings.ToLower(m.Column)] == nil {
			t.add(p, m.Column, source{text: m.Value})
		}
	}
}

// join makes the part of a pair with rows of its own.
func (t *plot) join(g *memory.Graph, pair *schema.Pair) *part {
	p := &part{rows: uint32(g.RelCount(pair)), columns: map[string][]source{}}
	from, to := keySequence(g, pair.From), keySequence(g, pair.To)
	for i, column := range pair.FromColumns {
		cell := from.cells[i]
		t.add(p, column, source{typ: columnType(pair.From.Key[i]), exclusive: true, read: func(rel uint32) any {
			row, _ := g.Ends(pair, rel)
			return cell(row)
		}})
	}
	for i, column := range pair.ToColumns {
		cell := to.cells[i]
		t.add(p, column, source{typ: columnType(pair.To.Key[i]), exclusive: true, read: func(rel uint32) any {
			_, row := g.Ends(pair, rel)
			return cell(row)
		}})
	}
	for _, prop := range pair.Properties {
		column, cell := g.RelColumn(pair, prop), cellOf(prop)
		read := nothing
		if column.Len() > 0 {
			read = func(rel uint32) any { return cell(column.Value(rel)) }
		}
		t.add(p, prop.Column, source{typ: columnType(prop), read: read, exclusive: true, nullable: prop.Nullable})
		if prop.Index && prop.Type != schema.JSON {
			p.indexes = append(p.indexes, partIndex{columns: []string{prop.Column}})
		}
	}
	t.match(p, pair.Match)
	p.indexes = append(p.indexes,
		partIndex{columns: slices.Concat(pair.FromColumns, pair.ToColumns), unique: pair.Key == nil, finder: &outFinder{g, pair, from, to}},
		partIndex{columns: slices.Concat(pair.ToColumns, pair.FromColumns), unique: pair.Key == nil, finder: &inFinder{g, pair, to, from}})
	return p
}

// held adds a foreign key, and what belongs to it, to the part of its holder.
func (t *plot) held(g *memory.Graph, pair *schema.Pair, p *part) {
	other, columns := pair.To, pair.ToColumns
	// ref returns the relationship of a row and the node at its other end.
	ref := func(row uint32) (rel, end uint32, ok bool) {
		first, last := g.Out(pair, row)
		if first == last {
			return 0, 0, false
		}
		return first, g.Targets(pair)[first], true
	}
	if pair.HolderIsTo {
		other, columns = pair.From, pair.FromColumns
		ref = func(row uint32) (rel, end uint32, ok bool) {
			in := g.In(pair, row)
			if len(in) == 0 {
				return 0, 0, false
			}
			return in[0], g.Sources(pair, row)[0], true
		}
	}
	keys := keySequence(g, other)
	direct := true
	for i, column := range columns {
		for _, s := range p.columns[strings.ToLower(column)] {
			direct = direct && !s.exclusive
		}
		cell := keys.cells[i]
		t.add(p, column, source{typ: columnType(other.Key[i]), nullable: true, read: func(row uint32) any {
			if _, end, ok := ref(row); ok {
				return cell(end)
			}
			return nil
		}})
	}
	for _, prop := range pair.Properties {
		column, cell := g.RelColumn(pair, prop), cellOf(prop)
		t.add(p, prop.Column, source{typ: columnType(prop), nullable: true, read: func(row uint32) any {
			if rel, _, ok := ref(row); ok && column.Len() > 0 {
				return cell(column.Value(rel))
			}
			return nil
		}})
	}
	for _, m := range pair.Match {
		if !slices.Contains(pair.Holder.Match, m) {
			t.add(p, m.Column, source{text: m.Value, nullable: true, read: func(row uint32) any {
				if _, _, ok := ref(row); ok {
					return m.Value
				}
				return nil
			}})
		}
	}
	x := partIndex{columns: columns}
	if direct {
		x.finder = &heldFinder{g, pair, keys}
	}
	p.indexes = append(p.indexes, x)
}
