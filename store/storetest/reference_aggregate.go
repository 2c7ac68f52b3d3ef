package storetest

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A cellColumn is a column of an aggregate: its name, and a property like its
// values.
type cellColumn struct {
	name string
	like *schema.Property
	// parts are the parts of a composite key, whose values are lists of them.
	parts []*schema.Property
}

// A rowGroup is the nodes that share the values of the group keys.
type rowGroup struct {
	values []graph.Value
	nodes  []*vertex
}

// A resultRow is a row, or why it cannot be shown.
type resultRow struct {
	values []graph.Value
	err    *graph.Error
}

// aggregate answers aggregate_nodes.
func (a *answering) aggregate(q *graph.Aggregate) error {
	columns := a.groupColumns(q)
	keys := len(columns)
	for i := range q.Aggregations {
		columns = append(columns, a.valueColumn(q, &q.Aggregations[i]))
	}
	for _, c := range columns {
		a.result.Columns = append(a.result.Columns, graph.Column{Name: c.name, Type: c.like.Type.String()})
	}
	var rows []*resultRow
	for _, g := range a.groups(q, a.matching(&q.NodePattern)) {
		row := &resultRow{values: slices.Clone(g.values)}
		for i := range q.Aggregations {
			v, err := a.figure(&q.Aggregations[i], g.nodes, columns[keys+i].like)
			if err != nil && row.err == nil {
				err.Path = fmt.Sprintf("/aggregations/%d", i)
				row.err = err
			}
			row.values = append(row.values, v)
		}
		if having(q.Having, columns, row.values) {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b *resultRow) int {
		r, s := a.values, b.values
		for _, o := range q.OrderBy {
			i := slices.IndexFunc(columns, func(c cellColumn) bool { return c.name == o.As })
			if c := columns[i].compare(r[i], s[i], o.Direction == graph.Desc); c != 0 {
				return c
			}
		}
		for i := range keys {
			if c := columns[i].compare(r[i], s[i], false); c != 0 {
				return c
			}
		}
		return 0
	})
	rows = page(a, rows, q.Limit, min(a.limits.Rows, a.limits.Groups))
	// A row that cannot be shown is a mistake of the call only where an answer
	// comes to it: not where the rows before it are too many bytes already.
	bad := slices.IndexFunc(rows, func(row *resultRow) bool { return row.err != nil })
	shown := rows
	if bad >= 0 {
		shown = rows[:bad]
	}
	for _, row := range shown {
		for i, v := range row.values {
			if columns[i].parts != nil {
				row.values[i] = graph.String(graph.KeyText(v.List()))
			}
		}
	}
	a.fit(len(shown), func(n, _ int) {
		for _, row := range shown[:n] {
			a.result.Rows = append(a.result.Rows, row.values)
		}
	})
	if bad >= 0 && len(a.result.Rows) == bad {
		return rows[bad].err
	}
	return nil
}

func (c cellColumn) compare(v, w graph.Value, desc bool) int {
	for i, p := range c.parts {
		if c := compareNullsLast(p, v.List()[i], w.List()[i], desc); c != 0 {
			return c
		}
	}
	if c.parts != nil {
		return 0
	}
	return compareNullsLast(c.like, v, w, desc)
}

func having(list []graph.Having, columns []cellColumn, row []graph.Value) bool {
	for _, h := range list {
		i := slices.IndexFunc(columns, func(c cellColumn) bool { return c.name == h.As })
		if compared(columns[i].like, row[i], h.Op, h.Value) != yes {
			return false
		}
	}
	return true
}

// groups parts nodes by their values of the group keys; without keys they are
// one group, also if there are none.
func (a *answering) groups(q *graph.Aggregate, nodes []*vertex) []*rowGroup {
	if len(q.GroupBy) == 0 {
		return []*rowGroup{{nodes: nodes}}
	}
	var out []*rowGroup
	for _, v := range nodes {
		tuples := [][]graph.Value{nil}
		for i := range q.GroupBy {
			var longer [][]graph.Value
			for _, t := range tuples {
				for _, more := range a.keyValues(v, &q.GroupBy[i]) {
					longer = append(longer, append(slices.Clone(t), more...))
				}
			}
			tuples = longer
		}
		for _, t := range tuples {
			at := slices.IndexFunc(out, func(g *rowGroup) bool { return slices.EqualFunc(g.values, t, graph.Value.Equal) })
			if at < 0 {
				at = len(out)
				out = append(out, &rowGroup{values: t})
			}
			if !slices.Contains(out[at].nodes, v) { // once in each group
				out[at].nodes = append(out[at].nodes, v)
			}
		}
	}
	return out
}

