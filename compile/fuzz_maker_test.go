package compile_test

import (
	"encoding/binary"
	"strings"
	"time"

	"github.com/trellisgraph/trellis/compile"
	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/schema"
)

// A maker makes a query from bytes; after their end, all choices are the first.
type maker struct {
	bytes  []byte
	schema *schema.Schema
}

// pick chooses one of n.
func (m *maker) pick(n int) int {
	if len(m.bytes) == 0 || n <= 1 {
		return 0
	}
	b := m.bytes[0]
	m.bytes = m.bytes[1:]
	return int(b) % n
}

// rare is true one time in n.
func (m *maker) rare(n int) bool { return m.pick(n) == n-1 }

func (m *maker) text() string {
	return []string{"", "a", "opened", "high", "2024-02-29", "2024-02-29T10:00:00Z", "0a1b2c3d-0000-4000-8000-00000000000f", "12.50",
		"[\"a\",\"7\"]", "'\"`\\%_!?", "\x00", "\xff", strings.Repeat("x", 300)}[m.pick(13)]
}

func (m *maker) value(depth int) graph.Value {
	switch m.pick(12) {
	case 0, 1:
		return graph.Int(int64(m.pick(256)))
	case 2, 3:
		return graph.String(m.text())
	case 4:
		return graph.Bool(m.rare(2))
	case 5:
		return graph.Null()
	case 6:
		return graph.Number([]string{"1.0", "1e3", "-0", "99999999999999999999", "1e-40", "1e99999999999"}[m.pick(6)])
	case 7:
		return graph.Float(float64(m.pick(256)) / 8)
	case 8:
		var raw [8]byte
		for i := range raw {
			raw[i] = byte(m.pick(256))
		}
		return graph.DateTime(time.UnixMicro(int64(binary.LittleEndian.Uint64(raw[:]))))
	case 9:
		return graph.Of(struct{}{})
	case 10:
		return graph.Date(time.Date(1+m.pick(9999), 2, 29, 0, 0, 0, 0, time.UTC))
	}
	if depth == 0 {
		return graph.Null()
	}
	list := make([]graph.Value, m.pick(5))
	for i := range list {
		list[i] = m.value(depth - 1)
	}
	return graph.List(list...)
}

func (m *maker) label() string {
	var names []string
	for l := range m.schema.Labels() {
		names = append(names, l.Name)
	}
	if m.rare(40) {
		return "nothing"
	}
	return names[m.pick(len(names))]
}

func (m *maker) types() []string {
	var names []string
	for r := range m.schema.Relationships() {
		names = append(names, r.Name)
	}
	list := make([]string, 0, 3)
	for range 1 + m.pick(3) {
		list = append(list, names[m.pick(len(names))])
	}
	if m.rare(40) {
		return nil
	}
	return list
}

// property is the name of a property of a label, if there is such a label.
func (m *maker) property(label string) string {
	if l, ok := m.schema.Label(label); ok && !m.rare(30) {
		return l.Properties[m.pick(len(l.Properties))].Name
	}
	return []string{"i32", "nothing", "", "a/b~c"}[m.pick(4)]
}

// fitting is a value that a property may be compared with, more often than not.
func (m *maker) fitting(label, property string) graph.Value {
	l, ok := m.schema.Label(label)
	if !ok || m.rare(8) {
		return m.value(2)
	}
	p, ok := l.Property(property)
	if !ok {
		return m.value(2)
	}
	switch p.Type {
	case schema.Int32, schema.Int64, schema.Float:
		return graph.Int(int64(m.pick(256)))
	case schema.Decimal:
		return graph.String("12.50")
	case schema.Bool:
		return graph.Bool(m.rare(2))
	case schema.Enum:
		return graph.String(p.Values[m.pick(len(p.Values))].Name)
	case schema.Date:
		return graph.String("2024-02-29")
	case schema.DateTime:
		return graph.String("2024-02-29T10:00:00Z")
	case schema.UUID:
		return graph.String("0a1b2c3d-0000-4000-8000-00000000000f")
	}
	return graph.String("a")
}

func (m *maker) filter(label string, depth int) graph.Filter {
	switch m.pick(8) {
	case 0, 1:
		return nil
	case 2:
		return m.filters(label, depth)
	case 3:
		return graph.Or(m.filters(label, depth))
	case 4:
		if depth > 0 {
			return graph.Not{Filter: m.filter(label, depth-1)}
		}
	}
	name := m.property(label)
	op := m.operator(label, name)
	v := m.fitting(label, name)
	switch op {
	case graph.IsNull:
		v = graph.Bool(m.rare(2))
	case graph.In, graph.NotIn:
		list := make([]graph.Value, m.pick(6))
		for i := range list {
			list[i] = m.fitting(label, name)
		}
		v = graph.List(list...)
	}
	return graph.Compare{Property: name, Op: op, Value: v}
}

