package compile

import (
	"slices"

	"github.com/trellisgraph/trellis/schema"
)

// A Reading is a statement that reads all nodes of a label, or all
// relationships of a pair, in the order of their keys.
type Reading struct {
	*Statement
	// Label is the label whose properties the fields are, in its order; nil
	// where the reading is of a pair.
	Label *schema.Label
	// Pair is the pair whose ends and properties the fields are: the parts of
	// From's key, those of To's key, then the properties.
	Pair *schema.Pair
}

// Readings are the statements that read everything that a schema's tables hold:
// labels first, then pairs, type by type.
func (d *Dialect) Readings(s *schema.Schema) []Reading {
	var list []Reading
	for l := range s.Labels() {
		list = append(list, d.readNodes(l))
	}
	for t := range s.Relationships() {
		for _, p := range t.Pairs {
			list = append(list, d.readRelationships(p, sharesRows(s, p)))
		}
	}
	return list
}

func (d *Dialect) readNodes(l *schema.Label) Reading {
	r := &rowsWriter{sqlWriter: newWriter(d)}
	for _, p := range l.Properties {
		r.selected(p.Column, p)
	}
	r.from(l.Table, l.Match)
	for _, k := range l.Key {
		r.order(k.Column)
	}
	return Reading{Statement: r.statement(), Label: l}
}

// readRelationships reads the rows of a pair. Where other pairs have the same
// rows, a row is this pair's if both its ends are.
func (d *Dialect) readRelationships(p *schema.Pair, shared bool) Reading {
	r := &rowsWriter{sqlWriter: newWriter(d)}
	for i, k := range p.From.Key {
		r.selected(p.FromColumns[i], k)
	}
	for i, k := range p.To.Key {
		r.selected(p.ToColumns[i], k)
	}
	for _, prop := range p.Properties {
		r.selected(prop.Column, prop)
	}
	r.from(p.Table, p.Match)
	for _, columns := range [][]string{p.FromColumns, p.ToColumns} {
		for _, c := range columns {
			r.and()
			r.own(c)
			r.put(" IS NOT NULL")
		}
	}
	if shared {
		r.exists(p.From, p.FromColumns)
		r.exists(p.To, p.ToColumns)
	}
	for _, columns := range [][]string{p.FromColumns, p.ToColumns} {
		for _, c := range columns {
			r.order(c)
		}
	}
	return Reading{Statement: r.statement(), Pair: p}
}

// sharesRows reports whether another pair goes by the same columns of the same
// table, to labels that share a table with those of p.
func sharesRows(s *schema.Schema, p *schema.Pair) bool {
	for t := range s.Relationships() {
		for _, q := range t.Pairs {
			if q != p && q.Table == p.Table && slices.Equal(q.FromColumns, p.FromColumns) && slices.Equal(q.ToColumns, p.ToColumns) {
				return true
			}
		}
	}
	return false
}

// A rowsWriter writes the statement of a Reading, over one table.
type rowsWriter struct {
	*sqlWriter
	conditions, keys int
}

// own writes a column of the table that is read.
func (r *rowsWriter) own(name string) { r.column(column{"t", name}) }

func (r *rowsWriter) selected(name string, p *schema.Property) {
	r.put([]string{"SELECT ", ", "}[min(len(r.fields), 1)])
	r.shown(column{"t", name}, p)
}

func (r *rowsWriter) from(t schema.Table, match []schema.Match) {
	r.put(" FROM ")
	r.table(t)
	r.put(" AS t")
	for _, m := range match {
		r.and()
		r.match("t", m)
	}
}

func (r *rowsWriter) and() {
	r.put([]string{" WHERE ", " AND "}[min(r.conditions, 1)])
	r.conditions++
}

// exists keeps the rows whose columns are the key of a node.
func (r *rowsWriter) exists(l *schema.Label, columns []string) {
	r.and()
	r.put("EXISTS (SELECT 1 FROM ")
	r.table(l.Table)
	r.put(" AS e WHERE ")
	for i, k := range l.Key {
		if i > 0 {
			r.put(" AND ")
		}
		r.column(column{"e", k.Column})
		r.put(" = ")
		r.own(columns[i])
	}
	for _, m := range l.Match {
		r.put(" AND ")
		r.match("e", m)
	}
	r.put(")")
}

func (r *rowsWriter) order(name string) {
	r.put([]string{" ORDER BY ", ", "}[min(r.keys, 1)])
	r.keys++
	r.own(name)
}
