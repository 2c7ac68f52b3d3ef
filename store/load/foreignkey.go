package load

import (
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// foreignKeys adds the columns of foreign keys to the tables of their holders.
func (p *planner) foreignKeys() error {
	for typ := range p.graph.Schema().Relationships() {
		for _, pair := range typ.Pairs {
			if pair.Holder == nil {
				continue
			}
			if err := p.foreignKey(pair); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *planner) foreignKey(pair *schema.Pair) error {
	g, t, part := p.graph, p.table(pair.Holder.Table), p.labels[pair.Holder]
	other := pair.To
	if pair.HolderIsTo {
		other = pair.From
	}
	// relationship returns the relationship that a holder's row stands for,
	// and its other end.
	relationship := func(row uint32) (rel, end uint32, ok bool) {
		if pair.HolderIsTo {
			if in := g.In(pair, row); len(in) > 0 {
				return in[0], g.Sources(pair, row)[0], true
			}
			return 0, 0, false
		}
		first, last := g.Out(pair, row)
		if first == last {
			return 0, 0, false
		}
		return first, g.Targets(pair)[first], true
	}
	// add lets a column hold what the relationship says where there is one,
	// and what it held before elsewhere.
	add := func(name string, typ columnType, get func(rel, end uint32) graph.Value) error {
		c, err := t.column(name, typ)
		if err != nil {
			return err
		}
		before := part.values[c]
		part.values[c] = func(row uint32) graph.Value {
			if rel, end, ok := relationship(row); ok {
				return get(rel, end)
			}
			if before == nil {
				return graph.Null()
			}
			return before(row)
		}
		return nil
	}
	for i, name := range heldColumns(pair) {
		key := other.Key[i]
		value := stored(key, g.Column(other, key).Value)
		if err := add(name, typeOf(key), func(_, end uint32) graph.Value { return value(end) }); err != nil {
			return err
		}
	}
	for _, prop := range pair.Properties {
		value := stored(prop, g.RelColumn(pair, prop).Value)
		if err := add(prop.Column, typeOf(prop), func(rel, _ uint32) graph.Value { return value(rel) }); err != nil {
			return err
		}
	}
	for _, m := range pair.Match {
		if slices.Contains(pair.Holder.Match, m) {
			continue
		}
		typ := columnType{kind: schema.String}
		if c := t.find(m.Column); c != nil {
			typ = c.typ
		}
		c, err := t.column(m.Column, typ)
		if err != nil {
			return err
		}
		v, err := matchValue(t, c, m)
		if err != nil {
			return err
		}
		if err := add(m.Column, typ, func(uint32, uint32) graph.Value { return v }); err != nil {
			return err
		}
	}
	return nil
}

// foreignIndex adds the index of a foreign key.
func (p *planner) foreignIndex(pair *schema.Pair) {
	if pair.Holder == nil {
		return
	}
	t := p.table(pair.Holder.Table)
	columns := t.named(heldColumns(pair))
	for _, m := range pair.Match {
		if !slices.Contains(pair.Holder.Match, m) {
			columns = append(columns, t.find(m.Column))
		}
	}
	t.index(columns...)
}

// heldColumns are the columns of a pair's foreign key in the holder's table.
func heldColumns(pair *schema.Pair) []string {
	if pair.HolderIsTo {
		return pair.FromColumns
	}
	return pair.ToColumns
}