// keyValues lists the tuples of values that a node has for a group key: one of
// its own, or one for each node that the key's chain leads to.
func (a *answering) keyValues(v *vertex, k *graph.GroupKey) [][]graph.Value {
	if len(k.Relationships) == 0 {
		return [][]graph.Value{{bucket(v.props[k.Property], k.Truncate)}}
	}
	var out [][]graph.Value
	for _, end := range a.chainEnds(v, k.Relationships) {
		var tuple []graph.Value
		for _, p := range chainProperties(end.label, k) {
			if p == nil {
				tuple = append(tuple, graph.List(end.key...))
			} else {
				tuple = append(tuple, bucket(end.props[p.Name], k.Truncate))
			}
		}
		out = append(out, tuple)
	}
	return out
}

// chainProperties are the properties by which a chain's end is grouped; nil
// stands for the whole of a composite key.
func chainProperties(l *schema.Label, k *graph.GroupKey) []*schema.Property {
	names := k.Properties
	if k.Property != "" {
		names = []string{k.Property}
	}
	var out []*schema.Property
	for _, name := range names {
		p, _ := l.Property(name)
		out = append(out, p)
	}
	switch {
	case len(out) > 0:
		return out
	case len(l.Key) == 1:
		return l.Key
	}
	return []*schema.Property{nil}
}

func (a *answering) groupColumns(q *graph.Aggregate) []cellColumn {
	var out []cellColumn
	add := func(name string, k *graph.GroupKey, p *schema.Property, key []*schema.Property) {
		c := cellColumn{name: name, like: p}
		switch {
		case p == nil:
			c.like, c.parts = &schema.Property{Type: schema.String}, key
		case k.Truncate != "":
			c.name += "_" + string(k.Truncate)
			if k.Truncate != graph.Minute && k.Truncate != graph.Hour {
				c.like = &schema.Property{Type: schema.Date}
			}
		}
		if k.As != "" {
			c.name = k.As
		}
		out = append(out, c)
	}
	for i := range q.GroupBy {
		k := &q.GroupBy[i]
		if len(k.Relationships) == 0 {
			l, _ := a.schema.Label(q.Label)
			p, _ := l.Property(k.Property)
			add(p.Name, k, p, nil)
			continue
		}
		l, _ := a.schema.Label(k.Relationships[len(k.Relationships)-1].To.Label)
		for _, p := range chainProperties(l, k) {
			name := l.Name
			if k.Property != "" || k.Properties != nil {
				name += "_" + p.Name
			}
			add(name, k, p, l.Key)
		}
	}
	return out
}

func (a *answering) valueColumn(q *graph.Aggregate, g *graph.Aggregation) cellColumn {
	l, _ := a.schema.Label(q.Label)
	p, _ := l.Property(g.Property)
	c := cellColumn{name: g.As, like: &schema.Property{Type: schema.Int64}}
	switch g.Function {
	case graph.Count:
		c.name = cmp.Or(c.name, "count")
		return c
	case graph.Avg:
		c.like = &schema.Property{Type: schema.Float}
	case graph.Min, graph.Max:
		c.like = p
	case graph.Sum:
		if p.Type == schema.Float || p.Type == schema.Decimal {
			c.like = p
		}
	}
	c.name = cmp.Or(c.name, string(g.Function)+"_"+g.Property)
	return c
}

// figure computes an aggregate over the nodes of a group.
func (a *answering) figure(g *graph.Aggregation, nodes []*vertex, like *schema.Property) (graph.Value, *graph.Error) {
	var values []graph.Value
	count := 0
	for _, v := range nodes {
		if !holds(g.Filter, v.bearer()) || g.Where != "" && !holds(a.Where[g.Where], v.bearer()) {
			continue
		}
		count++
		if value := v.props[g.Property]; g.Property != "" && !value.IsNull() {
			values = append(values, value)
		}
	}
	if g.Function == graph.Count {
		return graph.Int(int64(count)), nil
	}
	if g.Function == graph.CountDistinct {
		var distinct []graph.Value
		for _, v := range values {
			if !slices.ContainsFunc(distinct, v.Equal) {
				distinct = append(distinct, v)
			}
		}
		return graph.Int(int64(len(distinct))), nil
	}
	if len(values) == 0 {
		return graph.Null(), nil
	}
	compare := func(v, w graph.Value) int { return compareTyped(like, v, w) }
	switch g.Function {
	case graph.Min:
		return slices.MinFunc(values, compare), nil
	case graph.Max:
		return slices.MaxFunc(values, compare), nil
	}
	sum := new(big.Rat)
	for _, v := range values {
		sum.Add(sum, rational(v))
	}
	if g.Function == graph.Avg {
		f, _ := sum.Quo(sum, new(big.Rat).SetInt64(int64(len(values)))).Float64()
		return graph.Float(f), nil
	}
	if like.Type == schema.Int64 && !sum.Num().IsInt64() {
		return graph.Null(), &graph.Error{Code: graph.OutOfRange}
	}
	return sumValue(like, sum), nil
}