// operator is one that a property takes, more often than not.
func (m *maker) operator(label, property string) graph.Op {
	ops := append(graph.Ops(), "", "like")
	if l, ok := m.schema.Label(label); ok && !m.rare(10) {
		if p, ok := l.Property(property); ok {
			ops = compile.OpsOf(p)
		}
	}
	return ops[m.pick(len(ops))]
}

func (m *maker) filters(label string, depth int) graph.And {
	if depth == 0 {
		return nil
	}
	list := make(graph.And, m.pick(4))
	for i := range list {
		list[i] = m.filter(label, depth-1)
	}
	return list
}

func (m *maker) id(label string) graph.Value {
	l, ok := m.schema.Label(label)
	if !ok || m.rare(10) {
		return m.value(2)
	}
	if len(l.Key) == 1 {
		return m.fitting(label, l.Key[0].Name)
	}
	parts := make([]graph.Value, len(l.Key))
	for i, p := range l.Key {
		parts[i] = m.fitting(label, p.Name)
	}
	return graph.List(parts...)
}

func (m *maker) pattern(related bool) graph.NodePattern {
	n := graph.NodePattern{Label: m.label()}
	if m.rare(3) {
		n.IDs = make([]graph.Value, m.pick(5))
		for i := range n.IDs {
			n.IDs[i] = m.id(n.Label)
		}
	}
	n.Filter = m.filter(n.Label, 3)
	if m.rare(10) {
		n.Where = []string{"id == 1", "s == null || i32 in [1, 2, 3]", "name.contains('a')", "x ==", "id > 1 && !(id < 9)", "\xff"}[m.pick(6)]
	}
	if m.rare(12) {
		n.Search = []string{"a b", " ", "A", m.text()}[m.pick(4)]
	}
	if related && m.rare(4) {
		n.Related = make([]graph.Related, 1+m.pick(2))
		for i := range n.Related {
			steps, _ := m.steps(n.Label, 1+m.pick(2))
			n.Related[i] = graph.Related{Relationships: steps, None: m.rare(4)}
			if m.rare(3) {
				n.Related[i].Count = []graph.CountBound{{Op: []graph.Op{graph.Eq, graph.Ne, graph.Lt, graph.Lte, graph.Gt, graph.Gte, graph.In, ""}[m.pick(8)], N: m.pick(5) - 1}}
			}
		}
	}
	return n
}

func (m *maker) direction() graph.Direction {
	return []graph.Direction{graph.Both, graph.Outgoing, graph.Incoming, "", graph.Both, graph.Incoming, graph.Both, "up"}[m.pick(8)]
}

// steps walk from a label. Most lead on to where a relationship of the schema
// leads; the label where they end comes with them.
func (m *maker) steps(from string, n int) ([]graph.Step, string) {
	steps := make([]graph.Step, n)
	for i := range steps {
		s := &steps[i]
		var next string
		s.Types, s.Direction, next = m.leaving(from)
		if m.rare(12) {
			s.Types, s.Direction = m.types(), m.direction()
		}
		if next == from && m.rare(2) {
			s.MinHops, s.MaxHops = m.pick(3), m.pick(4)
		}
		if m.rare(20) {
			s.MinHops = -1
		}
		if m.rare(20) {
			s.Filter = m.filter("", 1)
		}
		if m.rare(4) {
			to := m.pattern(false)
			if !m.rare(12) {
				to = graph.NodePattern{Label: next, Filter: m.filter(next, 1)}
			}
			s.To = &to
		}
		from = next
	}
	return steps, from
}

// leaving is a type and a direction in which it leaves a label, and where to.
func (m *maker) leaving(label string) ([]string, graph.Direction, string) {
	type way struct {
		name string
		dir  graph.Direction
		to   string
	}
	var ways []way
	for t := range m.schema.Relationships() {
		for _, p := range t.Pairs {
			if p.From.Name == label {
				ways = append(ways, way{t.Name, graph.Outgoing, p.To.Name})
			}
			if p.To.Name == label {
				ways = append(ways, way{t.Name, graph.Incoming, p.From.Name})
			}
		}
	}
	if len(ways) == 0 {
		return m.types(), m.direction(), m.label()
	}
	w := ways[m.pick(len(ways))]
	if m.rare(4) {
		w.dir = graph.Both
	}
	return []string{w.name}, w.dir, w.to
}

func (m *maker) byLabel() (filters map[string]graph.Filter, properties map[string][]string) {
	if m.rare(4) {
		label := m.label()
		filters = map[string]graph.Filter{label: m.filter(label, 2)}
	}
	if m.rare(4) {
		label := m.label()
		properties = map[string][]string{label: {m.property(label), m.property(label)}}
	}
	return filters, properties
}

