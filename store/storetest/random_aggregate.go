package storetest

import (
	"fmt"
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

func (k asker) aggregate(v *vertex) graph.Query {
	q := &graph.Aggregate{NodePattern: k.pattern(v, true), Limit: pickOne(k.dice, []int{0, 0, 100, 1, 2, 3, 5})}
	for range []int{0, 1, 1, 2}[k.IntN(4)] {
		g, ok := k.groupKey(v)
		if !ok {
			continue
		}
		q.GroupBy = append(q.GroupBy, g)
	}
	for range 1 + k.IntN(3) {
		q.Aggregations = append(q.Aggregations, k.aggregation(v))
	}
	columns := k.columns(q)
	if k.chance(25) {
		k.having(q, columns)
	}
	if k.chance(50) {
		for _, c := range some(k.dice, columns, 1, 2) {
			q.OrderBy = append(q.OrderBy, graph.ColumnOrder{As: c.name, Direction: pickOne(k.dice, []graph.SortDirection{"", graph.Asc, graph.Desc})})
		}
	}
	if slices.ContainsFunc(q.Aggregations, func(g graph.Aggregation) bool {
		return g.Function == graph.Sum && (g.Property == "big" || g.Property == "id")
	}) {
		q.Having, q.OrderBy, q.Limit = nil, nil, 0 // a sum that may not fit is neither compared nor left for a later page
	}
	return q
}

// columns lists a query's columns. Those whose names clash get new ones.
func (k asker) columns(q *graph.Aggregate) []cellColumn {
	a := &answering{Reference: k.ref}
	seen := map[string]bool{}
	clash := func(columns []cellColumn) bool {
		for _, c := range columns {
			if seen[c.name] {
				return true
			}
		}
		for _, c := range columns {
			seen[c.name] = true
		}
		return false
	}
	var groups []graph.GroupKey
	for i, g := range q.GroupBy {
		if clash(a.groupColumns(&graph.Aggregate{NodePattern: q.NodePattern, GroupBy: []graph.GroupKey{g}})) {
			if g.Properties != nil {
				continue
			}
			g.As = fmt.Sprintf("g_%d", i)
		}
		groups = append(groups, g)
	}
	q.GroupBy = groups
	for i := range q.Aggregations {
		if clash([]cellColumn{a.valueColumn(q, &q.Aggregations[i])}) {
			q.Aggregations[i].As = fmt.Sprintf("v_%d", i)
		}
	}
	columns := a.groupColumns(q)
	for i := range q.Aggregations {
		columns = append(columns, a.valueColumn(q, &q.Aggregations[i]))
	}
	return columns
}

// groupKey makes a key by a property, or by a chain of relationships that
// leads on from a node.
func (k asker) groupKey(v *vertex) (graph.GroupKey, bool) {
	var g graph.GroupKey
	l := v.label
	if k.chance(40) {
		end := v
		for range k.oneOrTwo(40) {
			step, next, ok := k.step(end, 1)
			if !ok {
				break
			}
			to := graph.NodePattern{Label: next.label.Name}
			if k.chance(40) {
				to = k.pattern(next, false)
			}
			step.To, end = &to, next
			g.Relationships = append(g.Relationships, step)
		}
		if g.Relationships == nil {
			return g, false
		}
		l = end.label
		if k.chance(25) {
			if k.chance(50) && len(l.Key) == 1 {
				g.As = "by"
			}
			return g, true
		}
		if props := groupable(l); k.chance(30) {
			for _, p := range some(k.dice, props, 1, 3) {
				g.Properties = append(g.Properties, p.Name)
			}
			return g, true
		}
	}
	p := pickOne(k.dice, groupable(l))
	g.Property = p.Name
	if k.chance(20) {
		g.As = "Key_" + p.Name
	}
	if units := unitsOf(p.Type); units != nil && k.chance(75) {
		g.Truncate = pickOne(k.dice, units)
	}
	return g, true
}

func groupable(l *schema.Label) []*schema.Property {
	return slices.DeleteFunc(slices.Clone(l.Properties), func(p *schema.Property) bool { return p.Type == schema.JSON || p.NotFilterable })
}

func unitsOf(t schema.Type) []graph.TimeUnit {
	coarse := []graph.TimeUnit{graph.Day, graph.Week, graph.Month, graph.Quarter, graph.Year}
	switch t {
	case schema.Date:
		return coarse
	case schema.DateTime:
		return append(coarse, graph.Minute, graph.Hour)
	}
	return nil
}

func functionsOf(p *schema.Property) []graph.Function {
	out := []graph.Function{graph.CountDistinct, graph.CountDistinct}
	if p.Type != schema.UUID {
		out = append(out, graph.Min, graph.Max)
	}
	if p.Type.Numeric() {
		out = append(out, graph.Avg, graph.Sum)
	}
	return out
}

func (k asker) aggregation(v *vertex) graph.Aggregation {
	g := graph.Aggregation{Function: graph.Count}
	if k.chance(65) {
		p := pickOne(k.dice, groupable(v.label))
		g.Function, g.Property = pickOne(k.dice, functionsOf(p)), p.Name
	}
	if k.chance(20) {
		g.As = "figure"
	}
	b := v.bearer()
	if k.chance(20) {
		g.Filter = k.filter(v.label.Properties, &b)
	}
	if k.chance(10) {
		g.Where = k.expression(v.label.Properties, &b)
	}
	return g
}

// having adds conditions on columns that some row fulfils.
func (k asker) having(q *graph.Aggregate, columns []cellColumn) {
	whole := *q
	whole.Limit = 100
	r, err := k.ref.Answer(Asked{Query: &whole, Where: k.where})
	if err != nil || len(r.Rows) == 0 {
		return
	}
	row := pickOne(k.dice, r.Rows)
	values := map[string]graph.Value{}
	for i, c := range columns {
		values[c.name] = row[i]
	}
	for _, c := range some(k.dice, columns, 1, 2) {
		if c.parts != nil {
			continue
		}
		like := *c.like
		like.Name = c.name
		b := bearer{values, func(string) (*schema.Property, bool) { return &like, true }}
		cmp := k.compare(&like, &b)
		q.Having = append(q.Having, graph.Having{As: c.name, Op: cmp.Op, Value: cmp.Value})
	}
}
