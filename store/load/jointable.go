package load

import (
	"fmt"
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// joinTables adds the tables that hold relationships alone.
func (p *planner) joinTables() error {
	for typ := range p.graph.Schema().Relationships() {
		for _, pair := range typ.Pairs {
			if pair.Holder != nil {
				continue
			}
			if err := p.joinTable(pair); err != nil {
				return fmt.Errorf("%w, for %s from %s to %s", err, typ.Name, pair.From.Name, pair.To.Name)
			}
		}
	}
	return nil
}

func (p *planner) joinTable(pair *schema.Pair) error {
	g, t := p.graph, p.table(pair.Table)
	if t.node {
		return fmt.Errorf("load: table %q holds nodes and relationships", t)
	}
	if len(t.parts) > 0 && len(pair.Match) == 0 {
		return fmt.Errorf("load: the rows in the shared table %q cannot be told apart: there is no match", t)
	}
	part := &part{rows: g.RelCount(pair), values: map[*column]func(uint32) graph.Value{}}
	t.parts = append(t.parts, part)
	ends := func(l *schema.Label, columns []string, row func(rel uint32) uint32) error {
		for i, name := range columns {
			c, err := t.column(name, typeOf(l.Key[i]))
			if err != nil {
				return err
			}
			value := stored(l.Key[i], g.Column(l, l.Key[i]).Value)
			part.values[c] = func(rel uint32) graph.Value { return value(row(rel)) }
			c.required = true
		}
		return nil
	}
	for _, prop := range pair.Properties {
		c, err := t.column(prop.Column, typeOf(prop))
		if err != nil {
			return err
		}
		part.values[c] = stored(prop, g.RelColumn(pair, prop).Value)
		c.required = c.required || !prop.Nullable
	}
	if err := ends(pair.From, pair.FromColumns, func(rel uint32) uint32 { from, _ := g.Ends(pair, rel); return from }); err != nil {
		return err
	}
	if err := ends(pair.To, pair.ToColumns, func(rel uint32) uint32 { _, to := g.Ends(pair, rel); return to }); err != nil {
		return err
	}
	if err := p.match(t, part, pair.Match); err != nil {
		return err
	}
	from, to := t.named(pair.FromColumns), t.named(pair.ToColumns)
	var rest []*column
	if pair.Key != nil {
		rest = append(rest, t.find(pair.Key.Column))
	}
	for _, m := range pair.Match {
		rest = append(rest, t.find(m.Column))
	}
	key := distinct(slices.Concat(from, to, rest))
	if len(t.parts) == 1 {
		t.primary = key
	} else if !slices.Equal(t.primary, key) {
		// Pairs with other columns share the table.
		if t.primary != nil {
			t.indexes = append(t.indexes, t.primary)
			t.primary = nil
		}
		t.index(key...)
	}
	t.index(slices.Concat(to, from, rest)...)
	for _, prop := range pair.Properties {
		if prop.Index {
			t.index(t.find(prop.Column))
		}
	}
	return nil
}