func (m *maker) query() graph.Query {
	limit := m.pick(32)
	if m.rare(20) {
		limit = m.pick(2)*200 - 100
	}
	cursor := ""
	if m.rare(20) {
		cursor = m.text()
	}
	order := func(label string) (list []graph.Order) {
		for range m.pick(3) {
			list = append(list, graph.Order{Property: m.property(label), Direction: []graph.SortDirection{"", graph.Desc, graph.Asc, "up"}[m.pick(4)]})
		}
		return list
	}
	switch m.pick(6) {
	case 0:
		q := &graph.FindNodes{NodePattern: m.pattern(true), Limit: limit, Cursor: cursor}
		q.OrderBy = order(q.Label)
		return q
	case 1:
		q := &graph.Traverse{From: m.pattern(true), To: m.pattern(true), OmitConnections: m.rare(3), Limit: limit, Cursor: cursor}
		end := ""
		if q.Relationships, end = m.steps(q.From.Label, (m.pick(5)+1)%5); !m.rare(8) {
			q.To = graph.NodePattern{Label: end, Filter: m.filter(end, 2)}
		}
		q.OrderBy = order(q.To.Label)
		_, q.Properties = m.byLabel()
		if n := len(q.Relationships); n > 0 {
			q.Relationships[n-1].To = nil
		}
		return q
	case 2:
		q := &graph.Neighbors{Start: graph.NodeID{Label: m.label()}, MaxHops: m.pick(5) - 1, Direction: m.direction(), Limit: limit, Cursor: cursor}
		q.Start.ID = m.id(q.Start.Label)
		q.Filters, q.Properties = m.byLabel()
		q.NodeTypes, q.RelationshipTypes = m.restrict()
		return q
	case 3:
		q := &graph.Paths{From: graph.NodeID{Label: m.label()}, To: graph.NodeID{Label: m.label()}, MaxHops: m.pick(8) - 1, Direction: m.direction(), Limit: limit}
		q.From.ID, q.To.ID = m.id(q.From.Label), m.id(q.To.Label)
		q.Mode = []graph.PathMode{"", graph.Shortest, graph.AllShortest, graph.AllPaths, graph.KShortest, "x"}[m.pick(6)]
		if m.rare(6) {
			q.Weight = []string{"f", "dec", "amount", "s", "x"}[m.pick(5)]
		}
		q.Filters, q.Properties = m.byLabel()
		q.NodeTypes, q.RelationshipTypes = m.restrict()
		return q
	case 4:
		return m.aggregate(limit, cursor)
	}
	return &graph.Describe{Expand: m.rare(2), ExpandNodes: []string{m.label()}, ExpandRelationshipTypes: m.types(), Search: m.text()}
}

func (m *maker) restrict() (labels, types []string) {
	if m.rare(4) {
		labels = []string{m.label(), m.label()}
	}
	if m.rare(4) {
		types = m.types()
	}
	return labels, types
}

func (m *maker) aggregate(limit int, cursor string) graph.Query {
	q := &graph.Aggregate{NodePattern: m.pattern(true), Limit: limit, Cursor: cursor}
	functions := []graph.Function{graph.Count, graph.CountDistinct, graph.Sum, graph.Avg, graph.Min, graph.Max, "median", ""}
	for range 1 + m.pick(3) {
		a := graph.Aggregation{Function: functions[m.pick(2)]}
		if m.rare(4) {
			a.Function = functions[m.pick(len(functions))]
		}
		if a.Function != graph.Count || m.rare(8) {
			a.Property = m.property(q.Label)
		}
		if m.rare(4) {
			a.Filter = m.filter(q.Label, 2)
		}
		q.Aggregations = append(q.Aggregations, a)
	}
	units := []graph.TimeUnit{"", graph.Minute, graph.Hour, graph.Day, graph.Week, graph.Month, graph.Quarter, graph.Year, "decade"}
	for range m.pick(3) {
		g := graph.GroupKey{Property: m.property(q.Label)}
		if m.rare(3) {
			g.Truncate = units[m.pick(len(units))]
		}
		if m.rare(3) {
			to := m.pattern(true)
			types, dir, end := m.leaving(q.Label)
			if !m.rare(8) {
				to = graph.NodePattern{Label: end, Filter: m.filter(end, 1)}
			}
			g = graph.GroupKey{Relationships: []graph.Step{{Types: types, Direction: dir, To: &to}}}
			if m.rare(2) {
				g.Properties = []string{m.property(to.Label), m.property(to.Label)}
			}
		}
		q.GroupBy = append(q.GroupBy, g)
	}
	if m.rare(3) {
		ops := append(graph.Ops(), "")
		q.Having = []graph.Having{{As: []string{"count", "x", ""}[m.pick(3)], Op: ops[m.pick(len(ops))], Value: m.value(1)}}
	}
	if m.rare(3) {
		q.OrderBy = []graph.ColumnOrder{{As: "count", Direction: graph.Desc}}
	}
	return q
}
