package compile

import (
	"cmp"
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A Counting is a statement that counts something for Statistics. It has one
// row.
type Counting struct {
	*Statement
	// Into puts what the row says into the statistics.
	Into func(s *Statistics, row []graph.Value)
}

// Countings are the statements that count what a schema's tables hold, in the
// order of their use: nodes and relationships, then the values of indexed
// properties, then those of others, texts last. Values of type json are not
// counted; two values that the columns' collation takes for equal count once.
func (d *Dialect) Countings(s *schema.Schema) []Counting {
	var list []Counting
	for l := range s.Labels() {
		list = append(list, d.countNodes(l))
	}
	for t := range s.Relationships() {
		for _, p := range t.Pairs {
			list = append(list, d.countRelationships(p),
				d.countDegrees(p, p.FromColumns, func(of *PairStatistics) (*Degree, string) { return &of.Out, p.From.Name }),
				d.countDegrees(p, p.ToColumns, func(of *PairStatistics) (*Degree, string) { return &of.In, p.To.Name }))
		}
	}
	type valued struct {
		label    *schema.Label
		property *schema.Property
	}
	var values []valued
	for l := range s.Labels() {
		for _, p := range l.Properties {
			if p.Type != schema.JSON {
				values = append(values, valued{l, p})
			}
		}
	}
	effort := func(v valued) int {
		switch {
		case v.property.Index || v.label.IsKey(v.property):
			return 0
		case v.property.Type != schema.String:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(values, func(a, b valued) int { return cmp.Compare(effort(a), effort(b)) })
	for _, v := range values {
		list = append(list, d.countValues(v.label, v.property))
	}
	return list
}

// counter begins a statement that returns so many numbers.
func (d *Dialect) counter(numbers int) *sqlWriter {
	w := newWriter(d)
	for range numbers {
		w.field(&schema.Property{Type: schema.Int64, Nullable: true}, false)
	}
	w.put("SELECT ")
	return w
}

// rowsOf writes the table and the condition of the rows that are meant.
func (w *sqlWriter) rowsOf(t schema.Table, match []schema.Match, notNull ...[]string) {
	w.put(" FROM ")
	w.table(t)
	and := " WHERE "
	for _, m := range match {
		w.put(and)
		w.match("", m)
		and = " AND "
	}
	for _, columns := range notNull {
		for _, c := range columns {
			w.put(and)
			w.name(c)
			w.put(" IS NOT NULL")
			and = " AND "
		}
	}
}

// label returns the statistics of a label, which are there from now on.
func (s *Statistics) label(l *schema.Label) LabelStatistics {
	of := s.Labels[l.Name]
	if of.Properties == nil {
		of.Properties = map[string]PropertyStatistics{}
		if s.Labels == nil {
			s.Labels = map[string]LabelStatistics{}
		}
		s.Labels[l.Name] = of
	}
	return of
}

func (d *Dialect) countNodes(l *schema.Label) Counting {
	w := d.counter(1)
	w.put("COUNT(*)")
	w.rowsOf(l.Table, l.Match)
	return Counting{w.statement(), func(s *Statistics, row []graph.Value) {
		of := s.label(l)
		of.Nodes = int(row[0].Int())
		s.Labels[l.Name] = of
	}}
}

func (d *Dialect) countValues(l *schema.Label, p *schema.Property) Counting {
	w := d.counter(2)
	w.put("COUNT(")
	w.name(p.Column)
	w.put("), COUNT(DISTINCT ")
	w.name(p.Column)
	w.put(")")
	w.rowsOf(l.Table, l.Match)
	return Counting{w.statement(), func(s *Statistics, row []graph.Value) {
		label, of := s.label(l), PropertyStatistics{Distinct: int(row[1].Int())}
		if n := label.Nodes; n > 0 {
			of.Nulls = max(0, 1-float64(row[0].Int())/float64(n))
		}
		label.Properties[p.Name] = of
	}}
}

func (d *Dialect) countRelationships(p *schema.Pair) Counting {
	w := d.counter(1)
	w.put("COUNT(*)")
	w.rowsOf(p.Table, p.Match, p.FromColumns, p.ToColumns)
	return Counting{w.statement(), func(s *Statistics, row []graph.Value) {
		if s.Relationships == nil {
			s.Relationships = map[string]PairStatistics{}
		}
		of := s.Relationships[PairName(p)]
		of.Relationships = int(row[0].Int())
		s.Relationships[PairName(p)] = of
	}}
}

// countDegrees counts the nodes that stand in the columns of one end, and how
// often the most frequent of them does.
func (d *Dialect) countDegrees(p *schema.Pair, columns []string, end func(*PairStatistics) (*Degree, string)) Counting {
	w := d.counter(2)
	w.put("COUNT(*), MAX(n) FROM (SELECT COUNT(*) AS n")
	w.rowsOf(p.Table, p.Match, p.FromColumns, p.ToColumns)
	for i, c := range columns {
		w.put([]string{" GROUP BY ", ", "}[min(i, 1)])
		w.name(c)
	}
	w.put(") AS g")
	return Counting{w.statement(), func(s *Statistics, row []graph.Value) {
		if s.Relationships == nil {
			s.Relationships = map[string]PairStatistics{}
		}
		of := s.Relationships[PairName(p)]
		degree, label := end(&of)
		degree.Nodes, degree.Most = int(row[0].Int()), int(row[1].Int())
		if n := s.Labels[label].Nodes; n > 0 {
			degree.Average = float64(of.Relationships) / float64(n)
		}
		s.Relationships[PairName(p)] = of
	}}
}
