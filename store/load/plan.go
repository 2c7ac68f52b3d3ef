package load

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
	"github.com/trellisgraph/trellis/store/memory"
)

// A planner turns a schema's mapping into tables.
type planner struct {
	graph  *memory.Graph
	tables []*table
	labels map[*schema.Label]*part
}

// plan returns the tables that hold a graph, those of labels first.
func plan(g *memory.Graph) ([]*table, error) {
	p := &planner{graph: g, labels: map[*schema.Label]*part{}}
	for _, step := range []func() error{p.nodeTables, p.foreignKeys, p.joinTables, p.matches} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	p.nodeIndexes()
	for _, t := range p.tables {
		t.measure()
	}
	p.references()
	p.uniques()
	return p.tables, nil
}

func (p *planner) table(name schema.Table) *table {
	for _, t := range p.tables {
		if t.name == name {
			return t
		}
	}
	t := &table{name: name}
	p.tables = append(p.tables, t)
	return t
}

func (p *planner) nodeTables() error {
	for l := range p.graph.Schema().Labels() {
		t := p.table(l.Table)
		if len(t.parts) > 0 && len(l.Match) == 0 {
			return fmt.Errorf("load: the rows of label %q in the shared table %q cannot be told apart: it has no match", l.Name, t)
		}
		t.node = true
		part := &part{rows: p.graph.NodeCount(l), values: map[*column]func(uint32) graph.Value{}}
		t.parts = append(t.parts, part)
		p.labels[l] = part
		for _, prop := range l.Properties {
			c, err := t.column(prop.Column, typeOf(prop))
			if err != nil {
				return err
			}
			part.values[c] = stored(prop, p.graph.Column(l, prop).Value)
			c.required = c.required || !prop.Nullable
		}
	}
	return nil
}

// matches fills the columns that part labels in one table.
func (p *planner) matches() error {
	for l := range p.graph.Schema().Labels() {
		if err := p.match(p.table(l.Table), p.labels[l], l.Match); err != nil {
			return err
		}
	}
	return nil
}

// nodeIndexes settles the keys and indexes of the tables of labels, once they
// have all their columns.
func (p *planner) nodeIndexes() {
	for l := range p.graph.Schema().Labels() {
		t := p.table(l.Table)
		key := keyColumns(t, l.Key)
		for _, m := range l.Match {
			key = append(key, t.find(m.Column))
		}
		switch key = distinct(key); {
		case t.primary == nil:
			t.primary = key
		case !slices.Equal(t.primary, key):
			t.index(key...)
		}
	}
	for l := range p.graph.Schema().Labels() {
		t := p.table(l.Table)
		for _, prop := range l.Properties {
			if prop.Index {
				t.index(t.find(prop.Column))
			}
		}
	}
	for typ := range p.graph.Schema().Relationships() {
		for _, pair := range typ.Pairs {
			p.foreignIndex(pair)
		}
	}
	for _, t := range p.tables {
		if t.node && len(t.parts) > 1 {
			p.sharedKey(t)
		}
	}
}

// sharedKey keeps the primary key of a table of several labels only if every
// row has all its columns.
func (p *planner) sharedKey(t *table) {
	for _, part := range t.parts {
		for _, c := range t.primary {
			if part.values[c] == nil {
				t.indexes = append(t.indexes, t.primary)
				t.primary = nil
				return
			}
		}
	}
}

func keyColumns(t *table, key []*schema.Property) []*column {
	out := make([]*column, len(key))
	for i, k := range key {
		out[i] = t.find(k.Column)
	}
	return out
}

// match fills the fixed columns of a part.
func (p *planner) match(t *table, part *part, match []schema.Match) error {
	for _, m := range match {
		c := t.find(m.Column)
		if c == nil {
			c, _ = t.column(m.Column, columnType{kind: schema.String})
		}
		v, err := matchValue(t, c, m)
		if err != nil {
			return err
		}
		c.required = true
		part.values[c] = func(uint32) graph.Value { return v }
	}
	return nil
}

// matchValue is the value of a fixed column, in the column's type.
func matchValue(t *table, c *column, m schema.Match) (graph.Value, error) {
	switch c.typ.kind {
	case schema.String:
		return graph.String(m.Value), nil
	case schema.Int32, schema.Int64:
		if n, err := strconv.ParseInt(m.Value, 10, 64); err == nil {
			return graph.Int(n), nil
		}
	case schema.Bool:
		if b, err := strconv.ParseBool(m.Value); err == nil {
			return graph.Bool(b), nil
		}
	}
	return graph.Null(), fmt.Errorf("load: column %q of table %q is %s, so it cannot hold %q to match", m.Column, t, c.typ.kind, m.Value)
}
