package storetest

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/trellisgraph/trellis/graph"
)

// Arguments writes a query as the JSON arguments of its tool.
func Arguments(q graph.Query) []byte {
	var o object
	switch q := q.(type) {
	case *graph.FindNodes:
		o.pattern("node_label", &q.NodePattern)
		o.list("properties", q.Properties)
		o.order(q.OrderBy)
		o.page(q.Limit, q.Cursor)
	case *graph.Traverse:
		o.add("from", patternJSON(&q.From))
		o.add("relationships", steps(q.Relationships))
		o.add("to", patternJSON(&q.To))
		o.byLabel("properties", q.Properties)
		o.order(q.OrderBy)
		o.when(q.OmitConnections, "connections", "false")
		o.page(q.Limit, q.Cursor)
	case *graph.Neighbors:
		o.add("start_node", nodeID(q.Start))
		o.around(q.MaxHops, q.Direction, q.NodeTypes, q.RelationshipTypes, q.Filters, q.Properties)
		o.page(q.Limit, q.Cursor)
	case *graph.Paths:
		o.add("from", nodeID(q.From))
		o.add("to", nodeID(q.To))
		o.text("mode", string(q.Mode))
		o.number("k", q.K)
		o.around(q.MaxHops, q.Direction, q.NodeTypes, q.RelationshipTypes, q.Filters, q.Properties)
		o.text("weight", q.Weight)
		o.page(q.Limit, "")
	case *graph.Aggregate:
		o.aggregate(q)
	}
	return []byte(o.String())
}

// An object is the members of a JSON object.
type object []string

func (o *object) String() string { return "{" + strings.Join(*o, ", ") + "}" }

func (o *object) add(name, raw string) { *o = append(*o, quotedText(name)+": "+raw) }

func (o *object) when(ok bool, name, raw string) {
	if ok {
		o.add(name, raw)
	}
}

func (o *object) text(name, s string)       { o.when(s != "", name, quotedText(s)) }
func (o *object) number(name string, n int) { o.when(n != 0, name, strconv.Itoa(n)) }

func (o *object) list(name string, list []string) {
	if list != nil {
		o.add(name, textList(list))
	}
}

func (o *object) page(limit int, cursor string) {
	o.number("limit", limit)
	o.text("cursor", cursor)
}

func textList(list []string) string { return array(list, quotedText) }

func array[T any](list []T, write func(T) string) string {
	parts := make([]string, len(list))
	for i, v := range list {
		parts[i] = write(v)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (o *object) byLabel(name string, lists map[string][]string) {
	if lists == nil {
		return
	}
	var members object
	for _, label := range slices.Sorted(maps.Keys(lists)) {
		members.list(label, lists[label])
	}
	o.add(name, members.String())
}

func (o *object) order(keys []graph.Order) {
	if keys != nil {
		o.add("order_by", array(keys, func(k graph.Order) string {
			var m object
			m.add("property", quotedText(k.Property))
			m.text("direction", string(k.Direction))
			return m.String()
		}))
	}
}

func (o *object) around(hops int, dir graph.Direction, labels, types []string, filters map[string]graph.Filter, props map[string][]string) {
	o.number("max_hops", hops)
	o.text("direction", string(dir))
	o.list("node_types", labels)
	o.list("relationship_types", types)
	if filters != nil {
		var members object
		for _, label := range slices.Sorted(maps.Keys(filters)) {
			members.add(label, filterJSON(filters[label]))
		}
		o.add("filters", members.String())
	}
	o.byLabel("properties", props)
}

func nodeID(n graph.NodeID) string {
	var m object
	m.add("label", quotedText(n.Label))
	m.add("node_id", n.ID.String())
	return m.String()
}

func patternJSON(n *graph.NodePattern) string {
	var m object
	m.pattern("label", n)
	return m.String()
}

func (o *object) pattern(label string, n *graph.NodePattern) {
	o.add(label, quotedText(n.Label))
	if n.IDs != nil {
		o.add("ids", array(n.IDs, graph.Value.String))
	}
	if n.Filter != nil {
		o.add("filters", filterJSON(n.Filter))
	}
	o.text("where", n.Where)
	o.text("search", n.Search)
	if n.Related != nil {
		o.add("related", array(n.Related, relatedJSON))
	}
}

func relatedJSON(r graph.Related) string {
	var m object
	m.add("relationships", steps(r.Relationships))
	m.when(r.None, "exists", "false")
	if r.Count != nil {
		var bounds object
		for _, c := range r.Count {
			bounds.add(string(c.Op), strconv.Itoa(c.N))
		}
		m.add("count", bounds.String())
	}
	return m.String()
}

func steps(list []graph.Step) string {
	return array(list, func(s graph.Step) string {
		var m object
		if len(s.Types) == 1 {
			m.add("type", quotedText(s.Types[0]))
		} else {
			m.list("type", s.Types)
		}
		m.text("direction", string(s.Direction))
		m.number("min_hops", s.MinHops)
		m.number("max_hops", s.MaxHops)
		if s.Filter != nil {
			m.add("filters", filterJSON(s.Filter))
		}
		if s.To != nil {
			m.add("to", patternJSON(s.To))
		}
		return m.String()
	})
}

// filterJSON writes a conjunction of comparisons, by property.
func filterJSON(f graph.Filter) string {
	and, ok := f.(graph.And)
	if !ok {
		and = graph.And{f}
	}
	var props []string
	ops := map[string]*object{}
	for _, part := range and {
		c := part.(graph.Compare)
		if ops[c.Property] == nil {
			props = append(props, c.Property)
			ops[c.Property] = &object{}
		}
		op := c.Op
		if op == "" {
			op = graph.Eq
		}
		ops[c.Property].add(string(op), c.Value.String())
	}
	var m object
	for _, name := range props {
		text := ops[name].String()
		if bare, ok := strings.CutPrefix(text, `{"eq": `); ok && len(*ops[name]) == 1 {
			text = strings.TrimSuffix(bare, "}")
		}
		m.add(name, text)
	}
	return m.String()
}

func (o *object) aggregate(q *graph.Aggregate) {
	o.pattern("node_label", &q.NodePattern)
	o.add("aggregations", array(q.Aggregations, func(a graph.Aggregation) string {
		var m object
		m.add("function", quotedText(string(a.Function)))
		m.text("property", a.Property)
		m.text("as", a.As)
		if a.Filter != nil {
			m.add("filters", filterJSON(a.Filter))
		}
		m.text("where", a.Where)
		return m.String()
	}))
	if q.GroupBy != nil {
		o.add("group_by", array(q.GroupBy, func(g graph.GroupKey) string {
			var m object
			if g.Relationships != nil {
				m.add("relationships", steps(g.Relationships))
			}
			m.text("property", g.Property)
			m.list("property", g.Properties)
			m.text("truncate", string(g.Truncate))
			m.text("as", g.As)
			return m.String()
		}))
	}
	if q.Having != nil {
		o.add("having", array(q.Having, func(h graph.Having) string {
			var m object
			m.add("as", quotedText(h.As))
			m.add("op", quotedText(string(h.Op)))
			m.add("value", h.Value.String())
			return m.String()
		}))
	}
	if q.OrderBy != nil {
		o.add("order_by", array(q.OrderBy, func(k graph.ColumnOrder) string {
			var m object
			m.add("as", quotedText(k.As))
			m.text("direction", string(k.Direction))
			return m.String()
		}))
	}
	o.page(q.Limit, q.Cursor)
}
